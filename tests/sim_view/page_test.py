#!/usr/bin/python3
"""`semblance sim --html`: the page is well-formed, needs nothing from elsewhere, has every request once
and the failure at its moment; its script draws that, and leaves out what a filter does not want."""

import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from programs import need, run  # noqa: E402

NODE = need("node", "nodejs")
TOOL = os.path.join(HERE, "..", "..", "tools", "semblance")
MADE_UP = os.path.join(HERE, "made_up_failure")
SCRIPT = os.path.join(HERE, "..", "..", "sim", "view", "page.js")
VOID = {"meta", "input", "br", "link", "img"}

# Draws without a document, as the page does with one.
DRAW = """
const page = require(process.argv[1]), [marks, run, filter] = JSON.parse(require('fs').readFileSync(0));
const all = page.read(marks), lanes = page.prepare(all, run);
process.stdout.write('<page>' + page.draw(page.matching(all, filter), run, lanes) + '</page>');
"""


class Parser(html.parser.HTMLParser):
    """Elements must be closed in order; collects scripts by id and every attribute."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.scripts, self.attributes, self.faults = [], {}, [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.scripts[self.open[-1][1]] = self.scripts.get(self.open[-1][1], "") + data


def classes(group):
    return group.get("class", "").split()


class Page:
    def __init__(self, text):
        self.text = text
        self.parser = Parser()
        self.parser.feed(text)
        self.parser.close()
        self.lines = self.parser.scripts["marks"]
        self.marks = [json.loads(line) for line in self.lines.splitlines() if line]
        self.run = json.loads(self.parser.scripts["run"])

    def kind(self, kind):
        return [mark for mark in self.marks if mark["k"] == kind]

    def drawing(self, filter_text=""):
        done = subprocess.run([NODE, "-e", DRAW, os.path.realpath(SCRIPT)], capture_output=True, timeout=60,
                              input=json.dumps([self.lines, self.run, filter_text]).encode(), check=False)
        assert done.returncode == 0, done.stderr.decode()
        root = ElementTree.fromstring(done.stdout)
        return [one for one in root.iter() if one.tag.split("}")[-1] in ("g", "rect", "line", "text")]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([MADE_UP], capture_output=True, timeout=60, check=True)
        cls.page = Page(done.stdout.decode())

    def whole(self, page):
        self.assertEqual(page.parser.faults, [])
        self.assertEqual(page.parser.open, [])
        requests = [mark["r"] for mark in page.kind("req")]
        self.assertEqual(requests, list(range(1, int(page.run["requests"]) + 1)))
        times = [mark["t"] for mark in page.marks]
        self.assertEqual(times, sorted(times))

    def test_every_request_stands_once_on_a_well_formed_page(self):
        self.whole(self.page)
        self.assertGreater(len(self.page.marks), 200)

    def test_nothing_comes_from_elsewhere(self):
        for tag, name, value in self.page.parser.attributes:
            self.assertNotIn(name, ("src", "href", "action", "data"), f"<{tag} {name}={value}>")
        for word in ("@import", "url(", "fetch(", "XMLHttpRequest", "import("):
            self.assertNotIn(word, self.page.text)
        # The name space of SVG is a name, not an address.
        self.assertEqual(set(re.findall(r"https?://[^\s\"'`]*", self.page.text)), {"http://www.w3.org/2000/svg"})

    def test_the_failure_is_what_the_oracle_said(self):
        self.assertEqual(self.page.run["oracle"], "made_up")
        self.assertTrue(self.page.run["what"].startswith("\"quoted\" </script><!-- & 'so on'"))

    def test_the_drawing_has_each_request_and_the_failure_at_its_moment(self):
        drawing = self.page.drawing()
        requests = [int(one.get("data-r")) for one in drawing if "req" in classes(one)]
        self.assertEqual(requests, list(range(1, int(self.page.run["requests"]) + 1)))
        failures = [one for one in drawing if "failure" in classes(one)]
        self.assertEqual(len(failures), 1)
        self.assertIn("</script><!--", "".join(failures[0].itertext()))
        rows = [one for one in drawing if one.find("{*}title") is not None and one.tag.endswith("}g")]
        times = [float(one.find("{*}title").text.split(" ")[0]) for one in rows]
        self.assertEqual(times, sorted(times))
        place = rows.index(failures[0])
        self.assertTrue(0 < place < len(rows) - 1, f"the failure is row {place} of {len(rows)}")
        named = {one.get("data-r") for one in drawing if "named" in classes(one)}
        self.assertEqual(named, {"40"})

    def test_operations_are_boxes_and_most_know_their_request(self):
        drawing = self.page.drawing()
        boxes = [one for one in drawing if "box" in classes(one)]
        operations = self.page.kind("op")
        self.assertEqual(len(boxes), len(operations))
        known = [mark for mark in operations if mark["r"]]
        self.assertGreater(len(known), len(operations) * 0.7)
        lives = [one for one in drawing if "life" in classes(one)]
        self.assertGreaterEqual(len(lives), len(self.page.kind("open")) + 1 + len(self.page.kind("crash")))

    def test_what_an_abort_has_cut_off_is_drawn_up_to_there(self):
        whole, self.page.lines = self.page.lines, self.page.lines[:len(self.page.lines) // 2 - 5]
        try:
            drawing = self.page.drawing()
        finally:
            self.page.lines = whole
        self.assertGreater(len([one for one in drawing if "req" in classes(one)]), 10)
        self.assertEqual(len([one for one in drawing if "failure" in classes(one)]), 1)

    def test_a_filter_keeps_what_belongs_to_the_requests_that_it_finds(self):
        shown = [one for one in self.page.drawing("#40 ") if one.get("data-r") and one.tag.endswith("}g")]
        self.assertEqual({one.get("data-r") for one in shown}, {"40"})
        self.assertEqual(len([one for one in shown if "req" in classes(one)]), 1)


class CommandTest(unittest.TestCase):
    def test_the_tool_writes_such_a_page(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "page.html")
            code, output = run([TOOL, "sim", "--seeds", "5", "--fault", "none", "--html", path])
            self.assertEqual(code, 0, output)
            with open(path, encoding="utf-8") as file:
                page = Page(file.read())
            PageTest.whole(self, page)
            self.assertEqual(page.run["replay"], "semblance sim --seeds 5 --fault none")
            self.assertIn(f"requests={page.run['requests']} ", output)
            self.assertEqual(page.run["oracle"], "")

    def test_watching_changes_nothing(self):
        with tempfile.TemporaryDirectory() as directory:
            plain = run([TOOL, "sim", "--seeds", "7", "--tapes", ""])[1]
            watched = run([TOOL, "sim", "--seeds", "7", "--html", os.path.join(directory, "a"), "--pcap",
                           os.path.join(directory, "b")])[1]
        figures = [re.search(r"requests=\d+ events=\d+", text).group() for text in (plain, watched)]
        self.assertEqual(*figures)

    def test_one_run_only(self):
        for arguments in (["--seeds", "1..2"], ["--seeds", "1", "--minutes", "1"]):
            code, output = run([TOOL, "sim", *arguments, "--html", "/dev/null"])
            self.assertEqual(code, 2)
            self.assertIn("one run", output)
        code, output = run([TOOL, "sim", "--seeds", "1", "--html", "/nowhere/page.html"])
        self.assertEqual(code, 2)
        self.assertIn("/nowhere/page.html", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
