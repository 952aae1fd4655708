# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocachefuse on irregular recordings: values, ticks, times and statuses."""
import lowpass
import rotations
from gaps import gap_in_periods
from pipelines import (MS, NO_TIME, NS, case, csv_source, expect_close, expect_equal, headings, in_disorder, irregular, load_reference, np,
                       orientations, properties, put_holds, unit_quaternions)

# What the reference calls a stream's settings, and the pad's property.
NAMES = {"method": "interpolation", "offset": "offset", "max_gap": "max-gap", "hold_limit": "hold-limit", "required": "required",
         "reorder_window": "reorder-window", "quaternions": "quaternions", "angles": "angles", "velocities": "velocities", "kinds": "kinds"}


def pad_properties(index, stream):
    """max_gap is 200 ms by default, as in the reference; -2: in periods of the rows."""
    settings, stream = {}, {"max_gap": 200 * MS, **stream}
    for key, name in NAMES.items():
        if key in stream:
            settings[name] = -1 if stream[key] is None else stream[key]
    return properties(f"sink_{index}::", **settings)


def accepted_rows(stream):
    times = np.asarray(stream["times"], np.int64) + stream.get("offset", 0)
    return load_reference().accept(times, stream["rows"], stream.get("reorder_window", 0))[:2]


def accepted(stream):
    return accepted_rows(stream)[0]


def ticks_of(streams, rate):
    """From the first row of the earliest stream to the last row of the latest."""
    times = [accepted(s) for s in streams]
    return load_reference().grid(max(0, min(int(t[0]) for t in times)), max(int(t[-1]) for t in times), *rate)


def fused(scene, streams, ticking, sources=None):
    """Rows of each stream [ticks, channels], and the info [ticks, streams, 4]."""
    widths = [s["rows"].shape[1] for s in streams]
    sources = sources or [csv_source(scene.write_csv(s["times"], s["rows"])) for s in streams]
    pads = " ".join(pad_properties(i, s) for i, s in enumerate(streams))
    links = " ".join(f"{source} ! f.sink_{i}" for i, source in enumerate(sources))
    out = scene.play(f"robocachefuse name=f layout=concat info=tensor {ticking} {pads} ! {{out}} {links}")
    records = np.frombuffer(out, np.dtype([("rows", "<f4", (sum(widths),)), ("info", "<i8", (len(streams), 4))]))
    return np.split(records["rows"], np.cumsum(widths)[:-1], axis=1), records["info"]


def check_info(info, streams, kept, status):
    expect_equal(info[:, :, 3], status, "status")
    for i, stream in enumerate(streams):
        t = accepted(stream)
        after = np.searchsorted(t, kept, side="right")
        before = np.where(after > 0, t[np.maximum(after - 1, 0)], NO_TIME)
        later = np.where(after < len(t), t[np.minimum(after, len(t) - 1)], NO_TIME)
        expect_equal(info[:, i, 0], kept, f"tick of stream {i}")
        expect_equal(info[:, i, 1], before, f"time before of stream {i}")
        expect_equal(info[:, i, 2], later, f"time after of stream {i}")


def check(scene, streams, rate=None, ticks=None, ticking=None, period=0, sources=None):
    reference = load_reference()
    if rate:
        ticks, ticking, period = ticks_of(streams, rate), f"rate={rate[0]}/{rate[1]}", reference.tick_time(1, *rate)
    rows, info = fused(scene, streams, ticking, sources)
    kept, wanted, status = reference.fuse(streams, ticks, period)
    for i, stream in enumerate(streams):
        if "holds" in stream:  # a mean of later rows alone has no row to hold
            before = np.asarray(kept) < accepted(stream)[0]
            status[before, i], wanted[i][before] = 2, np.nan
    assert len(kept) > 20, "too few ticks to tell anything"
    check_info(info, streams, kept, status)
    for i, stream in enumerate(streams):
        put_holds(wanted[i], *accepted_rows(stream), kept, stream.get("holds", ()))
        expect_close(rows[i], wanted[i], stream["rows"], f"stream {i}", angles=stream.get("angles", ()))


def stream(scene, n=200, period=5 * MS, channels=3, holes=3, **settings):
    times, rows = irregular(scene.random, n, period, channels, holes)
    return {"times": times, "rows": rows, **settings}


@case("fuse_means_of_rotations")
def means_of_rotations(scene):
    """Rows and statuses, bit for bit: a tick is missing where its quaternions have no mean."""
    times, _ = irregular(scene.random, n=900, period=2 * MS, holes=0)
    values = np.concatenate([orientations(scene.random, 1, 900)[0], headings(scene.random, 1, 900)[0]], axis=1).astype(np.float32)
    sensor = {"times": times, "rows": values, "method": "mean", "quaternions": (0,), "angles": (4, 5, 6)}
    rows, info = fused(scene, [sensor], "rate=100/1")
    for row, (tick, _, _, status) in zip(rows[0].tolist(), info[:, 0].tolist()):
        first, end = rotations.interval(times, tick, 10 * MS)
        wanted = rotations.mean_quaternion(values[first:end, :4].tolist())
        assert status == (2 if wanted is None else 0), f"tick {tick}: status {status}"
        wanted = (wanted or [np.nan] * 4) + [rotations.mean_angle(values[first:end, a].tolist(), "float32", "float32") for a in (4, 5, 6)]
        assert np.array_equal(np.float32(wanted), np.float32(row), equal_nan=True), f"tick {tick}: {row}, the definition has {wanted}"
    assert 0 < (info[:, 0, 3] == 2).sum() < len(info), "no tick is missing, or all are"


@case("fuse_lowpass")
def filtered(scene):
    """Rows and statuses, bit for bit: a tick whose filter rows do not cover is held."""
    times, values = irregular(scene.random, n=900, period=2 * MS, holes=3)
    rows, info = fused(scene, [{"times": times, "rows": values, "method": "lowpass", "max_gap": 12 * MS}], "rate=50/1")
    for row, (tick, _, _, status) in zip(rows[0].tolist(), info[:, 0].tolist()):
        used = lowpass.find(times, tick, NS // 50, 12 * MS)
        assert (status == 0) == (used is not None), f"tick {tick}: status {status}"
        if used is not None:
            wanted = lowpass.plain(values, used)
            assert np.array_equal(np.float32(wanted), np.float32(row)), f"tick {tick}: {row}, the definition has {wanted}"
    assert 10 < (info[:, 0, 3] == 0).sum() < len(info) - 10, "no tick is filtered, or all are"


METHODS = ("linear", "nearest", "previous", "cubic", "hermite", "mean")

for method in METHODS:
    @case(f"fuse_{method}", method)
    def methods(scene, method):
        roles = {"velocities": (1,)} if method == "hermite" else {}
        check(scene, [stream(scene, method=method, **roles), stream(scene, 60, 17 * MS, 2)], (200, 1))

    for limit in (0, 15 * MS, None):
        @case(f"fuse_{method}_gaps_hold_{'forever' if limit is None else limit // MS}", method, limit)
        def gaps(scene, method, limit):
            check(scene, [stream(scene, holes=12, method=method, max_gap=12 * MS, hold_limit=limit),
                          stream(scene, 300, 4 * MS, 1)], (300, 1))

    for window in (0, 20 * MS):
        @case(f"fuse_{method}_disorder_{window // MS}", method, window)
        def disorder(scene, method, window):
            late = stream(scene, holes=0, method=method, reorder_window=window)
            late["times"], late["rows"] = in_disorder(scene.random, late["times"], late["rows"], 20 * MS)
            check(scene, [late, stream(scene)], (150, 1))

for offset in (-70 * MS, -1, 12_345_678, 300 * MS):
    @case(f"fuse_offset_{offset}", offset)
    def offsets(scene, offset):
        first = stream(scene)
        first["times"] = first["times"] + 100 * MS
        check(scene, [{**first, "offset": offset}, stream(scene, 100, 9 * MS)], (1000, 7))

for count in (1, 2, 5, 9):
    @case(f"fuse_{count}_streams", count)
    def many(scene, count):
        check(scene, [stream(scene, int(scene.random.integers(40, 200)), int(scene.random.integers(3, 20)) * MS, 1 + i,
                             method=METHODS[i % 4], max_gap=50 * MS, hold_limit=20 * MS) for i in range(count)], (120, 1))

for which in ((0,), (1,), (0, 1)):
    @case("fuse_required_" + "_".join(map(str, which)), which)
    def required(scene, which):
        streams = [stream(scene, holes=10, max_gap=12 * MS, hold_limit=5 * MS), stream(scene, 80, 13 * MS, 2, 5, hold_limit=0)]
        for i in which:
            streams[i]["required"] = True
        check(scene, streams, (200, 1))


METHODS_OF_PERIODS = ("linear", "nearest", "previous", "cubic")

for method in METHODS_OF_PERIODS:
    for period in (2 * MS, 5 * MS, 60 * MS, 150 * MS):
        @case(f"fuse_{method}_gaps_in_periods_{period // MS}", method, period)
        def gaps_in_periods(scene, method, period):
            """A tick without a row is held for up to 200 ms."""
            times, values = irregular(scene.random, 300, period, holes=12)
            rate = (max(NS // (2 * period), 1), 1)
            rows, info = fused(scene, [{"times": times, "rows": values, "method": method, "max_gap": -2}], f"rate={rate[0]}/{rate[1]}")
            reference = load_reference()
            for row, (tick, before, _, status) in zip(rows[0], info[:, 0].tolist()):
                wanted, expected = reference.sample_at(times, values, tick, method, gap_in_periods(times, tick))
                if expected == reference.MISSING and before != NO_TIME and tick - before <= 200 * MS:
                    wanted, expected = values[np.searchsorted(times, before)], 1
                assert status == expected, f"tick {tick}: status {status}, the definition has {expected}"
                expect_close(row[None], np.asarray(wanted, float)[None], values, f"tick {tick}")


@case("fuse_limits_of_200_ms")
def limits(scene):
    """Holes around 200 ms of max-gap and hold-limit."""
    check(scene, [stream(scene, 60, 50 * MS, 2, 12), stream(scene, 400, 10 * MS, 1)], (60, 1))


@case("fuse_holds")
def holds(scene):
    """Channels that are held, beside each interpolation of the others, in holes and out of order."""
    for method in METHODS:
        roles = {"velocities": (1,)} if method == "hermite" else {}
        check(scene, [stream(scene, holes=12, method=method, max_gap=12 * MS, hold_limit=20 * MS, kinds="real*2,hold", holds=(2,), **roles),
                      stream(scene, 80, 13 * MS, 2, method=method, kinds="hold,real", holds=(0,)),
                      stream(scene, 120, 9 * MS, 1, kinds="hold", method="previous", max_gap=None, hold_limit=None, holds=(0,))], (90, 1))


@case("fuse_angles_and_quaternions")
def roles(scene):
    attitude = stream(scene, 200, 5 * MS, 5, quaternions=(1,), angles=(0,))
    attitude["rows"][:, 0] = scene.random.uniform(-9, 9, 200)
    attitude["rows"][:, 1:] = unit_quaternions(scene.random, 200)
    check(scene, [attitude, stream(scene)], (333, 1))


for offset in (0, 7 * MS):
    @case(f"fuse_reference_pad_offset_{offset // MS}", offset)
    def reference_pad(scene, offset):
        """Each row of one pad is a tick; its duplicates and late rows make none."""
        leader = stream(scene, 120, 11 * MS, 2, offset=offset)
        leader["times"], leader["rows"] = in_disorder(scene.random, leader["times"], leader["rows"], 20 * MS)
        leader["method"] = "nearest"
        follower = stream(scene, 300, 4 * MS, 3, method="cubic")
        check(scene, [leader, follower], ticks=accepted(leader), ticking="reference-pad=sink_0")
