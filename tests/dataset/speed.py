#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast robocache-export is, beside pandas and a loop of message_filters on the official reader of MCAP. Run as export.py is.

    speed.py [EPISODES] [SECONDS] [RUNS] [--video]

Recordings have 14 + 6 channels at 1 kHz, and with --video two cameras of 640x480 at 30 fps as H.264. Prints medians of seconds of CPU
over RUNS (3), the jobs in turn, and hours of recording per hour of a core. The pandas job reads rows alone, and needs pandas
(pip install --target=FOLDER pandas, PYTHONPATH=FOLDER). The loop of synchronizer.py has the pictures too. Their start and imports do not
count; those of robocache-export do.
"""
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import make
import numpy as np

FPS = 30
MAPPING = """
fps = 30
action = "next-state"
[streams]
joints = {topic = "/joint_states"}
force = {topic = "/force"}
%s
[features]
"observation.state" = "joints"
"observation.force" = "force"
%s
"""


def record(folder, number, seconds, with_video):
    sources = [make.rows("sink_0", 1000, seconds, 14, f"seed={number} jitter=100000"),
               f"robocachetestsrc kind=force rate=1000/1 num-buffers={1000 * seconds} seed={number} ! record.sink_1"]
    topics = ["/joint_states", "/force"]
    for i in range(2 * with_video):
        sources.append(f"videotestsrc pattern={('smpte', 'ball')[i]} num-buffers={30 * seconds} ! "
                       "video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! x264enc speed-preset=veryfast bframes=0 key-int-max=30 ! "
                       f"h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au ! record.sink_{i + 2}")
        topics.append(f"/camera/{i}")
    return make.record(folder / f"run{number}.mcap", sources, topics)


def timed(command):
    """Seconds of CPU and of the clock that a process and its children take."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def ours(folder, paths, with_video):
    """(seconds of CPU, of the clock) of an export, and seconds of CPU of its start alone."""
    from run import SCRIPT
    cameras = 'c0 = {topic = "/camera/0"}\nc1 = {topic = "/camera/1"}' if with_video else ""
    features = '"observation.images.c0" = "c0"\n"observation.images.c1" = "c1"' if with_video else ""
    (folder / "robot.toml").write_text(MAPPING % (cameras, features))
    # as users run it, without the pandas of this comparison, and with compiled modules
    script = ["env", "-u", "ROBOCACHE_EXPORT_PROGRAM", "-u", "PYTHONPATH", "-u", "PYTHONDONTWRITEBYTECODE", SCRIPT]
    shutil.rmtree(folder / "set", ignore_errors=True)
    cpu, wall = timed([*script, *paths, "--mapping", folder / "robot.toml", "--output", folder / "set"])
    return cpu, wall, timed([*script, "--help"])[0]


# ---- the same in pandas: parse, interpolate joints and forces, write Parquet ----

def parse(path):
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory
    rows = {"/joint_states": [], "/force": []}
    with open(path, "rb") as stream:
        for _, channel, _, message in make_reader(stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages(topics=list(rows)):
            stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            values = message.position if channel.topic == "/joint_states" else [
                getattr(getattr(message.wrench, part), axis) for part in ("force", "torque") for axis in "xyz"]
            rows[channel.topic].append((stamp, *values))
    return {topic: np.array(found, np.float64) for topic, found in rows.items()}


def align(arrays, path):
    import pandas as pd
    start = max(array[0, 0] for array in arrays.values())
    end = min(array[-1, 0] for array in arrays.values())
    ticks = pd.DataFrame({"t": np.arange(start, end, 1e9 / FPS)})
    for topic, array in arrays.items():
        names = [f"{topic}{i}" for i in range(array.shape[1] - 1)]
        frame = pd.DataFrame(array, columns=["t", *names])
        # the time of the row before each tick, and values between rows
        held = pd.merge_asof(ticks[["t"]], frame[["t"]].assign(captured=frame["t"]), on="t", tolerance=2e8)
        values = pd.DataFrame({name: np.interp(ticks["t"].iloc[:len(held)], array[:, 0], array[:, i + 1]) for i, name in enumerate(names)})
        ticks = pd.concat([ticks, held["captured"].rename(f"{topic}.captured"), values], axis=1)
    ticks.to_parquet(path)


def pandas_job(paths):
    parsing = aligning = 0.0
    for path in map(Path, paths):
        began = time.process_time()
        arrays = parse(path)
        middle = time.process_time()
        align(arrays, path.with_suffix(".parquet"))
        parsing, aligning = parsing + middle - began, aligning + time.process_time() - middle
    return parsing, aligning


def loop_job(paths, with_video):
    from synchronizer import convert
    began = time.process_time()
    for path in map(Path, paths):
        convert(path, ["/joint_states", "/force"], ["/camera/0", "/camera/1"] if with_video else [], FPS)
    return time.process_time() - began


def main(arguments):
    with_video = "--video" in arguments
    numbers = [int(word) for word in arguments if word.isdigit()]
    episodes, seconds, runs = (numbers + [2, 60, 3][len(numbers):])[:3]
    hours = episodes * seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [record(folder, i, seconds, with_video) for i in range(episodes)]
        timings = [(*ours(folder, paths, with_video), *pandas_job(paths), loop_job(paths, with_video)) for _ in range(runs)]
    cpu, wall, start, parsing, aligning, loop = (statistics.median(values) for values in zip(*timings))
    pandas = parsing + aligning
    print(f"{episodes} episodes of {seconds} s, medians of {runs} runs")
    print(f"robocache-export: {cpu:.2f} s of CPU, {start:.2f} s of it the start; {wall:.2f} s; {hours / cpu:.1f} hours of recording per "
          f"hour of a core, {hours / (cpu - start):.1f} without the start")
    print(f"pandas, rows alone: {pandas:.2f} s of CPU; {hours / pandas:.1f} hours per hour of a core; {pandas / cpu:.1f} times "
          f"robocache-export, {pandas / (cpu - start):.1f} times without the start; from parsed arrays {aligning:.2f} s")
    print(f"loop of message_filters: {loop:.2f} s of CPU; {hours / loop:.1f} hours per hour of a core; {loop / cpu:.1f} times robocache-export, "
          f"{loop / (cpu - start):.1f} times without the start")


if __name__ == "__main__":
    main(sys.argv[1:])
