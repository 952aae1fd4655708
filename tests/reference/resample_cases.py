# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocacheresample on irregular input, live form and batch form."""
import math

import lowpass
import rotations
from gaps import gap_in_periods
from pipelines import (MS, NS, NUMPY, case, csv_source, expect_close, from_bytes, headings, in_disorder, irregular, load_reference,
                       np, orientations, properties, put_holds, to_bytes_of, unit_quaternions)

INTERPOLATIONS = ("linear", "nearest", "previous", "cubic", "hermite", "mean")


def resampled(scene, times, rows, rate, dtype="float32", **settings):
    """max_gap None: none; -2: in periods of the rows."""
    source = csv_source(scene.write_csv(times, rows))
    if settings.get("max_gap") is None:
        settings["max_gap"] = -1
    out = scene.play(f"{source} ! robocacheresample rate={rate[0]}/{rate[1]} type={dtype} {properties(**settings)} ! {{out}}")
    return from_bytes(out, dtype).reshape(-1, rows.shape[1])


def check(scene, times, rows, rate, dtype="float32", interpolation="linear", gap_policy="nan", max_gap=None, reorder_window=0,
          holds=(), **roles):
    got = resampled(scene, times, rows, rate, dtype, interpolation=interpolation, gap_policy=gap_policy, max_gap=max_gap,
                    reorder_window=reorder_window, **roles, **({"kinds": kinds_of(holds, rows.shape[1])} if holds else {}))
    ticks, wanted, _ = load_reference().resample(times, rows, *rate, method=interpolation, max_gap=max_gap, gap_policy=gap_policy,
                                             reorder_window=reorder_window, **roles)
    assert len(wanted) > 20, "too few ticks to tell anything"
    put_holds(wanted, *load_reference().accept(times, rows, reorder_window)[:2], ticks, holds)
    expect_close(got, wanted, rows, interpolation, dtype, roles.get("angles", ()))


def kinds_of(holds, channels):
    return ",".join("hold" if channel in holds else "real" for channel in range(channels))


def velocities(interpolation):
    return {"velocities": (2,)} if interpolation == "hermite" else {}


for method in INTERPOLATIONS:
    @case(f"resample_{method}_holds", method)
    def holds(scene, interpolation):
        for dtype in ("float32", "float64", "float16", "int16"):
            times, rows = irregular(scene.random, channels=5)
            check(scene, *in_disorder(scene.random, times, rows, 20 * MS), (333, 1), dtype, interpolation, reorder_window=20 * MS, max_gap=30 * MS,
                  holds=(1, 4), **velocities(interpolation))

    for rate in ((100, 1), (1000, 3), (47, 1), (997, 1)):
        @case(f"resample_{method}_at_{rate[0]}_{rate[1]}", method, rate)
        def plain(scene, interpolation, rate):
            check(scene, *irregular(scene.random), rate, interpolation=interpolation, **velocities(interpolation))

    for policy in ("drop", "nan", "hold"):
        @case(f"resample_{method}_gaps_{policy}", method, policy)
        def gaps(scene, interpolation, policy):
            check(scene, *irregular(scene.random, holes=15), (300, 1), interpolation=interpolation, gap_policy=policy,
                  max_gap=12 * MS, **velocities(interpolation))

    for window in (0, 20 * MS):
        @case(f"resample_{method}_disorder_{window // MS}", method, window)
        def disorder(scene, interpolation, window):
            times, rows = irregular(scene.random, holes=0)
            check(scene, *in_disorder(scene.random, times, rows, 20 * MS), (250, 1), interpolation=interpolation,
                  reorder_window=window, **velocities(interpolation))

    for dtype in ("float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "uint32", "int64"):
        @case(f"resample_{method}_to_{dtype}", method, dtype)
        def types(scene, interpolation, dtype):
            times, rows = irregular(scene.random)
            rows = rows / np.abs(rows).max(axis=0) * 200 if dtype not in NUMPY or dtype == "float16" else rows
            check(scene, times, rows.astype(np.float32), (200, 1), dtype, interpolation, **velocities(interpolation))


for method in INTERPOLATIONS:
    for period in (2 * MS, 5 * MS, 60 * MS, 700 * MS):
        @case(f"resample_{method}_gaps_in_periods_{period // MS}", method, period)
        def gaps_in_periods(scene, interpolation, period):
            times, rows = irregular(scene.random, period=period, holes=12)
            rate = (max(NS // (2 * period), 1), 1)
            got = resampled(scene, times, rows, rate, interpolation=interpolation, gap_policy="nan", max_gap=-2, **velocities(interpolation))
            reference = load_reference()
            ticks = reference.grid(int(times[0]), int(times[-1]), *rate)
            wanted = [reference.sample_at(times, rows, int(tick), interpolation, gap_in_periods(times, tick), period=NS // rate[0],
                                          **velocities(interpolation))[0] for tick in ticks]
            expect_close(got, np.array(wanted), rows, interpolation, "float32")


for method in ("linear", "cubic", "hermite"):
    @case(f"resample_{method}_quaternions", method)
    def quaternions(scene, interpolation):
        times, rows = irregular(scene.random, n=300, channels=3)
        rows = np.concatenate([rows, unit_quaternions(scene.random, 300), unit_quaternions(scene.random, 300, 0.003)], axis=1)
        check(scene, times, rows, (333, 1), interpolation=interpolation, quaternions=(3, 7), **velocities(interpolation))

    @case(f"resample_{method}_angles", method)
    def angles(scene, interpolation):
        times, rows = irregular(scene.random, n=300, channels=4)
        rows[:, 3] = load_reference().wrap(np.cumsum(scene.random.normal(scale=1.5, size=300)))
        rows[:, 1] = scene.random.uniform(-30, 30, 300)
        check(scene, times, rows, (333, 1), interpolation=interpolation, angles=(1, 3), **velocities(interpolation))


@case("resample_hermite_of_measured_rates")
def hermite(scene):
    """Positions of sines, their rates beside them: Hermite is far closer to the truth than linear."""
    times, _ = irregular(scene.random, n=200, period=20 * MS, holes=0)
    seconds = times[:, None] / NS
    frequency = np.array([3.0, 7.0])
    rows = np.concatenate([np.sin(frequency * seconds), frequency * np.cos(frequency * seconds)], axis=1).astype(np.float32)
    check(scene, times, rows, (200, 1), interpolation="hermite", velocities=(2, 3))


@case("resample_wide_rows")
def wide(scene):
    check(scene, *irregular(scene.random, n=60, channels=131), (200, 1), interpolation="cubic")


# ---------------------------------------------------------------- recorded episodes
def episodes(scene, dtype, batch=3, n_rows=40, ticks=50, channels=3):
    """Times that do not decrease, targets around them, and rows in a type of the wire."""
    times = np.sort(scene.random.integers(0, 400, (batch, n_rows)), axis=1) * MS
    targets = scene.random.integers(-30, 430, (batch, ticks)) * MS
    targets[:, :10] = times[:, :10]
    rows, means = to_bytes_of(scene.random.uniform(0, 100, (batch, n_rows, channels)), dtype)
    return rows, means, times.astype("<i8"), targets.astype("<i8")


def batch_source(path, dtype, rows, targets):
    batch, n_rows, channels = rows.shape
    size = path.stat().st_size
    return (f"filesrc location={path} blocksize={size} ! other/tensors,format=(string)static,num_tensors=(int)3,"
            f"types=(string)\"{dtype},int64,int64\",dimensions=(string)\"{channels}:{n_rows}:{batch},{n_rows}:{batch},"
            f"{targets.shape[1]}:{batch}\",framerate=(fraction)0/1")


def reference_of_episode(times, rows, targets, interpolation, policy, max_gap, period):
    """An episode as it is defined: of equal times the last wins, outside and in gaps NaN, or the row before with hold."""
    reference = load_reference()
    t, y, _, _ = reference.accept(times, rows)
    out = []
    for target in targets.tolist():
        row, status = reference.sample_at(t, y, target, interpolation, max_gap, period=period)
        if status == reference.MISSING and policy == "hold" and target >= t[0]:
            row = y[int(np.searchsorted(t, target, side="right")) - 1]
        out.append(row)
    return np.array(out)


def check_batch(scene, dtype, out_dtype, interpolation, policy, max_gap):
    rows, means, times, targets = episodes(scene, dtype)
    source = batch_source(scene.write(rows, times, targets), dtype, rows, targets)
    settings = properties(interpolation=interpolation, gap_policy=policy, max_gap=-1 if max_gap is None else max_gap, type=out_dtype,
                          rate="50/1")
    out = scene.play(f"{source} ! robocacheresample {settings} ! {{out}}")
    got = from_bytes(out, out_dtype).reshape(len(rows), -1, rows.shape[2])
    for b in range(len(rows)):
        wanted = reference_of_episode(times[b], means[b], targets[b], interpolation, policy, max_gap, NS // 50)
        expect_close(got[b], wanted, means[b], f"episode {b}", out_dtype)


for method in ("linear", "nearest", "previous", "cubic", "mean"):
    for policy in ("nan", "hold"):
        @case(f"resample_batch_{method}_{policy}", method, policy)
        def batch(scene, interpolation, policy):
            check_batch(scene, "float32", "float32", interpolation, policy, 25 * MS)

for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float64"):
    @case(f"resample_batch_of_{dtype}", dtype)
    def batch_types(scene, dtype):
        check_batch(scene, dtype, "float64", "linear", "nan", None)
        check_batch(scene, dtype, "uint8", "cubic", "hold", None)


# ---------------------------------------------------------------- rotations of recorded episodes, bit for bit
ANGLES = (4, 5, 6)  # behind a quaternion: of [-pi, pi], of [0, 2 pi], and of many turns


def rotated_row(t, y, tick, interpolation, period, dtype, out):
    """The quaternion (None: not compared) and the angles of a row, before they are stored."""
    first, end = rotations.interval(t, tick, period) if interpolation == "mean" else (0, 0)
    if end > first:
        quaternion = rotations.mean_quaternion(y[first:end, :4].tolist()) or [math.nan] * 4
        return quaternion, [rotations.mean_angle(y[first:end, a].tolist(), dtype, out) for a in ANGLES]
    around = rotations.bracket(t, tick)
    if around is not None:
        row, after, w = around
        return None, [rotations.angle_between(float(y[row, a]), float(y[after, a]), w, dtype, out) for a in ANGLES]
    copied = y[int(np.searchsorted(t, tick))] if tick in t else np.full(y.shape[1], math.nan)
    return copied[:4].tolist(), copied[list(ANGLES)].tolist()


def check_rotations(scene, interpolation, dtype, out):
    batch, n_rows, ticks, period = 200, 24, 10, NS // 10
    values = np.concatenate([orientations(scene.random, batch, n_rows), headings(scene.random, batch, n_rows)], axis=2)
    rows, means = to_bytes_of(values, dtype)
    times = (np.sort(scene.random.integers(0, 400, (batch, n_rows)), axis=1) * MS).astype("<i8")
    targets = (scene.random.integers(-10, 410, (batch, ticks)) * MS).astype("<i8")
    targets[:, :2] = times[:, 5:7]
    source = batch_source(scene.write(rows, times, targets), dtype, rows, targets)
    settings = properties(interpolation=interpolation, gap_policy="nan", max_gap=-1, type=out, rate="10/1", quaternions=(0,), angles=ANGLES)
    got = from_bytes(scene.play(f"{source} ! robocacheresample {settings} ! {{out}}"), out).reshape(batch, ticks, 7)
    for b in range(batch):
        t, y, _, _ = load_reference().accept(times[b], means[b])
        for k, tick in enumerate(targets[b].tolist()):
            quaternion, angles = rotated_row(t, y, tick, interpolation, period, dtype, out)
            wanted = [rotations.stored(out, x) for x in (quaternion or []) + angles]
            same = np.array_equal(got[b, k, 7 - len(wanted):].astype(np.float64), wanted, equal_nan=True)
            assert same, f"episode {b}, tick {tick}: {got[b, k].tolist()}, the definition has {wanted}"


for method in ("linear", "cubic", "hermite", "mean"):
    for dtype, out in (("float16", "float16"), ("bfloat16", "bfloat16"), ("float32", "float32"), ("float64", "float64"),
                       ("float64", "float32"), ("float32", "float64"), ("float32", "float16")):
        @case(f"resample_rotations_{method}_{dtype}_to_{out}", method, dtype, out)
        def rotations_of_episodes(scene, interpolation, dtype, out):
            check_rotations(scene, interpolation, dtype, out)


# ---------------------------------------------------------------- lowpass of recorded episodes, bit for bit
def uneven_times(random, batch, n_rows):
    """At 1 to 19 ms, with equal ones and holes."""
    steps = random.integers(1, 20, (batch, n_rows)) * MS
    steps[random.random((batch, n_rows)) < 0.08] = 0
    steps[random.random((batch, n_rows)) < 0.02] += 70 * MS
    return np.cumsum(steps, axis=1).astype("<i8")


def lowpass_row(t, y, tick, period, dtype, out, **settings):
    used = lowpass.find(t, tick, period, **settings)
    if used is not None:
        return lowpass.row(y, used, (0,), ANGLES, dtype, out)[0], True
    if settings["max_gap"] is not None and rotations.bracket(t, tick) is not None:
        before, after, _ = rotations.bracket(t, tick)
        if t[after] - t[before] > settings["max_gap"]:
            return None, False
    return lowpass.linear(y, t, tick, (0,), ANGLES, dtype, out), False


def check_lowpass(scene, dtype, out, rate, cutoff, lobes, max_gap):
    batch, n_rows, ticks, period = 50, 70, 20, NS // rate
    values = np.concatenate([orientations(scene.random, batch, n_rows), headings(scene.random, batch, n_rows),
                             scene.random.normal(size=(batch, n_rows, 2)) * [1, 300]], axis=2)
    rows, means = to_bytes_of(values, dtype)
    times = uneven_times(scene.random, batch, n_rows)
    targets = (scene.random.integers(-10, 720, (batch, ticks)) * MS + scene.random.integers(0, MS, (batch, ticks))).astype("<i8")
    targets[:, :3] = times[:, 25:28]
    source = batch_source(scene.write(rows, times, targets), dtype, rows, targets)
    settings = properties(interpolation="lowpass", gap_policy="nan", type=out, rate=f"{rate}/1", quaternions=(0,), angles=ANGLES,
                          kinds="real*8,hold", cutoff=cutoff, lobes=lobes, max_gap=-1 if max_gap is None else max_gap)
    got = from_bytes(scene.play(f"{source} ! robocacheresample {settings} ! {{out}}"), out).reshape(batch, ticks, 9)
    filtered = 0
    for b in range(batch):
        t, y, _, _ = load_reference().accept(times[b], means[b])
        for k, tick in enumerate(targets[b].tolist()):
            wanted, is_filtered = lowpass_row(t, y, tick, period, dtype, out, max_gap=max_gap, cutoff=cutoff or 0.0, lobes=lobes)
            filtered += is_filtered
            if wanted is not None:
                wanted = [*wanted[:8], float(y[int(np.searchsorted(t, tick, side="right")) - 1, 8])]
            for channel, x in enumerate([math.nan] * 9 if wanted is None else wanted):
                same = x is None or np.array_equal(float(got[b, k, channel]), rotations.stored(out, x), equal_nan=True)
                assert same, f"episode {b}, tick {tick}, channel {channel}: {got[b, k].tolist()}, the definition has {wanted}"
    assert batch * ticks / 5 < filtered < batch * ticks, f"{filtered} of {batch * ticks} ticks are filtered"


# ticks slower and faster than rows, and cutoffs of choice
for rate, cutoff, lobes, max_gap in ((30, None, 2, None), (30, None, 2, 60 * MS), (500, None, 4, None), (100, 25.0, 5, 90 * MS)):
    for dtype, out in (("float16", "float16"), ("bfloat16", "bfloat16"), ("float32", "float32"), ("float64", "float64"),
                       ("float64", "float32"), ("float32", "float64"), ("float32", "float16")):
        @case(f"resample_lowpass_{rate}_{cutoff}_{lobes}_{max_gap}_{dtype}_to_{out}", dtype, out, rate, cutoff, lobes, max_gap)
        def lowpass_of_episodes(scene, dtype, out, rate, cutoff, lobes, max_gap):
            check_lowpass(scene, dtype, out, rate, cutoff, lobes, max_gap)
