#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what robocacherossink publishes with rclpy: the lists of topics, nodes and publishers, values, and commands after a pause.

    rclpyreader.py

Runs in the environment of ../rossrc/rclpypeer.py. Prints PASS or FAIL for each case; exits with 77 where a namespace is missing.
"""
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rossrc"))
from rclpypeer import IS_HUMBLE, enter  # noqa: E402

ORIGIN = 1_700_000_000
PAUSE = 1.0                     # s
MAX_AGE = 0.5                   # s, of a command when it is taken: two periods, and what a busy machine adds
DEADLINE = 60                   # s
READER = "--reader"
LIFESPAN = 20_000_000           # ns: two periods of the commands

# Header of a CSV file, settings of its pad, package, type, and what its last message has; rows count from 1.
ROWS = [
    ("a.position,b.position", "", "sensor_msgs", "JointState", lambda m: (list(m.name), list(m.position)) == (["a", "b"], [3, 4])),
    ("fx,fy,fz,tx,ty,tz", "", "geometry_msgs", "WrenchStamped", lambda m: (m.wrench.force.x, m.wrench.torque.z) == (7, 12)),
    ("x,y,z,qx,qy,qz,qw", "", "geometry_msgs", "PoseStamped", lambda m: (m.pose.position.x, m.pose.orientation.w) == (8, 14)),
    ("qx,qy,qz,qw,gx,gy,gz,ax,ay,az", "", "sensor_msgs", "Imu",
     lambda m: (m.orientation.x, m.angular_velocity.x, m.linear_acceleration.z) == (11, 15, 20)),
    ("wx,wy,wz,vx,vy,vz", "message=twist", "geometry_msgs", "TwistStamped", lambda m: (m.twist.linear.x, m.twist.angular.x) == (10, 7)),
    ("a,b,c", "message=float64-multi-array", "std_msgs", "Float64MultiArray", lambda m: list(m.data) == [4, 5, 6]),
]
# Launch lines in place of a file.
STREAMS = [
    ("videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=RGB,width=4,height=2", "sensor_msgs", "Image",
     lambda m: (m.width, m.height, m.encoding, bytes(m.data)) == (4, 2, "rgb8", b"\xff" * 24)),
    ("robocachetestsrc kind=points channels=20 num-buffers=1", "sensor_msgs", "PointCloud2",
     lambda m: (m.width, len(m.data)) == (20, 20 * m.point_step)),
]


def pipeline(folder):
    """Launch line of all streams, each on /left/tN, with commands on /left/commands, and [(topic, package, type, check)]."""
    words, topics = [], []
    for header, settings, package, kind, check in ROWS:
        n, path = header.count(",") + 1, folder / f"{len(topics)}.csv"
        lines = [",".join(map(str, [t] + [1 + t * 100 * n + i for i in range(n)])) for t in (0, 0.01)]
        path.write_text("\n".join(["t," + header] + [line.replace(".0,", ",") for line in lines]) + "\n", encoding="utf-8")
        words.append(f"filesrc location={path} ! robocacheparse ! ros.sink_{len(topics)}")
        topics.append((f"/left/t{len(topics)}", package, kind, check, settings))
    for launch, package, kind, check in STREAMS:
        words.append(f"{launch} ! ros.sink_{len(topics)}")
        topics.append((f"/left/t{len(topics)}", package, kind, check, ""))
    pads = [f"sink_{i}::topic=t{i} sink_{i}::durability=transient-local sink_{i}::frame-id=f" + (f" sink_{i}::{topic[4]}" if topic[4] else "")
            for i, topic in enumerate(topics)]
    n = len(topics)
    pads.append(f"sink_{n}::topic=commands sink_{n}::command=true sink_{n}::message=float64-multi-array")
    words.append(f"robocachetestsrc is-live=true rate=100/1 channels=3 ! ros.sink_{n}")
    line = f"robocacherossink name=ros namespace=/left node-name=robo time-origin={ORIGIN * 10 ** 9} " + " ".join(pads + words)
    return line, [topic[:4] for topic in topics]


def report(name, good, text=""):
    print(f"PASS {name}" if good else f"FAIL {name}: {text}", flush=True)
    return good


def wait(node, condition):
    import rclpy

    end = time.monotonic() + DEADLINE
    while not condition() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return condition()


def check_values(node, topics):
    from rclpy.qos import DurabilityPolicy, QoSProfile

    good, last = True, {}
    for topic, package, kind, _ in topics:
        message = getattr(__import__(f"{package}.msg", fromlist=[kind]), kind)
        node.create_subscription(message, topic, lambda m, topic=topic: last.__setitem__(topic, m),
                                 QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    for topic, _, kind, check in topics:
        wait(node, lambda: topic in last and check(last[topic]))
        good &= report(f"values_{kind}", topic in last and check(last[topic]), last.get(topic))
        if hasattr(last.get(topic), "header"):
            header = last[topic].header
            good &= report(f"header_{kind}", header.stamp.sec == ORIGIN and header.frame_id == "f", header)
    return good


def check_lists(node, topics):
    types = {name: kinds for name, kinds in node.get_topic_names_and_types()}
    good = report("topic_list", all(types.get(topic) == [f"{package}/msg/{kind}"] for topic, package, kind, _ in topics), types)
    good &= report("node_list", wait(node, lambda: ("robo", "/left") in node.get_node_names_and_namespaces()), node.get_node_names_and_namespaces())
    owned = dict(node.get_publisher_names_and_types_by_node("robo", "/left"))
    good &= report("node_info", {topic[0] for topic in topics} | {"/left/commands"} <= set(owned), owned)
    for topic, _, kind, _ in topics:
        theirs, ours = node.get_publishers_info_by_topic(topic), node.get_subscriptions_info_by_topic(topic)
        good &= report(f"publisher_{kind}", len(theirs) == 1 and (theirs[0].node_name, theirs[0].node_namespace) == ("robo", "/left")
                       and (IS_HUMBLE or theirs[0].topic_type_hash == ours[0].topic_type_hash) and theirs[0].qos_profile.durability.name == "TRANSIENT_LOCAL",
                       [str(each) for each in theirs + ours])
    qos = node.get_publishers_info_by_topic("/left/commands")[0].qos_profile
    found = (qos.reliability.name, qos.durability.name, qos.lifespan.nanoseconds)
    return good & report("command_qos", found == ("RELIABLE", "VOLATILE", LIFESPAN), qos)


def read_commands(kind):
    """The reader that is paused, which keeps one command or those within their lifespan: prints the age of each in seconds."""
    import rclpy
    from rclpy.duration import Duration
    from rclpy.qos import QoSProfile
    from std_msgs.msg import Float64MultiArray

    qos = {"depth": QoSProfile(depth=1), "lifespan": QoSProfile(depth=100, lifespan=Duration(nanoseconds=LIFESPAN))}[kind]

    rclpy.init()
    node = rclpy.create_node("controller")

    def take(_, info):
        print((time.time_ns() - info["source_timestamp"]) / 1e9, flush=True)

    node.create_subscription(Float64MultiArray, "/left/commands", take, qos)
    rclpy.spin(node)


def check_pause(kind):
    with subprocess.Popen([sys.executable, "-B", __file__, READER, kind], stdout=subprocess.PIPE, text=True) as reader:
        # its output ends then
        limit = threading.Timer(DEADLINE, reader.kill)
        limit.start()
        for _ in range(10):
            reader.stdout.readline()
        reader.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE)
        reader.send_signal(signal.SIGCONT)
        ages = [float(line) for line in itertools.islice(reader.stdout, 100)]
        limit.cancel()
        reader.kill()
    n_stale = sum(age >= MAX_AGE for age in ages)
    # the reader may be stopped between taking a command and printing its age
    return report(f"paused_reader_of_{kind}", len(ages) == 100 and n_stale <= 1, f"{n_stale} of {len(ages)} commands are older than {MAX_AGE} s")


def main():
    import rclpy

    if sys.argv[1:2] == [READER]:
        return read_commands(sys.argv[2])
    enter()
    with tempfile.TemporaryDirectory() as folder:
        line, topics = pipeline(pathlib.Path(folder))
        with subprocess.Popen(["gst-launch-1.0", "-q", *line.split()], env={**os.environ}) as publisher:
            rclpy.init()
            node = rclpy.create_node("watcher")
            good = check_values(node, topics)
            good &= check_lists(node, topics)
            good &= check_pause("depth")
            good &= check_pause("lifespan")
            good &= report("publisher_lives", publisher.poll() is None, publisher.returncode)
            publisher.kill()
        rclpy.shutdown()
    return not good


if __name__ == "__main__":
    sys.exit(main())
