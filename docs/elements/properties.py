#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the property tables of the element pages from gst-inspect-1.0, or checks that they are up to date.

    meson devenv -C build python3 ../docs/elements/properties.py --write
    meson devenv -C build python3 ../docs/elements/properties.py --check [ELEMENT…]

A page holds its table between `<!-- properties -->` and `<!-- /properties -->`. Behind it, `<!-- properties ELEMENT -->` holds those of
another element that the page's does not have.
The version that a property is in since is kept on the page: --write gives a new one the version of this project.
--check prints one line `PASS page` or `FAIL page: why` for each page. The elements named after it are not in this build: their
pages are skipped.
"""
import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parent
MESON = PAGES.parent.parent / "meson.build"
SECTION = re.compile(r"<!-- properties(?: (\S+))? -->.*?<!-- /properties -->", re.DOTALL)
# automatic-eos: of GstBaseSrc, since GStreamer 1.24; async-handling, message-forward: of GstBin
SKIPPED = {"name", "parent", "emit-signals", "automatic-eos", "async-handling", "message-forward"}
PROPERTY = re.compile(r"^(\S[^:]*?)\s*: (.*)$")
ARRAY_DEFAULT = re.compile(r'^Default: "< (.*) >"$')  # on a line of its own, before the type
ROW = re.compile(r"^\| `([^`]+)` \|(?:[^|]*\|){3} (\d+(?:\.\d+)+) \|")
HEADING = "### Properties of "
ENUM_VALUE = re.compile(r"^\(-?\d+\): (\S+)\s+- (.*)$")


def inspect(element):
    return subprocess.run(["gst-inspect-1.0", "--no-colors", element], check=True, capture_output=True, text=True).stdout


def blocks(text):
    """(title, lines) of each list of properties: the element's, and those of a pad template that has some."""
    title, lines, indent = None, [], 0
    pad = None
    for line in text.splitlines():
        if match := re.match(r"\s*(?:SINK|SRC) template: '(.*)'", line):
            pad = match.group(1)
        if match := re.match(r"(\s*)(Element|Pad) Properties:", line):
            if title:
                yield title, lines
            title = "Element" if match.group(2) == "Element" else pad
            lines, indent = [], len(match.group(1)) + 2
        elif title and line.strip() and not line.startswith(" " * indent):
            yield title, lines
            title = None
        elif title:
            lines.append(line[indent:])
    if title:
        yield title, lines


def array_of_numbers(text):
    """<0.1,2> of '(double)0.10000000000000001, (double)2'."""
    numbers = [number for number in text.split(",") if number.strip()]
    return "<" + ",".join(f"{float(re.sub(r'[(].*[)]', '', number)):g}" for number in numbers) + ">"


def properties(lines):
    """Dicts of name, blurb, flags, kind and values, in the order of gst-inspect."""
    found = []
    for line in lines:
        if line and not line[0].isspace() and (match := PROPERTY.match(line)):
            found.append({"name": match.group(1), "blurb": match.group(2), "flags": "", "kind": "",
                          "default": "", "values": []})
        elif not found:
            continue
        elif (text := line.strip()).startswith("flags:"):
            found[-1]["flags"] = text[len("flags:"):].strip()
        elif match := ENUM_VALUE.match(text):
            found[-1]["values"].append(match.groups())
        elif match := ARRAY_DEFAULT.match(text):
            found[-1]["default"] = array_of_numbers(match.group(1))
        elif text and not found[-1]["kind"]:
            found[-1]["kind"] = text
    return [p for p in found if p["name"] not in SKIPPED]


def kind_and_default(prop):
    kind = prop["kind"]
    if match := re.match(r'Enum ".*" Default: -?\d+, "(.*)"', kind):
        return "enum", match.group(1)
    if match := re.match(r"(.*?)\.(?: Range: .*?)? Default: (.*)$", kind):
        name = {"Unsigned Integer64": "uint64", "Integer64": "int64", "Unsigned Integer": "uint", "Integer": "int"}
        return name.get(match.group(1), match.group(1).lower()), match.group(2).strip().strip('"')
    if match := re.match(r'Boxed pointer of type "(.*)"', kind):
        return match.group(1), ""
    if kind == "Caps (NULL)":
        return "GstCaps", ""
    if kind.startswith(("GstValueArray", "Array")):
        return "GstValueArray", prop["default"]
    raise ValueError(f"gst-inspect says of {prop['name']} \"{kind}\", which this script does not understand")


def when(flags):
    if "writable" not in flags:
        return "read only"
    return "PLAYING" if "PLAYING" in flags else "READY" if "NULL or READY" in flags else "any"


def cell(text):
    return text.replace("|", "\\|")


def version():
    return re.search(r"version : '([^']+)'", MESON.read_text(encoding="utf-8"))[1]


def number(text):
    return tuple(int(part) for part in text.split("."))


def sinces(text):
    """{(heading, property): version} of tables."""
    found, heading = {}, None
    for line in text.splitlines():
        if line.startswith(HEADING):
            heading = line
        elif match := ROW.match(line):
            found[heading, match[1]] = match[2]
    return found


def rows(props, since=lambda name: ""):
    yield "| property | type | default | settable in | since | what it is |"
    yield "|---|---|---|---|---|---|"
    for prop in props:
        kind, default = kind_and_default(prop)
        default = f"`{default}`" if default and default != "null" else ""
        blurb = cell(prop["blurb"])
        if prop["values"] and all(name == text for name, text in prop["values"][1:]):
            blurb += ": " + ", ".join(f"`{name}`" for name, _ in prop["values"])
        elif prop["values"]:
            blurb += "".join(f"<br>`{name}`: {cell(text)}" for name, text in prop["values"])
        yield f"| `{prop['name']}` | {kind} | {default} | {when(prop['flags'])} | {since(prop['name'])} | {blurb} |"


def table(element, beside, since):
    """The tables of an element, without properties that it shares with the one beside it. since: a function of heading and property."""
    shared = [prop for _, lines in blocks(inspect(beside)) for prop in properties(lines)] if beside else []
    parts, seen = [], {}
    for title, lines in blocks(inspect(element)):
        if props := [prop for prop in properties(lines) if prop not in shared]:
            seen.setdefault("\n".join(rows(props)), (props, []))[1].append(title)
    for props, titles in sorted(seen.values(), key=lambda item: item[1] != ["Element"]):
        pads = ", ".join(f"`{title}`" for title in sorted(titles))
        of = f"{element} alone" if beside else "the element" if titles == ["Element"] else f"the pads {pads}"
        heading = f"{HEADING}{of}"
        parts.append(heading + "\n\n" + "\n".join(rows(props, lambda name: since(heading, name))))
    return "\n\n".join(parts)


def with_table(page, of_new):
    """The page, and the page with its tables anew. of_new: the version of a property that has none on it."""
    text = page.read_text(encoding="utf-8")
    known = sinces(text)

    def since(heading, name):
        return known.get((heading, name), of_new)

    def section(match):
        other = match.group(1)
        begin = match.group(0).partition("\n")[0]
        return f"{begin}\n{table(other or page.stem, page.stem if other else None, since)}\n<!-- /properties -->"

    if not SECTION.search(text):
        raise ValueError("no <!-- properties --> … <!-- /properties -->")
    if early := [name for (_, name), value in known.items() if number(value) > number(version())]:
        raise ValueError(f"later than this version {version()}: {', '.join(early)}")
    return text, SECTION.sub(section, text)


def same(old, new):
    """gst-inspect before GStreamer 1.22 does not print the defaults of arrays."""
    if "| GstValueArray |  |" in new:
        old = re.sub(r"\| GstValueArray \| `[^`]*` \|", "| GstValueArray |  |", old)
    return old == new


def main(mode, absent):
    failed = False
    for page in sorted(PAGES.glob("robocache*.md")):
        if page.stem in absent:
            print(f"SKIP {page.name}: the element is not in this build")
            continue
        try:
            old, new = with_table(page, version() if mode == "--write" else "none")
        except (ValueError, subprocess.CalledProcessError) as error:
            print(f"FAIL {page.name}: {error}")
            failed = True
            continue
        if mode == "--write":
            page.write_text(new, encoding="utf-8")
        elif not same(old, new):
            print(f"FAIL {page.name}: not what gst-inspect says; run docs/elements/properties.py --write")
            failed = True
            continue
        print(f"PASS {page.name}")
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("--write", "--check"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
