# SPDX-License-Identifier: LGPL-2.1-or-later
"""What draccus has of a registry of settings."""


class ChoiceRegistry:
    def __init_subclass__(cls):
        # each of LeRobot's own classes has names of its own
        if ChoiceRegistry in cls.__bases__:
            cls.choices = {}

    @classmethod
    def register_subclass(cls, name):
        def register(subclass):
            cls.choices[name] = subclass
            return subclass
        return register

    @classmethod
    def get_choice_class(cls, name):
        return cls.choices[name]
