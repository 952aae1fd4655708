#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the links of the pages, and the pages that sources name.

    links.py ROOT

Prints one line for each page, PASS or FAIL with its dead links, and one for all sources. A link is dead if its file does not
exist, or if its page has no such heading. Links to other hosts are not followed."""
import pathlib
import re
import sys

FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)
NAMED_PAGE = re.compile(r"\bdocs/[\w/-]+\.md(?:#[\w-]+)?")
SOURCES = ("*.c", "*.h", "*.cu", "*.cuh", "*.py", "*.sh", "meson.build", "meson_options.txt", "run")


def files(root, *patterns):
    found = {path for pattern in patterns for path in root.rglob(pattern)}
    skipped = lambda path: any(part.startswith("build") or part == ".git" for part in path.relative_to(root).parts)
    return sorted(path for path in found if path.is_file() and not skipped(path))


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found, seen = set(), {}
    for heading in HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def is_alive(base, target):
    """Whether a link from a file in the folder `base` leads to a file, and to a heading of it."""
    path, _, anchor = target.partition("#")
    file = base / path
    if not file.exists():
        return False
    return not anchor or file.suffix != ".md" or anchor in anchors(file)


def dead_links(page):
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    for match in LINK.finditer(text):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        # a fragment alone is a heading of this page
        if not is_alive(page.parent, target if not target.startswith("#") else page.name + target):
            yield target


def report(name, dead):
    print(f"FAIL {name}: {', '.join(dead)}" if dead else f"PASS {name}")
    return bool(dead)


def main(root):
    failed = False
    for page in files(root, "*.md"):
        failed |= report(page.relative_to(root), sorted(set(dead_links(page))))
    dead = []
    for source in files(root, *SOURCES):
        for name in NAMED_PAGE.findall(source.read_text(encoding="utf-8")):
            if not is_alive(root, name):
                dead.append(f"{name} in {source.relative_to(root)}")
    return failed | report("pages that sources name", dead)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
