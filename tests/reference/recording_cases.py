# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real recordings: an arm, a flight controller, a rover."""
from fuse_cases import check
from pipelines import MS, case, csv_source, expect_close, from_bytes, load_reference, np, properties, put_holds, recording

UNIT = {"s": 9, "ms": 6, "us": 3, "ns": 0}


def decimal_ns(text, unit):
    """An exact decimal in ns, digits below 1 ns cut off."""
    whole, _, fraction = text.partition(".")
    digits = UNIT[unit]
    return int(whole) * 10**digits + int((fraction + "0" * digits)[:digits] or "0")


def read(name, unit="s", time_column=0, first=1):
    """Times in ns and the float32 rows from column first on, in order of arrival."""
    lines = recording(name).read_text(encoding="ascii").splitlines()[1:]
    fields = [line.split(",") for line in lines if line]
    times = np.array([decimal_ns(f[time_column], unit) for f in fields], np.int64)
    return times, np.array([[float(v) for v in f[first:]] for f in fields]).astype(np.float32)


def source(name, **parse):
    return csv_source(recording(name), properties(**parse))


# ---------------------------------------------------------------- the arm
for method in ("linear", "nearest", "previous", "cubic", "hermite", "mean"):
    for rate in ((100, 1), (1000, 3)):
        @case(f"arm_{method}_at_{rate[0]}_{rate[1]}", method, rate)
        def arm(scene, method, rate):
            times, rows = read("arm_joints_250hz.csv")
            roles = {"velocities": tuple(range(6, 12))} if method == "hermite" else {}
            out = scene.play(f"{source('arm_joints_250hz.csv', start='keep')} ! robocacheresample rate={rate[0]}/{rate[1]} "
                             f"{properties(interpolation=method, **roles)} ! {{out}}")
            _, wanted, _ = load_reference().resample(times, rows, *rate, method=method, **roles)
            expect_close(from_bytes(out, "float32").reshape(-1, 12), wanted, rows, method)


@case("arm_joints_and_torques")
def arm_fused(scene):
    names = ("arm_joints_250hz.csv", "arm_torque_250hz.csv")
    streams = [dict(zip(("times", "rows"), read(name))) for name in names]
    check(scene, streams, (100, 1), sources=[source(name, start="keep") for name in names])


# ---------------------------------------------------------------- the flight controller
PX4 = ("px4_imu.csv", "px4_attitude_quat_wxyz.csv", "px4_actuator_controls.csv", "px4_mag.csv", "px4_baro.csv")

for limits in ({}, {"max_gap": 100 * MS, "hold_limit": 0}, {"max_gap": 100 * MS, "hold_limit": 50 * MS}):
    @case("px4_" + ("_".join(f"{k}_{v // MS}" for k, v in limits.items()) or "defaults"), limits)
    def px4(scene, limits):
        """Five streams with one origin, attitude by slerp; the common hole of 160 ms is bridged, held or missing."""
        read_all = [read(name, "us") for name in PX4]
        origin = min(int(times.min()) for times, _ in read_all)
        streams = [{"times": times - origin, "rows": rows, **limits} for times, rows in read_all]
        streams[1]["quaternions"] = (0,)
        check(scene, streams, (100, 1), sources=[source(name, time_unit="us", time_origin=origin) for name in PX4])


@case("px4_attitude_resampled")
def attitude(scene):
    times, rows = read(PX4[1], "us")
    out = scene.play(f"{source(PX4[1], time_unit='us', start='keep')} ! robocacheresample rate=250/1 quaternions=0 "
                     f"max-gap={100 * MS} gap-policy=nan ! {{out}}")
    _, wanted, status = load_reference().resample(times, rows, 250, 1, max_gap=100 * MS, gap_policy="nan", quaternions=(0,))
    assert (status == 2).any(), "the hole is not there"
    expect_close(from_bytes(out, "float32").reshape(-1, 4), wanted, rows, "attitude")


# ---------------------------------------------------------------- the rover
ROVER = (("rover_imu_20hz.csv", "2-12", 11), ("rover_twist_40hz.csv", "2-7", 6))

for window in (0, 700 * MS):
    @case(f"rover_reorder_{window // MS}", window)
    def rover(scene, window):
        """Rows in order of arrival, aligned by stamp; twist rows come twice with one stamp."""
        read_all = [read(name, "ns", 1, 2) for name, _, _ in ROVER]
        origin = min(int(times.min()) for times, _ in read_all)
        streams = [{"times": times - origin, "rows": rows, "reorder_window": window} for times, rows in read_all]
        streams[0] |= {"quaternions": (1,), "holds": (0,)}
        duplicates = load_reference().accept(streams[1]["times"], streams[1]["rows"], window)[3]
        assert duplicates > 100, "the twist rows do not come twice"
        check(scene, streams, (50, 1), sources=[source(name, time_unit="ns", time_column=1, channels=channels, time_origin=origin)
                                                for name, channels, _ in ROVER])

    for name, channels, width in ROVER:
        @case(f"{name.removesuffix('.csv')}_resampled_reorder_{window // MS}", name, channels, width, window)
        def rover_resampled(scene, name, channels, width, window):
            times, rows = read(name, "ns", 1, 2)
            origin = int(times.min())
            parse = source(name, time_unit="ns", time_column=1, channels=channels, time_origin=origin)
            out = scene.play(f"{parse} ! robocacheresample rate=100/1 reorder-window={window} gap-policy=nan ! {{out}}")
            # by the names of the columns: seq is held, qx to qw are a quaternion
            roles, holds = ({"quaternions": (1,)}, (0,)) if "imu" in name else ({}, ())
            ticks, wanted, _ = load_reference().resample(times - origin, rows, 100, 1, gap_policy="nan", reorder_window=window, **roles)
            put_holds(wanted, *load_reference().accept(times - origin, rows, window)[:2], ticks, holds)
            expect_close(from_bytes(out, "float32").reshape(-1, width), wanted, rows, name)
