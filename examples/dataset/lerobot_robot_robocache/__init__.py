# SPDX-License-Identifier: LGPL-2.1-or-later
"""A robot of LeRobot whose observation is the newest aligned sample of a pipeline, and a teleoperator whose action is one.

LeRobot finds this package by its name, for lerobot-record and its kin:

    lerobot-record --robot.type=robocache --robot.pipeline='robocachefuse name=fuse rate=30/1 …' --robot.state='{proprio_0: [shoulder_pan.pos, …]}' …
"""
from .config_robocache import ImageConfig, RobocacheConfig, RobocacheLeaderConfig
from .devices import Robocache, RobocacheLeader

__all__ = ["ImageConfig", "Robocache", "RobocacheConfig", "RobocacheLeader", "RobocacheLeaderConfig"]
