# SPDX-License-Identifier: LGPL-2.1-or-later
"""The robot and the teleoperator of LeRobot."""
import numpy as np
from lerobot.robots.robot import Robot
from lerobot.teleoperators.teleoperator import Teleoperator

from robocache.fused import Gst

from .config_robocache import RobocacheConfig, RobocacheLeaderConfig
from .newest import Device


def _float_features(names):
    return {name: float for name in names}


class Robocache(Device, Robot):
    """Its observation has the values that robocachefuse aligned on the newest tick: measured times, not times of arrival."""
    config_class = RobocacheConfig
    name = "robocache"

    def __init__(self, config):
        self._open(config)
        self._commands = None
        Robot.__init__(self, config)

    @property
    def cameras(self):
        """lerobot-record has as many threads for pictures as the robot has cameras."""
        return self.config.images

    @property
    def observation_features(self):
        features = _float_features(name for names in self.config.state.values() for name in names)
        return features | {name: (image.height, image.width, image.channels) for name, image in self.config.images.items()}

    @property
    def action_features(self):
        return _float_features(self.config.action)

    def _prepare(self, pipeline):
        """Finds the appsrc for actions."""
        if not self.config.action:
            return
        source = pipeline.get_by_name("commands")
        if source is None:
            raise ValueError("action has features, and the pipeline has no appsrc named commands")
        names = ",".join(self.config.action)
        caps = Gst.Caps.from_string(f"other/tensors, format=static, num_tensors=1, types=float32, dimensions=(string){len(self.config.action)}, "
                                    "framerate=0/1")
        caps.set_value("channels", names)
        for key, value in (("caps", caps), ("format", Gst.Format.TIME), ("is-live", True), ("do-timestamp", True)):
            source.set_property(key, value)
        self._commands = source

    def get_observation(self):
        return self._values()

    def send_action(self, action):
        self._require_connection()
        if self._commands is None:
            raise ValueError("the robot takes no action: name its features in action")
        row = np.array([action[name] for name in self.config.action], "<f4")
        buffer = Gst.Buffer.new_wrapped(row.tobytes())
        if self._commands.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
            raise ConnectionError("the pipeline refuses the action: it has stopped")
        return {name: float(value) for name, value in zip(self.config.action, row)}

    def disconnect(self):
        self._commands = None
        Device.disconnect(self)


class RobocacheLeader(Device, Teleoperator):
    """A leader arm: its action has the values that robocachefuse aligned on the newest tick."""
    config_class = RobocacheLeaderConfig
    name = "robocache"

    def __init__(self, config):
        self._open(config)
        Teleoperator.__init__(self, config)

    @property
    def action_features(self):
        return _float_features(name for names in self.config.state.values() for name in names)

    @property
    def feedback_features(self):
        return {}

    def get_action(self):
        return self._values()

    def send_feedback(self, feedback):
        """Nothing: the arm takes no feedback."""
