# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of the robot and of the teleoperator. LeRobot makes them of --robot.NAME=VALUE and --teleop.NAME=VALUE."""
from dataclasses import dataclass, field

from lerobot.robots.config import RobotConfig
from lerobot.teleoperators.config import TeleoperatorConfig


@dataclass
class ImageConfig:
    """An image of the observation: the stream with its frames, and its shape in pixels."""
    stream: str
    height: int
    width: int
    channels: int = 3


@dataclass(kw_only=True)
class SampleConfig:
    """pipeline: as for gst-launch-1.0, with a robocachefuse whose output is free.

    state: by stream, the features of its channels in their order, like {proprio_0: [shoulder_pan.pos, gripper.pos]}."""
    pipeline: str
    state: dict[str, list[str]] = field(default_factory=dict)
    connect_timeout_s: float = 10.0  # until the first sample
    max_age_s: float = 0.5  # since the newest sample; an older one is an error


@RobotConfig.register_subclass("robocache")
@dataclass(kw_only=True)
class RobocacheConfig(SampleConfig, RobotConfig):
    """For actions the pipeline has an appsrc named commands.

    images: by feature. action: features of a command in the order of its channels; empty: the robot takes none."""
    images: dict[str, ImageConfig] = field(default_factory=dict)
    action: list[str] = field(default_factory=list)


@TeleoperatorConfig.register_subclass("robocache")
@dataclass(kw_only=True)
class RobocacheLeaderConfig(SampleConfig, TeleoperatorConfig):
    """state: the features of actions, as the robot's action names them."""
