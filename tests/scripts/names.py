#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check that what pages and comments name exists: source files, and our functions, types and constants. Print PASS or FAIL for each page, and
for all comments of a folder.

    names.py ROOT
    names.py --test     checks the check

Pages name sources of C and CUDA in backticks. In comments and docstrings, each word with the suffix of a source file is a name.
A name may begin with folders. Words in backticks and in comments of C with a prefix of ours must stand in code, too.
"""
import io
import re
import sys
import tempfile
import tokenize
from pathlib import Path

C, SCRIPTS, BINARY = {".c", ".h", ".cu", ".cuh"}, {".sh", ".build"}, {".png", ".pyc", ".xz"}
WORD = re.compile(r"\w+")
IN_PAGE = re.compile(r"`((?:[\w-]+/)*[a-z_0-9]+\.(?:c|h|cu|cuh))`")
IN_COMMENT = re.compile(r"(?<![\w/.<*{}$-])((?:[\w.-]+/)*[\w-]+\.(?:c|h|cu|cuh|py|sh|md))\b(?![\w*(/]|\.\w)")
# not RC_MODE_…, and not the beginning of a longer name
IDENTIFIER = re.compile(r"(?<![\w/.<*{}$-])((?:(?:gst_)?robocache|rc)_[a-z]\w*|(?:(?:GST_)?ROBOCACHE|RC)_[A-Z]\w*|(?:Rc|(?:Gst)?Robocache|Fuse)[A-Z]\w+)\b"
                        r"(?<!_)(?![\w*…]|-\w|\.\w)")
BACKTICKS = re.compile(r"`[^`\n]+`")
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(/\*.*?\*/|//[^\n]*)', re.S)
SCRIPT_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
# files of others that comments name; and what stands for a name: OUT/run.sh
FOREIGN = {"cuda.h", "draft-klass.md", "math.h", "tensor_typedef.h", "gst/nnstreamer/include/tensor_typedef.h", "utils.py",
           "robocache_reference.py", "src/message_filters/__init__.py"}
PLACEHOLDER = re.compile(r"[A-Z]+/|\.\.\.")


def list_files(root):
    skipped = lambda path: any(part.startswith("build") or part == ".git" for part in path.relative_to(root).parts[:-1])
    return sorted(path for path in root.rglob("*") if path.is_file() and not skipped(path))


def comments_of_python(text):
    """Comments and docstrings."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""'))]


def names_in(path, text):
    if path.suffix == ".md":
        return IN_PAGE.findall(text)
    comments = comments_of_python(text) if path.suffix == ".py" else (C_COMMENT if path.suffix in C else SCRIPT_COMMENT).findall(text)
    # ShellCheck resolves its own sources
    names = [name for comment in comments if not comment.startswith("# shellcheck") for name in IN_COMMENT.findall(comment)]
    return [re.sub(r"^(\.\./)+", "", name) for name in names]


def identifiers_in(path, text):
    """Identifiers of ours that a page or the comments of a file name."""
    places = BACKTICKS.findall(text) if path.suffix == ".md" else C_COMMENT.findall(text) if path.suffix in C else []
    return [name for place in places for name in IDENTIFIER.findall(place)]


def words_of_code(path, text):
    """All words of a file but those of pages and of comments of C."""
    return set() if path.suffix == ".md" else set(WORD.findall(C_COMMENT.sub(lambda match: "" if match[1] else match[0], text) if path.suffix in C else text))


def check(root):
    """{page, or folder of sources: [name that no file has]}"""
    files = list_files(root)
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in files if path.suffix not in BINARY}
    words = set().union(*(words_of_code(path, text) for path, text in texts.items()))
    known = FOREIGN | {"/".join(path.parts[-n:]) for path in files for n in range(1, len(path.relative_to(root).parts) + 1)}
    missing = {}
    for path in files:
        relative = path.relative_to(root)
        subject = str(relative) if path.suffix == ".md" else f"comments in {relative.parts[0]}"
        if path.suffix in C | SCRIPTS | {".md", ".py"}:
            absent = [name for name in names_in(path, texts[path]) if name not in known and not PLACEHOLDER.match(name)]
            absent += [name for name in identifiers_in(path, texts[path]) if name not in words]
            where = "" if path.suffix == ".md" else f" in {relative}"
            missing.setdefault(subject, []).extend(f"{name}{where}" for name in sorted(set(absent)))
    return missing


# name, files, expected names without a file
CASES = [
    ("page", {"pages/a.md": "`a.c`, `b.c`, b.h and `x/a.c`", "x/a.c": ""}, ["b.c"]),
    ("comment", {"x/a.c": "/* b.h, x/a.c and y/a.c\n * c.cu */ f (\"d.h\"); // e.c", "b.h": ""}, ["c.cu in x/a.c", "e.c in x/a.c", "y/a.c in x/a.c"]),
    ("include", {"a.c": "#include <b.h>\n/* <stdio.h>, cuda.h, *.c, robot.py(3) */"}, []),
    ("script", {"a.sh": "b.sh # c.sh\n# d.sh OUT/run.sh .../x.sh ../a.sh\n# shellcheck source=e.sh\n"}, ["c.sh in a.sh", "d.sh in a.sh"]),
    ("docstring", {"a.py": '"""Runs b.py."""\nx = "c.py"\n'}, ["b.py in a.py"]),
    ("relative_path", {"x/a.c": "/* ../y/b.c */", "y/b.c": ""}, []),
    ("identifier", {"x.c": "/* rc_a, rc_b, RC_A_…, RC_A_, RcAb, robocache_a-b, FuseAb */ rc_a ();\nRC_A_B; // GstRobocacheAb", "a.md": "`rc_a (rc_c)` rc_d"},
     ["FuseAb in x.c", "GstRobocacheAb in x.c", "RcAb in x.c", "rc_b in x.c", "rc_c"]),
    ("build_folder", {"build-dev/a.c": "/* b.c */", "x.c": "/* a.c */"}, ["a.c in x.c"]),
]


def test_check():
    differences = {}
    for name, files, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            for file, text in files.items():
                path = Path(folder, "root", file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = sorted(name for names in check(Path(folder, "root")).values() for name in names)
        differences[name] = [] if found == expected else [f"found {found}, expected {expected}"]
    return differences


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    results = test_check() if arguments[0] == "--test" else check(Path(arguments[0]).resolve())
    for subject, missing in results.items():
        print(f"FAIL {subject}: {', '.join(missing)}" if missing else f"PASS {subject}")
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
