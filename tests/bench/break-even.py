#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""From how many bytes a buffer on the GPU pays when all data is in system memory.

Resamples batches of recorded episodes, and voxelizes clouds, on the CPU, on the GPU, and on the GPU into device memory, in
pipelines that differ in nothing else, and prints what a buffer takes. Bytes in and out are what `backend=auto` compares with
ROBOCACHE_BREAK_EVEN_BYTES. To be run in a bundle (bundle.sh) on a machine with a GPU, for three minutes:

    OUT/env python3 OUT/bench/break-even.py [PART OF A WORK]
"""
import array
import dataclasses
import os
import random
import subprocess
import sys
import tempfile
import time

BYTES = 100 << 20  # of all buffers of a run, in and out
ROWS, TICKS, CHANNELS = 500, 256, 32
EPISODES = (1, 4, 16, 64, 256)
POINTS = (1000, 10000, 100000, 1000000)
SIDE = 12.8  # metres of a grid
MAX_VOXELS = 100000

# output's bytes of a voxel, or of the whole of a sparse grid; voxels along an axis
FORMS = [
    ("occupancy, uint8", "mode=occupancy type=uint8", 1, (64, 128, 256)),
    ("occupancy, bits", "output=bits", 1 / 8, (256,)),
    ("mean, float32", "mode=mean", 4, (64, 128)),
    ("mean, sparse", f"mode=mean output=sparse max-voxels={MAX_VOXELS}", None, (256,)),
]

SYSTEM, DEVICE = "other/tensors", "other/tensors(memory:RobocacheCUDA)"
WAYS = {"CPU": ("cpu", SYSTEM), "GPU": ("cuda", SYSTEM), "GPU to device memory": ("cuda", DEVICE)}


@dataclasses.dataclass
class Work:
    name: str
    of: str
    data: bytes  # of a buffer
    caps: str
    element: list
    out_bytes: int


def resample(episodes):
    rng = random.Random(1)
    rows = array.array("f", (rng.random() for _ in range(ROWS * CHANNELS)))
    times = array.array("q", (i * 1000000 + rng.randrange(900000) for i in range(ROWS)))
    targets = array.array("q", (i * ROWS * 1000000 // TICKS for i in range(TICKS)))
    dimensions = f"{CHANNELS}:{ROWS}:{episodes},{ROWS}:{episodes},{TICKS}:{episodes}"
    caps = ('other/tensors,format=(string)static,num_tensors=(int)3,types=(string)"float32,int64,int64",'
            f'dimensions=(string)"{dimensions}",framerate=(fraction)0/1')
    return Work(f"resample, linear, {ROWS} to {TICKS} rows of {CHANNELS} channels", f"{episodes} episodes",
                b"".join(part.tobytes() * episodes for part in (rows, times, targets)), caps,
                ["robocacheresample", "gap-policy=nan"], episodes * TICKS * 4 * CHANNELS)


def voxelize(form, axis, points):
    name, options, voxel_bytes, _ = form
    rng = random.Random(1)
    distinct = min(points, 20000)
    cloud = array.array("f", (rng.uniform(-6, 6) for _ in range(4 * distinct)))
    size, corner = SIDE / axis, -SIDE / 2
    element = ["robocachevoxelize", f"grid={axis}:{axis}:{axis}", f"voxel-size=<{size},{size},{size}>",
               f"origin=<{corner},{corner},{corner}>", *options.split()]
    return Work(f"{name}, {axis}^3", f"{points:,} points", cloud.tobytes() * (points // distinct),
                'application/x-pointcloud,fields=(string)"x,y,z,intensity",type=(string)float32', element,
                int(axis**3 * voxel_bytes) if voxel_bytes else 4 + MAX_VOXELS * 16)


def works():
    for episodes in EPISODES:
        yield resample(episodes)
    for form in FORMS:
        for axis in form[3]:
            for points in POINTS:
                yield voxelize(form, axis, points)


def seconds(path, work, way):
    backend, memory = WAYS[way]
    command = ["gst-launch-1.0", "-q", "filesrc", f"location={path}", f"blocksize={len(work.data)}", "!", work.caps, "!",
               work.element[0], f"backend={backend}", *work.element[1:], "!", memory, "!", "fakesink"]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def measure(folder, work):
    """Microseconds a buffer of each way, the start of the pipeline not counted."""
    buffers = min(2000, max(8, BYTES // (len(work.data) + work.out_bytes)))
    paths = {n: os.path.join(folder, f"data{n}") for n in (1, 1 + buffers)}
    for n, path in paths.items():
        with open(path, "wb") as file:
            for _ in range(n):
                file.write(work.data)
    spent = {}
    for way in WAYS:
        one, more = (seconds(path, work, way) for path in paths.values())
        spent[way] = max(more - one, 0) / buffers * 1e6
    for path in paths.values():
        os.remove(path)
    return spent


def print_break_even(measured):
    """From the least bytes on with which, and with any more, the GPU was the faster one."""
    for name in dict.fromkeys(name for name, _, _ in measured):
        pays = None
        for size, spent in sorted(((size, spent) for work, size, spent in measured if work == name), key=lambda one: one[0]):
            pays = (size if pays is None else pays) if spent["GPU"] < spent["CPU"] else None
        print(f"{name}: " + (f"the GPU pays from {pays:,} bytes in and out" if pays else "the GPU does not pay"))


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    subprocess.run(["gst-inspect-1.0", "robocachevoxelize"], stdout=subprocess.DEVNULL, check=True)  # finds plugins
    print("| work | of | bytes in and out | " + " | ".join(f"{way}, us" for way in WAYS) + " | CPU / GPU |\n"
          + "|---" * 7 + "|")
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for work in works():
            if part not in work.name:
                continue
            spent, size = measure(folder, work), len(work.data) + work.out_bytes
            measured.append((work.name, size, spent))
            print(f"| {work.name} | {work.of} | {size:,} | " + " | ".join(f"{us:.0f}" for us in spent.values())
                  + f" | {spent['CPU'] / max(spent['GPU'], 1):.2f} |", flush=True)
    print()
    print_break_even(measured)


if __name__ == "__main__":
    main()
