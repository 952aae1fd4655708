#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that pages and scripts call commands by one name: robocache align, not robocache-align.

    oldnames.py ROOT

Prints PASS or FAIL for README.md, for each page and for the scripts of examples. The names are those of the programs that the build
installs. A page may name the man page of a command, and docs/changes.md says which names changed."""
import pathlib
import re
import sys


def program_names(root):
    """Programs beside robocache, and names that they had before."""
    tools = (root / "examples" / "tools" / "meson.build").read_text(encoding="utf-8")
    dataset = (root / "examples" / "dataset" / "meson.build").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"'robocache-([a-z-]+)' :", tools + dataset)), key=len, reverse=True)


def main(root):
    pattern = re.compile(r"(?<!man )(?<![\w/.-])(?:[\w./]+/)?robocache-(?:" + "|".join(program_names(root)) + r")(?![\w-])")
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md")), root / "examples" / "packaging" / "wheel.md"]
    scripts = sorted((root / "examples").glob("*.sh"))
    failed = False
    for path in pages + scripts:
        if path == root / "docs" / "changes.md":
            continue
        name = path.relative_to(root)
        found = [f"{name}:{i}: {match[0]}" for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) for match in pattern.finditer(line)]
        print(f"FAIL {name}: {'; '.join(found)}" if found else f"PASS {name}")
        failed |= bool(found)
    if len(program_names(root)) < 10:
        print("FAIL names: the build has fewer than ten programs")
        failed = True
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
