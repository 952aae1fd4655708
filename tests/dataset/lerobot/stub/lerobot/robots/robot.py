# SPDX-License-Identifier: LGPL-2.1-or-later
"""What LeRobot asks of a robot: these methods, with these parameters."""
import abc


class Robot(abc.ABC):
    def __init__(self, config):
        self.robot_type = self.name
        self.id = config.id

    def __str__(self):
        return f"{self.id} {self.__class__.__name__}"

    @property
    @abc.abstractmethod
    def observation_features(self): ...

    @property
    @abc.abstractmethod
    def action_features(self): ...

    @property
    @abc.abstractmethod
    def is_connected(self): ...

    @abc.abstractmethod
    def connect(self, calibrate=True): ...

    @property
    @abc.abstractmethod
    def is_calibrated(self): ...

    @abc.abstractmethod
    def calibrate(self): ...

    @abc.abstractmethod
    def configure(self): ...

    @abc.abstractmethod
    def get_observation(self): ...

    @abc.abstractmethod
    def send_action(self, action): ...

    @abc.abstractmethod
    def disconnect(self): ...
