# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of the robot. LeRobot makes them of --robot.NAME=VALUE."""
from dataclasses import dataclass, field

from lerobot.robots.config import RobotConfig


@dataclass
class ImageConfig:
    """An image of the observation: the stream with its frames, and its shape in pixels."""
    stream: str
    height: int
    width: int
    channels: int = 3


@RobotConfig.register_subclass("robocache")
@dataclass(kw_only=True)
class RobocacheConfig(RobotConfig):
    """pipeline: as for gst-launch-1.0, with a robocachefuse whose output is free, and for actions an appsrc named commands.

    state: by stream, the features of its channels in their order, like {proprio_0: [shoulder_pan.pos, gripper.pos]}. images: by feature.
    action: features of a command in the order of its channels; empty: the robot takes none."""
    pipeline: str
    state: dict[str, list[str]] = field(default_factory=dict)
    images: dict[str, ImageConfig] = field(default_factory=dict)
    action: list[str] = field(default_factory=list)
    connect_timeout_s: float = 10.0  # until the first sample
    max_age_s: float = 0.5  # since the newest sample; an older one is an error
