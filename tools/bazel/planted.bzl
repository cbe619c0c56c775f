"""A program built once more, with the faults of engine/base/planted.h compiled in."""

def _with_faults(settings, attr):
    return {"//command_line_option:copt": settings["//command_line_option:copt"] +
                                          [
        # Another filling of what nobody initialised and another optimiser, so that the same build
        # shows whether either matters: tests/sim/determinism_test.sh.
        "-DSEMBLANCE_PLANTED",
        "-O1",
        "-ftrivial-auto-var-init=pattern",
    ]}

_planted = transition(
    implementation = _with_faults,
    inputs = ["//command_line_option:copt"],
    outputs = ["//command_line_option:copt"],
)

def _planted_binary(ctx):
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = program, target_file = ctx.executable.actual, is_executable = True)
    return [DefaultInfo(executable = program, runfiles = ctx.runfiles([program]))]

planted_binary = rule(
    implementation = _planted_binary,
    executable = True,
    attrs = {
        "actual": attr.label(executable = True, cfg = _planted),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
