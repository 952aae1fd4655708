# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program: which episodes this process exports, and the set that is made of all of them."""
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from ..printable import describe_os_error, printable
from . import actions, depth, existing, parts
from .arguments import make_parser
from .episodes import cut, sidecar
from .errors import ExportError
from .formats import module_of
from .manifest import Complete, of_set, remove_left
from .mapping import read_mapping, seconds_ns
from .plan import make_plan, slow_streams
from .recordings import open_recordings
from .suggest import suggest

EXIT_INTERRUPTED = 130  # as shells have it of SIGINT
EXIT_MISSING = 3  # of --status: shards are missing


def _mapping_of(arguments):
    mapping = read_mapping(arguments.mapping)
    changes = {name: getattr(arguments, name) for name in ("missing", "fill", "action", "names") if getattr(arguments, name)}
    if arguments.min_episode:
        changes["min_episode_ns"] = seconds_ns("--min-episode", arguments.min_episode)
    if changes.get("action") == "next-state":
        # the command line replaces the recorded action
        mapping = _without_action(mapping)
    mapping = replace(mapping, **changes, time_source=arguments.time_source, actions=actions.choose(mapping.actions, arguments.actions))
    if mapping.fill == "hold" and mapping.missing != "keep":
        raise ExportError(f"fill = \"hold\" needs missing = \"keep\", and missing is \"{mapping.missing}\"")
    return mapping


def _without_action(mapping):
    features = {name: value for name, value in mapping.features.items() if name != "action"}
    if "observation.state" not in features:
        raise ExportError("--action next-state needs features.\"observation.state\"")
    used = {part.stream for value in features.values() for part in value}
    return replace(mapping, features=features, streams=tuple(stream for stream in mapping.streams if stream.name in used))


# ---- what is done ----

# holes of an episode that are printed; the manifest has all
PRINTED_HOLES = 5


def _after(said, one):
    return f"+{(one['start'] - said['start']) / 1e9:.3f} s"


def _print_holes(said):
    """Where values are missing, and which pieces are too short."""
    for hole in said["holes"][:PRINTED_HOLES]:
        print(f"  hole at {_after(said, hole)}: {hole['last_tick'] - hole['first_tick'] + 1} ticks, {printable(hole['reason'])}")
    if len(said["holes"]) > PRINTED_HOLES:
        print(f"  and at {len(said['holes']) - PRINTED_HOLES} other places, which the manifest lists")
    for piece in said["too_short"][:PRINTED_HOLES]:
        print(f"  piece from {_after(said, piece)} dropped: {piece['frames']} frames are shorter than min-episode")
    if len(said["too_short"]) > PRINTED_HOLES:
        print(f"  and {len(said['too_short']) - PRINTED_HOLES} other pieces, which the manifest lists")


def _print_part(job, planned, said, seconds):
    dropped = "".join(f"; {count} ticks dropped, {printable(reason)}" for reason, count in said["dropped"].items())
    of_all = "" if said["frames"] == said["ticks"] else f" of {said['ticks']}"
    absent = said["ticks"] - said["frames"] - sum(said["dropped"].values())
    reason = "after the first one without a value" if job.mapping.missing == "end" else "as the recording has no rows there"
    ended = f"; {absent} ticks absent, {reason}" if absent else ""
    pieces = f" in {len(said['pieces'])} pieces" if len(said["pieces"]) != 1 else ""
    print(f"{printable(planned.episode.name)}: {said['frames']}{of_all} frames{pieces}{dropped}{ended}; {seconds:.1f} s")
    _print_holes(said)
    sys.stdout.flush()


def _export(job, plan):
    for planned in plan:
        if parts.is_done(job, planned):
            print(f"{printable(planned.episode.name)}: done before", flush=True)
            continue
        began = time.monotonic()
        _print_part(job, planned, parts.write(job, planned), time.monotonic() - began)
    job.folded.end()


def _files_below(path):
    """{(device, inode): path} of a file, or of all files of a folder. Links are themselves: a set that is replaced takes no more with it."""
    paths = [Path(folder, name) for folder, _, names in os.walk(path) for name in names] if path.is_dir() else [path]
    stats = {one: one.lstat() for one in paths if os.path.lexists(one)}
    return {(stat.st_dev, stat.st_ino): one for one, stat in stats.items()}


def _refuse_inputs(arguments, recordings, mapping, folder):
    """What is replaced, and removed with the parts, has no file that is read."""
    inputs = [arguments.mapping, arguments.episodes, mapping.actions.urdf, *map(sidecar, recordings)]
    inputs += [file for recording in recordings for file in recording.files()]
    replaced = _files_below(arguments.output) | _files_below(folder)
    for path in map(Path, filter(None, inputs)):
        if path.is_file() and (found := replaced.get((path.stat().st_dev, path.stat().st_ino))):
            raise ExportError(f"--output {arguments.output}: {found} is one of the inputs; write to another place")


def _use(recordings, mapping):
    """Which times the recordings have."""
    for recording in recordings:
        recording.use(mapping.topics(), mapping.time_source)


def _print_clocks(recordings):
    for recording in recordings:
        for line in recording.clocks.lines if recording.clocks else ():
            print(f"{printable(recording.name)}: {printable(line)}", flush=True)


def _read_appended_to(job, arguments, manifests, before):
    """The set that is appended to, for its writer, after checks; None: none is. before: its manifest, or None."""
    if not before:
        return None
    said = next(one for one in manifests if one["pieces"])
    if before["names"] != said["names"]:
        raise ExportError(f"--append: {arguments.output} has channels {before['names']}, and the episodes {said['names']}")
    return module_of(arguments.format).read_appended_to(job.mapping, said, arguments.output)


def _merge(job, plan, arguments, before):
    """before: as of _read_appended_to."""
    write = module_of(arguments.format).write
    joined, manifests = parts.read_parts(job, plan)
    appended_to = _read_appended_to(job, arguments, manifests, before)
    remove_left(job.folder)
    manifest = of_set(manifests, job.mapping.describe() | {name: joined[0].said[name] for name in ("names", "source_names", "sizes", "depth")} | {"settings": job.settings})
    with Complete(arguments.output) as temporary:
        write(temporary, joined, job.mapping, existing.joined_manifest(before, manifest) if before else manifest, appended_to)
    if not arguments.keep_parts and not arguments.merge:
        parts.remove(job)
    short = [one for said in manifests for one in said["too_short"]]
    dropped = f"; {len(short)} pieces of {sum(one['frames'] for one in short)} frames dropped" if short else ""
    appended = f" appended to {len(before['episodes'])}" if before else ""
    print(f"{printable(arguments.output)}: {len(joined)} episodes{appended}, {sum(part.said['frames'] for part in joined)} frames{dropped}")


def _missing_shards(job, plan, count):
    return sorted({planned.episode.shard(count) for planned in plan if not parts.is_done(job, planned)})


def _make_job(arguments, mapping, plan):
    channels = repr((plan[0].layout.channels, plan[0].layout.names))
    return parts.Job(_parts_of(arguments.output), mapping, module_of(arguments.format).HAS_VIDEOS, channels)


def _parts_of(output):
    return output.with_name(f"{output.name}.parts")


def _is_there(arguments, before, job, plan):
    """Whether the set is there already, made of the same by the same settings. An error where another one would be replaced."""
    if before is None:
        return False
    if existing.is_same(before, arguments.output, job, plan):
        return True
    if not arguments.overwrite:
        raise ExportError(f"--output {arguments.output} exists, and was made of other recordings or with other settings: choose another --output, or set "
                          "--append or --overwrite")
    existing.check_replaced(arguments.output, arguments.format)
    return False


def _do(arguments, job, plan, before):
    """before: the manifest of a set that is appended to."""
    if arguments.shard:
        number, count = arguments.shard
        _export(job, [planned for planned in plan if planned.episode.shard(count) == number])
        return
    if not arguments.merge:
        _export(job, plan)
    _merge(job, plan, arguments, before)


def _run_export(arguments):
    mapping, output = _mapping_of(arguments), arguments.output
    module_of(arguments.format).check_mapping(mapping)
    before = existing.read_existing(output, arguments.format)
    recordings = open_recordings(arguments.recordings)
    _refuse_inputs(arguments, recordings, mapping, _parts_of(output))
    _use(recordings, mapping)
    episodes = cut(recordings, mapping, arguments.episodes)
    is_appended = arguments.append and before is not None
    if is_appended:
        existing.check_append(before, output, mapping)
        episodes = existing.not_in_set(before, episodes)
        if not episodes:
            # --status prints numbers of shards, and none is missing
            print("" if arguments.status else f"{printable(output)}: has all these episodes")
            return 0
    plan = make_plan(episodes, mapping, arguments.allow_slow_cameras, existing.channels_of(before) if is_appended else None)
    layout = plan[0].layout
    if module_of(arguments.format).HAS_VIDEOS and layout.depth:
        depth.check({feature: layout.sizes[feature] for feature in layout.depth}, mapping.video, mapping.fps)
    job = _make_job(arguments, mapping, plan)
    if arguments.status:
        missing = _missing_shards(job, plan, arguments.status)
        print(",".join(map(str, missing)))
        return EXIT_MISSING if missing else 0
    _print_clocks(recordings)
    in_metres = {one.stream.name for one in plan[0].found if one.are_metres}
    for feature in layout.depth:
        text = "depth in m, and stored in mm" if mapping.pictures[feature] in in_metres else "taken for depth in mm, as its pictures have 16 bits"
        print(f"features.{printable(feature)} is {text}", flush=True)
    for text in slow_streams(plan, mapping):
        print(f"warning: {printable(text)}", file=sys.stderr)
    if is_appended:
        existing.check_sizes(before, plan)
    is_there = not is_appended and _is_there(arguments, before, job, plan)
    if arguments.check:
        _read_appended_to(job, arguments, parts.check(job, plan), before if is_appended else None)
        job.folded.end()
        print(f"{len(plan)} episodes can be exported")
    elif is_there and not arguments.shard:
        for folder in (output.parent, job.folder):
            remove_left(folder)
        print(f"{printable(output)}: done before")
    else:
        _do(arguments, job, plan, before if is_appended else None)
    return 0


def run(arguments):
    if arguments.suggest:
        print(suggest(open_recordings(arguments.recordings)[0], arguments.format, arguments.names or "recorded"), end="")
        return 0
    if not arguments.mapping or not arguments.output:
        raise ExportError("--mapping and --output are needed; --suggest prints a mapping")
    return _run_export(arguments)


def main():
    try:
        return run(make_parser().parse_args())
    except ExportError as error:
        print("error: " + "\n".join(error.lines()), file=sys.stderr)
    except OSError as error:
        print(f"error: {describe_os_error(error)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted: the same command skips the episodes that are complete", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 1
