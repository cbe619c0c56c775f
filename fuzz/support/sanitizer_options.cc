// What sanitizers do in the fuzzers unless ASAN_OPTIONS says otherwise: a campaign allocates and
// frees without end, so short stacks and a small quarantine (some hundred inputs deep) let it run
// several times as fast.

extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=8:malloc_context_size=1:max_malloc_fill_size=256:"
         "detect_stack_use_after_return=0";
}
