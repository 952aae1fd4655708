# SPDX-License-Identifier: LGPL-2.1-or-later
"""Record a running robot to MCAP, with marks of episodes.

    robocache record RECORDING.mcap TOPIC=SOURCE...      SOURCE: elements of gst-launch-1.0, like 'v4l2src ! image/jpeg'
    robocache record RECORDING.mcap --ros [TOPIC...]     live topics of ROS 2, names or globs like '/camera/*' (all)
    robocache record RECORDING.mcap --simulated          a simulated robot: joints, force, commands and a camera

Example:

    robocache record run.mcap '/camera/front=v4l2src ! image/jpeg' '/joint_states=robocachetestsrc is-live=true'

Marks are keys of the terminal:

    space   an episode begins, or ends
    y, n    it was a success, a failure (ends it, too)
    d       discard it
    q       end the recording

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


# options of live topics, with the properties of robocacherossrc that they set
ROS = {
    "domain": {"metavar": "N", "type": int, "help": "domain of ROS 2 (ROS_DOMAIN_ID, or 0)"},
    "discovery": {"metavar": "WHERE", "choices": ["subnet", "localhost", "off"],
                  "help": "hosts to talk to: subnet, localhost or off (the environment of ROS 2, or localhost)"},
    "peers": {"metavar": "HOSTS", "help": "other hosts to talk to, separated by semicolons (ROS_STATIC_PEERS)"},
    "fields": {"metavar": "LIST", "help": "numeric fields of types that have no row of their own, like pose.* (all)"},
    "joints": {"metavar": "LIST", "help": "a stream for each group of joints, like shoulder,elbow;gripper (all)"},
    "msg-path": {"metavar": "FOLDERS", "help": "folders with the definitions of types that are not built in (none)"},
}
MAX_DOMAIN = 232


def _source_of(text):
    """(topic, source); the source of a topic of ROS 2 is None."""
    topic, equals, source = text.partition("=")
    if not topic.startswith("/") or (equals and not source.strip()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected TOPIC=SOURCE, like '/camera/front=v4l2src ! image/jpeg'")
    return topic, source if equals else None


def _take_ros(parser, arguments):
    """Takes the topics and options of ROS 2 from the arguments: {property: text}, or None without --ros."""
    topics = [topic for topic, source in arguments.sources if source is None]
    given = {name: text for name in ROS if (text := getattr(arguments, name.replace("-", "_"))) is not None}
    if not arguments.ros:
        if given:
            parser.error(f"--{next(iter(given))} is an option of live topics: use --ros")
        if topics:
            parser.error(f"{topics[0]}: expected TOPIC=SOURCE, or --ros for topics of ROS 2")
        return None
    if not 0 <= given.get("domain", 0) <= MAX_DOMAIN:
        parser.error(f"--domain {given['domain']}: expected 0 to {MAX_DOMAIN}")
    arguments.sources = [(topic, source) for topic, source in arguments.sources if source is not None]
    return {**given, "topics": ",".join(topics)}


def _port_of(text):
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a port from 1 to 65535")
    return int(text)


def _arguments():
    parser = argparse.ArgumentParser("robocache record", usage="%(prog)s [OPTION…] RECORDING.mcap [TOPIC=SOURCE…]",
                                     description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path)
    parser.add_argument("sources", nargs="*", type=_source_of, metavar="TOPIC=SOURCE")
    parser.add_argument("--ros", action="store_true", help="record live topics of ROS 2")
    for name, option in ROS.items():
        parser.add_argument(f"--{name}", **option)
    parser.add_argument("--simulated", action="store_true", help="record a simulated robot")
    parser.add_argument("--task", default="", help="task of episodes whose mark names none")
    parser.add_argument("--view", nargs="?", type=_port_of, const=0, metavar="PORT",
                        help="show the streams as a web page on this machine, with buttons for marks (port 8765, or a free one)")
    arguments = parser.parse_intermixed_args()
    if arguments.simulated == bool(arguments.sources or arguments.ros):
        parser.error("expected sources, --ros or --simulated")
    arguments.ros = _take_ros(parser, arguments)
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
    return run(arguments.recording, marks_of(arguments.recording), arguments.sources, arguments.ros, arguments.task, arguments.view)


if __name__ == "__main__":
    sys.exit(main())
