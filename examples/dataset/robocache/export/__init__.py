# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings to training sets: LeRobot v3.0, robomimic's HDF5 and ACT's HDF5.

Elements of robocache align, resample and encode; this package cuts episodes, packs and checks. Run ../../robocache-export.
"""
__version__ = "2"
