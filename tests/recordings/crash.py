#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings of a program that is killed. Every file must be readable.

    crash.py [--moments=N] [--limit=SECONDS]

Kills a live recording of four sensors at 1 kHz and a camera at N random moments, and prints the loss of each with --verbose. A loss
above the limit fails. A third as many bags are killed, too. By hand: --moments=100 --limit=1. Prints PASS or FAIL; exit status 1 if it failed.
"""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mcapplan import run_cases
from pipelines import environment, readable

SENSORS = [f"/sensor_{i}" for i in range(4)]
TOPICS = [*SENSORS, "/camera"]


def start_recording(path, settings=""):
    words = f"robocachemcapsink name=record location={path} {settings} "
    for i, topic in enumerate(TOPICS):
        words += f"sink_{i}::topic={topic} "
    for i in range(len(SENSORS)):
        words += f"robocachetestsrc kind=force is-live=true rate=1000/1 ! record.sink_{i} "
    words += f"videotestsrc is-live=true ! video/x-raw,format=RGB,width=160,height=120,framerate=30/1 ! record.sink_{len(SENSORS)}"
    return subprocess.Popen(["gst-launch-1.0", "-q", *words.split()], env=environment())


def wait_for_topics(path, recorder):
    """Until the file has messages of all streams: a camera may take longer to start than the first chunk."""
    end, size = time.monotonic() + 60, 0
    while True:
        before, size = size, path.stat().st_size if path.exists() else 0
        if size > before and {topic for topic, _, _ in readable(path.read_bytes())} >= set(TOPICS):
            return
        assert recorder.poll() is None and time.monotonic() < end, "a stream was not written within a minute"
        time.sleep(0.01)


def kill_after(path, seconds):
    """UTC (ns) at which a recording was killed, so long after it had all streams."""
    recorder = start_recording(path)
    try:
        wait_for_topics(path, recorder)
        time.sleep(seconds)
        killed = time.time_ns()
        recorder.send_signal(signal.SIGKILL)
    finally:
        recorder.kill()
        recorder.wait()
    return killed


def killed_at_random(folder, options):
    """Each file has all messages of each stream, up to less than the limit before the kill."""
    moments = random.Random(options.seed)
    worst = 0
    for moment in range(options.moments):
        path, seconds = Path(folder, f"{moment}.mcap"), moments.uniform(0, 3)
        killed = kill_after(path, seconds)
        messages = readable(path.read_bytes())
        for topic in TOPICS:
            sequences = [sequence for name, sequence, _ in messages if name == topic]
            yield f"sequence of {topic} in file {moment}", sequences, list(range(len(sequences)))
            yield f"messages of {topic} in file {moment}", len(sequences) > 0, True
        # a topic may be silent; what had arrived by then is in the file
        loss = (killed - max(log_time for _, _, log_time in messages)) / 1e9
        worst = max(worst, loss)
        yield f"loss of file {moment}: {loss:.3f} s", loss <= options.limit, True
        path.unlink()
    if options.verbose:
        print(f"the worst loss of {options.moments} is {worst:.3f} s")


def wait_for_file(path, recorder):
    end = time.monotonic() + 60
    while not path.exists():
        assert recorder.poll() is None and time.monotonic() < end, f"{path.name} was not written within a minute"
        time.sleep(0.01)


def killed_bag(folder, options):
    """In a folder that had another bag: metadata.yaml is absent, or of files that are there and complete."""
    moments = random.Random(options.seed)
    for moment in range(options.moments // 3):
        bag = Path(folder, f"bag{moment}")
        bag.mkdir()
        for name in ("metadata.yaml", f"{bag.name}_0.mcap", f"{bag.name}_90.mcap"):
            (bag / name).write_text("of before", encoding="ascii")
        recorder = start_recording(bag, "layout=rosbag2 fragment-duration=400000000 overwrite=true")
        try:
            wait_for_file(bag / f"{bag.name}_1.mcap", recorder)
            time.sleep(moments.uniform(0, 2))
        finally:
            recorder.kill()
            recorder.wait()
        metadata = bag / "metadata.yaml"
        text = metadata.read_text(encoding="utf-8") if metadata.exists() else ""
        listed = re.findall(r'    - "(.*)"', text)
        complete = {path.name for path in bag.glob("*.mcap") if path.read_bytes().endswith(b"\x89MCAP0\r\n")}
        yield f"of before in bag {moment}", ("of before" in text, (bag / f"{bag.name}_90.mcap").exists()), (False, False)
        yield f"listed in bag {moment}: {listed}", set(listed) <= complete, True
        # one may have been closed before it was listed
        yield f"complete in bag {moment}: {complete}", len(complete) - len(listed) <= 1, True
        yield f"messages in bag {moment}", all(readable(path.read_bytes()) for path in bag.glob("*.mcap") if path.stat().st_size > 4096), True


def in_folder(case, options):
    with tempfile.TemporaryDirectory() as folder:
        yield from case(folder, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=6)
    # a busy machine stops the recorder for longer than it loses
    parser.add_argument("--limit", type=float, default=3)
    parser.add_argument("--seed", type=int, default=os.getpid())
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    return run_cases([(case.__name__, in_folder, case, options) for case in (killed_at_random, killed_bag)])


if __name__ == "__main__":
    sys.exit(main())
