#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts tests one by one out of what ctest and pytest leave, and prints what failed.

count_tests.py ctest LastTest.log OUT       GoogleTest and Qt Test programs; any other program counts as one test
count_tests.py pytest JUNIT.xml OUT STATUS
count_tests.py total FOLDER                 adds the OUT files up; exit 1 on a failure or when nothing ran
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

RESULT = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (.*) \(\d+ ms\)$", re.M)
QT_RESULT = re.compile(r"^(PASS|FAIL!|XPASS|SKIP) +: (\S+?)\(", re.M)
QT_END = re.compile(r"^Totals: \d+ passed, \d+ failed", re.M)
PROGRAM = re.compile(r"^\d+/\d+ Test(?:ing)?: (\S+)\n.*?^Output:\n-+\n(.*?)^<end of output>\n.*?^-+\n(.*?)^\"", re.M | re.S)


def count_program(output, failed):
    """Passed, failed, skipped of one test program. A program that died adds a failure of its own."""
    results = [kind for kind, _ in RESULT.findall(output)]
    good, bad, skipped = (results.count(kind) for kind in ("OK", "FAILED", "SKIPPED"))
    for kind, name in QT_RESULT.findall(output):
        if not name.endswith(("::initTestCase", "::cleanupTestCase")) or kind == "FAIL!":
            good, bad, skipped = good + (kind == "PASS"), bad + (kind in ("FAIL!", "XPASS")), skipped + (kind == "SKIP")
    if failed and bad == 0:
        bad = 1
    if not failed and "[==========]" not in output and not QT_END.search(output):
        good = 1
    return good, bad, skipped


def failures(output):
    """What GoogleTest and Qt Test said about each failed test; the end of the output when neither said a thing."""
    blocks = re.findall(r"^\[ RUN      \] [^\n]*\n(?:(?!^\[ RUN).*\n)*?\[  FAILED  \][^\n]*", output, re.M)
    blocks += re.findall(r"^(?:FAIL!  |QFATAL ):[^\n]*\n(?:   [^\n]*\n)*", output, re.M)
    return blocks or ["\n".join(output.rstrip().splitlines()[-25:])]


def read_ctest(log, out):
    text = pathlib.Path(log).read_text(errors="replace") if pathlib.Path(log).exists() else ""
    total = [0, 0, 0]
    told = set()
    for name, output, verdict in PROGRAM.findall(text):
        failed = "Test Passed" not in verdict
        counted = count_program(output, failed)
        total = [a + b for a, b in zip(total, counted)]
        if failed:
            told.add(name)
            print(f"--- {name}: {verdict.strip() or 'failed'}")
            for block in failures(output):
                print(block[:6000])
    # A program that could not even be started leaves no output.
    listed = pathlib.Path(log).with_name("LastTestsFailed.log")
    for name in (line.split(":", 1)[1] for line in (listed.read_text().split() if listed.exists() else [])):
        if name not in told:
            total[1] += 1
            print(f"--- {name}: could not be run")
    pathlib.Path(out).write_text("%d %d %d\n" % tuple(total))


def read_pytest(junit, out, status):
    try:
        suites = list(xml.parse(junit).getroot().iter("testsuite"))
    except (OSError, xml.ParseError):
        suites = []
    ran, bad, skipped = (sum(int(suite.get(key, 0)) for suite in suites for key in keys)
                         for keys in (("tests",), ("failures", "errors"), ("skipped",)))
    # A test whose teardown fails too is counted twice among errors, never among tests.
    good = max(0, ran - bad - skipped)
    if status != 0 and bad == 0:
        bad = 1
    pathlib.Path(out).write_text(f"{good} {bad} {skipped}\n")


def total(folder):
    lines = [path.read_text().split() for path in sorted(pathlib.Path(folder).glob("*.txt"))]
    good, bad, skipped = (sum(int(line[i]) for line in lines) for i in range(3))
    print(flush=True)
    if good + bad + skipped == 0:
        print("No test ran: nothing matches the filter.")
    print(f"{good} passed, {bad} failed, {skipped} skipped")
    return 1 if bad or good + bad + skipped == 0 else 0


if __name__ == "__main__":
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "ctest":
        read_ctest(*arguments)
    elif what == "pytest":
        read_pytest(arguments[0], arguments[1], int(arguments[2]))
    else:
        sys.exit(total(arguments[0]))
