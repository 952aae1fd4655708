# SPDX-License-Identifier: LGPL-2.1-or-later
"""Executable specification of robocache's kinematics, in float64 NumPy.

It defines WHAT is computed, never how fast, and uses NumPy's functions where the kernels have polynomials. A robot is a URDF file. A pose is a
4x4 matrix that maps the link to the base. docs/explanation/arithmetic.md has the same in words.
"""
import xml.etree.ElementTree as ET

import numpy as np

CONVERGED, NOT_CONVERGED, AT_LIMIT, SINGULAR, MISSING = range(5)
MOVING = ("revolute", "continuous", "prismatic")


# ---------------------------------------------------------------- robots
class Joint:
    def __init__(self, element):
        numbers = lambda tag, key, default: [float(x) for x in
                                             (element.find(tag).get(key, default) if element.find(tag) is not None else default).split()]
        self.name, self.type = element.get("name"), element.get("type")
        self.parent, self.child = element.find("parent").get("link"), element.find("child").get("link")
        self.origin = pose(rpy(numbers("origin", "rpy", "0 0 0")), numbers("origin", "xyz", "0 0 0"))
        self.axis = np.array(numbers("axis", "xyz", "1 0 0"))
        self.axis /= np.linalg.norm(self.axis)
        limited = self.type in ("revolute", "prismatic")
        self.limits = numbers("limit", "lower", "0") + numbers("limit", "upper", "0") if limited else [-np.inf, np.inf]
        mimic = element.find("mimic")
        self.mimics = None if mimic is None else (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))


class Robot:
    def __init__(self, path):
        root = ET.parse(path).getroot()
        self.joints = {joint.get("name"): Joint(joint) for joint in root.findall("joint")}
        self.moved_by = {joint.child: joint for joint in self.joints.values()}

    def source(self, joint):
        """(name, multiplier, offset) of the joint that decides a joint's position."""
        multiplier, offset = 1.0, 0.0
        while joint.mimics:
            name, m, o = joint.mimics
            multiplier, offset, joint = multiplier * m, multiplier * o + offset, self.joints[name]
        return joint.name, multiplier, offset

    def way(self, link):
        """Joints from the root to a link."""
        found = []
        while link in self.moved_by:
            found.insert(0, self.moved_by[link])
            link = found[0].parent
        return found

    def movers(self, base, link):
        """Joints that move a link relative to a base, each with 1, or with -1 where they are run backwards."""
        up, down = self.way(base) if base else [], self.way(link)
        while up and down and up[0] is down[0]:
            up, down = up[1:], down[1:]
        return [(joint, -1) for joint in reversed(up)] + [(joint, 1) for joint in down]


# ---------------------------------------------------------------- rotations
def pose(rotation, origin):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation, origin
    return out


def about(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def rpy(angles):
    return about([0, 0, 1], angles[2]) @ about([0, 1, 0], angles[1]) @ about([1, 0, 0], angles[0])


def quaternion(rotation):
    """w x y z with w >= 0."""
    r = rotation
    candidates = [
        [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
        [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
        [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 + r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]],
        [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 + r[2, 2] - r[0, 0] - r[1, 1]],
    ]
    q = np.array(candidates[int(np.argmax([r[0, 0] + r[1, 1] + r[2, 2], r[0, 0], r[1, 1], r[2, 2]]))])
    q /= np.linalg.norm(q)
    return -q if q[0] < 0 else q


def rotation_vector(rotation):
    q = quaternion(rotation)
    norm = np.linalg.norm(q[1:])
    return q[1:] * (2 * np.arctan2(norm, q[0]) / norm if norm > 0 else 2)


# ---------------------------------------------------------------- forward
def forward(robot, base, link, positions):
    """The link's pose in the base, and (name, multiplier, axis, origin, type) of each step at these positions {joint: number}."""
    at, steps = np.eye(4), []
    for joint, sign in robot.movers(base, link):
        before = at @ joint.origin if sign > 0 else at
        if joint.type in MOVING:
            name, multiplier, offset = robot.source(joint)
            q = sign * (multiplier * positions[name] + offset)
            shifts = joint.type == "prismatic"
            motion = pose(np.eye(3), q * joint.axis) if shifts else pose(about(joint.axis, q), [0, 0, 0])
            before = before @ motion
            steps.append((name, sign * multiplier, before[:3, :3] @ joint.axis, before[:3, 3], shifts))
        at = before if sign > 0 else before @ np.linalg.inv(joint.origin)
    return at, steps


def jacobian(robot, base, link, names, positions):
    at, steps = forward(robot, base, link, positions)
    out = np.zeros((6, len(names)))
    for name, multiplier, axis, origin, shifts in steps:
        twist = np.concatenate([axis, np.zeros(3)] if shifts else [np.cross(axis, at[:3, 3] - origin), axis])
        out[:, names.index(name)] += multiplier * twist
    return out


def manipulability(matrix):
    """Of the columns that move the link: as many singular values as it has rows or columns, whichever is fewer."""
    matrix = matrix[:, np.abs(matrix).max(axis=0, initial=0) > 0]
    return np.prod(np.linalg.svd(matrix, compute_uv=False)) if matrix.size else 0.0


# ---------------------------------------------------------------- inverse
def error_of(at, target, weight):
    """(error, distance, angle)"""
    move, turn = target[:3, 3] - at[:3, 3], rotation_vector(target[:3, :3] @ at[:3, :3].T)
    return np.concatenate([move, weight * turn]), np.linalg.norm(move), np.linalg.norm(turn)


class Search:
    """One link and its target; positions are in the order of names."""

    def __init__(self, robot, base, link, names, target, tolerance, weight):
        self.limits = np.array([robot.joints[name].limits for name in names])
        self.forward = lambda q: forward(robot, base, link, dict(zip(names, q)))[0]
        self.jacobian = lambda q: jacobian(robot, base, link, names, dict(zip(names, q)))
        self.target, self.tolerance, self.weight = target, tolerance, weight

    def measure(self, q):
        return error_of(self.forward(q), self.target, self.weight)

    def is_close(self, q):
        _, distance, angle = self.measure(q)
        return distance <= self.tolerance and (angle <= self.tolerance or self.weight == 0)

    def linearise(self, q):
        """(J, J'e, variables at a limit that the error would push them over)"""
        matrix = np.array([1, 1, 1, self.weight, self.weight, self.weight])[:, None] * self.jacobian(q)
        slope = matrix.T @ self.measure(q)[0]
        return matrix, slope, ((q <= self.limits[:, 0]) & (slope < 0)) | ((q >= self.limits[:, 1]) & (slope > 0))

    def descend(self, q, most, gives_up):
        """(positions, iterations)"""
        damping, more, slow, n = 1.0, 2.0, 0, 0
        while n < most and not self.is_close(q):
            e, (matrix, slope, held) = self.measure(q)[0], self.linearise(q)
            square, factor = e @ e, damping * (e @ e) + 1e-12
            free = np.where(held, 0.0, matrix)
            trial = np.clip(q + free.T @ np.linalg.solve(free @ free.T + factor * np.eye(6), e), *self.limits.T)
            change, e2 = trial - q, self.measure(trial)[0]
            decrease, expected = square - e2 @ e2, change @ (slope + factor * change)
            gain = decrease / expected if expected > 0 else 0.0
            n += 1
            if decrease > 0:
                slow = slow + 1 if decrease < 0.02 * square and square > 1e-4 else 0
                q, damping, more = trial, max(damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), 1e-4), 2.0
            else:
                damping, more = damping * more, 2 * more
            if np.abs(change).max(initial=0) < 1e-10 or damping > 1e12 or (gives_up and slow >= 4):
                break
        return q, n

    def elsewhere(self, start, attempt):
        low, high = np.maximum(self.limits[:, 0], start - np.pi), np.minimum(self.limits[:, 1], start + np.pi)
        return np.clip(low + np.array([fraction(attempt, k) for k in range(len(start))]) * (high - low), *self.limits.T)

    def solve(self, start, most, restarts):
        start = np.clip(start, *self.limits.T)
        e = self.measure(start)[0]
        is_far = restarts > 0 and e @ e > 0.25
        stuck, n = self.descend(start, most, is_far)
        if not is_far or self.is_close(stuck):
            return stuck
        for attempt in range(1, restarts + 1):
            if n >= most - most // 4:
                break
            q, more = self.descend(self.elsewhere(start, attempt), most - most // 4 - n, True)
            n += more
            if self.is_close(q):
                return q
        return self.descend(stuck, most - n, False)[0]

    def status(self, q):
        if self.is_close(q):
            return CONVERGED
        _, slope, held = self.linearise(q)
        if np.linalg.norm(slope[~held]) > 1e-3 * np.linalg.norm(self.measure(q)[0]):
            return NOT_CONVERGED
        return AT_LIMIT if held.any() else SINGULAR


def fraction(attempt, variable):
    """A number in [0, 1) of two counters."""
    mask = 2**64 - 1
    x = ((attempt << 32) | variable) * 0x9E3779B97F4A7C15 & mask
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
    return ((x ^ x >> 31) >> 11) * 2.0**-53


def inverse(robot, base, link, names, target, start, iterations=100, tolerance=1e-6, weight=1.0, restarts=20):
    """(positions, status, distance, angle) of one link."""
    search = Search(robot, base, link, names, target, tolerance, weight)
    q = search.solve(np.asarray(start, float), iterations, restarts)
    return q, search.status(q), *search.measure(q)[1:]
