#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts individual test cases in the logs of `meson test` and prints `N passed, M failed[, K skipped]`.

A program of gst-check prints `90%: Checks: 20, Failures: 1, Errors: 1`; a case that cannot run also prints
`SKIP name: reason`. A script prints one line a case: `PASS name`, `FAIL name: reason` or `SKIP name: reason`. A test that
fails without naming a case counts as one failed case, and so does one without output.
Skipped cases are listed by their reason. Exit status 1 if a case failed or none passed.
"""
import collections
import json
import re
import sys

CHECKS = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)", re.M)
LINE = re.compile(r"^(PASS|FAIL|SKIP) (.*)", re.M)


def count(test):
    """(passed, failed, skipped) of one entry of testlog.json."""
    output = test.get("stdout", "") + "\n" + test.get("stderr", "")
    lines = [kind for kind, _ in LINE.findall(output)]
    skipped = lines.count("SKIP")
    checks = CHECKS.findall(output)
    if checks:
        failed = sum(int(f) + int(e) for _, f, e in checks)
        passed = sum(int(n) for n, _, _ in checks) - failed - skipped
    else:
        passed, failed = lines.count("PASS"), lines.count("FAIL")
    silent = passed + failed + skipped == 0
    if test["result"] not in ("OK", "SKIP") and failed == 0 or silent:
        failed += 1
    return passed, failed, skipped


def main(logs):
    total = [0, 0, 0]
    skipped_for = collections.defaultdict(list)
    for log in logs:
        with open(log, encoding="utf-8") as file:
            for entry in map(json.loads, file):
                counts = count(entry)
                total = [a + b for a, b in zip(total, counts)]
                if counts[1]:
                    ended = "no PASS line, or exit status 0 after a FAIL" if entry["result"] == "OK" else entry["result"]
                    print(f"---- {entry['name']}: {ended}")
                    print((entry.get("stdout", "") + entry.get("stderr", ""))[-4000:])
                for kind, text in LINE.findall(entry.get("stdout", "")):
                    if kind == "SKIP":
                        name, _, reason = text.partition(": ")
                        skipped_for[reason].append(name)
    for reason, names in skipped_for.items():
        print(f"SKIP {names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}: {reason}")
    passed, failed, skipped = total
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
