#!/bin/bash
# robocache: real recordings, aligned with nothing but their names and a rate given
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../cases.sh"

# check ALIGNED SCRIPT: what python finds wrong with the aligned CSV, whose rows are `rows` and names `names`
check () {
  python3 - "$1" "$data" <<END 2>&1 | tail -1
import csv, math, sys
def load(path):
    with open(path, newline='') as file:
        names, *rows = csv.reader(line for line in file if not line.startswith('#'))
    return names, [[float(x) for x in row[1:]] for row in rows], [row[0] for row in rows]
def at(times, rows, t, quaternion=False):
    """The row at t, in double: a straight line between rows, or slerp."""
    i = max(k for k, u in enumerate(times) if u <= t)
    if times[i] == t:
        return rows[i]
    w = (t - times[i]) / (times[i + 1] - times[i])
    a, b = rows[i], rows[i + 1]
    if not quaternion:
        return [x + w * (y - x) for x, y in zip(a, b)]
    dot = sum(x * y for x, y in zip(a, b))
    angle = math.acos(min(1, abs(dot)))
    p, q = (1 - w, w) if angle < 1e-6 else (math.sin((1 - w) * angle) / math.sin(angle), math.sin(w * angle) / math.sin(angle))
    return [p * x + math.copysign(q, dot) * y for x, y in zip(a, b)]
def agree(got, expected, scale):
    return all(abs(g - e) <= 1e-5 * s for g, e, s in zip(got, expected, scale))
def scales(rows):
    return [max(abs(row[c]) for row in rows) or 1 for c in range(len(rows[0]))]
names, rows, ticks = load(sys.argv[1])
ticks = [int(t) for t in ticks]
folder = sys.argv[2]
$2
END
}

if have arm arm_joints_250hz.csv arm_torque_250hz.csv; then
  runs arm "$programs/robocache-align" --overwrite --no-status --rate 100 "$data/arm_joints_250hz.csv" "$data/arm_torque_250hz.csv"
  expect arm_names "$(sed -n 2p aligned.csv)" "tick_ns,q0,q1,q2,q3,q4,q5,qd0,qd1,qd2,qd3,qd4,qd5,tau0,tau1,tau2,tau3,tau4,tau5"
  expect arm_ticks "$(check aligned.csv 'print(len(ticks), ticks[0], {b - a for a, b in zip(ticks, ticks[1:])})')" \
    "375 0 {10000000}"
  expect arm_values "$(check aligned.csv '
expected = []
for name in "arm_joints_250hz.csv", "arm_torque_250hz.csv":
    _, given, times = load(f"{folder}/{name}")
    times = [round(float(t) * 1e9) for t in times]
    for i, t in enumerate(ticks):
        row = at(times, given, t)
        expected.append(row) if len(expected) <= i else expected[i].extend(row)
print(sum(not agree(r, e, scales(expected)) for r, e in zip(rows, expected)), "differ")')" "0 differ"
  expect_match arm_table "$said" '^arm_joints_250hz +936 .* 375 +0 +0 '
fi

if have px4 px4_actuator_controls.csv px4_attitude_quat_wxyz.csv px4_baro.csv px4_imu.csv px4_mag.csv; then
  runs px4 "$programs/robocache-align" --overwrite --no-status --rate 100 "$data"/px4_*.csv
  expect px4_units "$(grep -c '; time .*in us (guessed' <<<"$said")" 5
  expect_match px4_quaternions "$said" 'px4_attitude_quat_wxyz.csv: .*quaternions at channel 0, by slerp'
  expect_match px4_origin "$said" '^tick_ns counts from 20310847000 ns'
  expect px4_names "$(check aligned.csv '
wanted = []
for name in "actuator_controls", "attitude_quat_wxyz", "baro", "imu", "mag":
    wanted += [f"px4_{name}.{n}" if n == "timestamp_sample" else n for n in load(f"{folder}/px4_{name}.csv")[0][1:]]
print(names == ["tick_ns"] + wanted)')" True
  expect px4_ticks "$(check aligned.csv 'print(len(ticks), ticks[0], {b - a for a, b in zip(ticks, ticks[1:])})')" \
    "652 0 {10000000}"
  expect px4_attitude "$(check aligned.csv '
_, given, times = load(f"{folder}/px4_attitude_quat_wxyz.csv")
times = [int(t) * 1000 - 20310847000 for t in times]
first = names.index("q_0")
inside = [(r[first - 1:first + 3], at(times, given, t, True)) for r, t in zip(rows, ticks) if times[0] <= t <= times[-1]]
print(len(inside), sum(not agree(g, e, [1] * 4) for g, e in inside), "differ")')" "650 0 differ"
  expect px4_gyro "$(check aligned.csv '
_, given, times = load(f"{folder}/px4_imu.csv")
times = [int(t) * 1000 - 20310847000 for t in times]
first = names.index("gyro_rad_0")
inside = [(r[first - 1:first + 2], at(times, given, t)) for r, t in zip(rows, ticks) if times[0] <= t <= times[-1]]
print(len(inside), sum(not agree(g, e, scales(given)) for g, e in inside), "differ")')" "650 0 differ"
  expect px4_before_the_first_row "$(check aligned.csv '
print([math.isnan(rows[i][names.index("q_0") - 1]) for i in range(3)])')" "[True, True, False]"
fi

if have rover rover_imu_20hz.csv rover_twist_40hz.csv; then
  runs rover "$programs/robocache-align" --overwrite --no-status --rate 50 "$data/rover_imu_20hz.csv,time-column=stamp_ns,channels=qx,qy,qz,qw,gx,gy,gz" \
    "$data/rover_twist_40hz.csv,time-column=stamp_ns,channels=vx,vy,vz"
  expect_match rover_origin "$said" '^tick_ns counts from 1326899528368658417 ns'
  expect rover_norm "$(check aligned.csv '
print(all(abs(math.hypot(*r[:4]) - 1) < 1e-5 for r in rows if not math.isnan(r[0])))')" True
  expect_match rover_twice "$said" '^rover_twist_40hz +712 +[0-9]+ +0 +356 '
fi
exit $failed
