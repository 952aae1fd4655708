#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes messages with rclpy, and compares the streams that robocacherossrc makes of them.

    rclpypeer.py ROSSRCTOOL

Runs in an environment with rclpy (../../recordings/venv.sh), in a network namespace of its own. Prints PASS or FAIL for each type; exits with
77 where a namespace is missing.
"""
import fcntl
import importlib
import importlib.util
import itertools
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time

IN_NAMESPACE = "ROBOCACHE_IN_NAMESPACE"
STAMP = 1500                    # ms after the origin
LIMIT = 60                      # s, for the messages of a run
PACKAGES = ["action_msgs", "geometry_msgs", "lifecycle_msgs", "rcl_interfaces", "rmw_dds_common", "rosgraph_msgs", "sensor_msgs", "service_msgs",
            "std_msgs", "type_description_interfaces", "unique_identifier_msgs"]
# types whose streams are not the numbers of their fields, in order
NO_ROWS = {"CameraInfo", "CompressedImage", "Image", "JointState", "LaserScan", "PointCloud2"}
# by hand: it has fewer packages, and no hashes of types
IS_HUMBLE = os.environ.get("ROS_DISTRO") == "humble"
TIMES = {"std_msgs/Header", "builtin_interfaces/Time", "builtin_interfaces/Duration"}
BYTES = {"int8", "uint8", "octet", "char"}
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def enter():
    """Goes on in a network namespace whose only interface is the loopback interface."""
    if IN_NAMESPACE not in os.environ:
        if subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            print(f"SKIP {os.path.basename(sys.argv[0])}: this process may not have a network namespace of its own")
            sys.exit(77)
        environment = {**os.environ, IN_NAMESPACE: "1", "ROS_DOMAIN_ID": "30", "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        os.execvpe("unshare", ["unshare", "-n", sys.executable, "-B", *sys.argv], environment)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lo:
        flags = struct.unpack("16sh", fcntl.ioctl(lo, SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))[:18])[1]
        fcntl.ioctl(lo, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def messages(stamp):
    """[(message, numbers or hexadecimal digits of its stream)]."""
    from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
    from sensor_msgs.msg import Image, Imu, JointState, NavSatFix, PointCloud2, PointField

    joints = JointState(name=["a", "b"], position=[0.5, 1.0], velocity=[2.0, 3.0], effort=[4.0, 5.0])
    imu = Imu()
    imu.orientation.w = 1.0
    imu.angular_velocity.y, imu.linear_acceleration.z = 0.25, 9.5
    wrench, pose, twist, fix = WrenchStamped(), PoseStamped(), TwistStamped(), NavSatFix()
    wrench.wrench.force.x, wrench.wrench.torque.z = 7.0, -8.0
    pose.pose.position.y, pose.pose.orientation.w = 3.5, 1.0
    twist.twist.linear.x, twist.twist.angular.z = 1.25, -0.5
    fix.latitude, fix.longitude, fix.altitude = 48.5, 9.25, 300.0
    image = Image(height=1, width=2, encoding="rgb8", step=6, data=[1, 2, 3, 4, 5, 6])
    cloud = PointCloud2(height=1, width=1, point_step=12, row_step=12, data=list(struct.pack("<fff", 1, 2, 3)), is_dense=True)
    cloud.fields = [PointField(name=n, offset=4 * i, datatype=PointField.FLOAT32, count=1) for i, n in enumerate("xyz")]
    table = [(joints, "0.5,1,2,3,4,5"), (imu, "0,0,0,1,0,0.25,0,0,0,9.5"), (wrench, "7,0,0,0,0,-8"), (pose, "0,3.5,0,0,0,0,1"),
             (twist, "1.25,0,0,0,0,-0.5"), (fix, f"{fix.status.status},{fix.status.service},48.5,9.25,300,0"), (image, "0102030405060000"), (cloud, struct.pack("<fff", 1, 2, 3).hex())]
    for message, _ in table:
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10 ** 9)
        message.header.frame_id = "f"
    return table


def wait_for_reader(publisher):
    """Whether the publisher has a reader before the time is over. The graph has no event for it in Python."""
    deadline = time.monotonic() + LIMIT
    while publisher.get_subscription_count() == 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    return publisher.get_subscription_count() > 0


def text_of(tool, properties, send, n_buffers=1):
    """What robocacherossrc makes of the first messages that send() publishes."""
    with subprocess.Popen([tool, str(n_buffers), properties], stdout=subprocess.PIPE, text=True) as process:
        try:
            return process.communicate(timeout=LIMIT)[0] if send() else "there is no reader"
        except subprocess.TimeoutExpired:
            return "no buffer came"
        finally:
            process.kill()


def run(node, tool, message, origin, transient):
    """Text of the streams of a topic with one message. A publisher that is transient local sends it before anybody reads."""
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

    durability = DurabilityPolicy.TRANSIENT_LOCAL if transient else DurabilityPolicy.VOLATILE
    publisher = node.create_publisher(type(message), "/ns/x", QoSProfile(depth=1, durability=durability, reliability=ReliabilityPolicy.RELIABLE))
    properties = f"domain=30 topics=/ns/* wait=18446744073709551615 time-origin={origin} max-future=10000000000"
    if transient:
        publisher.publish(message)

    def send():
        if transient:
            return True
        if not wait_for_reader(publisher):
            return False
        publisher.publish(message)
        return True

    text = text_of(tool, properties, send)
    node.destroy_publisher(publisher)
    return text


def run_unknown_type(node, tool):
    """Whether the node tells the definition of rcl_interfaces/msg/Log, which is not built in."""
    assert node.get_publishers_info_by_topic("/rosout"), "the node has no /rosout"
    text = text_of(tool, "domain=30 topics=/rosout wait=18446744073709551615", lambda: True)
    good = re.search(r"/rosout: caps\[other/tensors \S+ \S+ .*level.*\] ", text) is not None
    print("PASS Log_by_get_type_description" if good else f"FAIL Log_by_get_type_description: {text.strip()}")
    return good


def class_of(name):
    package, _, kind = name.partition("/")
    return getattr(importlib.import_module(f"{package}.msg"), kind)


def item_of(base, counter, numbers):
    """A value of a field's type. Numbers that are read go to `numbers`, unless it is None."""
    if "/" in base:
        return filled(class_of(base), counter, numbers)
    if "string" in base:
        return "s"
    number = 1 if base == "boolean" else next(counter) % 100 + 1
    if numbers is not None:
        numbers.append(number)
    return {"boolean": bool, "float": float, "double": float, "octet": lambda n: bytes([n])}.get(base, int)(number)


def filled(cls, counter, numbers):
    """A message with other numbers in all fields, and two items in each sequence."""
    message = cls()
    for field, kind in cls.get_fields_and_field_types().items():
        base, length = re.match(r"(?:sequence<)?([\w/]+)", kind)[1], re.search(r"[\[ ](\d+)[\]>]$", kind)
        is_sequence = kind.startswith("sequence")
        n = min(int(length[1]), 2 if is_sequence else 100) if length else 2 if is_sequence else 1
        is_read = base not in TIMES and not (is_sequence and base in BYTES) and not field.endswith("covariance")
        items = [item_of(base, counter, numbers if is_read else None) for _ in range(n)]
        setattr(message, field, items if is_sequence or length else items[0])
    return message


def example(cls, counter, stamp):
    """A message, and the numbers of its stream."""
    from std_msgs.msg import Header, MultiArrayLayout

    numbers = []
    message = filled(cls, counter, numbers)
    if cls.__name__.endswith("MultiArray"):
        message.layout = MultiArrayLayout()
        numbers = [ord(item) if isinstance(item, bytes) else int(item) for item in message.data]
    if hasattr(message, "header"):
        message.header = Header(frame_id="f")
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10 ** 9)
    return message, ",".join(map(str, numbers))


def run_all_types(node, tool):
    """Whether each type of the packages that has numbers arrives as a stream of them. Publishes all before anybody reads."""
    from rclpy.qos import DurabilityPolicy, QoSProfile

    good, expected, counter, publishers = True, {}, itertools.count(), []
    origin = time.time_ns() // 10 ** 9 * 10 ** 9
    for name in PACKAGES:
        if IS_HUMBLE and importlib.util.find_spec(name) is None:
            print(f"SKIP all/{name}: this distribution has no such package")
            continue
        module = importlib.import_module(f"{name}.msg")
        for cls in (getattr(module, each) for each in dir(module) if each not in NO_ROWS and each[0].isupper()):
            message, numbers = example(cls, counter, origin + STAMP * 10 ** 6)
            if numbers:
                topic = f"/all/{name}/{cls.__name__}"
                expected[topic] = numbers, hasattr(message, "header")
                publishers.append(node.create_publisher(cls, topic, QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)))
                publishers[-1].publish(message)
    text = text_of(tool, f"domain=30 topics=/all/* wait=18446744073709551615 time-origin={origin} max-future=10000000000",
                   lambda: True, len(expected))
    for topic, (numbers, has_stamp) in expected.items():
        found = re.search(rf"{topic}(?:@f)?: caps\[[^;]*\] ([0-9.]+)=(\S+);", text)
        fits = found is not None and found[2] == numbers and (not has_stamp or found[1] == str(STAMP))
        print(f"PASS all{topic[4:]}" if fits else f"FAIL all{topic[4:]}: {found and found[0]}, expected {numbers}")
        good &= fits
    if not good:
        print(text[:20000])
    for publisher in publishers:
        node.destroy_publisher(publisher)
    return good


def main():
    import rclpy

    tool, = sys.argv[1:]
    enter()
    rclpy.init()
    node = rclpy.create_node("peer")
    failed = False
    for transient in (False, True):
        origin = time.time_ns() // 10 ** 9 * 10 ** 9
        for message, expected in messages(origin + STAMP * 10 ** 6):
            name = f"{type(message).__name__}{'_late' if transient else ''}"
            text = run(node, tool, message, origin, transient)
            found = re.search(rf"/ns/x@f: caps\[.*\] {STAMP}=(\S+);", text)
            good = found is not None and found[1] == expected
            print(f"PASS {name}" if good else f"FAIL {name}: {text.strip()}, expected {expected}")
            failed |= not good
    # its service answers while it spins, and it logs
    timer = node.create_timer(0.02, lambda: node.get_logger().warning("a line"))
    spinner = threading.Thread(target=rclpy.spin, args=[node], daemon=True)
    spinner.start()
    failed |= not run_unknown_type(node, tool)
    failed |= not run_all_types(node, tool)
    timer.cancel()
    rclpy.shutdown()
    spinner.join()
    return failed


if __name__ == "__main__":
    sys.exit(main())
