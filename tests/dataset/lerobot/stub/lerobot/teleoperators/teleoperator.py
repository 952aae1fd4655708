# SPDX-License-Identifier: LGPL-2.1-or-later
"""What LeRobot asks of a teleoperator: these methods, with these parameters."""
import abc


class Teleoperator(abc.ABC):
    def __init__(self, config):
        self.id = config.id

    def __str__(self):
        return f"{self.id} {self.__class__.__name__}"

    @property
    @abc.abstractmethod
    def action_features(self): ...

    @property
    @abc.abstractmethod
    def feedback_features(self): ...

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
    def get_action(self): ...

    @abc.abstractmethod
    def send_feedback(self, feedback): ...

    @abc.abstractmethod
    def disconnect(self): ...
