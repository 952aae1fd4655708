# SPDX-License-Identifier: LGPL-2.1-or-later
"""Record a running robot to MCAP, with marks of episodes.

    robocache record RECORDING.mcap TOPIC=SOURCE...      SOURCE: elements of gst-launch-1.0, like 'v4l2src ! image/jpeg'
    robocache record RECORDING.mcap --simulated          a simulated robot: joints, force, commands and a camera

Marks are keys of the terminal:

    space   an episode begins, or ends            y, n   it was a success, a failure (ends it, too)
    d       discard it                            q      end the recording

With --view=PORT, they are also buttons and keys of a web page. Where standard input is no terminal, they are its lines: start TASK, end, success, failure, discard, quit.

The recording is on the disk within a second. Marks go to RECORDING.episodes.csv, which robocache export reads, and which has the
running episode up to the last second.
"""
import argparse
import sys
from pathlib import Path

from .printable import printable

SIMULATED = [
    "/joint_states=robocachetestsrc is-live=true kind=proprio rate=1000/1",
    "/force=robocachetestsrc is-live=true kind=force rate=1000/1",
    "/command=robocachetestsrc is-live=true kind=proprio channels=14 rate=50/1 seed=1",
    "/camera/front=videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGB,width=320,height=240,framerate=30/1",
]


def marks_of(recording):
    return recording.with_suffix(".episodes.csv")


def _source_of(text):
    topic, equals, source = text.partition("=")
    if not equals or not topic.startswith("/") or not source.strip():
        raise argparse.ArgumentTypeError(f"{text!r}: expected TOPIC=SOURCE, like '/camera/front=v4l2src ! image/jpeg'")
    return topic, source


def _port_of(text):
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a port from 1 to 65535")
    return int(text)


def _arguments():
    parser = argparse.ArgumentParser("robocache record", usage="%(prog)s [OPTION…] RECORDING.mcap [TOPIC=SOURCE…]",
                                     description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path)
    parser.add_argument("sources", nargs="*", type=_source_of, metavar="TOPIC=SOURCE")
    parser.add_argument("--simulated", action="store_true", help="record a simulated robot")
    parser.add_argument("--task", default="", help="task of episodes whose mark names none")
    parser.add_argument("--view", nargs="?", type=_port_of, const=0, metavar="PORT",
                        help="show the streams as a web page on this machine, with buttons for marks (port 8765, or a free one)")
    arguments = parser.parse_args()
    if arguments.simulated == bool(arguments.sources):
        parser.error("expected sources, or --simulated")
    for path in (arguments.recording, marks_of(arguments.recording)):
        if path.exists():
            parser.error(f"{printable(path)} exists")
    if arguments.simulated:
        arguments.sources = [_source_of(text) for text in SIMULATED]
    return arguments


def main():
    arguments = _arguments()
    # --help needs no GStreamer
    from .recorder import run
    return run(arguments.recording, marks_of(arguments.recording), arguments.sources, arguments.task, arguments.view)


if __name__ == "__main__":
    sys.exit(main())
