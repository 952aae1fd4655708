#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings that end badly: a program that is killed, and a disk that is full. Every file must be readable.

    crash.py [--moments=N] [--limit=SECONDS] [CASE...]

Kills a live recording of four sensors at 1 kHz and a camera at N random moments, and prints the loss of each with --verbose. A loss
above the limit fails. By hand: --moments=100 --limit=1. Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import argparse
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mcap.reader import NonSeekingReader, SeekingReader

from mcapplan import run_cases
from pipelines import environment, has_elements

SENSORS = [f"/sensor_{i}" for i in range(4)]
TOPICS = [*SENSORS, "/camera"]


def readable(data):
    """(topic, sequence, log time) of each message up to the place where the file is cut."""
    found = []
    try:
        for _, channel, message in NonSeekingReader(io.BytesIO(data), validate_crcs=True).iter_messages(log_time_order=False):
            found.append((channel.topic, message.sequence, message.log_time))
    except Exception:  # the package has several for a file that ends
        pass
    return found


# ---- killed ----

def start_recording(path):
    words = f"robocachemcapsink name=record location={path} "
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


# ---- a full disk ----

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


def disk_full(folder, options):
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


def small_fragments(folder, options):
    yield from full_at_fragment_change(folder, CLOUDS, 1)


def small_fragments_with_video(folder, options):
    yield from full_at_fragment_change(folder, VIDEO + CLOUDS, 1)


def no_disk(folder, options):
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
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    cases = [killed_at_random, no_disk]
    if can_mount():
        cases += [disk_full, small_fragments]
        if has_elements("x264enc", "h264parse"):
            cases.append(small_fragments_with_video)
    else:
        print("SKIP disk_full: a small file system cannot be mounted here")
    return run_cases([(case.__name__, in_folder, case, options) for case in cases
                      if not options.cases or case.__name__ in options.cases])


if __name__ == "__main__":
    sys.exit(main())
