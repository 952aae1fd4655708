#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check that nothing of GStreamer is used that is newer than the version that is required. Print PASS or FAIL for each file.

    since.py ROOT VERSION FOLDER    checks the sources of a repository with the GIR files of a folder
    since.py --test                 checks the check

GIR files name the version that brought a function, type or constant. What `#if GST_CHECK_VERSION (…)` guards, or an option that needs a newer library, may be newer.
GLib needs no such check: its macros refuse at compile time what is newer than GLIB_VERSION_MAX_ALLOWED.
"""
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

C = "{http://www.gtk.org/introspection/c/1.0}"
SUFFIXES = {".c", ".h"}
FOLDERS = ("common", "gst", "kernels", "examples", "tests")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
GUARD = re.compile(r"^\s*#\s*if.*\b(GST_CHECK_VERSION|HAVE_GSTCUDA|HAVE_ANALYTICS)\b")  # libraries of 1.22 and 1.26
CONDITION = re.compile(r"^\s*#\s*(if|else|elif|endif)")
WORD = re.compile(r"\b(?:gst|Gst|GST)_?\w+\b")


def number(version):
    return tuple(int(part) for part in version.split(".")[:2])


def read_versions(texts):
    """{name: version} of what GIR files name with a version."""
    return {element.get(C + "identifier") or element.get(C + "type"): number(element.get("version"))
            for text in texts for element in ET.fromstring(text).iter()
            if element.get("version") and (element.get(C + "identifier") or element.get(C + "type"))}


def unguarded(text):
    """(line number, line) of what is compiled with every version."""
    guards = []
    for at, line in enumerate(COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text).splitlines(), 1):
        if match := CONDITION.match(line):
            if match.group(1) == "if":
                guards.append(bool(GUARD.match(line)))
            elif match.group(1) == "endif":
                guards.pop()
            elif guards:
                guards[-1] = False
        elif not any(guards):
            yield at, line


def newer(text, versions, floor):
    return [f"line {at}: {word} is of {'.'.join(map(str, versions[word]))}"
            for at, line in unguarded(text) for word in WORD.findall(line) if versions.get(word, floor) > floor]


def check(root, floor, versions):
    failed = not versions
    if failed:
        print("FAIL GIR files: none names a version")
    for file in sorted(f for top in FOLDERS for f in (root / top).rglob("*") if f.suffix in SUFFIXES):
        faults = newer(file.read_text(encoding="utf-8"), versions, floor)
        if faults:
            print(f"FAIL {file.relative_to(root)}: {'; '.join(faults)}")
            failed = True
    if not failed:
        print(f"PASS of {len(versions)} names with a version, none newer than {'.'.join(map(str, floor))} is used")
    return failed


def check_the_check():
    gir = (f'<repository xmlns:c="{C[1:-1]}"><function c:identifier="gst_old" version="1.20"/>'
           '<function c:identifier="gst_new" version="1.22"/><record c:type="GstNew" version="1.24.1"/></repository>')
    versions = read_versions([gir])
    cases = [("old", "gst_old ();", 0), ("new", "gst_new ();", 1), ("a type", "GstNew *new;", 1), ("a comment", "/* gst_new */", 0),
             ("guarded", "#if GST_CHECK_VERSION (1, 22, 0)\ngst_new ();\n#endif", 0),
             ("the other branch", "#if GST_CHECK_VERSION (1, 22, 0)\n#else\ngst_new ();\n#endif", 1),
             ("another condition", "#ifdef HAVE_X\ngst_new ();\n#endif", 1),
             ("within the guard", "#if GST_CHECK_VERSION (1, 22, 0)\n#ifdef X\ngst_new ();\n#endif\n#endif", 0)]
    failed = False
    for name, text, wanted in cases:
        got = len(newer(text, versions, (1, 20)))
        print(f"{'PASS' if got == wanted else 'FAIL'} {name}: {got} newer names")
        failed |= got != wanted
    return failed


def main(arguments):
    if arguments == ["--test"]:
        return check_the_check()
    root, version, folder = arguments
    files = sorted(Path(folder).glob("Gst*.gir"))
    if not files:
        print(f"SKIP since: {folder} has no GIR files of GStreamer")
        return 77
    return check(Path(root), number(version), read_versions(file.read_text(encoding="utf-8") for file in files))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
