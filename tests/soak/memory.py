#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory does not grow with the length of a stream: the peak of ten minutes of pipeline time is that of one minute."""
import os
import shutil
import subprocess
import sys
import tempfile

ALLOWED_GROWTH_KIB = 1024

CASES = {
    "fuse": (
        "robocachefuse name=fuse rate=50/1 window=4 info=tensor ! fakesink "
        "videotestsrc pattern=black num-buffers={camera} "
        "! video/x-raw,format=RGB,width=64,height=48,framerate=30/1 ! fuse.camera_0 "
        "robocachetestsrc kind=proprio rate=100/1 jitter=2000000 num-buffers={joints} ! fuse.proprio_0 "
        "robocachetestsrc kind=force rate=1000/1 num-buffers={force} ! fuse.force_0"
    ),
    "resample": "robocachetestsrc kind=force rate=1000/1 disorder=0.1 num-buffers={force} "
    "! robocacheresample rate=100/1 interpolation=mean reorder-window=5000000 ! fakesink",
    "voxelize": "robocachetestsrc kind=points channels=1000 rate=10/1 num-buffers={clouds} "
    "! robocachevoxelize voxel-size=<0.5,0.5,0.5> accumulate=3 mode=centroid output=sparse ! fakesink",
    "reference": "robocachefuse name=fuse reference-pad=force_0 layout=concat ! fakesink "
    "robocachetestsrc kind=proprio rate=100/1 num-buffers={joints} ! fuse.proprio_0 "
    "robocachetestsrc kind=force rate=200/1 num-buffers={twice} ! fuse.force_0",
}
# ten minutes are 300 MB; "play" reads what "record" wrote. The queue is as short as can be: it is to be full at times
RECORDINGS = {
    "record": "robocachemcapsink name=record location={folder}/{seconds}.mcap sync-interval=0 max-queue-size=1 "
    "videotestsrc pattern=black num-buffers={camera} "
    "! video/x-raw,format=RGB,width=64,height=48,framerate=30/1 ! record.sink_0 "
    "robocachetestsrc kind=force rate=1000/1 num-buffers={force} ! record.sink_1",
    "play": "filesrc location={folder}/{seconds}.mcap ! robocachemcapdemux name=play play.src_0 ! fakesink async=false "
    "play.src_1 ! fakesink async=false",
}


def has_recorder():
    return subprocess.run(["gst-inspect-1.0", "robocachemcapsink"], check=False, stdout=subprocess.DEVNULL).returncode == 0


def folder_for(size):
    """In memory, if it has space."""
    shared = "/dev/shm"
    return shared if os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 2 * size else None


def peak_kib(pipeline, seconds, folder):
    """Greatest resident size of gst-launch-1.0 over that much pipeline time, as peak.c says."""
    counts = {"camera": 30 * seconds, "joints": 100 * seconds, "force": 1000 * seconds, "clouds": 10 * seconds,
              "twice": 200 * seconds, "seconds": seconds, "folder": folder}
    # few arenas, so that what threads leave behind is not taken for growth
    run = subprocess.run([sys.argv[1], "gst-launch-1.0", "-q", *pipeline.format(**counts).split()], check=False,
                         env={**os.environ, "MALLOC_ARENA_MAX": "2"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if run.returncode != 0:
        raise RuntimeError(f"gst-launch-1.0 ended with {run.returncode}")
    return int(run.stdout)


def run_cases(folder):
    failed = False
    for name, pipeline in {**CASES, **(RECORDINGS if has_recorder() else {})}.items():
        try:
            one, ten = peak_kib(pipeline, 60, folder), peak_kib(pipeline, 600, folder)
        except RuntimeError as error:
            print(f"FAIL memory_{name}: {error}")
            failed = True
            continue
        grown = ten - one > ALLOWED_GROWTH_KIB
        failed |= grown
        print(f"{'FAIL' if grown else 'PASS'} memory_{name}: {one} KiB for one minute, {ten} KiB for ten")
    return failed


def main():
    with tempfile.TemporaryDirectory(dir=folder_for(300_000_000)) as folder:
        return run_cases(folder)


if __name__ == "__main__":
    sys.exit(main())
