# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: the synchronizer of the benchmark makes the sets that message_filters makes."""
from synchronizer import Synchronizer

# (messages that wait, slop, [(topic, time)], sets of times of the topics a and b)
SETS = {
    "equal times": (10, 0, [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("b", 3)], [(1, 1), (3, 3)]),
    "unequal times": (10, 0, [("a", 1), ("b", 2)], []),
    "the nearest": (10, 5, [("a", 1), ("a", 4), ("b", 5)], [(4, 5)]),
    "the slop itself is too far": (10, 5, [("a", 1), ("b", 6)], []),
    "the earlier of two": (10, 5, [("a", 4), ("a", 6), ("b", 5)], [(4, 5)]),
    "each once": (10, 5, [("a", 1), ("b", 2), ("b", 3)], [(1, 2)]),
    "late": (10, 5, [("a", 9), ("a", 1), ("b", 2)], [(1, 2)]),
    "no room": (1, 5, [("a", 1), ("a", 9), ("b", 2)], []),
}


def sets(size, slop, messages, expected):
    found = []
    synchronizer = Synchronizer(["a", "b"], size, slop, lambda taken: found.append((taken["a"], taken["b"])))
    for topic, time in messages:
        synchronizer.add(topic, time, time)
    yield "sets", found, expected


def cases(_):
    yield from ((f"synchronizer {name}", sets, *row) for name, row in SETS.items())
