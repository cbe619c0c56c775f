"""fuzz_target: one fuzzer, one file, one corpus."""

def fuzz_target(name, deps, srcs = None):
    """A libFuzzer binary with --config=fuzz, else a program that replays files; and its corpus test.

    Args:
      name: the target; its source is NAME.cc, its corpus corpora/NAME.
      deps: what it fuzzes.
      srcs: instead of NAME.cc.
    """
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = srcs or [name + ".cc"],
        linkopts = select({
            ":fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + select({
            ":fuzzing": ["//fuzz/support:sanitizer_options"],
            "//conditions:default": ["//fuzz/support:replay"],
        }),
    )
    corpus = native.glob(["corpora/%s/*" % name], allow_empty = False)
    native.sh_test(
        name = name + "_corpus_test",
        size = "small",
        srcs = ["//fuzz/support:replay_test.sh"],
        args = ["$(location :%s)" % name] + ["$(location %s)" % file for file in corpus],
        data = [name] + corpus,
    )
