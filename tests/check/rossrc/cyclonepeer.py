#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes and reads messages with the Python package of Cyclone DDS, which knows nothing of ROS 2 but the names: both ways, values are equal.

    cyclonepeer.py ROSSRCTOOL

Runs in an environment with cyclonedds (../../recordings/venv.sh), in a network namespace of its own. Prints PASS or FAIL for each case; exits
with 77 where a namespace is missing.
"""
import dataclasses
import os
import re
import subprocess
import sys
import tempfile
import time
from types import new_class

from rclpypeer import LIMIT, STAMP, enter, text_of

# A bare interface for both; the loopback interface is not chosen by itself.
CONFIG = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces></General><Discovery>
<ParticipantIndex>auto</ParticipantIndex><SPDPInterval>1 s</SPDPInterval><Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>"""
DOMAIN = 30
TRANSIENT = "durability=transient-local"


def define():
    """Messages of ROS 2 as types of IDL: {name: type}."""
    from cyclonedds.idl import IdlStruct
    from cyclonedds.idl.types import float64, int32, sequence, uint8, uint32

    types = {}

    def make(package, name, /, **fields):
        space = {"__annotations__": fields, "__module__": __name__}
        idl = new_class(name, (IdlStruct,), {"typename": f"{package}::msg::dds_::{name}_"}, lambda body: body.update(space))
        types[name] = dataclasses.dataclass(idl)
        return types[name]

    stamp = make("builtin_interfaces", "Time", sec=int32, nanosec=uint32)
    header = make("std_msgs", "Header", stamp=stamp, frame_id=str)
    vector = make("geometry_msgs", "Vector3", x=float64, y=float64, z=float64)
    wrench = make("geometry_msgs", "Wrench", force=vector, torque=vector)
    make("geometry_msgs", "WrenchStamped", header=header, wrench=wrench)
    numbers = sequence[float64]
    make("sensor_msgs", "JointState", header=header, name=sequence[str], position=numbers, velocity=numbers, effort=numbers)
    make("sensor_msgs", "Image", header=header, height=uint32, width=uint32, encoding=str, is_bigendian=uint8, step=uint32, data=sequence[uint8])
    return types


def messages(types, stamp):
    """[(type, message, text of its stream)]."""
    header = types["Header"](types["Time"](*divmod(stamp, 10 ** 9)), "f")
    vector = types["Vector3"]
    return [
        ("geometry_msgs/WrenchStamped", types["WrenchStamped"](header, types["Wrench"](vector(7.0, 0.0, 0.0), vector(0.0, 0.0, -8.0))), "7,0,0,0,0,-8"),
        ("sensor_msgs/JointState", types["JointState"](header, ["a", "b"], [0.5, 1.0], [2.0, 3.0], []), "0.5,1,2,3"),
        ("sensor_msgs/Image", types["Image"](header, 1, 2, "rgb8", 0, 6, [1, 2, 3, 4, 5, 6]), "0102030405060000"),
    ]


def qos():
    from cyclonedds.core import Policy, Qos
    from cyclonedds.util import duration

    return Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.TransientLocal, Policy.History.KeepLast(10))


def check_source(participant, tool, message, expected, origin):
    from cyclonedds.pub import DataWriter
    from cyclonedds.topic import Topic

    writer = DataWriter(participant, Topic(participant, "rt/ns/x", type(message)), qos=qos())
    writer.write(message)
    text = text_of(tool, f"domain={DOMAIN} topics=/ns/* wait=18446744073709551615 time-origin={origin} max-future=10000000000", lambda: True)
    found = re.search(rf"/ns/x@f: caps\[.*\] {STAMP}=(\S+);", text)
    return None if found and found[1] == expected else f"{text.strip()}, expected {expected}"


def check_sink(participant, types, folder):
    """A wrench of a file, as robocacherossink publishes it."""
    from cyclonedds.sub import DataReader
    from cyclonedds.topic import Topic

    path = os.path.join(folder, "wrench.csv")
    with open(path, "w", encoding="ascii") as file:
        file.write("t_s,fx,fy,fz,tx,ty,tz\n0,1,2,3,4,5,6\n10,1,2,3,4,5,7\n")
    reader = DataReader(participant, Topic(participant, "rt/force", types["WrenchStamped"]), qos=qos())
    line = f"robocacherossink domain={DOMAIN} sink_0::topic=/force sink_0::{TRANSIENT} sink_0::frame-id=f time-origin=1700000000000000000 name=ros"
    with subprocess.Popen(["gst-launch-1.0", "-q", *line.split(), "filesrc", f"location={path}", "!", "robocacheparse", "!", "ros.sink_0"]) as publisher:
        end, taken = time.monotonic() + LIMIT, []
        while not taken and time.monotonic() < end:
            taken = reader.take(1)
            time.sleep(0.01)
        publisher.kill()
    if not taken:
        return "no message came"
    got = (taken[0].header.stamp.sec, taken[0].header.frame_id, taken[0].wrench.force.x, taken[0].wrench.torque.z)
    return None if got == (1700000000, "f", 1.0, 6.0) else str(taken[0])


def main():
    tool, = sys.argv[1:]
    enter()
    # opens sockets of its own
    from cyclonedds.domain import Domain, DomainParticipant

    domain = Domain(DOMAIN, CONFIG)
    participant, types = DomainParticipant(DOMAIN), define()
    origin = time.time_ns() // 10 ** 9 * 10 ** 9
    faults = {name: check_source(participant, tool, message, expected, origin)
              for name, message, expected in messages(types, origin + STAMP * 10 ** 6)}
    with tempfile.TemporaryDirectory() as folder:
        faults["robocacherossink"] = check_sink(participant, types, folder)
    for name, fault in faults.items():
        print(f"FAIL {name}: {fault}" if fault else f"PASS {name}")
    del participant, domain
    return any(faults.values())


if __name__ == "__main__":
    sys.exit(main())
