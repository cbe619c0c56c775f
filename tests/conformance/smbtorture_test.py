#!/usr/bin/python3
"""Runs smbtorture's tests, each alone against a fresh daemon with an empty share.

Without arguments: the suites of kept promises (SUITES). A test must pass if Samba 4.17 passes it,
unless known_failures.tsv names it with a reason; a named test that passes is a failure too, so that
the list only ever shrinks truthfully.

    smbtorture_test.py --survey [PREFIX...]   any suites ("smb2" for all): a comparison with Samba,
                                              for people; no verdict
"""

import argparse
import concurrent.futures
import os
import re
import sys
import time
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))

from daemon import PASSWORD, USER, Daemon  # noqa: E402
from programs import need, run  # noqa: E402

SUITES = ["connect", "read", "rw", "tcon", "dir", "mkdir", "sharemode", "deny", "compound",
          "compound_find", "session-id", "credits"]


def table(name):
    """TEST<TAB>VALUE lines as a dictionary, in their order; '#' starts a comment line."""
    rows = {}
    for line in (HERE / name).read_text().splitlines():
        if line and not line.startswith("#"):
            test, _, value = line.partition("\t")
            rows[test] = value
    return rows


def in_suite(test, suite):
    return test == suite or test.startswith(suite + ".")


def verdict(code, output):
    """smbtorture says "success: NAME", "failure: NAME [...", "skip: NAME [..." per test."""
    if code == -1:
        return "timeout"
    if re.search(r"^(failure|error):", output, re.M):
        return "fail"
    if re.search(r"^skip:", output, re.M):
        return "skip"
    if code == 0 and re.search(r"^success:", output, re.M):
        return "pass"
    return "fail"


def reason(output):
    """The first line that says what went wrong."""
    failure = re.search(r"^(?:failure|error|skip): .*?\[\n(.*?)^\]", output, re.M | re.S)
    lines = (failure.group(1) if failure else output).strip().splitlines()
    return lines[0][:160] if failure and lines else (lines[-1][:160] if lines else "no output")


def run_one(test, limit_s, arguments):
    """(result, why, seconds, output) of one test."""
    program = need("smbtorture", "samba-testsuite")
    started = time.monotonic()
    output = ""
    try:
        with Daemon() as daemon:
            command = [program, "//127.0.0.1/share", "-p", daemon.port, "-s", "/dev/null",
                       "-U", f"{USER}%{PASSWORD}", *arguments, test]
            # smbtorture leaves files beside itself when it fails.
            code, output = run(command, limit_s, cwd=daemon.directory)
        result, why = verdict(code, output), reason(output)
    except AssertionError as error:
        # How a daemon dies matters more than what its client said about it.
        result, why = "crash", str(error).splitlines()[0]
        output += f"\n{error}"
    return result, "" if result == "pass" else why, time.monotonic() - started, output


def run_all(tests, jobs, limit_s, arguments, logs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {test: pool.submit(run_one, test, limit_s, arguments) for test in tests}
        for test, future in futures.items():
            result, why, seconds, output = future.result()
            print(f"{result:8} {seconds:6.1f} s  {test}  {why}", flush=True)
            if logs:
                (logs / (test + ".log")).write_text(output)
            yield test, result, why, output


def survey(tests, samba, results):
    """How we stand beside Samba, suite by suite, and each test on which we differ."""
    suites = {}
    for test, result in results.items():
        suite = suites.setdefault(".".join(test.split(".")[:2]), {"tests": 0, "we": 0, "samba": 0})
        suite["tests"] += 1
        suite["we"] += result == "pass"
        suite["samba"] += samba.get(test) == "pass"
    print(f"\n{'suite':36}{'tests':>7}{'we pass':>9}{'Samba':>7}")
    for name, counts in sorted(suites.items()):
        print(f"{name:36}{counts['tests']:7}{counts['we']:9}{counts['samba']:7}")
    total = {key: sum(counts[key] for counts in suites.values()) for key in ("tests", "we", "samba")}
    print(f"{'all':36}{total['tests']:7}{total['we']:9}{total['samba']:7}")
    for test in tests:
        if results[test] != samba.get(test):
            print(f"differs: {test}: we {results[test]}, Samba {samba.get(test, 'not listed')}")


def judge(results, samba, known):
    """The CI's verdict: the lines that make it fail."""
    wrong = []
    for test, result in results.items():
        if test in known and result == "pass":
            wrong.append(f"{test} passes: take it out of known_failures.tsv")
        elif test not in known and samba[test] == "pass" and result != "pass":
            wrong.append(f"{test}: {result}, but Samba passes and known_failures.tsv doesn't name it")
        elif result in ("crash", "timeout") and test not in known and samba[test] != "timeout":
            wrong.append(f"{test}: {result}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--survey", nargs="*", metavar="PREFIX")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=60, help="seconds for one test")
    parser.add_argument("--logs", type=Path, help="directory for the output of every test")
    parser.add_argument("--torture", action="append", default=[], help="argument for smbtorture")
    options = parser.parse_args()

    samba = table("samba_4_17_results.tsv")
    known = table("known_failures.tsv")
    prefixes = [f"smb2.{suite}" for suite in SUITES] if options.survey is None else options.survey
    tests = [test for test in samba if any(in_suite(test, p) for p in prefixes or ["smb2"])]
    for test in known:
        if test not in samba:
            raise SystemExit(f"known_failures.tsv: there is no test {test}")

    results, kept = {}, {}
    for test, result, why, output in run_all(tests, options.jobs, options.limit, options.torture,
                                             options.logs):
        results[test] = result
        kept[test] = output
    if options.survey is not None:
        survey(tests, samba, results)
        return 0

    wrong = judge(results, samba, known)
    for test in results:
        if any(line.startswith(test + ":") for line in wrong):
            print(f"\n--- {test}\n{kept[test][-3000:]}")
    print(f"\n{'test':52}{'we':>9}{'Samba':>9}")
    for test, result in results.items():
        print(f"{test:52}{result:>9}{samba[test]:>9}" + (f"  known: {known[test]}" if test in known else ""))
    passed = sum(result == "pass" for result in results.values())
    print(f"{passed} of {len(results)} pass; Samba passes "
          f"{sum(samba[test] == 'pass' for test in results)}; {len(wrong)} surprises")
    for line in wrong:
        print("FAIL", line)
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
