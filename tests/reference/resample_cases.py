# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocacheresample on irregular input, live form and batch form."""
from pipelines import (MS, NS, NUMPY, case, csv_source, expect_close, from_bytes, in_disorder, irregular, load_reference, np,
                       properties, to_bytes_of, unit_quaternions)

INTERPOLATIONS = ("linear", "nearest", "previous", "cubic", "hermite", "mean")


def resampled(scene, times, rows, rate, dtype="float32", **settings):
    source = csv_source(scene.write_csv(times, rows))
    out = scene.play(f"{source} ! robocacheresample rate={rate[0]}/{rate[1]} type={dtype} {properties(**settings)} ! {{out}}")
    return from_bytes(out, dtype).reshape(-1, rows.shape[1])


def check(scene, times, rows, rate, dtype="float32", interpolation="linear", gap_policy="nan", max_gap=None, reorder_window=0,
          **roles):
    got = resampled(scene, times, rows, rate, dtype, interpolation=interpolation, gap_policy=gap_policy, max_gap=max_gap,
                    reorder_window=reorder_window, **roles)
    _, wanted, _ = load_reference().resample(times, rows, *rate, method=interpolation, max_gap=max_gap, gap_policy=gap_policy,
                                             reorder_window=reorder_window, **roles)
    assert len(wanted) > 20, "too few ticks to tell anything"
    expect_close(got, wanted, rows, interpolation, dtype, roles.get("angles", ()))


def velocities(interpolation):
    return {"velocities": (2,)} if interpolation == "hermite" else {}


for method in INTERPOLATIONS:
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
    settings = properties(interpolation=interpolation, gap_policy=policy, max_gap=max_gap, type=out_dtype, rate="50/1")
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
