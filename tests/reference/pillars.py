# SPDX-License-Identifier: LGPL-2.1-or-later
"""Executable specification of mode=pillars, in NumPy: the network input of CUDA-PointPillars (generateFeatures) and of OpenPCDet (PillarVFE).

A kept point has its own fields, its offset from the mean of the pillar's kept points, and its offset from the pillar's centre. float32 is the
arithmetic of these detectors, float64 that of the element before it rounds.
"""
import numpy as np


def pillars(points, rows, xyz, origin, size, max_points, centre_z=True, dtype=np.float64):
    """Features [pillars, max_points, F + 6] (without centre_z F + 5) and the number of points of each pillar.

    rows: the pillar of each point, negative for none. xyz: the voxel of each pillar.
    """
    points, origin, size = points.astype(dtype), np.float32(origin).astype(dtype), np.float32(size).astype(dtype)
    features = np.zeros((len(xyz), max_points, points.shape[1] + 6), dtype)
    counts = np.zeros(len(xyz), np.uint32)
    for pillar, voxel in enumerate(xyz):
        kept = points[rows == pillar][:max_points]
        mean = kept[:, :3].sum(axis=0, dtype=dtype) / dtype(len(kept))
        centre = size / 2 + voxel.astype(dtype) * size + origin
        features[pillar, :len(kept)] = np.hstack([kept, kept[:, :3] - mean, kept[:, :3] - centre])
        counts[pillar] = len(kept)
    return features if centre_z else features[..., :-1], counts
