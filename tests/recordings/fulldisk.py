#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings on a disk that is full, or that cannot be written. Every file must be readable.

    fulldisk.py [CASE...]

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mcap.reader import SeekingReader

from mcapplan import run_cases
from pipelines import environment, has_elements, readable

# sources report that their stream ended, too
OUR_ERROR = "ERROR: from element /GstPipeline:pipeline0/GstRobocacheMcapSink:"

# a file system of its own that holds 3 MiB
FULL_DISK = """set -e
mount -t tmpfs -o size=3m tmpfs "$1"
gst-launch-1.0 -q robocachemcapsink name=record location="$1/run.mcap" sync-interval={sync} {settings} \
  robocachetestsrc kind=points channels=5000 num-buffers=200 ! record.sink_0 > "$2/output" 2>&1 || echo "status $?" >> "$2/output"
LD_PRELOAD="" cp "$1"/run*.mcap "$2"
"""


def can_mount():
    return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False,
                          capture_output=True).returncode == 0


def disk_full(folder):
    """One error that names the cause, and a file of all whole chunks."""
    for sync, settings in ((0, ""), (1_000_000_000, ""), (0, "chunk-size=10000"), (0, "compression=lz4")):
        disk, kept = (Path(folder, name) for name in ("disk", f"kept{sync}{settings}".replace("=", "")))
        disk.mkdir(exist_ok=True)
        kept.mkdir()
        script = FULL_DISK.format(sync=sync, settings=settings)
        subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", disk, kept], env=environment(),
                       check=True, timeout=100)
        output = (kept / "output").read_text(encoding="utf-8")
        yield f"errors {output}", output.count(OUR_ERROR), 1
        yield "cause", "No space left on device" in output and "/run.mcap" in output, True
        yield "status", "status 1" in output, True
        data = (kept / "run.mcap").read_bytes()
        messages = readable(data)
        sequences = [sequence for topic, sequence, _ in messages if topic == "/sink_0"]
        yield "sequence", sequences, list(range(len(sequences)))
        # a cloud has 80 kB, and a chunk of 1 MiB may be missing
        yield f"{len(data)} bytes, {len(sequences)} messages", len(sequences) >= (20 if "lz4" not in settings else 24), True


PAGE = os.sysconf("SC_PAGE_SIZE")
# fragments of a second, on a file system of some pages
FRAGMENTS = """set -e
mount -t tmpfs -o size={size} tmpfs "$1"
gst-launch-1.0 -q robocachemcapsink name=record location="$1/run%03d.mcap" sync-interval=0 fragment-duration=1000000000 \
  {source} > "$2/output" 2>&1 || echo "status $?" >> "$2/output"
LD_PRELOAD="" cp "$1"/run*.mcap "$2"
"""
CLOUDS = "robocachetestsrc kind=points channels=1000 num-buffers=45 ! record.sink_0"
# fragments overlap: rows go into the next one at once, video at its next key frame
VIDEO = ("videotestsrc num-buffers=135 ! video/x-raw,width=64,height=48,framerate=30/1 ! x264enc key-int-max=20 tune=zerolatency ! "
         "video/x-h264,stream-format=byte-stream,alignment=au ! record.sink_1 ")


def record_fragments(folder, source, pages):
    """(output, bytes of each file) where the file system has so many pages."""
    disk, kept = Path(folder, "disk"), Path(folder, f"kept{pages}")
    disk.mkdir(exist_ok=True)
    kept.mkdir()
    subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", FRAGMENTS.format(size=pages * PAGE, source=source), "sh", disk,
                    kept], env=environment(), check=True, timeout=100)
    return (kept / "output").read_text(encoding="utf-8"), [path.read_bytes() for path in sorted(kept.glob("run*.mcap"))]


def is_complete(data):
    return data.endswith(b"\x89MCAP0\r\n") and len(data) > 8 and SeekingReader(io.BytesIO(data)).get_summary() is not None


def pages_of(data):
    return -(-len(data) // PAGE)


def full_at_fragment_change(folder, source, at_most):
    """The disk is full at each page around the ends of two fragments: at_most files are incomplete, all can be read, and no row before
    is missing."""
    output, files = record_fragments(folder, source, 0)
    yield "output", output, ""
    yield "files", (len(files) >= 3, all(map(is_complete, files))), (True, True)
    ends = [sum(map(pages_of, files[:n])) for n in (2, 3)]
    worst = 0
    for pages in sorted({end + i for end in ends for i in range(-4, 6)} | {ends[0] - 12, ends[0] + 12}):
        output, files = record_fragments(folder, source, pages)
        # its last record may still find room
        yield f"errors with {pages} pages {output}", output.count(OUR_ERROR), 1
        yield f"cause with {pages} pages", "No space left on device" in output, True
        incomplete = [i for i, data in enumerate(files) if not is_complete(data)]
        worst = max(worst, len(incomplete))
        yield f"incomplete of {len(files)} files with {pages} pages: {incomplete}", len(incomplete) <= at_most, True
        messages = [message for data in files for message in readable(data)]
        for topic in ("/sink_0", "/sink_1"):
            sequences = sorted(sequence for name, sequence, _ in messages if name == topic)
            yield f"sequence of {topic} with {pages} pages", sequences, list(range(len(sequences)))
        yield f"bytes with {pages} pages", sum(map(len, files)) >= (pages - 40) * PAGE, True
    yield "worst", worst > 0, True


def small_fragments(folder):
    yield from full_at_fragment_change(folder, CLOUDS, 1)


def small_fragments_with_video(folder):
    yield from full_at_fragment_change(folder, VIDEO + CLOUDS, 1)


def no_disk(folder):
    """What cannot be created or written is an error at once, with its path.

    The source is live: gst-launch-1.0 of GStreamer 1.22 does not end at an error that comes before its main loop runs.
    """
    for location, cause in (("/dev/full", "No space left on device"), (f"{folder}/absent/run.mcap", "No such file or directory"),
                            (folder, "Is a directory")):
        done = subprocess.run(["gst-launch-1.0", "-q", *"robocachetestsrc is-live=true num-buffers=100 ! robocachemcapsink".split(),
                               f"location={location}"], capture_output=True, timeout=100, check=False, env=environment())
        output = (done.stdout + done.stderr).decode()
        yield location, (done.returncode != 0, output.count(OUR_ERROR), cause in output, str(location) in output), \
            (True, 1, True, True)


def list_cases():
    cases = [no_disk]
    if can_mount():
        cases += [disk_full, small_fragments]
        if has_elements("x264enc", "h264parse"):
            cases.append(small_fragments_with_video)
    else:
        print("SKIP disk_full: a small file system cannot be mounted here")
    for case in cases:
        yield case.__name__, in_folder, case


def in_folder(case):
    with tempfile.TemporaryDirectory() as folder:
        yield from case(folder)


if __name__ == "__main__":
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[1:] or case[0] in sys.argv[1:]]))
