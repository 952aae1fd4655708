#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""From how many bytes a buffer on the GPU pays when all data is in system memory.

Resamples batches of recorded episodes on the CPU and on the GPU, in pipelines that differ in nothing else, and prints what a
buffer takes. To be run in a bundle (bundle.sh) on a machine with a GPU:

    ./env python3 break-even.py
"""
import array
import os
import random
import subprocess
import tempfile
import time

ROWS, TICKS, CHANNELS = 500, 256, 32
BYTES = 200 << 20  # in and out, of all buffers of a run


def write_batch(path, batch, buffers):
    """Buffers of rows, their times and target times, one after another."""
    rng = random.Random(1)
    rows = array.array("f", (rng.random() for _ in range(ROWS * CHANNELS)))
    times = array.array("q", (i * 1000000 + rng.randrange(900000) for i in range(ROWS)))
    targets = array.array("q", (i * ROWS * 1000000 // TICKS for i in range(TICKS)))
    one = rows.tobytes() * batch + times.tobytes() * batch + targets.tobytes() * batch
    with open(path, "wb") as file:
        for _ in range(buffers):
            file.write(one)
    return len(one)


def seconds(path, size, batch, backend):
    dimensions = f"{CHANNELS}:{ROWS}:{batch},{ROWS}:{batch},{TICKS}:{batch}"
    caps = (
        "other/tensors,format=(string)static,num_tensors=(int)3,types=(string)\"float32,int64,int64\","
        f"dimensions=(string)\"{dimensions}\",framerate=(fraction)0/1"
    )
    command = ["gst-launch-1.0", "-q", "filesrc", f"location={path}", f"blocksize={size}", "!", caps, "!",
               "robocacheresample", f"backend={backend}", "gap-policy=nan", "!", "other/tensors", "!", "fakesink"]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def main():
    print("| episodes | bytes in and out | CPU, us | GPU, us | CPU / GPU |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "batch")
        for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            moved = batch * (4 * CHANNELS * (ROWS + TICKS) + 8 * (ROWS + TICKS))
            buffers = max(8, BYTES // moved)
            spent = {}
            for backend in ("cpu", "cuda"):
                size = write_batch(path, batch, 1)
                start = min(seconds(path, size, batch, backend) for _ in range(2))
                write_batch(path, batch, buffers)
                spent[backend] = (seconds(path, size, batch, backend) - start) / (buffers - 1) * 1e6
            print(f"| {batch} | {moved:,} | {spent['cpu']:.0f} | {spent['cuda']:.0f} | "
                  f"{spent['cpu'] / spent['cuda']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
