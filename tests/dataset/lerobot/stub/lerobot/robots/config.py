# SPDX-License-Identifier: LGPL-2.1-or-later
"""What lerobot 0.6.2 has of a robot's settings, as far as a robot needs it."""
from dataclasses import dataclass
from pathlib import Path

VERSION = "0.6.2"
_subclasses = {}


@dataclass(kw_only=True)
class RobotConfig:
    id: "str | None" = None
    calibration_dir: "Path | None" = None

    @classmethod
    def register_subclass(cls, name):
        def register(subclass):
            _subclasses[name] = subclass
            return subclass
        return register

    @classmethod
    def get_choice_class(cls, name):
        return _subclasses[name]
