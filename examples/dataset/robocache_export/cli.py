# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line: which episodes this process exports, and the set that is made of all of them."""
import argparse
import re
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

from . import actions, encoder, lerobot, parts
from .episodes import cut
from .errors import ExportError
from .manifest import Complete
from .mapping import CHOICES, read_mapping
from .plan import make_plan
from .recordings import open_recordings
from .suggest import suggest


def _hdf5(name):
    """A function of the module hdf5, which is slow to load, and only its own formats need it."""
    def call(*arguments):
        from . import hdf5
        return getattr(hdf5, name)(*arguments)

    return call


# {format: (writer, whether it has videos, check of the mapping)}
FORMATS = {
    "lerobot": (lerobot.write, True, lambda mapping: encoder.check(mapping.video) if mapping.pictures else None),
    "robomimic": (_hdf5("write_robomimic"), False, lambda mapping: None),
    "aloha": (_hdf5("write_aloha"), False, _hdf5("check_aloha")),
}
EXIT_MISSING = 3  # of --status: shards are missing

EPILOG = """\
Examples:
  robocache-export run.mcap --suggest > robot.toml
  robocache-export run.mcap --mapping robot.toml --output set
  robocache-export runs/ --mapping robot.toml --output set --episodes spans.csv --shard 3/24
  robocache-export runs/ --mapping robot.toml --output set --episodes spans.csv --merge
"""


def _shard(text):
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not int(found[1]) < int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NUMBER/COUNT with numbers from 0, like 3/24")
    return int(found[1]), int(found[2])


def _parser():
    parser = argparse.ArgumentParser("robocache-export", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description="Make a training set of recordings: align, cut into episodes, encode and pack.")
    parser.add_argument("recordings", nargs="+", type=Path, help="MCAP or .db3 files, folders of them, or folders of CSV files")
    parser.add_argument("--mapping", type=Path, help="which streams become which features (TOML or JSON)")
    parser.add_argument("--output", type=Path, help="the set: a folder, or for robomimic a file")
    parser.add_argument("--format", choices=FORMATS, default="lerobot")
    parser.add_argument("--episodes", default="", metavar="MARKS",
                        help="a CSV of spans, topic:NAME, gaps:SECONDS[:TOPIC] or whole; default: RECORDING.episodes.csv, else whole")
    parser.add_argument("--missing", choices=CHOICES["missing"], help="drop ticks with missing values, or end the episode there")
    parser.add_argument("--action", choices=CHOICES["action"], help="the recorded command, or the next state")
    parser.add_argument("--actions", choices=actions.KINDS, help="joints, poses of the tool or its steps, by the mapping's section actions")
    parser.add_argument("--allow-slow-cameras", action="store_true", help="repeat frames of cameras that do not reach fps")
    parser.add_argument("--keep-parts", action="store_true", help="keep OUTPUT.parts after the set was made of it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--shard", type=_shard, metavar="I/N", help="export only part I of N, from 0; --merge joins them")
    what.add_argument("--merge", action="store_true", help="make the set of parts that were exported already")
    what.add_argument("--status", type=int, metavar="N", help="print the shards of N that are missing; exit status 3 if there are any")
    what.add_argument("--suggest", action="store_true", help="print a mapping for the first recording")
    what.add_argument("--check", action="store_true", help="check recordings and mapping, and write nothing")
    return parser


def _mapping_of(arguments):
    mapping = read_mapping(arguments.mapping)
    changes = {name: getattr(arguments, name) for name in ("missing", "action") if getattr(arguments, name)}
    if changes.get("action") == "next-state":
        # the command line replaces the recorded action
        mapping = _without_action(mapping)
    return replace(mapping, **changes, actions=actions.choose(mapping.actions, arguments.actions))


def _without_action(mapping):
    features = {name: value for name, value in mapping.features.items() if name != "action"}
    if "observation.state" not in features:
        raise ExportError("--action next-state needs features.\"observation.state\"")
    used = {part.stream for value in features.values() for part in value}
    return replace(mapping, features=features, streams=tuple(stream for stream in mapping.streams if stream.name in used))


# ---- what is done ----

def _print_part(planned, said, seconds):
    dropped = "".join(f"; {count} ticks dropped, {reason}" for reason, count in said["dropped"].items())
    print(f"{planned.episode.name}: {said['frames']} frames{dropped}; {seconds:.1f} s", flush=True)


def _export(job, plan):
    for planned in plan:
        if parts.is_done(job, planned):
            print(f"{planned.episode.name}: done before", flush=True)
            continue
        began = time.monotonic()
        _print_part(planned, parts.write(job, planned), time.monotonic() - began)


def _refuse_foreign(output, form):
    """What is not a set is not replaced."""
    is_set = {"lerobot": (output / "meta" / "info.json").is_file(), "aloha": any(output.glob("episode_*.hdf5")),
              "robomimic": output.is_file() and output.suffix in (".hdf5", ".h5")}
    if output.exists() and not is_set[form] and not (output.is_dir() and not any(output.iterdir())):
        raise ExportError(f"{output} exists and is not a set of {form}: choose another --output")


def _merge(job, plan, arguments):
    write = FORMATS[arguments.format][0]
    joined = parts.read_parts(job, plan)
    with Complete(arguments.output) as temporary:
        write(temporary, joined, job.mapping)
    if not arguments.keep_parts and not arguments.merge:
        shutil.rmtree(job.folder)
    print(f"{arguments.output}: {len(joined)} episodes, {sum(part.said['frames'] for part in joined)} frames")


def _missing_shards(job, plan, count):
    return sorted({planned.episode.shard(count) for planned in plan if not parts.is_done(job, planned)})


def run(arguments):
    if arguments.suggest:
        print(suggest(open_recordings(arguments.recordings)[0]), end="")
        return 0
    if not arguments.mapping or not arguments.output:
        raise ExportError("--mapping and --output are needed; --suggest prints a mapping")
    mapping = _mapping_of(arguments)
    FORMATS[arguments.format][2](mapping)
    _refuse_foreign(arguments.output, arguments.format)
    episodes = cut(open_recordings(arguments.recordings), mapping, arguments.episodes)
    plan = make_plan(episodes, mapping, arguments.allow_slow_cameras)
    job = parts.Job(arguments.output.with_name(f"{arguments.output.name}.parts"), mapping, FORMATS[arguments.format][1])
    if arguments.check:
        print(f"{len(plan)} episodes can be exported")
    elif arguments.status:
        missing = _missing_shards(job, plan, arguments.status)
        print(",".join(map(str, missing)))
        return EXIT_MISSING if missing else 0
    elif arguments.shard:
        number, count = arguments.shard
        _export(job, [planned for planned in plan if planned.episode.shard(count) == number])
    else:
        if not arguments.merge:
            _export(job, plan)
        _merge(job, plan, arguments)
    return 0


def main():
    try:
        return run(_parser().parse_args())
    except ExportError as error:
        print(f"error: {error}", file=sys.stderr)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
    return 1
