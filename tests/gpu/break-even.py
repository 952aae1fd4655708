#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""From how many bytes a buffer on the GPU pays when all data is in system memory.

Resamples batches of recorded episodes, and voxelizes clouds, on the CPU and on the GPU, in pipelines that differ in nothing
else, and prints what a buffer takes. To be run in a bundle (bundle.sh) on a machine with a GPU:

    ./env python3 break-even.py
"""
import array
import os
import random
import subprocess
import tempfile
import time

BYTES = 200 << 20  # of all buffers of a run
ROWS, TICKS, CHANNELS = 500, 256, 32
GRID = "grid=128:128:128 voxel-size=<0.1,0.1,0.1> origin=<-6.4,-6.4,-6.4>"

WORKLOADS = [
    ("resample, linear, 500 to 256 rows of 32 channels; episodes", (1, 4, 16, 64, 256), None),
    ("occupancy, bits; points", (1000, 10000, 100000, 1000000), "mode=occupancy output=bits"),
    ("occupancy, uint8; points", (1000, 10000, 100000, 1000000), "mode=occupancy type=uint8"),
    ("mean, sparse; points", (1000, 10000, 100000, 1000000), "mode=mean type=float32 output=sparse max-voxels=200000"),
]


def batch(episodes):
    """A buffer of rows, their times and target times, and its caps."""
    rng = random.Random(1)
    rows = array.array("f", (rng.random() for _ in range(ROWS * CHANNELS)))
    times = array.array("q", (i * 1000000 + rng.randrange(900000) for i in range(ROWS)))
    targets = array.array("q", (i * ROWS * 1000000 // TICKS for i in range(TICKS)))
    dimensions = f"{CHANNELS}:{ROWS}:{episodes},{ROWS}:{episodes},{TICKS}:{episodes}"
    caps = ('other/tensors,format=(string)static,num_tensors=(int)3,types=(string)"float32,int64,int64",'
            f'dimensions=(string)"{dimensions}",framerate=(fraction)0/1')
    return rows.tobytes() * episodes + times.tobytes() * episodes + targets.tobytes() * episodes, caps


def cloud(points):
    rng = random.Random(1)
    one = array.array("f", (rng.uniform(-6, 6) for _ in range(4 * min(points, 20000))))
    return (one.tobytes() * (points // min(points, 20000)),
            'application/x-pointcloud,fields=(string)"x,y,z,intensity",type=(string)float32')


def seconds(path, size, caps, element):
    command = ["gst-launch-1.0", "-q", "filesrc", f"location={path}", f"blocksize={size}", "!", caps, "!", *element, "!",
               "other/tensors", "!", "fakesink"]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def measure(path, data, caps, element):
    """Microseconds a buffer, the start of the pipeline not counted."""
    buffers = min(2000, max(8, BYTES // len(data)))
    spent = {}
    for backend in ("cpu", "cuda"):
        command = [element[0], f"backend={backend}", *element[1:]]
        with open(path, "wb") as file:
            file.write(data)
        start = min(seconds(path, len(data), caps, command) for _ in range(2))
        with open(path, "wb") as file:
            for _ in range(buffers):
                file.write(data)
        spent[backend] = (seconds(path, len(data), caps, command) - start) / (buffers - 1) * 1e6
    return spent


def main():
    print("| work | of | bytes in | CPU, us | GPU, us | CPU / GPU |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, sizes, options in WORKLOADS:
            for size in sizes:
                data, caps = cloud(size) if options else batch(size)
                element = ["robocacheresample", "gap-policy=nan"]
                if options:
                    element = ["robocachevoxelize", *GRID.split(), *options.split()]
                spent = measure(os.path.join(folder, "data"), data, caps, element)
                print(f"| {name} | {size:,} | {len(data):,} | {spent['cpu']:.0f} | {spent['cuda']:.0f} | "
                      f"{spent['cpu'] / spent['cuda']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
