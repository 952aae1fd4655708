# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: CSV files with empty cells and clocks that were set back, and what ticks are too slow for."""
import csv
import json
import math

import make
import numpy as np
from lerobot_sets import SECOND, Set
from run import export, must_export


def _mapping(folder, name, joints="", fps=20, features='"observation.state" = "joints"\n"action" = "command"'):
    path = folder / f"{name}.toml"
    path.write_text(f'fps = {fps}\n[streams]\njoints = {{topic = "/joints"{joints}}}\ncommand = {{topic = "/command"}}\n[features]\n{features}\n')
    return path


def _recording(folder, name, joints):
    source = folder / name
    source.mkdir(exist_ok=True)
    (source / "joints.csv").write_text(joints)
    (source / "command.csv").write_text("t,c\n" + "".join(f"{100 + i * 0.1:.1f},{i}\n" for i in range(31)))
    return source


def _said_once(said, text):
    return said.count(text), text in said


def columns_apart(folder):
    """fast has a value each 10 ms, slow each 100 ms, none never: slow is a stream of its own, and its values are interpolated."""
    rows = "".join(f"{100 + i / 100:.2f},{i},{i if i % 10 == 0 else ''},NA\n" for i in range(300))
    source = _recording(folder, "sparse", "t,fast,slow,none\n" + rows)
    marks = make.spans(folder, [",+0,+2,,,"], "sparse.csv")
    status, said = export(source, "--mapping", _mapping(folder, "sparse"), "--output", folder / "sparse-none", "--episodes", marks)
    yield f"which stream: {said}", (status, "/joints has columns with values in different rows, so it has 2 streams: fast; slow; choose one by setting stream" in said), (1, True)
    yield "left out", _said_once(said, "Columns without a value in the whole file are left out: none"), (1, True)
    yield "count, share and columns", _said_once(said, "270 of 300 records are left out, because a channel has no value in them: slow (270, 90 %)"), (1, True)
    for part, name in (("slow", "slow"), ("2", "slow"), ("fast", "fast")):
        out = folder / f"sparse-{part}"
        must_export(source, "--mapping", _mapping(folder, "sparse", f', stream = "{part}", max-gap = "200ms"'), "--output", out, "--episodes", marks)
        made = Set(out)
        yield f"{part} names", made.info["features"]["observation.state"]["names"], [name]
        yield f"{part} values", made.column("observation.state").ravel().round(3).tolist(), [5.0 * k for k in range(40)]
        yield f"{part} gaps", set(made.column("gap.joints").ravel().tolist()), {SECOND // (10 if name == "slow" else 100)}
    suggested = must_export(source, "--suggest")
    yield f"suggested: {suggested}", [text in suggested for text in ('topic = "/joints", stream = "fast"', 'topic = "/joints", stream = "slow"')], [True, True]


# of a header: {name: (columns behind the time, the parts)}; the last column has values in other rows
PARTS = {
    "plain": ("x,slow", ["x", "slow"]),
    "an underscore": ("arm_x,arm_y,arm_z", ["arm_x,arm_y", "arm_z"]),
    "numbers": ("1,2", ["1", "2"]),
    "a range": ("x,y,1-2", ["x,y", "3"]),
    "a range in few columns": ("1-2,x,y", ["1-2", "y"]),
    "a comma": ('x,"a,b"', ["x", "2"]),
    "a comma beside its underscore": ('a_b,"a,b"', ["1", "2"]),
    "equal names": ("v,v", ["1", "2"]),
    "a name of the time": ("x,t", ["x", "2"]),
}


def parts(folder, name, header, expected):
    """Each part means its columns: numbers of columns, where their names could mean others."""
    count = len(next(csv.reader([header])))
    rows = "".join(f"{100 + i / 100:.2f},{','.join(str(i * k) for k in range(1, count))},{-i if i % 10 == 0 else ''}\n" for i in range(300))
    source = _recording(folder, f"parts {name}", f"t,{header}\n{rows}")
    suggested = must_export(source, "--suggest")
    yield f"suggested: {suggested}", [part for part in expected if f'topic = "/joints", stream = "{part}"' in suggested], expected
    out = folder / f"parts {name} set"
    must_export(source, "--mapping", _mapping(folder, "parts", f', stream = "{expected[-1]}", max-gap = "200ms"'), "--output", out, "--episodes",
                make.spans(folder, [",+0,+2,,,"], "parts.csv"))
    yield "values", Set(out).column("observation.state").ravel().round(3).tolist(), [-5.0 * k for k in range(40)]


def hole_in_a_file(folder):
    """Rows without a value for half a second split the episode."""
    rows = "".join(f"{100 + i / 100:.2f},{'' if 120 <= i < 170 else i}\n" for i in range(300))
    source = _recording(folder, "holed", "t,q\n" + rows)
    out = folder / "holed-set"
    must_export(source, "--mapping", _mapping(folder, "holed", ', max-gap = "50ms", hold-limit = 0'), "--output", out, "--episodes",
                make.spans(folder, [",+0,+2.9,,,"], "holed.csv"))
    made = Set(out)
    yield "episodes", [row["length"] for row in made.episodes], [24, 24]
    yield "values", made.column("observation.state").ravel().round(3).tolist(), [5.0 * k for k in range(58) if not 24 <= k < 34]


def slow_from_the_middle(folder):
    """Rows at 4 Hz are interpolated from the first tick of an episode on, as in the whole recording: also one column beside fast ones."""
    for name, header, cells in (("alone", "slow", lambda i: f"{i}" if i % 25 == 0 else None),
                                ("beside", "fast,slow", lambda i: f"{i},{i}" if i % 25 == 0 else f"{i},")):
        rows = "".join(f"{100 + i / 100:.2f},{cells(i)}\n" for i in range(4000) if cells(i))
        source = _recording(folder, f"slow-{name}", f"t,{header}\n{rows}")
        (source / "command.csv").write_text("t,c\n" + "".join(f"{100 + i * 0.1:.1f},{i}\n" for i in range(400)))
        part = ', stream = "slow"' if name == "beside" else ""
        mapping = _mapping(folder, f"slow-{name}", part)
        mapping.write_text(mapping.read_text().replace('"/command"', '"/command", hold-limit = "200ms"'))
        out = folder / f"slow-{name}-set"
        said = must_export(source, "--mapping", mapping, "--output", out, "--episodes",
                           make.spans(folder, [",+20.1,+24,,,"], "slow.csv"))
        made = Set(out)
        yield f"{name} said: {said}", "hole" in said, False
        yield f"{name} values", made.column("observation.state").ravel().round(3).tolist(), [2010.0 + 5 * k for k in range(78)]
        yield f"{name} status", set(made.column("status.joints").ravel().tolist()), {0}


def held_from_long_before(folder):
    """A mode is in force until the next one, and a stream that is not held all over ends."""
    rows = "".join(f"{100 + i / 10:.1f},{i}\n" for i in range(160))
    source = _recording(folder, "held", "t,q\n" + rows)
    (source / "command.csv").write_text("t,c\n" + rows)
    (source / "state.csv").write_text("t,mode\n100.0,2\n101.0,3\n")
    path = folder / "held.toml"
    marks = make.spans(folder, [",+0.5,+2,,,", ",+11,+13,,,"], "held.csv")
    for name, settings, expected in (("unset", "", [[2] * 10 + [3] * 20, [3] * 40]), ("automatic", ", hold-limit = -2", [[2] * 10 + [3] * 20, [3] * 40]),
                                     ("limited", ', hold-limit = "1s"', None), ("no kind", ', kinds = "ignore"', None)):
        path.write_text(f'fps = 20\n[streams]\njoints = {{topic = "/joints"}}\nmode = {{topic = "/state"{settings}}}\ncommand = {{topic = "/command"}}\n'
                        '[features]\n"observation.state" = "joints"\n"observation.mode" = "mode"\n"action" = "command"\n')
        out = folder / f"held-{name}"
        status, said = export(source, "--mapping", path, "--output", out, "--episodes", marks)
        if expected:
            yield f"{name} said: {said}", (status, "hole" in said), (0, False)
            made = Set(out)
            yield f"{name} values", [made.of(i, "observation.mode").ravel().tolist() for i in (0, 1)], expected
        else:
            yield f"{name} said: {said}", (status, "no messages of /state (mode) in the episode" in said), (1, True)


def clock_set_back(folder):
    rows = "".join(f"{100 + (i if i < 150 else i - 149) / 100:.2f},{i}\n" for i in range(300))
    source = _recording(folder, "back", "t,q\n" + rows)
    said = must_export(source, "--mapping", _mapping(folder, "back"), "--output", folder / "back-set", "--episodes",
                       make.spans(folder, [",+0,+1.4,,,"], "back.csv"))
    yield f"said: {said}", _said_once(said, "warning: back/joints.csv: The time goes back 1 time, first at line 152, by up to 1.480 s"), (1, True)


def _wrench(folder, name, seconds):
    """1 N at 200 Hz in x, none in y, at 1 kHz."""
    rows = "".join(f"{100 + i / 1000:.3f},{math.sin(2 * math.pi * 200.3 * i / 1000) + i / 1e4:.5f},{i / 1e3:.4f}\n" for i in range(seconds * 1000))
    return _recording(folder, name, "t,fx,fy\n" + rows)


def folded(folder):
    """Each channel is measured once a set, also of recordings that are shorter than 5 s."""
    for seconds in (3, 7):
        source = _wrench(folder, f"wrench{seconds}", seconds)
        marks = make.spans(folder, [",+0,+1.2,,,", ",+1.2,+2.4,,,"], "wrench.csv")
        for interpolation, count in (("linear", 1), ("mean", 0), ("lowpass", 0)):
            out = folder / f"wrench{seconds}-{interpolation}"
            mapping = _mapping(folder, "wrench", f', interpolation = "{interpolation}"', 30)
            said = must_export(source, "--mapping", mapping, "--output", out, "--episodes", marks)
            yield f"{seconds} s, {interpolation}: {said}", (said.count("half of the rate of ticks"), "of the variance of channel 0 (fx) lies above 15 Hz" in said,
                                                            "interpolation=lowpass, which looks 166.7ms ahead" in said), (count, count > 0, count > 0)
            yield f"{seconds} s, {interpolation}, not fy", "(fy)" in said, False
            yield f"{seconds} s, {interpolation}, which stream", f"warning: streams.joints, in 5 s of wrench{seconds}: " in said, count > 0
            episodes = json.loads((out / "meta" / "manifest.json").read_text())["episodes"]
            expected = {"joints": 166_666_667} if interpolation == "lowpass" else {}
            yield f"{seconds} s, {interpolation} manifest", [one["look_ahead_ns"] for one in episodes], [expected] * 2


def not_folded(folder):
    """What the mapping says of channels holds for the measure: a quaternion is not filtered."""
    angles = [2 * math.pi * 200.3 * i / 1000 for i in range(3000)]
    source = _recording(folder, "spun", "t,a,b,c,d\n" + "".join(f"{100 + i / 1000:.3f},{math.sin(x):.6f},0,0,{math.cos(x):.6f}\n" for i, x in enumerate(angles)))
    marks = make.spans(folder, [",+0,+1.2,,,"], "spun.csv")
    for name, settings, count in (("real", "", 1), ("quaternion", ", quaternions = 0", 0), ("held", ', kinds = "hold*4"', 0), ("list", ', quaternions = "a"', 0)):
        said = must_export(source, "--mapping", _mapping(folder, "spun", settings, 30), "--output", folder / f"spun-{name}", "--episodes", marks)
        yield f"{name} said: {said}", said.count("half of the rate of ticks"), count


def folded_beside_a_mean(folder):
    """A stream that is filtered does not hide another one."""
    source = _wrench(folder, "beside-mean", 3)
    (source / "filtered.csv").write_text((source / "joints.csv").read_text())
    path = folder / "beside-mean.toml"
    path.write_text('fps = 30\n[streams]\nfiltered = {topic = "/filtered", interpolation = "mean"}\njoints = {topic = "/joints"}\ncommand = {topic = "/command"}\n'
                    '[features]\n"observation.state" = ["filtered", "joints"]\n"action" = "command"\n')
    said = must_export(source, "--mapping", path, "--output", folder / "beside-mean-set", "--episodes", make.spans(folder, [",+0,+1.2,,,"], "beside-mean.csv"))
    yield f"said: {said}", (said.count("half of the rate of ticks"), "warning: streams.joints" in said), (1, True)


def folded_in_each(folder):
    """A recording whose rows are slow hides none behind it, and the same of several is said once."""
    calm = _recording(folder, "calm", "t,fx,fy\n" + "".join(f"{100 + i / 1000:.3f},{i / 1e3:.4f},{i / 1e3:.4f}\n" for i in range(3000)))
    sources = [calm, *(_wrench(folder, f"rough{k}", 3) for k in range(3))]
    marks = make.spans(folder, [f"{source.name},+0,+1.2,,," for source in sources] + ["rough0,+1.2,+2.4,,,"], "each.csv")
    said = must_export(*sources, "--mapping", _mapping(folder, "each", fps=30), "--output", folder / "each-set", "--episodes", marks)
    yield f"said: {said}", [said.count(text) for text in (
        "warning: streams.joints, in 5 s of rough0: ", "half of the rate of ticks", "warning: streams.joints: the same holds for 2 other recordings")], [1, 1, 1]


def velocities_by_names(folder):
    """hermite of cubic polynomials is exact with their rates, which nothing but the columns' names tell."""
    times = [i / 10 for i in range(31)]
    rows = "".join(f"{100 + t:.1f},{t ** 3 - 2 * t:.6f},{t - t ** 3:.6f},{3 * t * t - 2:.6f},{1 - 3 * t * t:.6f}\n" for t in times)
    source = _recording(folder, "rates", "t,a.position,b.position,a.velocity,b.velocity\n" + rows)
    for interpolation, is_exact in (("hermite", True), ("linear", False)):
        out = folder / f"rates-{interpolation}"
        must_export(source, "--mapping", _mapping(folder, "rates", f', interpolation = "{interpolation}"'), "--output", out, "--episodes",
                    make.spans(folder, [",+0,+2.9,,,"], "rates.csv"))
        state = Set(out).column("observation.state")
        ticks = np.arange(len(state)) / 20
        error = float(np.abs(state[:, :2] - np.column_stack([ticks ** 3 - 2 * ticks, ticks - ticks ** 3])).max())
        yield f"{interpolation}: {error}", error < 1e-4, is_exact
        kinds = json.loads((out / "meta" / "kinds.json").read_text())["joints"]
        yield f"{interpolation} kinds", kinds["kinds"], "real*2,velocity:a.position,velocity:b.position"


def cases(folder):
    yield from ((f"csv parts {name}", parts, folder, name, *row) for name, row in PARTS.items())
    yield from ((f"csv {case.__name__}", case, folder) for case in (columns_apart, hole_in_a_file, slow_from_the_middle, held_from_long_before,
                                                                clock_set_back, folded, not_folded, folded_beside_a_mean, folded_in_each,
                                                                velocities_by_names))
