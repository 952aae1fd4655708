#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of the pages as they are printed, and compares their output with the page.

    commands.py ROOT BUILD [PAGE...]            PAGE: relative to ROOT; default: README.md and all pages in docs with commands
    commands.py ROOT --installed [PAGE...]      with the robocache that PATH, GStreamer and Python find, and no checkout

Prints a line per block: PASS, FAIL or SKIP, its page and line. The blocks of a page run in order in one folder, which looks like
ROOT, and programs in Python with PYTHONPATH=examples/dataset. With --installed, the folder has only `data`, the files of `robocache
sample-data`;
lines that let a shell find a checkout are left out, and blocks that use one are skipped. Words behind the language of a block tell how it runs:

    ```sh               bash runs it to the end
    ```sh ctrl-c        bash runs it until the output that the page shows has appeared, then gets SIGINT
    ```sh needs=A,B     it runs only if these needs are met; NEEDS below lists all
    ```python           the same three for a program: python3 runs it
    ```c file=NAME      any language: the block becomes the file NAME, for the blocks below it
    ```text             the lines that the block above prints, in this order; … stands for any characters
    ```text like        the same, but numbers may differ, and so may the spaces between words

In a row of a table "| QUESTION? | `grep …` | `LINE` |", the command prints the line; it runs after the block above the table, and not
if that block is skipped. A command in any other block is an error."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^    +(?:\$ )?(?:bash|gst-launch-1\.0|gst-inspect-1\.0|meson|ninja|build/|python3|sudo|tests/|examples/)", re.MULTILINE)
ANSWER = re.compile(r"^\| (?P<question>[^|`]*\?) \| `(?P<command>grep [^`]+)` \| `(?P<line>[^`]+)` \|$", re.MULTILINE)
ENVIRONMENT = re.compile(r"^\. examples/env\.sh\n", re.MULTILINE)  # finds the build of a checkout
OF_CHECKOUT = re.compile(r"(?:^|[\s='\"])(?:examples|tests|build)/|-C build\b", re.MULTILINE)
NUMBER = re.compile(r"\\?[-+]?\d[\d,]*(?:\\\.\d+)?(?:e[-+]?\d+)?")
SECONDS = 60  # per block


def succeeds(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


def has_element(name):
    return lambda: succeeds("gst-inspect-1.0", name)


def links_to(library):
    """Whether the plugin uses a library."""
    said = lambda *command: subprocess.run(command, capture_output=True, text=True, check=False).stdout
    def has_library():
        plugin = re.search(r"Filename +(.*)", said("gst-inspect-1.0", "robocache"))
        return plugin is not None and library in said("ldd", plugin[1])
    return has_library


def has_exporter():
    """Without a download."""
    return any(pathlib.Path(f"{path}-").parent.glob(f"{pathlib.Path(path).name}-*/bin/python") for path in [os.environ.get("ROBOCACHE_EXPORT_VENV")] if path) \
        or succeeds("python3", "-c", "import av, h5py, mcap_ros2, pyarrow")


def never():
    return False


# the second one where robocache finds the system's gi
IMPORTS = ("import gi, numpy; gi.require_version('Gst', '1.0')", "import robocache.fused")
RUNNERS = {"sh": ["bash", "-e", "-o", "pipefail", "-c"], "python": ["python3", "-B", "-c"]}

# name: what it is, and whether this machine has it
NEEDS = {
    "bags": ("robocachebagsrc, which needs libyaml", has_element("robocachebagsrc")),
    "bundle": ("a machine with a GPU and the tests' bundle", never),
    "camera": ("a camera", lambda: pathlib.Path("/dev/video0").exists()),
    "display": ("a display", lambda: bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))),
    "exporter": ("the exporter's Python packages, in ROBOCACHE_EXPORT_VENV or with the wheel", has_exporter),
    "gpu": ("an NVIDIA GPU", lambda: succeeds("nvidia-smi", "-L")),
    "hosts": ("a second host", never),
    "kitti": ("a drive of KITTI", never),
    "mcap": ("robocachemcapdemux, which needs libzstd, liblz4 and zlib", has_element("robocachemcapdemux")),
    "library": ("the library for C, and libgstreamer-plugins-base1.0-dev", lambda: succeeds("pkg-config", "--exists", "robocache-1.0", "gstreamer-app-1.0")),
    "lerobot": ("LeRobot, which needs PyTorch", never),
    "model": ("a network that was trained", never),
    "network": ("the network, to install packages", never),
    "nvcc": ("nvcc, and minutes", never),
    "numpy": ("the packages python3-gi, gir1.2-gstreamer-1.0 and python3-numpy", lambda: any(succeeds("python3", "-c", program) for program in IMPORTS)),
    "plugins-bad": ("the package gstreamer1.0-plugins-bad", has_element("gdppay")),
    "plugins-good": ("the package gstreamer1.0-plugins-good", has_element("multifilesrc")),
    "pytorch": ("PyTorch", lambda: succeeds("python3", "-c", "import torch")),
    "robot": ("a robot that publishes topics of ROS 2", never),
    "serial": ("a sensor at a serial port", never),
    "sqlite": ("robocachebagsrc with libsqlite3", links_to("libsqlite3")),
    "tensors": ("NNStreamer", has_element("tensor_mux")),
    "urdf": ("robocachekinematics, which needs libxml2", has_element("robocachekinematics")),
    "view": ("robocachefoxglovesink, which needs libsoup 3", has_element("robocachefoxglovesink")),
    "voxelview": ("robocachevoxelview, which needs cairo", has_element("robocachevoxelview")),
}


# ---- blocks ----


class Block:
    def __init__(self, page, text, match):
        words = match["info"].split()
        self.language, self.words = (words[0] if words else ""), words[1:]
        self.name = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        self.body = match["body"]
        self.expected = None
        self.answers = []

    def without_checkout(self):
        """Lets the block run without a checkout. False: it uses one."""
        self.body = ENVIRONMENT.sub("", self.body)
        return not OF_CHECKOUT.search(self.body)

    def file(self):
        return next((word.partition("=")[2] for word in self.words if word.startswith("file=")), None)

    def needs(self):
        return [need for word in self.words if word.startswith("needs=") for need in word.partition("=")[2].split(",")]


class Answer:
    """A row of a table of questions."""

    def __init__(self, page, text, match):
        self.name = f"{page}:{text.count(chr(10), 0, match.start()) + 1}: {match['question']}"
        self.command, self.line = match["command"], match["line"]


def blocks(page, text):
    """The blocks of a page that run, each with the text block that follows it, and the rows of tables of questions."""
    found = []
    for match in sorted([*FENCE.finditer(text), *ANSWER.finditer(text)], key=lambda match: match.start()):
        if match.re is ANSWER:
            found[-1].answers.append(Answer(page, text, match))
            continue
        block = Block(page, text, match)
        if block.language in RUNNERS or block.file():
            found.append(block)
        elif block.language == "text" and found:
            if found[-1].expected is None:
                found[-1].expected = block
    return found


def pattern(line, like):
    text = re.escape(line.strip())
    if like:
        text = NUMBER.sub(r"[-+]?[\\d,]+(?:\\.\\d+)?(?:e[-+]?\\d+)?", text)
        text = re.sub(r"(?:\\ )+", r"\\s+", text)
    return re.compile(text.replace("…", ".*"))


class Expected:
    """The lines that a page shows; insert() takes the lines of the output one by one."""

    def __init__(self, block):
        like = block is not None and "like" in block.words
        lines = block.body.splitlines() if block is not None else []
        self.lines = [line for line in lines if line.strip() not in ("", "…")]
        self.patterns = [pattern(line, like) for line in self.lines]
        self.n = 0

    def insert(self, line):
        if not self.is_complete() and self.patterns[self.n].fullmatch(line.strip()):
            self.n += 1

    def is_complete(self):
        return self.n == len(self.patterns)

    def missing(self):
        return self.lines[self.n]


def run(block, folder):
    """Why the block is not what its page says, or None."""
    if block.file():
        (folder / block.file()).write_text(block.body, encoding="utf-8")
        return None
    is_interrupted = "ctrl-c" in block.words
    if is_interrupted and block.expected is None:
        return "its page does not show what it prints until Ctrl-C"
    expected, output = Expected(block.expected), []
    process = subprocess.Popen([*RUNNERS[block.language], block.body], cwd=folder, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, errors="replace")
    has_stopped = is_killed = False

    def kill():
        nonlocal is_killed
        is_killed = True
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(SECONDS, kill)
    timer.start()
    for line in process.stdout:
        output.append(line.rstrip("\n"))
        expected.insert(output[-1])
        if is_interrupted and not has_stopped and expected.is_complete():
            has_stopped = True
            os.killpg(process.pid, signal.SIGINT)
    status = process.wait()
    timer.cancel()
    said = " | ".join(output[-6:])
    if is_killed:
        return f"it took more than {SECONDS} s: {said}"
    # gst-launch-1.0 ends with status 0 when it is interrupted
    if status != 0 and not (has_stopped and status == 128 + signal.SIGINT):
        return f"status {status}: {said}"
    if not expected.is_complete():
        return f"it did not print \"{expected.missing()}\": {said}"
    return None


def check(answer, folder):
    """Why the command of a row does not print its line, or None."""
    process = subprocess.run([*RUNNERS["sh"], answer.command], cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if any(pattern(answer.line, False).fullmatch(line.strip()) for line in process.stdout.splitlines()):
        return None
    return f"\"{answer.command}\" does not print \"{answer.line}\": {process.stdout[:600] or process.stderr or 'nothing'}"


def mirror(root, build, folder):
    """A folder that looks like ROOT, where commands may write. build None: a folder without a checkout."""
    subprocess.run(["robocache", "sample-data", folder / "data"], check=True, stdout=subprocess.DEVNULL)
    if build is None:
        return
    for entry in root.iterdir():
        if not entry.name.startswith((".", "build")) and entry != build:
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)


def run_page(root, build, name):
    text = (root / name).read_text(encoding="utf-8")
    failed = False
    for match in COMMAND.finditer(FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)):
        print(f"FAIL {name}:{text.count(chr(10), 0, match.start()) + 1}: a command outside of ```sh")
        failed = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        mirror(root, build, folder)
        for block in blocks(name, text):
            unknown = [need for need in block.needs() if need not in NEEDS]
            absent = [NEEDS[need][0] for need in block.needs() if need in NEEDS and not NEEDS[need][1]()]
            if build is None and not block.without_checkout():
                absent.insert(0, "a checkout")
            if unknown:
                problem = f"nobody knows the need {unknown[0]}"
            elif absent:
                print(f"SKIP {block.name}: needs {absent[0]}", flush=True)
                continue
            else:
                problem = run(block, folder)
            for name, fault in [(block.name, problem)] + [(answer.name, check(answer, folder)) for answer in block.answers if not problem]:
                print(f"FAIL {name}: {fault}" if fault else f"PASS {name}", flush=True)
                failed |= bool(fault)
    return failed


def use_build(build):
    """Lets programs find what was built."""
    # Debian's python3 comes first: it is the one that python3-gi is for
    os.environ["PATH"] = f"/usr/bin:{build}/examples/tools:" + os.environ["PATH"]
    os.environ.update(ROBOCACHE_BUILD_DIR=str(build), GST_PLUGIN_PATH_1_0=str(build / "gst"), PYTHONPATH="examples/dataset",
                      PKG_CONFIG_PATH=str(build / "meson-uninstalled"), LD_LIBRARY_PATH=str(build / "common" / "library"))


def main(root, build, names):
    if build:
        use_build(build)
    if not names:
        pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
        names = [str(page.relative_to(root)) for page in pages if re.search("^```(sh|python)", page.read_text(encoding="utf-8"), re.MULTILINE)]
    return any([run_page(root, build, name) for name in names])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), None if sys.argv[2] == "--installed" else pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]))
