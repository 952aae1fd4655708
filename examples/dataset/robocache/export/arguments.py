# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line. Standard library alone: --help needs no other package. python3 -m robocache.export.arguments prints it."""
import argparse
import re
from pathlib import Path

from . import formats

# what the command line and the mapping choose from
CHOICES = {"missing": ("split", "end", "keep", "drop"), "fill": ("nan", "hold"), "action": ("recorded", "next-state"), "velocity": ("recorded", "zeros"),
           "names": ("recorded", "lerobot")}
ACTIONS = ("joint", "cartesian", "delta")
TIME_SOURCES = ("auto", "stamp", "log")

EPILOG = """\
Examples:
  robocache export run.mcap --suggest > robot.toml
  robocache export run.mcap --mapping robot.toml --output set
  robocache export runs/ --mapping robot.toml --output set --episodes spans.csv --shard 3/24
  robocache export runs/ --mapping robot.toml --output set --episodes spans.csv --merge
  robocache export tuesday.mcap --mapping robot.toml --output set --append
"""


def _shard(text):
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not int(found[1]) < int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NUMBER/COUNT with numbers from 0, like 3/24")
    return int(found[1]), int(found[2])


def _count(text):
    if not re.fullmatch(r"[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected the number of shards, 1 or more")
    return int(text)


def make_parser():
    parser = argparse.ArgumentParser("robocache export", usage="%(prog)s [OPTION…] RECORDING… --mapping FILE --output SET", epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description="Make a training set from recordings: align, cut into episodes, encode and pack.")
    parser.add_argument("recordings", nargs="+", type=Path, help="MCAP, .db3 or .bag files, folders of them, or folders of CSV files")
    parser.add_argument("--mapping", type=Path, help="which streams become which features (TOML or JSON)")
    parser.add_argument("--output", type=Path, help="the set: a folder, or for robomimic a file")
    parser.add_argument("--format", choices=formats.NAMES, default="lerobot")
    parser.add_argument("--episodes", default="", metavar="MARKS",
                        help="a CSV of spans, topic:NAME, gaps:SECONDS[:TOPIC] or whole; default: RECORDING.episodes.csv, else whole")
    parser.add_argument("--missing", choices=CHOICES["missing"], help="at ticks with missing values: split the episode (default), end it, "
                        "keep the ticks, or drop them and close the gaps")
    parser.add_argument("--min-episode", metavar="SECONDS", help="drop pieces of split episodes that are shorter than this (1)")
    parser.add_argument("--fill", choices=CHOICES["fill"], help="with --missing keep: write NaN (default), or repeat the value before; "
                        "nan also joins recordings that lack channels")
    parser.add_argument("--names", choices=CHOICES["names"], help="names of channels: as recorded (default), or as LeRobot writes them, like left_elbow.pos")
    parser.add_argument("--action", choices=CHOICES["action"], help="the recorded command, or the next state")
    parser.add_argument("--actions", choices=ACTIONS, help="joints, poses of the tool, or steps between poses, by the mapping's section actions")
    parser.add_argument("--time-source", choices=TIME_SOURCES, default="auto",
                        help="times of recordings: stamps, with all clocks put on one timeline (auto), stamps as they are (stamp), or log times (log)")
    parser.add_argument("--allow-slow-cameras", action="store_true", help="repeat frames of cameras that do not reach fps")
    there = parser.add_mutually_exclusive_group()
    there.add_argument("--append", action="store_true", help="add the episodes to the existing set, which must have the same features and fps")
    there.add_argument("--overwrite", action="store_true", help="replace the existing set")
    parser.add_argument("--keep-parts", action="store_true", help="keep OUTPUT.parts after the set is complete")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--shard", type=_shard, metavar="I/N", help="export only part I of N, from 0; --merge joins them")
    what.add_argument("--merge", action="store_true", help="make the set from parts that are already exported")
    what.add_argument("--status", type=_count, metavar="N", help="print the shards of N that are missing; exit status 3 if there are any")
    what.add_argument("--suggest", action="store_true", help="print a mapping for the first recording")
    what.add_argument("--check", action="store_true", help="check recordings and mapping, and write nothing")
    return parser


if __name__ == "__main__":
    make_parser().print_help()
