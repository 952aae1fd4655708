#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Topics of robocachefoxglovesink that are made of others, held against them.

    derived.py VIEWTOOL URDF

Reads each message with the definition that the server advertises. Prints PASS or FAIL for each case."""
import asyncio
import io
import pathlib
import struct
import sys
import tempfile

from mcap_ros2._dynamic import generate_dynamic
from viewers import QUEUE, ROBOT, TIMEOUT_S, watch

GRID = 'robocachevoxelize grid=70:60:30 origin=<-3.0,-3.0,-0.5> voxel-size=<0.1,0.1,0.1> {}'
POINTS = ROBOT.format("points", 10, 3, "false") + " ! "
KINEMATICS = ROBOT.format("proprio", 100, 20, "false") + " channels=7 ! robocachekinematics urdf={urdf} joints=q0,q1,q2,q3,q4,q5,q6 "
PICTURES = "videotestsrc num-buffers=5 ! video/x-raw,format={},width=320,height=240,framerate=10/1"
TABLES = {"joints": "q0,q1,q2,q3,q4,q5,q6", "pose": "x,y,z,qx,qy,qz,qw"}
TABLE = "filesrc location={{folder}}/{}.csv ! robocacheparse ! "
SUFFIXES = (".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw")


def decoded(viewer):
    """Messages by topic."""
    messages = {}
    for channel in viewer.channels.values():
        decode = generate_dynamic(channel["schemaName"], channel["schema"])[channel["schemaName"]]
        messages[channel["topic"]] = [decode(data) for _, data in viewer.messages.get(channel["topic"], [])]
    return messages


def stamp_of(message):
    stamp = message.header.stamp if hasattr(message, "header") else message.timestamp
    return stamp.sec, stamp.nanosec


def numbers_of(transform):
    translation, rotation = transform.transform.translation, transform.transform.rotation
    return [translation.x, translation.y, translation.z, rotation.x, rotation.y, rotation.z, rotation.w]


def check_transforms(messages, children):
    rows = messages["/s"]
    assert len(rows) == len(messages["/tf"]) == 20, f"{len(rows)} rows, {len(messages['/tf'])} transforms"
    for row, tf in zip(rows, messages["/tf"]):
        values = dict(zip(row.names, row.values_float32))
        assert [(one.header.frame_id, one.child_frame_id) for one in tf.transforms] == [("frame", child) for child in children], tf
        for one in tf.transforms:
            assert stamp_of(one) == stamp_of(row)
            assert numbers_of(one) == [values[one.child_frame_id + suffix] for suffix in SUFFIXES], one


def check_pose(messages):
    rows = messages["/s"]
    assert len(rows) == len(messages["/tf"]) == 20, f"{len(rows)} rows, {len(messages['/tf'])} transforms"
    for row, tf in zip(rows, messages["/tf"]):
        (one,) = tf.transforms
        position, orientation = row.pose.position, row.pose.orientation
        assert one.child_frame_id == "s" and stamp_of(one) == stamp_of(row)
        assert numbers_of(one) == [position.x, position.y, position.z, orientation.x, orientation.y, orientation.z, orientation.w], one


def check_grid(messages, code, expected_fields):
    """The values of both are the same, where bits become bytes."""
    assert messages["/s"] and messages["/s/voxels"], "no message"
    tensor, grid = messages["/s"][-1], messages["/s/voxels"][-1]
    assert stamp_of(tensor) == stamp_of(grid)
    position = grid.pose.position
    assert (position.x, position.y, position.z, grid.cell_size.x, grid.row_count, grid.column_count) == (-3, -3, -0.5, 0.1, 60, 70), grid
    assert [(field.name, field.offset, field.type) for field in grid.fields] == expected_fields, grid.fields
    data = bytes(tensor.data)
    if code == "bits":
        words = struct.unpack(f"<{len(data) // 4}I", data)
        data = bytes(words[row * 3 + x // 32] >> x % 32 & 1 for row in range(60 * 30) for x in range(70))
    assert bytes(grid.data) == data and any(data), "other voxels"
    cell = len(data) // (70 * 60 * 30)
    assert (grid.cell_stride, grid.row_stride, grid.slice_stride) == (cell, 70 * cell, 70 * 60 * cell), grid


def size_of_jpeg(data):
    """Height, width and number of components, from its frame header."""
    file = io.BytesIO(data)
    assert file.read(2) == b"\xff\xd8", "no JPEG"
    while True:
        marker, size = struct.unpack(">HH", file.read(4))
        if marker in (0xFFC0, 0xFFC2):
            return struct.unpack(">HHB", file.read(6)[1:])
        file.seek(size - 2, io.SEEK_CUR)


def check_pictures(messages, n_components):
    assert messages["/s/compressed"], "no picture"
    for picture in messages["/s/compressed"]:
        assert picture.format == "jpeg" and bytes(picture.data).endswith(b"\xff\xd9")
        assert size_of_jpeg(bytes(picture.data)) == (240, 320, n_components)
        assert stamp_of(picture) in [stamp_of(raw) for raw in messages["/s"]] or len(messages["/s"]) < 5


CASES = {
    "frames": (KINEMATICS + "frames=tool,link6", lambda messages: check_transforms(messages, ["tool", "link6"])),
    "frames beside joints": (TABLE.format("joints") + "robocachekinematics urdf={urdf} frames=tool append=true",
                             lambda messages: check_transforms(messages, ["tool"])),
    "a pose": (TABLE.format("pose") + "identity", check_pose),
    "counts": (POINTS + GRID.format("mode=count"), lambda messages: check_grid(messages, "dense", [("value", 0, 5)])),
    "occupied": (POINTS + GRID.format(""), lambda messages: check_grid(messages, "dense", [("value", 0, 1)])),
    "bits": (POINTS + GRID.format("output=bits"), lambda messages: check_grid(messages, "bits", [("value", 0, 1)])),
    "means": (POINTS + GRID.format("mode=centroid"), lambda messages: check_grid(messages, "dense", [(f"value{i}", 4 * i, 7) for i in range(3)])),
    "RGB": (PICTURES.format("RGB"), lambda messages: check_pictures(messages, 3)),
    "BGRA": (PICTURES.format("BGRA"), lambda messages: check_pictures(messages, 3)),
    "grey": (PICTURES.format("GRAY8"), lambda messages: check_pictures(messages, 1)),
}


def write_tables(folder):
    for name, columns in TABLES.items():
        rows = [f"{k / 100}," + ",".join(str((k + 1) * (i + 1) / 100) for i in range(7)) for k in range(20)]
        pathlib.Path(folder, f"{name}.csv").write_text("\n".join([f"t,{columns}", *rows]) + "\n", encoding="utf-8")


def run(tool, urdf, folder, stream, check):
    launch = (f"robocachefoxglovesink name=s port=0 time-origin=0 image-rate=1000 {QUEUE} sink_0::topic=/s sink_0::frame-id=frame "
              + stream.replace("{urdf}", urdf).replace("{folder}", folder) + " ! s.sink_0")
    check(decoded(asyncio.run(asyncio.wait_for(watch(tool, launch, 2, False, True), TIMEOUT_S))))


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        write_tables(folder)
        for name, (stream, check) in CASES.items():
            try:
                run(sys.argv[1], sys.argv[2], folder, stream, check)
                print(f"PASS {name}")
            except (AssertionError, asyncio.TimeoutError, OSError, KeyError) as error:
                failed += 1
                print(f"FAIL {name}: {str(error)[:500] or type(error).__name__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
