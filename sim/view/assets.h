#pragma once
// The fixed parts of the page, made from page.html, page.css and page.js at build.

namespace semblance::sim {

extern const char kPageHead[];  // up to the data
extern const char kPageTail[];  // from behind the data to the end

}  // namespace semblance::sim
