// What sanitizers do in the fuzzers unless ASAN_OPTIONS says otherwise: a campaign allocates and
// frees without end, so these let it run several times as fast. Short stacks; a quarantine of some
// inputs, not of hundreds, which stays in the processor's cache; memory is never given back to the
// kernel, only to be asked for again.

extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=2:thread_local_quarantine_size_kb=256:malloc_context_size=1:"
         "max_malloc_fill_size=256:allocator_release_to_os_interval_ms=-1:"
         "detect_stack_use_after_return=0";
}
