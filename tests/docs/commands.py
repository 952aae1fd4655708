#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of the pages as they are printed, and compares their output with the page.

    commands.py ROOT BUILD [PAGE...]     PAGE: relative to ROOT; default: README.md and all pages in docs with commands

Prints a line per block: PASS, FAIL or SKIP, its page and line. The blocks of a page run in order in one folder, which looks like
ROOT, and programs in Python with PYTHONPATH=examples/dataset. Words behind the language of a block tell how it runs:

    ```sh               bash runs it to the end
    ```sh ctrl-c        bash runs it until the output that the page shows has appeared, then gets SIGINT
    ```sh needs=A,B     it runs only if these needs are met; NEEDS below lists all
    ```python           the same three for a program: python3 runs it
    ```c file=NAME      any language: the block becomes the file NAME, for the blocks below it
    ```text             the lines that the block above prints, in this order; … stands for any characters
    ```text like        the same, but numbers may differ, and so may the spaces between words

In a row of a table "| QUESTION? | `grep …` | `LINE` |", the command prints the line; it runs after the block above the table, and not
if that block is skipped. A command in any other block is an error."""
import math
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "dataset"))
from robocache import sampledata  # noqa: E402

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^    +(?:\$ )?(?:bash|gst-launch-1\.0|gst-inspect-1\.0|meson|ninja|build/|python3|sudo|tests/|examples/)", re.MULTILINE)
ANSWER = re.compile(r"^\| (?P<question>[^|`]*\?) \| `(?P<command>grep [^`]+)` \| `(?P<line>[^`]+)` \|$", re.MULTILINE)
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
    """Whether the plugin of this build uses a library."""
    def has_library():
        plugin = pathlib.Path(os.environ["GST_PLUGIN_PATH_1_0"], "libgstrobocache.so")
        return library in subprocess.run(["ldd", plugin], capture_output=True, text=True, check=False).stdout
    return has_library


def never():
    return False


IMPORTS = "import gi, numpy; gi.require_version('Gst', '1.0')"
RUNNERS = {"sh": ["bash", "-e", "-o", "pipefail", "-c"], "python": ["python3", "-B", "-c"]}

# name: what it is, and whether this machine has it
NEEDS = {
    "bags": ("robocachebagsrc, which needs libyaml", has_element("robocachebagsrc")),
    "bundle": ("a machine with a GPU and the tests' bundle", never),
    "camera": ("a camera", lambda: pathlib.Path("/dev/video0").exists()),
    "display": ("a display", lambda: bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))),
    "gpu": ("an NVIDIA GPU", lambda: succeeds("nvidia-smi", "-L")),
    "hosts": ("a second host", never),
    "kitti": ("a drive of KITTI", never),
    "mcap": ("robocachemcapdemux, which needs libzstd, liblz4 and zlib", has_element("robocachemcapdemux")),
    "lerobot": ("LeRobot, which needs PyTorch", never),
    "model": ("a network that was trained", never),
    "network": ("the network, to install packages", never),
    "nvcc": ("nvcc, and minutes", never),
    "numpy": ("the packages python3-gi, gir1.2-gstreamer-1.0 and python3-numpy", lambda: succeeds("python3", "-c", IMPORTS)),
    "plugins-bad": ("the package gstreamer1.0-plugins-bad", has_element("gdppay")),
    "plugins-good": ("the package gstreamer1.0-plugins-good", has_element("multifilesrc")),
    "robot": ("a robot that publishes topics of ROS 2", never),
    "serial": ("a sensor at a serial port", never),
    "sqlite": ("robocachebagsrc with libsqlite3", links_to("libsqlite3")),
    "tensors": ("NNStreamer", has_element("tensor_mux")),
    "urdf": ("robocachekinematics, which needs libxml2", has_element("robocachekinematics")),
    "view": ("robocachefoxglovesink, which needs libsoup 3", has_element("robocachefoxglovesink")),
    "voxelview": ("robocachevoxelview, which needs cairo", has_element("robocachevoxelview")),
}


# ---- the files that a reader of the pages has ----


def rows(header, rate, seconds, values, start=0.0):
    lines = [header]
    for i in range(int(rate * seconds)):
        t = start + i / rate
        lines.append(",".join([f"{t:.4f}", *(f"{x:.6f}" for x in values(t))]))
    return "\n".join(lines) + "\n"


def motion(t):
    """The angular rate of a body that nobody moves evenly: smooth, and not periodic."""
    noise = random.Random(7)
    waves = [(noise.uniform(0.2, 2.0), noise.uniform(0, 6.28)) for _ in range(8)]
    return [sum(math.sin(2 * math.pi * f * t + p + axis) for f, p in waves) / 4 for axis in range(3)]


STAMPED = "std_msgs/Header header\n"
HEADER = "\n===\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
VECTOR = "\n===\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
QUATERNION = "\n===\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"
TOPICS = {
    "/joint_states": ("sensor_msgs/msg/JointState", STAMPED + "string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
                      + HEADER),
    "/imu": ("sensor_msgs/msg/Imu", STAMPED + "geometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
             "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
             "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance" + HEADER + VECTOR + QUATERNION),
}


def mcap(seconds):
    """A recording of two joints at 100 Hz and an IMU at 200 Hz."""
    text = lambda string: struct.pack("<I", len(string)) + string.encode()
    record = lambda opcode, content: struct.pack("<BQ", opcode, len(content)) + content
    parts = [b"\x89MCAP0\r\n", record(1, text("ros2") + text(""))]
    for i, (topic, (name, definition)) in enumerate(TOPICS.items(), 1):
        parts.append(record(3, struct.pack("<H", i) + text(name) + text("ros2msg") + text(definition)))
        parts.append(record(4, struct.pack("<HH", i, i) + text(topic) + text("cdr") + text("")))
    for k in range(200 * seconds):
        ns = 1_700_000_000 * 10**9 + 5_000_000 * k
        header = struct.pack("<BBHiII4s", 0, 1, 0, ns // 10**9, ns % 10**9, 4, b"arm")
        imu = struct.pack("<4d9d3d9d3d9d", 0, 0, 0, 1, *[0] * 9, *motion(k / 200), *[0] * 9, 0, 0, 9.8, *[0] * 9)
        joints = struct.pack("<II4sI4sI", 2, 3, b"q0", 3, b"q1", 2) + struct.pack("<2dII", math.sin(k / 99), 1.0, 0, 0)
        messages = [(1, joints)] * (k % 2 == 0) + [(2, imu)]
        parts += [record(5, struct.pack("<HIQQ", channel, k, ns, ns) + header + body) for channel, body in messages]
    return b"".join([*parts, record(15, bytes(4)), record(2, bytes(20)), b"\x89MCAP0\r\n"])


METADATA = """rosbag2_bagfile_information:
  version: 5
  storage_identifier: mcap
  duration:
    nanoseconds: 4995000000
  starting_time:
    nanoseconds_since_epoch: 1700000000000000000
  message_count: 1500
  topics_with_message_count: []
  compression_format: ""
  compression_mode: ""
  relative_file_paths:
    - bag_0.mcap
"""


def old_bag(path):
    """A file of SQLite without definitions, of a type that its owner made: forces at 100 Hz."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, "
                     "offered_qos_profiles TEXT NOT NULL)")
    database.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)")
    database.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
    database.execute("INSERT INTO topics VALUES (1, '/force', 'my_msgs/msg/Force', 'cdr', '')")
    for k in range(100):
        ns = 1_700_000_000 * 10**9 + 10_000_000 * k
        data = struct.pack("<BBHiII4sB7xd", 0, 1, 0, ns // 10**9, ns % 10**9, 4, b"arm", 2, k / 10)
        database.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (1, ?, ?)", (ns, data))
    database.commit()
    database.close()


def write_bags(folder):
    (folder / "run.mcap").write_bytes(mcap(5))
    (folder / "cut.mcap").write_bytes(mcap(5)[:300_100])
    (folder / "bag").mkdir()
    shutil.copy(folder / "run.mcap", folder / "bag" / "bag_0.mcap")
    (folder / "bag" / "metadata.yaml").write_text(METADATA, encoding="utf-8")
    old_bag(folder / "old.db3")
    (folder / "src" / "my_msgs" / "msg").mkdir(parents=True)
    (folder / "src" / "my_msgs" / "msg" / "Force.msg").write_text("std_msgs/Header header\nuint8 contacts\nfloat64 newtons\n", encoding="utf-8")


def write_files(folder):
    write_bags(folder)
    joints = lambda t: [math.sin((i + 1) * t) for i in range(6)]
    (folder / "joints.csv").write_text(rows("t,q0,q1,q2,q3,q4,q5", 100, 20, joints), encoding="utf-8")
    (folder / "imu.csv").write_text(rows("t,qx,qy,qz,qw,gx,gy,gz", 200, 20, lambda t: [0, 0, 0, 1, *motion(t)]), encoding="utf-8")
    # rows of a tenth of a second arrive together, 15 ms after the last of them
    bundles = [f"{20 * k},{100 * (k // 5) + 95},{k},{3 * k}" for k in range(101)]
    (folder / "bundles.csv").write_text("\n".join(["stamp_ms,arrival_ms,a,b", *bundles, ""]), encoding="utf-8")
    points = [f"{math.cos(i):.3f} {math.sin(i):.3f} {i / 100:.2f}" for i in range(300)]
    (folder / "cloud.pcd").write_text("\n".join(
        ["# .PCD v0.7", "VERSION 0.7", "FIELDS x y z", "SIZE 4 4 4", "TYPE F F F", "COUNT 1 1 1", "WIDTH 300", "HEIGHT 1",
         "VIEWPOINT 0 0 0 1 0 0 0", "POINTS 300", "DATA ascii", *points, ""]), encoding="utf-8")
    (folder / "odometry.csv").write_text(rows("t,wx,wy,wz", 50, 20, lambda t: motion(t - 0.032)), encoding="utf-8")


# ---- blocks ----


class Block:
    def __init__(self, page, text, match):
        words = match["info"].split()
        self.language, self.words = (words[0] if words else ""), words[1:]
        self.name = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        self.body = match["body"]
        self.expected = None
        self.answers = []

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
    """A folder that looks like ROOT, where commands may write."""
    for entry in root.iterdir():
        if not entry.name.startswith((".", "build")) and entry != build:
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)
    sampledata.write_files(folder)


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


def main(root, build, names):
    # Debian's python3 comes first: it is the one that python3-gi is for
    os.environ["PATH"] = f"/usr/bin:{build}/examples/tools:" + os.environ["PATH"]
    os.environ.update(ROBOCACHE_BUILD_DIR=str(build), GST_PLUGIN_PATH_1_0=str(build / "gst"), PYTHONPATH="examples/dataset",
                      PKG_CONFIG_PATH=str(build / "meson-uninstalled"), LD_LIBRARY_PATH=str(build / "common" / "library"))
    if not names:
        pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
        names = [str(page.relative_to(root)) for page in pages if re.search("^```(sh|python)", page.read_text(encoding="utf-8"), re.MULTILINE)]
    return any([run_page(root, build, name) for name in names])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]))
