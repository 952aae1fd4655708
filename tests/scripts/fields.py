#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check the state that the parts of robocachefuse share: how many fields it has, and in how many files each is assigned.

    fields.py ROOT      prints a table of the fields, then PASS or FAIL for each rule
    fields.py --test    checks the rules: each must fail on small sources that break it

Fields are those of struct _GstRobocacheFuse but its parent, and of structures of gst/fuse in it. A type of gst/fuse/core, common,
GStreamer, GLib or C is one field. A field is assigned where it or a part of it is, where its address is passed to a function that does not
take it as const, and where a property is set by its offset. A lock or condition is assigned where it is made and freed.
"""
import re
import sys
import tempfile
from pathlib import Path

STRUCT = "GstRobocacheFuse"
FOLDER, CORE = Path("gst/fuse"), Path("gst/fuse/core")
MAX_FIELDS, MAX_FILES = 45, 2
COMMENT_OR_STRING = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S)
ASSIGNS = re.compile(r"\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)")
PARTS = re.compile(r"(?:\s*\.\s*\w+|\s*\[[^\]]*\])*")
# functions of GLib and GStreamer that only read what they get the address of
READS = re.compile(r"g_atomic_(int|pointer)_get|g_queue_(peek\w*|is_empty|get_length)|gst_segment_(to|position_from|is_equal|clip)\w*")
LOCKS = {"GMutex", "GRecMutex", "GRWLock", "GCond"}
MAKES = re.compile(r"g_(mutex|rec_mutex|rw_lock|cond)_(init|clear)")


def read_sources(root, folder):
    """{path below root: text without comments, strings and characters}"""
    files = sorted(f for f in (root / folder).rglob("*") if f.suffix in (".c", ".h"))
    return {f.relative_to(root): COMMENT_OR_STRING.sub(lambda m: 2 * m[0][0] if m[0][0] in "\"'" else " ", f.read_text(encoding="utf-8"))
            for f in files}


# ---- structures ----

def closing(text, start):
    """Index behind the bracket that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "{([") - (text[i] in "})]")
        if depth == 0:
            return i + 1
    raise ValueError(f"no end of {text[start:start + 40]!r}")


def read_structs(sources):
    """{name: body} of structures, by their typedef or else by their tag without its underscore."""
    structs = {}
    for text in sources.values():
        for head in re.finditer(r"\bstruct(?:\s+(\w+))?\s*\{", text):
            end = closing(text, head.end() - 1)
            name = re.match(r"\s*(\w+)\s*;", text[end:])
            is_typedef = re.search(r"typedef\s+$", text[:head.start()])
            if is_typedef and name:
                structs[name[1]] = text[head.end():end - 1]
            elif head[1]:
                structs[head[1].lstrip("_")] = text[head.end():end - 1]
    return structs


def read_members(body):
    """[(type, name, is_pointer, is_array, body)] of a structure; body: of one that has no type of its own, else None."""
    members, i = [], 0
    while i < len(body):
        nested = re.match(r"\s*(?:struct|union)\s*\{", body[i:])
        end = body.find(";", closing(body, i + nested.end() - 1) if nested else i)
        if end < 0:
            break
        inner = body[i + nested.end():closing(body, i + nested.end() - 1) - 1] if nested else None
        text = body[closing(body, i + nested.end() - 1):end] if nested else body[i:end]
        i = end + 1
        function = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", text)
        if function:
            members.append(("function", function[1], True, False, None))
            continue
        typed = ("", text) if nested else re.match(r"\s*((?:const\s+|struct\s+|unsigned\s+)*\w+)\b(.*)", text, re.S).groups()
        for declarator in typed[1].split(","):
            name = re.search(r"\w+", declarator)
            if name or nested:
                members.append((typed[0].split()[-1] if typed[0] else "", name[0] if name else "", "*" in declarator, "[" in declarator, inner))
    return members


def list_fields(body, nested, prefix=""):
    """{path: type} of a structure's fields, through those of nested."""
    fields = {}
    for kind, name, is_pointer, is_array, inner in read_members(body):
        path = f"{prefix}.{name}".strip(".") if name else prefix
        if inner is not None and not is_pointer:
            fields.update(list_fields(inner, nested, path))
        elif kind in nested and not is_pointer and not is_array:
            fields.update(list_fields(nested[kind], nested, path))
        else:
            fields[path] = kind + (" *" if is_pointer else "") + (" []" if is_array else "")
    return fields


def prefixes_of(body, nested, prefix=""):
    """{type: path} of the structure's own parts that have a type: what a pointer to such a type leads to."""
    found = {}
    for kind, name, is_pointer, is_array, _ in read_members(body):
        if kind in nested and not is_pointer and not is_array:
            path = f"{prefix}.{name}".strip(".")
            found[kind] = path
            found.update(prefixes_of(nested[kind], nested, path))
    return found


# ---- assignments ----

def bases_of(text, kind, members):
    """A pattern of expressions in text that are pointers to kind. members: of structures that have such a pointer."""
    names = set(re.findall(rf"\b{kind}\s*\*\s*(?:const\s+)?(\w+)", text)) - {"const"}
    parts = [rf"(?<![\w.>])(?:{'|'.join(sorted(names))})\b"] if names else []
    parts += [rf"\b\w+\s*(?:->|\.)\s*(?:{'|'.join(sorted(members))})\b"] if members else []
    cast = re.sub(r"(?<!^)(?=[A-Z])", "_", kind).upper()
    parts.append(rf"\b{cast}\s*\((?:[^()]|\([^()]*\))*\)")
    return rf"(?:\(\s*)?(?:{'|'.join(parts)})(?:\s*\))?"


def pointers_to(kind, structs):
    return {name for body in structs.values() for of, name, is_pointer, _, _ in read_members(body) if of == kind and is_pointer}


def read_constness(sources):
    """{function: [whether a parameter is a pointer to const]}"""
    functions = {}
    for text in sources.values():
        for head in re.finditer(r"\b([a-z_]\w*)\s*\(", text):
            end = closing(text, head.end() - 1)
            parameters = text[head.end():end - 1]
            if re.match(r"\s*(?:G_GNUC\w*[^;{]*)?[;{]", text[end:]) and re.search(r"\w\s*\*?\s*$", text[:head.start()]) and re.search(r"\w\s+\**\s*\w", parameters):
                functions[head[1]] = [bool(re.match(r"\s*const\b", p)) for p in parameters.split(",")]
    return functions


def read_const_members(sources):
    """{structure: [whether a member is a pointer to const]}"""
    return {name: [bool(re.match(r"\s*const\b", member)) for member in body.split(";")] for name, body in read_structs(sources).items()}


def call_of(text, at):
    """(function, or structure of an initializer; number of the argument) that has what is at; (None, 0) where there is none."""
    depth, n = 0, 0
    for i in range(at - 1, -1, -1):
        if text[i] in ")]}":
            depth += 1
        elif text[i] in "([{" and depth > 0:
            depth -= 1
        elif text[i] == "(":
            name = re.search(r"(\w+)\s*$", text[:i])
            if name:
                return name[1], n
            n = 0                       # brackets or a cast
        elif text[i] in ";{}":
            name = re.search(r"(\w+)\s+\w+\s*=\s*$", text[:i])
            return (name[1], n) if name and text[i] == "{" else (None, 0)
        elif text[i] == "," and depth == 0:
            n += 1
    return None, 0


def is_written_at(text, at, kind, constness):
    """Whether the function that gets the address at may change what is there."""
    function, n = call_of(text, at)
    if kind in LOCKS:
        return bool(function and MAKES.fullmatch(function))
    if re.search(r"\bconst\s+\w+\s*\*\s*\w+\s*=\s*&\s*$", text[:at]):
        return False
    if function is None:
        return True
    is_const = constness.get(function, [])
    return not READS.fullmatch(function) and not (n < len(is_const) and is_const[n])


def assigned_in(text, base, prefix, fields, constness):
    """Fields that text assigns through base, a pattern of pointers to what is at prefix."""
    assigned = set()
    for found in re.finditer(rf"{base}\s*->\s*(\w+(?:\s*\.\s*\w+)*)", text):
        path = f"{prefix}.{''.join(found[1].split())}".strip(".")
        own = [f for f in fields if path == f or path.startswith(f + ".")]
        below = [f for f in fields if f.startswith(path + ".")]
        behind = PARTS.match(text, found.end()).end()
        if own and "[" in text[found.end():behind] and "[]" not in fields[own[0]]:
            continue                    # of what a pointer points to
        before = text[:found.start()].rstrip()
        if ASSIGNS.match(text, behind) or before.endswith(("++", "--")):
            assigned.update(own or below)
        elif own and re.search(r"(?<!&)&$", before) and is_written_at(text, found.start(), fields[own[0]], constness):
            assigned.update(own)
    return assigned


def list_assignments(root):
    """({field: type}, {field: [file]})"""
    sources, others = read_sources(root, FOLDER), read_sources(root, "common")
    structs = read_structs(sources)
    own = {f: t for f, t in sources.items() if not f.is_relative_to(CORE)}
    nested = {k: v for k, v in read_structs(own).items() if k != STRUCT}
    body = re.sub(r"\s*\w+\s+parent\s*;", "", structs[STRUCT], count=1)
    fields = list_fields(body, nested)
    constness = {**read_const_members({**others, **sources}), **read_constness({**others, **sources})}
    files = {field: [] for field in fields}
    for file, text in own.items():
        assigned = set()
        for kind, prefix in {STRUCT: "", **prefixes_of(body, nested)}.items():
            assigned |= assigned_in(text, bases_of(text, kind, pointers_to(kind, structs)), prefix, fields, constness)
        for path in re.findall(rf"G_STRUCT_OFFSET\s*\(\s*{STRUCT}\s*,\s*([\w.]+)", text):
            assigned |= {f for f in fields if path == f or path.startswith(f + ".")}
        for field in assigned:
            files[field].append(str(file.relative_to(FOLDER)))
    return fields, files


# ---- rules ----

def check(root, verbose=False):
    """{rule: [violation]}"""
    fields, files = list_assignments(root)
    if verbose:
        for field, kind in fields.items():
            print(f"{field:24} {kind:28} {', '.join(files[field])}")
    return {
        "few_fields": [f"{len(fields)} fields, more than {MAX_FIELDS}"] if len(fields) > MAX_FIELDS else [],
        "assigned_in_few_files": [f"{field} in {', '.join(of)}" for field, of in files.items() if len(of) > MAX_FILES],
    }


FEW = "struct _GstRobocacheFuse { GstElement parent; Part part; Core settings; GMutex lock; gint n, *list, row[3]; GObject *object; };\n"
PART = "typedef struct { gint a; struct { gint c; }; Fuse *b; } Part;\n"
USE = "static void\nf (GstRobocacheFuse *fuse)\n{\n  %s;\n}\n"
# What is in each of three files, and the fields that are then assigned in all of them.
USES = {
    "fuse->n = 1": ["n"], "fuse->n == 1": [], "x = fuse->n": [], "fuse->n += 1": ["n"], "fuse->n |= 1": ["n"], "fuse->n++": ["n"],
    "--fuse->n": ["n"], "x != fuse->n": [], "fuse->part.a = 1": ["part.a"], "fuse->part.c <<= 1": ["part.c"],
    "fuse->part = (Part) { 0 }": ["part.a", "part.c", "part.b"], "fuse->settings.rate.num = 1": ["settings"], "fuse->list[0] = 1": [],
    "fuse->row[0] = 1": ["row"], "fuse->object->n = 1": [], "g_clear_object (&fuse->object)": ["object"],
    "gst_object_replace ((GObject **) & fuse->object, x)": ["object"], "change (a (1, 2), &(fuse)->n)": ["n"],
    "g_atomic_int_get (&fuse->n)": [], "read (1, &fuse->n)": [], "change (1, &fuse->n)": ["n"], "if (a && fuse->n)": [],
    "g_mutex_lock (&fuse->lock)": [], "g_mutex_init (&fuse->lock)": ["lock"], "run->fuse->n = 1": ["n"],
    "GST_ROBOCACHE_FUSE (g (x))->n = 1": ["n"], "pad->n = 1": [], "/* fuse->n = 1 */": [], 'log ("fuse->n = 1")': [],
    "const Place place = { 1, &fuse->n }": [], "Place place = { &fuse->n, 1 }": ["n"], "const gint *x = &fuse->n": [], "gint *x = &fuse->n": ["n"],
    "x = G_STRUCT_OFFSET (GstRobocacheFuse, part.a)": ["part.a"], "part->a = 1": ["part.a"],
}
OTHERS = {"gst/fuse/core/core.h": "typedef struct { gint a, b, c; } Core;\n", "gst/fuse/run.h": "typedef struct { GstRobocacheFuse *fuse; } Run;\n",
          "common/x.h": "typedef struct { gint *a; const gint *b; } Place;\nvoid read (gint n, const gint * value);\nvoid change (gint n, gint * value);\n"}


def write_tree(root, files):
    for file, text in {**OTHERS, **files}.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_rules():
    """{case: [difference]}"""
    differences = {}
    many = "struct _GstRobocacheFuse { GstElement parent; " + " ".join(f"gint f{i};" for i in range(MAX_FIELDS - 2)) + " Part part; };\n"
    cases = [("of_few_fields", {"gst/fuse/element.h": PART + FEW}, [[], []]),
             ("of_many_fields", {"gst/fuse/element.h": PART + many}, [[f"{MAX_FIELDS + 1} fields, more than {MAX_FIELDS}"], []])]
    for use, fields in USES.items():
        text = USE.replace("fuse)", "fuse, Part *part, Pad *pad)") % use
        for n in (2, 3):
            files = {"gst/fuse/element.h": PART + FEW, **{f"gst/fuse/{name}.c": text for name in "abc"[:n]}}
            cases.append((f"{n}_times_{use}", files, [[], [f"{f} in a.c, b.c, c.c" for f in fields] if n == 3 else []]))
    for name, files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            write_tree(Path(folder), files)
            found = [sorted(violations) for violations in check(Path(folder)).values()]
        expected = [sorted(violations) for violations in expected]
        differences[name] = [] if found == expected else [f"found {found}, expected {expected}"]
    return differences


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    results = test_rules() if arguments[0] == "--test" else check(Path(arguments[0]).resolve(), verbose=True)
    for name, violations in results.items():
        print(f"FAIL {name}: {'; '.join(violations)}" if violations else f"PASS {name}")
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
