# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: ticks at which a value is missing split an episode, end it, are kept, or are dropped; and the time between rows."""
import json
from types import SimpleNamespace

import h5py
import make
import numpy as np
from lerobot_sets import FPS, SECOND, Set
from run import export, must_export
from robocache.export.alignment import Ticks
from robocache.export.features import Layout
from robocache.export.ticks import Kept
from shards import compare, tree

# ---- which ticks are kept ----

# {name: (settings, {stream: what it has at each tick}, index of each tick, runs, holes, dropped)}; of a tick . is a value, x none, n not a
# number. Streams have one channel each, whose value is the number of the tick.
TICKS = {
    "no hole": ({}, {"a": "....", "b": "...."}, None, [[0, 1, 2, 3]], [], {}),
    "split": ({}, {"a": "..x..", "b": "....."}, None, [[0, 1], [3, 4]], [(2, 2, {"a": 1}, {})], {"a missing": 1}),
    "two streams in a hole": ({}, {"a": ".xx..", "b": "..xx."}, None, [[0], [4]], [(1, 3, {"a": 2, "b": 2}, {})], {"a missing": 2, "b missing": 1}),
    "two holes": ({}, {"a": ".x...", "b": "...x."}, None, [[0], [2], [4]], [(1, 1, {"a": 1}, {}), (3, 3, {"b": 1}, {})],
                  {"a missing": 1, "b missing": 1}),
    "at the ends": ({}, {"a": "xx..x", "b": "....."}, None, [[2, 3]], [(0, 1, {"a": 2}, {}), (4, 4, {"a": 1}, {})], {"a missing": 3}),
    "not a number": ({}, {"a": ".n..", "b": "...."}, None, [[0], [2, 3]], [(1, 1, {}, {"a value is not a number": 1})],
                     {"a value is not a number": 1}),
    "no sample": ({}, {"a": "....", "b": "...."}, [0, 1, 5, 6], [[0, 1], [5, 6]], [(2, 4, {}, {"no sample": 3})], {}),
    "no sample beside a hole": ({}, {"a": ".x..", "b": "...."}, [0, 1, 4, 5], [[0], [4, 5]], [(1, 3, {"a": 1}, {"no sample": 2})], {"a missing": 1}),
    "late begin": ({}, {"a": "...", "b": "..."}, [7, 8, 9], [[7, 8, 9]], [], {}),
    "end": ({"missing": "end"}, {"a": "..xx.", "b": "....."}, None, [[0, 1]], [(2, 2, {"a": 1}, {})], {"a missing": 1}),
    "end behind the begin": ({"missing": "end"}, {"a": "x..x.", "b": "....."}, None, [[1, 2]], [(0, 0, {"a": 1}, {}), (3, 3, {"a": 1}, {})],
                             {"a missing": 2}),
    "end without a sample": ({"missing": "end"}, {"a": "....", "b": "...."}, [0, 1, 4, 5], [[0, 1]], [(2, 3, {}, {"no sample": 2})], {}),
    "drop": ({"missing": "drop"}, {"a": "..x..", "b": "....."}, None, [[0, 1, 3, 4]], [(2, 2, {"a": 1}, {})], {"a missing": 1}),
    "keep": ({"missing": "keep"}, {"a": "x.x..", "b": "....."}, None, [[0, 1, 2, 3, 4]], [(0, 0, {"a": 1}, {}), (2, 2, {"a": 1}, {})], {}),
    "keep, no sample": ({"missing": "keep"}, {"a": "....", "b": "...."}, [0, 1, 3, 4], [[0, 1], [3, 4]], [(2, 2, {}, {"no sample": 1})], {}),
    "next state": ({"action": "next-state"}, {"a": "...x..x.", "b": "........"}, None, [[0, 1], [4]],
                   [(3, 3, {"a": 1}, {}), (6, 6, {"a": 1}, {})], {"a missing": 2, "no next state": 3}),
    "next state, drop": ({"action": "next-state", "missing": "drop"}, {"a": "...x..", "b": "......"}, None, [[0, 1, 4]],
                         [(3, 3, {"a": 1}, {})], {"a missing": 1, "no next state": 2}),
    "all": ({}, {"a": "xxx", "b": "..."}, None, [], [(0, 2, {"a": 3}, {})], {"a missing": 3}),
}


def _ticks(rows, index):
    """Status 2 has no value, as of robocachefuse."""
    count = len(next(iter(rows.values())))
    values = np.column_stack([[np.nan if word in "xn" else k for k, word in enumerate(words)] for words in rows.values()])
    info = np.zeros((count, len(rows), 4), np.int64)
    info[:, :, 3] = np.column_stack([[2 if word == "x" else 0 for word in words] for words in rows.values()])
    return Ticks(np.array(range(count) if index is None else index), values.astype(np.float32), info, np.full(count, None))


def _kept(settings, rows, index, is_whole):
    """The runs of the ticks in one part, or one by one."""
    class Alignment:
        streams = list(rows)

        def __iter__(self):
            ticks = _ticks(rows, index)
            return iter([ticks] if is_whole else [ticks[i:i + 1] for i in range(len(ticks))])

    mapping = SimpleNamespace(**{"missing": "split", "action": "recorded", "fill": "nan", **settings})
    layout = Layout(len(rows), {"observation.state": list(range(len(rows)))}, {}, {}, {}, {name: slice(i, i + 1) for i, name in enumerate(rows)})
    kept = Kept(Alignment(), mapping, layout)
    runs = {}
    for number, ticks, _ in kept:
        runs.setdefault(number, []).append(ticks)
    return kept, [parts[0] if len(parts) == 1 else sum(parts[1:], parts[0]) for parts in runs.values()]


def ticks_of(settings, rows, index, runs, holes, dropped):
    for is_whole in (True, False):
        kept, got = _kept(settings, rows, index, is_whole)
        yield f"runs, whole: {is_whole}", [run.index.tolist() for run in got], runs
        yield f"holes, whole: {is_whole}", [(hole.first, hole.last, dict(hole.streams), dict(hole.others)) for hole in kept.holes], holes
        yield f"dropped, whole: {is_whole}", dict(kept.dropped), dropped


def filled(_):
    rows = {"a": "x..xx.", "b": "...x.."}
    for is_whole in (True, False):
        for fill, expected in (("hold", [[None, 1, 2, 2, 2, 5], [0, 1, 2, 2, 4, 5]]), ("nan", [[None, 1, 2, None, None, 5], [0, 1, 2, None, 4, 5]])):
            _, runs = _kept({"missing": "keep", "fill": fill}, rows, None, is_whole)
            got = [[None if np.isnan(value) else int(value) for value in column] for column in runs[0].rows.T]
            yield f"{fill}, whole: {is_whole}", got, expected


# ---- sets ----

HELD_BACK = '{topic = "/joint_states", max-gap = "100ms", hold-limit = 0}'


def _arguments(folder, out, *more):
    """Joints are silent from 1.0 to 1.5 s: 15 ticks."""
    path = folder / "holes.mcap"
    if not path.exists():
        make.robot(folder, path.name, joint_settings="gap=500000000 gap-interval=1000000000")
    return [path, "--mapping", make.mapping(folder, "holes.toml", {"joints": HELD_BACK}), "--output", folder / out, "--episodes",
            make.spans(folder, ["holes,0,1.9,pick,true,"], "holes.csv"), *more]


def _times(made, episode):
    return (made.of(episode, "capture_time.joints") + made.of(episode, "age.joints")).tolist()


def split(folder):
    """Both pieces have the episode's task and outcome, and no frame of one is a neighbour of a frame of the other."""
    said = must_export(*_arguments(folder, "split", "--min-episode", "200ms"))
    made = Set(folder / "split")
    for episode, frames in enumerate((range(30), range(45, 57))):
        yield f"ticks {episode}", _times(made, episode), [k * SECOND // FPS for k in frames]
        yield f"timestamps {episode}", np.allclose(made.of(episode, "timestamp").ravel() * FPS, np.arange(len(frames)), atol=1e-4), True
        counters = [make.counter_of(pixels) for _, pixels in made.frames(episode, "observation.images.wrist")]
        yield f"pictures {episode}", counters, list(frames)
    names = ("tasks", "success", "length", "piece", "start_time", "end_time")
    yield "episodes", [[row[name] for name in names] for row in made.episodes], \
        [[["pick"], True, 30, 0, 0, SECOND], [["pick"], True, 12, 1, 3 * SECOND // 2, 19 * SECOND // 10]]
    yield f"said: {said}", ("42 of 57 frames in 2 pieces; 15 ticks dropped, joints missing" in said,
                            "hole at +1.000 s: 15 ticks, joints missing" in said), (True, True)
    episode, = json.loads((folder / "split" / "meta" / "manifest.json").read_text())["episodes"]
    yield "manifest", episode["holes"], [{"first_tick": 30, "last_tick": 44, "start": SECOND, "end": 3 * SECOND // 2, "streams": {"joints": 15},
                                         "others": {}, "reason": "joints missing"}]
    yield "pieces", [(piece["first_tick"], piece["last_tick"], piece["frames"]) for piece in episode["pieces"]], [(0, 29, 30), (45, 56, 12)]


def too_short(folder):
    """The second piece has 0.4 s, and is dropped unless it is asked for."""
    said = must_export(*_arguments(folder, "too-short"))
    made = Set(folder / "too-short")
    yield "ticks", [_times(made, i) for i in range(len(made.episodes))], [[k * SECOND // FPS for k in range(30)]]
    yield f"said: {said}", ("piece from +1.500 s dropped: 12 frames are shorter than min-episode" in said,
                            "1 episodes, 30 frames; 1 pieces of 12 frames dropped" in said), (True, True)
    episode, = json.loads((folder / "too-short" / "meta" / "manifest.json").read_text())["episodes"]
    yield "manifest", ([(one["first_tick"], one["last_tick"]) for one in episode["too_short"]],
                       episode["dropped"]), ([(45, 56)], {"joints missing": 15, "in pieces that are shorter than min-episode": 12})
    status, said = export(*_arguments(folder, "none-left", "--min-episode", "5"))
    yield f"nothing left: {said}", (status, "nothing is left of 1 episodes: all pieces are shorter than min-episode" in said), (1, True)


def keep(folder):
    """All ticks, and the status says which have no value."""
    for fill in ("nan", "hold"):
        must_export(*_arguments(folder, f"keep-{fill}", "--missing", "keep", "--fill", fill))
        made = Set(folder / f"keep-{fill}")
        yield f"{fill} ticks", _times(made, 0), [k * SECOND // FPS for k in range(57)]
        yield f"{fill} status", made.column("status.joints").ravel().tolist(), [2 if 30 <= k < 45 else 0 for k in range(57)]
        rows = made.column("observation.state")
        expected = np.repeat(rows[29:30], 15, axis=0) if fill == "hold" else np.full((15, 6), np.nan, np.float32)
        yield f"{fill} values", np.array_equal(rows[30:45], expected, equal_nan=True), True
        yield f"{fill} others", np.isfinite(made.column("action")).all(), True


def pictures_that_are_missing(folder):
    """A camera that is silent from 1 s on: black pictures, or the last one."""
    path = make.record(folder / "dark.mcap", [make.rows("sink_0", 200, 2, 7), make.rows("sink_1", 20, 2, 6), make.camera(folder, "sink_2", 50, 2, (64, 48)),
                                              make.camera(folder, "sink_3", 30, 1, (60, 48))], ["/joint_states", "/command", "/camera/front", "/camera/wrist"])
    mapping = make.mapping(folder, "dark.toml", {"wrist": '{topic = "/camera/wrist", hold-limit = 0, max-gap = "100ms"}'})
    marks = make.spans(folder, ["dark,0,1.5,,,"], "dark.csv")
    for fill in ("nan", "hold"):
        out = folder / f"dark-{fill}.hdf5"
        must_export(path, "--mapping", mapping, "--output", out, "--episodes", marks, "--missing", "keep", "--fill", fill, "--format", "robomimic")
        with h5py.File(out) as file:
            status, wrist = file["data/demo_0/times/status/wrist"][()], file["data/demo_0/obs/wrist_image"][()]
        is_missing = status & 3 == 2
        yield f"{fill} some are missing", (bool(is_missing.any()), bool(is_missing[:29].any())), (True, False)
        last = wrist[np.flatnonzero(~is_missing)[-1]] if fill == "hold" else np.zeros_like(wrist[0])
        yield f"{fill} pictures", bool((wrist[is_missing] == last).all()), True


def shards(folder):
    """A set of pieces has the same bytes from shards, also where a part is made again."""
    without = {"streams": {"joints": HELD_BACK, "front": None, "wrist": None},
               "features": {"observation.images.front": None, "observation.images.wrist": None}}
    path = _arguments(folder, "")[0]
    marks = make.spans(folder, ["holes,0,1.9,pick,true,"], "holes.csv")

    def arguments(out, seconds="200ms"):
        return [path, "--mapping", make.mapping(folder, "numbers.toml", **without), "--output", folder / out, "--episodes", marks,
                "--min-episode", seconds]

    must_export(*arguments("numbers"))
    for number in (0, 1):
        must_export(*arguments("numbers-shards"), "--shard", f"{number}/2")
    yield "done before", "done before" in "".join(must_export(*arguments("numbers-shards"), "--shard", f"{number}/2") for number in (0, 1)), True
    part, = [found for found in (folder / "numbers-shards.parts").iterdir() if not found.name.startswith(".")]
    (part / "1" / "numbers.parquet").write_bytes(b"")
    said = "".join(must_export(*arguments("numbers-shards"), "--shard", f"{number}/2") for number in (0, 1))
    yield "made again", "42 of 57 frames" in said, True
    must_export(*arguments("numbers-shards"), "--merge")
    yield "set", compare(tree(folder / "numbers-shards"), tree(folder / "numbers")), set()
    for more, text in (([], "was made of other recordings or with other settings"), (["--overwrite"], "not exported yet")):
        status, said = export(*arguments("numbers-shards", "300ms"), "--merge", *more)
        yield f"other settings {more}", (status, text in said), (1, True)


def gaps_between_rows(folder):
    """The row at or before the tick, and the one after it; -1 where one of them is not there."""
    source, times = folder / "gaps-csv", [0, 7, 20, 31, 45, 50, 62, 80, 93, 100]
    source.mkdir()
    (source / "a.csv").write_text("t,a\n" + "".join(f"{time / 100:.2f},{time}\n" for time in times))
    (source / "b.csv").write_text("t,b\n" + "".join(f"{time / 10:.1f},{time}\n" for time in range(12)))
    path = folder / "gaps.toml"
    path.write_text('fps = 20\n[streams]\na = {topic = "/a", max-gap = "1s"}\nb = {topic = "/b"}\n'
                    'near = {topic = "/a", max-gap = "1s", interpolation = "nearest"}\nheld = {topic = "/a", interpolation = "nearest", kinds = "hold"}\n'
                    '[features]\n"observation.state" = "a"\n"observation.near" = "near"\n"observation.held" = "held"\n"action" = "b"\n')
    must_export(source, "--mapping", path, "--output", folder / "gaps-set", "--episodes", make.spans(folder, [",+0,+1.1,,,"], "gaps.csv"))
    made = Set(folder / "gaps-set")
    ticks = np.arange(len(made.column("gap.a"))) * 5
    place = np.searchsorted(times, ticks, side="right")
    expected = [(times[k] - times[k - 1]) * 10**7 if k < len(times) else -1 for k in place]
    yield "a", made.column("gap.a").ravel().tolist(), expected
    yield "b", set(made.column("gap.b")[:-2].ravel().tolist()), {SECOND // 10}
    yield "age of the nearest", made.column("age.near").ravel().tolist(), [(tick - min(times, key=lambda t: abs(t - tick))) * 10**7 for tick in ticks.tolist()]
    yield "age of what is held", made.column("age.held").ravel().tolist(), [(tick - times[k - 1]) * 10**7 for tick, k in zip(ticks.tolist(), place)]
    yield "not an input", sorted(name for name in made.info["features"] if "gap" in name), ["gap.a", "gap.b", "gap.held", "gap.near"]


def cases(folder):
    yield from ((f"holes {name}", ticks_of, *row) for name, row in TICKS.items())
    yield from ((f"holes {case.__name__}", case, folder) for case in (filled, split, too_short, keep, pictures_that_are_missing, shards,
                                                                  gaps_between_rows))
