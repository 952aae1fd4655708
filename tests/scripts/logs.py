#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check the log statements of gst and common.

    logs.py ROOT            prints PASS or FAIL for each rule
    logs.py --count ROOT    prints the statements per 1,000 lines of each folder
    logs.py --test          checks the rules: each must fail on a small source that breaks it

object      Each statement has an object: the pad, or else the element, that it is about.
category    A file with statements has a category: GST_CAT_DEFAULT of its own or of a header that it includes. Without one they are in
            GStreamer's default category, which nobody looks at.
elements    Each element has one category, of its name, and there is no other but robocachedevice.
"""
import re
import sys
import tempfile
from pathlib import Path

LEVELS = "ERROR|WARNING|FIXME|INFO|DEBUG|LOG|TRACE"
STATEMENT = re.compile(rf"\bGST_(?P<cat>CAT_)?(?:{LEVELS})(?P<object>_OBJECT)? \(")
CORE_STATEMENT = re.compile(r"\bFUSE_LOG \(")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
CATEGORY = re.compile(r'(?:GST_DEBUG_CATEGORY_INIT|_gst_debug_category_new) \((?:\w+, )?"(\w+)"')
ELEMENT = re.compile(r'GST_ELEMENT_REGISTER_DEFINE \((\w+),')
OTHERS = {"robocachedevice"}    # memory has no element


def sources(root):
    """{path below root: text}"""
    files = sorted(f for folder in ("gst", "common") for f in (root / folder).rglob("*") if f.suffix in (".c", ".h"))
    return {f.relative_to(root): f.read_text(encoding="utf-8") for f in files}


def headers(path, text, files):
    """The texts of the headers that a file includes."""
    for name in INCLUDE.findall(text):
        for found in (path.parent / name, Path(name)):
            if found in files:
                yield files[found]


def objects(files):
    return [f"{path}:{text.count(chr(10), 0, match.start()) + 1}: a statement without an object"
            for path, text in files.items() for match in STATEMENT.finditer(text) if not match["object"]]


def categories(files):
    for path, text in files.items():
        if not any(not match["cat"] for match in STATEMENT.finditer(text)):
            continue
        if not any("#define GST_CAT_DEFAULT" in part for part in (text, *headers(path, text, files))):
            yield f"{path}: statements without a category"


def elements(files):
    texts = [text for path, text in files.items() if path.suffix == ".c"]
    names = sorted(name for text in texts for name in ELEMENT.findall(text))
    found = sorted(name for text in texts for name in CATEGORY.findall(text) if name not in OTHERS)
    if names != found:
        yield f"the elements are {', '.join(names)}, and the categories {', '.join(found)}"


RULES = {"object": objects, "category": categories, "elements": elements}


def check(root):
    """{name of a rule: what breaks it}"""
    files = sources(root)
    return {name: list(rule(files)) for name, rule in RULES.items()}


def count(root):
    sums = {}
    for path, text in sources(root).items():
        counts = sums.setdefault(path.parent, [0, 0])
        counts[0] += len(STATEMENT.findall(text)) + len(CORE_STATEMENT.findall(text))
        counts[1] += text.count("\n")
    for folder, (n, lines) in sorted(sums.items()):
        print(f"{str(folder):32} {n:4} statements, {lines:6} lines, {1000 * n / lines:5.1f} per 1,000")


GOOD = '#define GST_CAT_DEFAULT x\nGST_DEBUG_CATEGORY_INIT (x, "a", 0, "");\nGST_ELEMENT_REGISTER_DEFINE (a, "a",\n  GST_LOG_OBJECT (self, "");\n'
BAD = {"object": GOOD + '  GST_LOG ("");\n', "category": GOOD.replace("#define GST_CAT_DEFAULT x", ""),
       "elements": GOOD.replace('x, "a"', 'x, "b"')}


def test():
    failed = False
    for rule, text in [(None, GOOD), *BAD.items()]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "gst").mkdir()
            (Path(folder) / "gst" / "a.c").write_text(text, encoding="utf-8")
            broken = [name for name, faults in check(Path(folder)).items() if faults]
        is_good = broken == ([rule] if rule else [])
        print(f"{'PASS' if is_good else 'FAIL'} {rule or 'good'}: {broken}")
        failed |= not is_good
    return failed


def main(arguments):
    if arguments == ["--test"]:
        return test()
    if len(arguments) == 2 and arguments[0] == "--count":
        return count(Path(arguments[1]))
    if len(arguments) != 1:
        sys.exit(__doc__)
    results = check(Path(arguments[0]))
    for name, faults in results.items():
        print(f"FAIL {name}: {'; '.join(faults)}" if faults else f"PASS {name}")
    return any(results.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
