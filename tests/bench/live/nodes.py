# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nodes of rclpy for figures: a publisher, and receivers that print what receive.c prints.

    nodes.py publish SECONDS | subscribe SECONDS | approximate SECONDS

approximate needs the folder of message_filters (one file of Python, ros2/message_filters at 361e42c7) on PYTHONPATH.
"""
import array
import resource
import sys
import time

import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image, Imu, JointState, PointCloud2, PointField

# the publisher keeps messages of two seconds
RELIABLE, BEST = QoSProfile(depth=2000, reliability=ReliabilityPolicy.RELIABLE), QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
N_POINTS, SLOP = 100_000, 0.05
# topic: (type, Hz, quality of service)
TOPICS = {"/joints": (JointState, 1000, RELIABLE), "/imu": (Imu, 400, RELIABLE), "/image": (Image, 30, BEST), "/points": (PointCloud2, 10, BEST)}


def make_messages():
    """One of each topic, and how to number it."""
    joints = JointState(name=[f"q{i}" for i in range(14)], position=[0.0] * 14)
    image = Image(height=480, width=640, encoding="rgb8", step=1920, data=array.array("B", bytes(640 * 480 * 3)))
    cloud = PointCloud2(height=1, width=N_POINTS, point_step=16, row_step=16 * N_POINTS, is_dense=True, data=array.array("B", bytes(16 * N_POINTS)))
    cloud.fields = [PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1) for i, name in enumerate(("x", "y", "z", "intensity"))]
    return {"/joints": joints, "/imu": Imu(), "/image": image, "/points": cloud}


def set_number(message, number):
    if isinstance(message, JointState):
        message.position[0] = float(number)
    elif isinstance(message, Imu):
        message.orientation.x = float(number)
    else:
        message.data[:4] = array.array("B", number.to_bytes(4, "little"))


def number_of(message):
    if isinstance(message, JointState):
        return int(message.position[0])
    if isinstance(message, Imu):
        return int(message.orientation.x)
    return int.from_bytes(bytes(message.data[:4]), "little")


def publish(node, seconds):
    messages = make_messages()
    publishers = {topic: node.create_publisher(kind, topic, qos) for topic, (kind, _, qos) in TOPICS.items()}
    start, numbers = time.monotonic(), dict.fromkeys(TOPICS, 0)
    while time.monotonic() < start + seconds:
        topic = min(TOPICS, key=lambda one: numbers[one] / TOPICS[one][1])
        time.sleep(max(0, start + numbers[topic] / TOPICS[topic][1] - time.monotonic()))
        message = messages[topic]
        set_number(message, numbers[topic])
        numbers[topic] += 1
        message.header.frame_id = "f"
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 10**9)
        publishers[topic].publish(message)


class Figures:
    """Of messages from the first one on."""

    def __init__(self):
        self.cpu = None
        self.delays, self.lost, self.next = {topic: [] for topic in TOPICS}, dict.fromkeys(TOPICS, 0), {}

    def note(self, topic, message):
        self.begin()
        stamp = message.header.stamp
        self.delays[topic].append((time.time_ns() - stamp.sec * 10**9 - stamp.nanosec) / 1000)
        number = number_of(message)
        self.lost[topic] += max(number - self.next.get(topic, number), 0)
        self.next[topic] = number + 1

    def begin(self):
        if self.cpu is None:
            self.cpu = cpu_seconds()

    def show(self, n_received=None):
        cpu = cpu_seconds() - (self.cpu or 0)
        for topic, delays in self.delays.items():
            delays.sort()
            print(topic, len(delays), self.lost[topic], *(f"{delays[(len(delays) - 1) * p // 100] if delays else 0:.1f}" for p in (50, 99)))
        print(f"cpu {cpu * 1e6 / max(n_received or sum(map(len, self.delays.values())), 1):.2f}")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def receive(node, seconds, is_synchronized):
    figures, received = Figures(), [0]

    def count(_):
        figures.begin()
        received[0] += 1

    if is_synchronized:
        import message_filters

        filters = [message_filters.Subscriber(node, kind, topic, qos_profile=qos) for topic, (kind, _, qos) in TOPICS.items()]
        for each in filters:
            each.registerCallback(count)
        together = message_filters.ApproximateTimeSynchronizer(filters, 100, SLOP)
        together.registerCallback(lambda *messages: [figures.note(topic, message) for topic, message in zip(TOPICS, messages)])
    else:
        for topic, (kind, _, qos) in TOPICS.items():
            node.create_subscription(kind, topic, lambda message, topic=topic: figures.note(topic, message), qos)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    figures.show(received[0])


def main():
    rclpy.init()
    node = rclpy.create_node(sys.argv[1])
    if sys.argv[1] == "publish":
        publish(node, float(sys.argv[2]))
    else:
        receive(node, float(sys.argv[2]), sys.argv[1] == "approximate")


if __name__ == "__main__":
    main()
