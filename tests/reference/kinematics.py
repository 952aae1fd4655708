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


def inverse(robot, base, link, names, target, start, iterations=100, tolerance=1e-6, weight=1.0):
    """(positions, status, distance, angle) of one link, without restarts."""
    limits = np.array([robot.joints[name].limits for name in names])
    measure = lambda q: error_of(forward(robot, base, link, dict(zip(names, q)))[0], target, weight)
    slopes = lambda q: np.array([1, 1, 1, weight, weight, weight])[:, None] * jacobian(robot, base, link, names, dict(zip(names, q)))
    close = lambda distance, angle: distance <= tolerance and (angle <= tolerance or weight == 0)
    q = np.clip(start, *limits.T)
    (e, distance, angle), matrix, damping = measure(q), slopes(q), 1.0
    for _ in range(iterations):
        if close(distance, angle):
            break
        gradient = matrix.T @ e
        held = ((q <= limits[:, 0]) & (gradient < 0)) | ((q >= limits[:, 1]) & (gradient > 0))
        free = np.where(held, 0.0, matrix)
        step = free.T @ np.linalg.solve(free @ free.T + (damping * (e @ e) + 1e-12) * np.eye(6), e)
        trial = np.clip(q + step, *limits.T)
        change, (e2, distance2, angle2) = np.abs(trial - q).max(initial=0), measure(trial)
        if e2 @ e2 < e @ e:
            q, e, distance, angle, damping = trial, e2, distance2, angle2, max(damping / 4, 1e-4)
            matrix = slopes(q)
        else:
            damping *= 4
        if change < 1e-10 or damping > 1e12:
            break
    if close(distance, angle):
        return q, CONVERGED, distance, angle
    gradient = matrix.T @ e
    held = ((q <= limits[:, 0]) & (gradient < 0)) | ((q >= limits[:, 1]) & (gradient > 0))
    if np.linalg.norm(gradient[~held]) > 1e-3 * np.linalg.norm(e):
        return q, NOT_CONVERGED, distance, angle
    return q, AT_LIMIT if held.any() else SINGULAR, distance, angle
