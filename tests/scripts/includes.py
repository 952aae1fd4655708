#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check the order of folders and files by their #include lines and calls, and that functions have callers. Print PASS or FAIL for each rule.

    includes.py ROOT [RULE...]      checks the sources of a repository; all rules unless some are named
    includes.py --test              checks the rules: each must fail on a small tree that breaks it

Files of one folder and one stem (engine.c and engine.h) are one unit. A unit uses another when it includes one of its
files, or names a function that it defines, whichever header declares it. Reports name the uses that close a circle.
A function has a caller if its name stands in a source of ORDER or examples, outside of its own body, prototypes and comments. Tests
are no callers. The functions of the library for applications, main, those that GObject's macros name, and names that macros make have theirs.
A function that no other file names, tests included, is static.
"""
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

# From top to bottom: a folder may use those below it.
ORDER = ["gst", "common", "kernels"]
LIBRARY = "common/library"
SUFFIXES = {".c", ".h", ".cu", ".cuh"}
MAX_FILES = 25
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# its type on the line before, its name at the beginning of the next, a brace on a line of its own after the arguments
FUNCTION = re.compile(r"^(?P<type>[A-Za-z_][^\n;{}()]*)\n(?P<name>[a-z_]\w*) \([^;{}]*\)\n\{", re.M)
WORD = re.compile(r"[a-z_]\w*")
PROTOTYPE = re.compile(r"^(?:[A-Za-z_][\w *]*[ *\n])?(?P<name>[a-z_]\w*) \([^;{}]*\)[^;{}()]*;", re.M)
PUBLIC = re.compile(r"\bROBOCACHE_API\b[^;(]*?(\w+) \(")
TYPE = re.compile(r"\bG_DEFINE_(?:ABSTRACT_|FINAL_)?TYPE\w* \(\w+, (\w+),")
PASTED = re.compile(r"\w+(?: *## *\w+)+")


def read_sources(root, tops=ORDER):
    """{path below root: text without comments}."""
    files = [f for top in tops for f in sorted((root / top).rglob("*")) if f.suffix in SUFFIXES]
    return {f.relative_to(root): COMMENT.sub("", f.read_text(encoding="utf-8")) for f in files}


def read_includes(root, sources):
    """[(file, included file, "includes")] of quoted includes, sought beside the file, in root and where applications find the library's header."""
    uses = []
    for file, text in sources.items():
        for name in INCLUDE.findall(text):
            target = next((d / name for d in ((root / file).parent, root, root / LIBRARY) if (d / name).is_file()), None)
            if target is not None:
                uses.append((file, target.resolve().relative_to(root), "includes"))
    return uses


def read_calls(sources):
    """[(file, defining file, "calls NAME of")] of C functions that are not static and are defined in one file alone."""
    defined, own = {}, {}
    for file, text in sources.items():
        for function in FUNCTION.finditer(text) if file.suffix == ".c" else ():
            own.setdefault(file, set()).add(function["name"])
            if "static" not in function["type"].split():
                defined.setdefault(function["name"], []).append(file)
    single = {name: files[0] for name, files in defined.items() if len(files) == 1}
    return [(file, single[name], f"calls {name} of") for file, text in sources.items() if file.suffix == ".c"
            for name in sorted(set(WORD.findall(text)) & single.keys() - own.get(file, set()))]


def pasted_names(text):
    """Patterns of the names that ## makes, with a part of some letters that is no parameter of a macro."""
    parts = [re.split(r" *## *", name) for name in PASTED.findall(text)]
    return [r"\w+".join(part if "_" in part else "" for part in split) for split in parts if any(re.search("_.{3}|.{3}_", part) for part in split)]


def is_exempt(texts):
    """Whether a function needs no caller that a source names."""
    everything = "\n".join(texts.values())
    exempt = {"main", *PUBLIC.findall(everything), *(f"{prefix}{end}" for prefix in TYPE.findall(everything) for end in ("_init", "_class_init"))}
    return lambda name, text: name in exempt or any(re.fullmatch(pattern, name) for pattern in pasted_names(text))


def without_caller(root):
    """Functions that no source of ORDER or examples names; also those that a header declares and a macro defines."""
    texts = {**read_sources(root), **read_sources(root, ["examples"])}
    named, own, exempt = Counter(), Counter(), is_exempt(texts)
    for text in texts.values():
        named.update(WORD.findall(text))
        own.update(match["name"] for match in PROTOTYPE.finditer(text))
        for function in FUNCTION.finditer(text):
            body = text[function.start("name"):text.find("\n}", function.end() - 1)]
            own[function["name"]] += WORD.findall(body).count(function["name"])
    declared = [(match["name"], file, "") for file, text in texts.items() if file.suffix == ".h" for match in PROTOTYPE.finditer(text)]
    defined = [(function["name"], file, text) for file, text in texts.items() for function in FUNCTION.finditer(text)]
    names = {name for name, _, _ in defined}
    return [f"{name} of {file}" for name, file, text in defined + [of for of in declared if of[0] not in names]
            if named[name] <= own[name] and not exempt(name, text)]


def without_other_file(root):
    """Functions that are not static, though only their own file names them."""
    texts = {**read_sources(root), **read_sources(root, ["examples"])}
    exempt, files = is_exempt(texts), Counter()
    for text in {**texts, **read_sources(root, ["tests"])}.values():
        counts = Counter(WORD.findall(text))
        counts.subtract(match["name"] for match in PROTOTYPE.finditer(text))
        files.update(name for name, n in counts.items() if n > 0)
    return [f"{function['name']} of {file}" for file, text in texts.items() if file.suffix == ".c" for function in FUNCTION.finditer(text)
            if "static" not in function["type"].split() and files[function["name"]] <= 1 and not exempt(function["name"], text)]


def circle_through(start, targets):
    """The nodes of a shortest circle from start back to it, or [] where there is none."""
    before, queue = {start: None}, [start]
    for node in queue:
        if start in targets.get(node, ()):
            path = [start]
            while node is not None:
                path.insert(0, node)
                node = before[node]
            return path
        for target in sorted(targets.get(node, set()) - before.keys()):
            before[target] = node
            queue.append(target)
    return []


def circles(uses, node_of):
    """Circles of the nodes that node_of(file) gives, the shortest first and no node in two, as their uses."""
    edges = {(node_of(a), node_of(b)): f"{a} {how} {b}" for a, b, how in reversed(uses) if node_of(a) != node_of(b)}
    targets = {}
    for a, b in edges:
        targets.setdefault(a, set()).add(b)
    reports, reported = [], set()
    for circle in sorted((circle_through(node, targets) for node in sorted(targets)), key=len):
        if circle and not reported & set(circle):
            reported.update(circle)
            reports.append(", ".join(edges[pair] for pair in zip(circle, circle[1:])))
    return reports


def between_folders(uses):
    """Uses of other folders, but for those between a folder and one inside it."""
    return [(a, b, how) for a, b, how in uses if not a.is_relative_to(b.parent) and not b.is_relative_to(a.parent)]


def against_order(uses):
    """Uses of a folder above, or outside ORDER."""
    return [f"{a} {how} {b}" for a, b, how in uses if b.parts[0] not in ORDER[ORDER.index(a.parts[0]):]]


def between_elements(uses):
    """Uses of one element's folder by another's."""
    return [f"{a} {how} {b}" for a, b, how in uses
            if a.parts[0] == b.parts[0] == "gst" and len(a.parts) > 2 and a.parts[1] != b.parts[1]]


def full_folders(root):
    """Folders of more than MAX_FILES files: of the sources, of tests, and what teaches among the examples."""
    folders = [d for top in ORDER + ["tests"] for d in (root / top, *(root / top).rglob("*")) if d.is_dir()]
    folders += [root / "examples"] if (root / "examples").is_dir() else []
    counts = {d: sum(f.is_file() for f in d.iterdir()) for d in folders if d.name != "__pycache__"}
    full = sorted((d.relative_to(root), n) for d, n in counts.items() if n > MAX_FILES)
    return [f"{folder} has {n} files, more than {MAX_FILES}" for folder, n in full]


def check(root):
    """{rule: [violation]} of the sources below root."""
    root = root.resolve()
    sources = read_sources(root)
    uses = read_includes(root, sources) + read_calls(sources)
    results = {
        "folders_in_order": against_order(uses),
        "elements_apart": between_elements(uses),
        "folders_not_full": full_folders(root),
        "functions_have_callers": without_caller(root),
        "functions_are_static": without_other_file(root),
    }
    for top in ORDER:
        within = [use for use in uses if use[0].parts[0] == use[1].parts[0] == top]
        results[f"no_circle_of_files_in_{top}"] = circles(within, lambda file: file.with_suffix(""))
        results[f"no_circle_of_folders_in_{top}"] = circles(between_folders(within), lambda file: file.parent)
    return results


# A tree as {file: what it includes, defines ("f") and calls ("f()"), or a text}, and the rules that it breaks.
TREES = {
    "good": ({"gst/a/a.c": ["a.h", "common/x/x.h"], "gst/a/a.h": ["gst/a/deep/b.h"], "gst/a/deep/b.h": [],
              "gst/a/deep/c.h": ["gst/a/d.h"], "gst/a/d.h": [], "gst/plugin.c": ["gst/a/a.h", "f()"],
              "gst/b/b.c": ["f"], "common/x/x.h": ["kernels/k.h"], "common/y/y.h": ["common/x/x.h"],
              "kernels/k.h": [], "kernels/cuda/k.cu": ["kernels/k.h", "absent.h"]}, []),
    "header_of_the_library": ({"kernels/k.c": ["l/l.h"], "common/library/l/l.h": []}, ["folders_in_order"]),
    "upwards": ({"common/x/x.c": ["gst/a/a.h"], "gst/a/a.h": []}, ["folders_in_order"]),
    "calls_upwards": ({"common/x/x.c": ["f()"], "gst/a/a.c": ["f"]}, ["folders_in_order"]),
    "skips_upwards": ({"kernels/k.cu": ["gst/a/a.h"], "gst/a/a.h": []}, ["folders_in_order"]),
    "tests": ({"gst/a/a.c": ["tests/marks.h"], "tests/marks.h": []}, ["folders_in_order"]),
    "another_element": ({"gst/a/a.c": ["gst/b/deep/b.h"], "gst/b/deep/b.h": []}, ["elements_apart"]),
    "calls_another_element": ({"gst/a/a.c": ["f()"], "gst/b/b.c": ["f"]}, ["elements_apart"]),
    "files": ({"gst/a/a.c": ["a.h", "b.h"], "gst/a/a.h": [], "gst/a/b.h": [], "gst/a/b.c": ["b.h", "a.h"]},
              ["no_circle_of_files_in_gst"]),
    "three_files": ({"kernels/a.cu": ["b.cuh"], "kernels/b.cuh": ["c.h"], "kernels/c.h": ["a.h"], "kernels/a.h": []},
                    ["no_circle_of_files_in_kernels"]),
    "calls": ({"gst/a/a.c": ["f", "g()"], "gst/a/b.c": ["g", "f()"]}, ["no_circle_of_files_in_gst"]),
    "functions_of_two_files": ({"gst/a/a.c": ["f", "g()"], "gst/a/b.c": ["g", "f()"], "gst/a/c.c": ["f"]}, []),
    "subjects": ({"common/x/a.h": ["common/y/b.h"], "common/y/b.h": [], "common/y/c.h": ["common/x/d.h"],
                  "common/x/d.h": []}, ["no_circle_of_folders_in_common"]),
    "kernels": ({"kernels/cuda/a/a.h": ["kernels/cuda/b/b.h"], "kernels/cuda/b/b.h": [],
                 "kernels/cuda/b/c.h": ["kernels/cuda/a/d.h"], "kernels/cuda/a/d.h": []},
                ["no_circle_of_folders_in_kernels"]),
    "full": ({f"tests/check/{n}.c": [] for n in range(MAX_FILES + 1)}, ["folders_not_full"]),
    "full_of_examples": ({f"examples/{n}.c": [] for n in range(MAX_FILES + 1)}, ["folders_not_full"]),
    "not_full": ({f"tests/check/{n}.c": [] for n in range(MAX_FILES)}, []),
    "no_caller": ({"gst/a/a.c": ["f"], "gst/a/a.h": ["void f (void);\n/* f () */"]}, ["functions_have_callers", "functions_are_static"]),
    "no_caller_of_a_declaration": ({"gst/a/a.h": ["void f (void);"]}, ["functions_have_callers"]),
    "caller_in_its_file": ({"gst/a/a.c": ["f", "f()"], "gst/a/a.h": ["void f (void);"]}, ["functions_are_static"]),
    "caller_of_tests": ({"gst/a/a.c": ["f"], "tests/a.c": ["f()"]}, ["functions_have_callers"]),
    "caller_of_itself": ({"gst/a/a.c": ["static int\nf (int n)\n{\n  return f (n - 1);\n}"]}, ["functions_have_callers"]),
    "caller_of_examples": ({"gst/a/a.c": ["f"], "examples/a.c": ["f()"]}, []),
    "caller_of_a_pointer": ({"gst/a/a.c": ["f"], "gst/a/b.c": ["void (*g) (void) = f;"]}, []),
    "caller_of_a_library": ({"gst/a/a.c": ["f"], "gst/a/a.h": ["ROBOCACHE_API\nvoid f (void);"]}, []),
    "caller_of_a_type": ({"gst/a/a.c": ["G_DEFINE_TYPE (A, f, G_TYPE_OBJECT);", "static void\nf_init (A *a)\n{\n}"]}, []),
    "caller_of_a_macro": ({"gst/a/a.c": ["#define CALL(x) x##_vectors ();", "static void\nf_vectors (void)\n{\n}"]}, []),
    "caller_of_another_macro": ({"gst/a/a.c": ["#define CALL(x) x##_floats ();", "static void\nf_vectors (void)\n{\n}"]},
                                ["functions_have_callers"]),
}


def make_source(items):
    """The text of a file of TREES."""
    texts = [item for item in items if " " in item]
    lines = [f'#include "{item}"' for item in items if "." in item and item not in texts] + texts
    lines += ["void\nmain (void)\n{\n  " + item.replace("()", " ();") + "\n}" for item in items if "()" in item and item not in texts]
    return "\n".join(lines + [f"void\n{item} (void)\n{{\n}}" for item in items if item.isalpha()])


def test_rules():
    """{tree: [difference]} of the rules that each tree should break and those that are reported."""
    differences = {}
    for name, (files, expected) in TREES.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, items in files.items():
                path = Path(folder, file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(make_source(items), encoding="utf-8")
            broken = [rule for rule, violations in check(Path(folder)).items() if violations]
        differences[f"rules_of_{name}"] = [] if broken == expected else [f"broken {broken}, expected {expected}"]
    return differences


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    results = test_rules() if arguments[0] == "--test" else check(Path(arguments[0]))
    results = {name: results[name] for name in arguments[1:] or results}
    for name, violations in results.items():
        print(f"FAIL {name}: {'; '.join(violations)}" if violations else f"PASS {name}")
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
