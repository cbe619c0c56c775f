"""A test that drives the built daemon from outside, as a Python script of Debian's python3."""

def outside_test(name, script, timeout = "moderate", tags = [], data = [], **more):
    # "local": clients and daemon meet on the real loopback interface. The scripts find the daemon and
    # tests/common beside themselves in the runfiles.
    native.sh_test(
        name = name,
        srcs = [script],
        timeout = timeout,
        tags = ["local"] + tags,
        data = ["//tests/common", "//tools:semblanced"] + data,
        **more
    )
