#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings on a disk whose calls fail, one in each run.

    faults.py LIBRARY [--faults=N]

Fails N calls of a recorder, spread over all that a recording makes, with ENOSPC, EIO and EDQUOT by turns. By hand: --faults=200. Prints
PASS or FAIL for each layout; exit status 1 if one failed.
"""
import argparse
import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mcapplan import run_cases
from pipelines import environment, readable

ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
OURS = "/GstRobocacheMcapSink:"
SOURCE = "robocachetestsrc kind=points channels=1000 num-buffers=25 ! record.sink_0"
OLD = b"a recording of before"
LAYOUTS = {
    "file": ("location={}/run.mcap sync-interval=0", False),
    "synchronized": ("location={}/run.mcap sync-interval=1000000", False),
    "fragments": ("location={}/run%d.mcap fragment-duration=1000000000 sync-interval=0", False),
    "bag": ("location={}/bag layout=rosbag2 fragment-duration=1000000000 sync-interval=0", False),
    "overwritten": ("location={}/bag layout=rosbag2 fragment-duration=1000000000 sync-interval=0 overwrite=true", True),
}


def record(library, folder, settings, call, number):
    """(output, calls)."""
    variables = environment() or dict(os.environ)
    count = folder.with_suffix(".count")
    variables |= {"LD_PRELOAD": f"{variables.get('LD_PRELOAD', '')} {library}", "FAULTY_FOLDER": str(folder), "FAULTY_CALL": str(call),
                  "FAULTY_ERRNO": str(number), "FAULTY_COUNT": str(count), "GST_REGISTRY_FORK": "no"}
    done = subprocess.run(["gst-launch-1.0", *f"robocachemcapsink name=record {settings.format(folder)} {SOURCE}".split()], env=variables,
                          capture_output=True, check=False, timeout=100)
    calls = int(count.read_text(encoding="ascii").split()[-1])
    count.unlink()
    return done.stdout.decode() + done.stderr.decode(), calls


def prepare(folder, is_old):
    folder.mkdir()
    if is_old:
        (folder / "bag").mkdir()
        for name in ("metadata.yaml", "bag_0.mcap", "bag_7.mcap"):
            (folder / "bag" / name).write_bytes(OLD)


def check(folder, what):
    """What is in the folder is whole, and metadata.yaml is of it."""
    files = sorted(path for path in folder.rglob("*.mcap") if path.read_bytes() != OLD)
    sequences = [sequence for path in files for topic, sequence, _ in readable(path.read_bytes()) if topic == "/sink_0"]
    yield f"sequence of {what}", sequences, list(range(len(sequences)))
    yield f"empty files of {what}", [path.name for path in files[:-1] if not path.stat().st_size], []
    metadata = folder / "bag" / "metadata.yaml"
    if not metadata.exists():
        return
    text = metadata.read_bytes()
    if text == OLD:
        yield f"files of before with {what}", [path.name for path in files], []
        return
    listed = re.search(r"relative_file_paths:\n((?:    - .*\n)+)", text.decode()).group(1)
    for name in re.findall(r'"(.*)"', listed):
        data = (folder / "bag" / name).read_bytes()
        yield f"{name} of metadata with {what}", data.endswith(b"\x89MCAP0\r\n"), True


def faults(library, n, name):
    settings, is_old = LAYOUTS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "disk")
        prepare(folder, is_old)
        output, n_calls = record(library, folder, settings, 0, 0)
        yield "no fault", "ERROR" in output, False
        for i in range(n):
            call, number = 1 + i * n_calls // n, ERRORS[i % len(ERRORS)]
            what = f"call {call} of {n_calls} failing with {errno.errorcode[number]}"
            shutil.rmtree(folder)
            prepare(folder, is_old)
            output, _ = record(library, folder, settings, call, number)
            errors = [line for line in output.splitlines() if line.startswith("ERROR: from element")]
            # a name that cannot be removed afterwards, or a synchronization that another one makes up for, costs nothing
            yield f"first error with {what}: {output}", not errors or OURS in errors[0], True
            yield f"cause with {what}: {output}", not errors or os.strerror(number) in errors[0], True
            yield from check(folder, what)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("--faults", type=int, default=30)
    options = parser.parse_args()
    return run_cases([(name, faults, options.library.resolve(), options.faults // len(LAYOUTS), name) for name in LAYOUTS])


if __name__ == "__main__":
    sys.exit(main())
