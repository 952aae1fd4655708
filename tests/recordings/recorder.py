#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings of robocachemcapmux and robocachemcapsink, read by official readers: mcap, mcap-ros2-support and rosbags.

    recorder.py

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np
from rosbags.highlevel import AnyReader

from mcapplan import run_cases
from pipelines import has_elements, launch, raw_rows, read, stamp_of

ARRAYS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64")


def values_of_row(decoded):
    """(dtype, values) of a robocache_msgs/Row; only one array may be used."""
    used = [name for name in ARRAYS if len(getattr(decoded, f"values_{name}"))]
    assert len(used) <= 1, used
    return (used[0], list(getattr(decoded, f"values_{used[0]}"))) if used else (None, [])


def record(folder, source, pad_settings="", sink_settings=""):
    """A file of one source, whose data also go to a raw file: (recording, path of that)."""
    path, raw = Path(folder, "run.mcap"), Path(folder, "raw")
    launch(f"robocachemcapsink name=record location={path} overwrite=true sync-interval=0 {pad_settings} {sink_settings}",
           f"{source} ! tee name=split ! queue ! record.sink_0 split. ! queue ! filesink location={raw}")
    return read(path), raw


# ---- cases: generators of (what, got, expected) ----

def joints(folder):
    recording, raw = record(folder, "robocachetestsrc kind=proprio num-buffers=200 channels=7", "sink_0::topic=/joint_states")
    rows = raw_rows(raw, 7)
    yield "type", recording.type_of("/joint_states"), "sensor_msgs/msg/JointState"
    messages = [decoded for _, decoded in recording.of("/joint_states")]
    yield "names", {tuple(m.name) for m in messages}, {tuple(f"q{i}" for i in range(7))}
    yield "positions", np.array([m.position for m in messages]).tolist(), rows.astype(float).tolist()
    yield "velocities", {len(m.velocity) + len(m.effort) for m in messages}, {0}
    yield "stamps", recording.stamps("/joint_states"), [i * 10**7 for i in range(200)]
    yield "times", [(m.log_time, m.publish_time) for m, _ in recording.of("/joint_states")], [(i * 10**7,) * 2 for i in range(200)]
    yield "sequence", [m.sequence for m, _ in recording.of("/joint_states")], list(range(200))
    yield "rosbags", [list(m.position) for m in recording.rosbags_messages("/joint_states")], rows.astype(float).tolist()
    yield "dtype", recording.channels["/joint_states"].metadata["dtype"], "float32"
    yield "qos", "reliability" in recording.channels["/joint_states"].metadata["offered_qos_profiles"], True
    yield "profile", recording.header.profile, "ros2"


def imu(folder):
    recording, raw = record(folder, "robocachetestsrc kind=imu num-buffers=100", "sink_0::topic=/imu sink_0::frame-id=imu_link")
    rows = raw_rows(raw, 10).astype(float)
    yield "type", recording.type_of("/imu"), "sensor_msgs/msg/Imu"
    got = [[*map(m.orientation.__getattribute__, "xyzw"), *map(m.angular_velocity.__getattribute__, "xyz"),
            *map(m.linear_acceleration.__getattribute__, "xyz")] for _, m in recording.of("/imu")]
    yield "values", got, rows.tolist()
    yield "frame", {m.header.frame_id for _, m in recording.of("/imu")}, {"imu_link"}
    yield "rosbags", [m.linear_acceleration.z for m in recording.rosbags_messages("/imu")], rows[:, 9].tolist()


def wrench(folder):
    recording, raw = record(folder, "robocachetestsrc kind=force num-buffers=100")
    yield "type", recording.type_of("/sink_0"), "geometry_msgs/msg/WrenchStamped"
    got = [[*map(m.wrench.force.__getattribute__, "xyz"), *map(m.wrench.torque.__getattribute__, "xyz")]
           for _, m in recording.of("/sink_0")]
    yield "values", got, raw_rows(raw, 6).astype(float).tolist()


def pose(folder):
    lines = [[t / 100, *(t * k / 10 for k in range(7))] for t in range(50)]
    path = Path(folder, "pose.csv")
    path.write_text("t,x,y,z,qx,qy,qz,qw\n" + "".join(",".join(map(str, line)) + "\n" for line in lines), encoding="ascii")
    recording, raw = record(folder, f"filesrc location={path} ! robocacheparse")
    yield "type", recording.type_of("/sink_0"), "geometry_msgs/msg/PoseStamped"
    got = [[*map(m.pose.position.__getattribute__, "xyz"), *map(m.pose.orientation.__getattribute__, "xyzw")]
           for _, m in recording.of("/sink_0")]
    yield "values", got, raw_rows(raw, 7).astype(float).tolist()


def rows_of_other_names(folder):
    path = Path(folder, "x.csv")
    path.write_text("t,alpha,beta\n" + "".join(f"{100 + t / 10},{t},{-t / 3}\n" for t in range(30)), encoding="ascii")
    recording, raw = record(folder, f"filesrc location={path} ! robocacheparse")
    yield "type", recording.type_of("/sink_0"), "robocache_msgs/msg/Row"
    messages = [m for _, m in recording.of("/sink_0")]
    yield "names", {tuple(m.names) for m in messages}, {("alpha", "beta")}
    yield "values", [values_of_row(m) for m in messages], [("float32", row) for row in raw_rows(raw, 2).tolist()]
    # the parser says what time of its clock running time 0 is
    yield "stamps", recording.stamps("/sink_0"), [100 * 10**9 + i * 10**8 for i in range(30)]
    yield "clock", dict(recording.metadata)["robocache.recording"]["clock"], "origin"
    yield "rosbags", [list(m.values_float32) for m in recording.rosbags_messages("/sink_0")], raw_rows(raw, 2).tolist()


NUMPY = {"int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32,
         "int64": np.int64, "uint64": np.uint64, "float16": np.uint16, "bfloat16": np.uint16, "float32": np.float32,
         "float64": np.float64}


def tensor_source(folder, dtype, dims, frames, types=None):
    """A source of random bytes as other/tensors, one buffer every 20 ms."""
    count = int(np.prod([int(d) for d in dims.split(":")]))
    size = count * NUMPY[dtype]().itemsize
    data = np.random.default_rng(5).integers(0, 256, size * frames, dtype=np.uint8)
    # NaNs do not equal themselves
    if dtype in ("float32", "float64"):
        data = np.random.default_rng(5).normal(size=count * frames).astype(NUMPY[dtype]).view(np.uint8)
    path = Path(folder, "tensors")
    data.tofile(path)
    caps = f"other/tensors,format=static,num_tensors=1,types={dtype},dimensions=(string){dims},framerate=50/1"
    # rawvideo gives the times: each buffer a line of bytes
    return (f"filesrc location={path} blocksize={size} ! video/x-raw,format=GRAY8,width={size},height=1,framerate=50/1 "
            f"! rawvideoparse format=gray8 width={size} height=1 framerate=50/1 ! capssetter replace=true join=false caps={caps}"), \
        data.view(NUMPY[dtype]).reshape(frames, -1)


def rows_of_every_dtype(folder):
    for dtype in NUMPY:
        source, expected = tensor_source(folder, dtype, "4", 20)
        recording, _ = record(folder, source)
        yield f"type of {dtype}", recording.type_of("/sink_0"), "robocache_msgs/msg/Row"
        yield dtype, [values_of_row(m) for _, m in recording.of("/sink_0")], [(dtype, row) for row in expected.tolist()]
        yield f"stamps of {dtype}", recording.stamps("/sink_0"), [i * 20_000_000 for i in range(20)]


def blocks(folder):
    """A message a row, or a block."""
    source, expected = tensor_source(folder, "float32", "3:10", 20)
    recording, _ = record(folder, source)
    yield "rows", [values_of_row(m)[1] for _, m in recording.of("/sink_0")], expected.reshape(-1, 3).tolist()
    yield "stamps", recording.stamps("/sink_0"), [i * 2_000_000 for i in range(200)]
    recording, _ = record(folder, source, sink_settings="keep-buffers=true")
    yield "blocks", [values_of_row(m)[1] for _, m in recording.of("/sink_0")], expected.tolist()
    yield "stamps of blocks", recording.stamps("/sink_0"), [i * 20_000_000 for i in range(20)]
    yield "durations", {m.duration for _, m in recording.of("/sink_0")}, {20_000_000}


def tensors(folder):
    source, expected = tensor_source(folder, "int16", "3:4:2", 10)
    recording, _ = record(folder, source)
    yield "type", recording.type_of("/sink_0"), "robocache_msgs/msg/Tensor"
    messages = [m for _, m in recording.of("/sink_0")]
    yield "dims", {(m.dtype, tuple(m.dims), m.name) for m in messages}, {("int16", (3, 4, 2), "")}
    yield "data", [np.frombuffer(bytes(m.data), np.int16).tolist() for m in messages], expected.tolist()


def clouds(folder):
    recording, raw = record(folder, "robocachetestsrc kind=points channels=500 num-buffers=20")
    yield "type", recording.type_of("/sink_0"), "sensor_msgs/msg/PointCloud2"
    for _, m in recording.of("/sink_0"):
        yield "layout", (m.height, m.width, m.point_step, m.row_step, m.is_bigendian), (1, 500, 16, 8000, False)
        yield "fields", [(f.name, f.offset, f.datatype, f.count) for f in m.fields], \
            [(name, 4 * i, 7, 1) for i, name in enumerate(("x", "y", "z", "intensity"))]
    yield "data", b"".join(bytes(m.data) for _, m in recording.of("/sink_0")), raw.read_bytes()
    yield "rosbags", sum(len(m.data) for m in recording.rosbags_messages("/sink_0")), raw.stat().st_size


# format: (encoding, bytes a pixel)
FORMATS = {"RGB": ("rgb8", 3), "BGR": ("bgr8", 3), "RGBA": ("rgba8", 4), "BGRA": ("bgra8", 4), "GRAY8": ("mono8", 1),
           "GRAY16_LE": ("mono16", 2), "GRAY16_BE": ("mono16", 2), "UYVY": ("uyvy", 2), "YUY2": ("yuyv", 2)}


def pictures(folder):
    """Every format, also of a width whose lines are padded."""
    for name, (encoding, size) in FORMATS.items():
        for width in (32, 30):
            recording, raw = record(folder, f"videotestsrc num-buffers=3 pattern=smpte ! "
                                    f"video/x-raw,format={name},width={width},height=8,framerate=30/1")
            messages = [m for _, m in recording.of("/sink_0")]
            yield f"{name} {width}", {(m.encoding, m.width, m.height, m.is_bigendian) for m in messages}, \
                {(encoding, width, 8, int(name == "GRAY16_BE"))}
            yield f"bytes of {name} {width}", b"".join(bytes(m.data) for m in messages), raw.read_bytes()
            yield f"step of {name} {width}", {m.step * m.height == len(m.data) and m.step >= width * size for m in messages}, {True}
    yield "stamps", recording.stamps("/sink_0"), [0, 33333333, 66666666]


def compressed_pictures(folder):
    for encoder, name, start in (("jpegenc", "jpeg", b"\xff\xd8"), ("pngenc", "png", b"\x89PNG")):
        if not has_elements(encoder):
            continue
        recording, raw = record(folder, f"videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48,framerate=30/1 ! {encoder}")
        messages = [m for _, m in recording.of("/sink_0")]
        yield f"{name} type", recording.type_of("/sink_0"), "sensor_msgs/msg/CompressedImage"
        yield f"{name} format", {m.format for m in messages}, {name}
        yield name, b"".join(bytes(m.data) for m in messages), raw.read_bytes()
        yield f"{name} start", all(bytes(m.data).startswith(start) for m in messages), True
    yield "stamps", len(recording.of("/sink_0")), 5


ENCODERS = {
    "h264": ("x264enc", "x264enc key-int-max=10 tune=zerolatency", "x264enc key-int-max=10 bframes=2"),
    "h265": ("x265enc", "x265enc key-int-max=10 option-string=bframes=0", "x265enc key-int-max=10 option-string=bframes=3"),
}


def nal_types(data, codec):
    """The types of the NAL units of Annex B."""
    starts = [i + 3 for i in range(len(data) - 3) if data[i:i + 3] == b"\0\0\1"]
    return [data[i] & 0x1f if codec == "h264" else data[i] >> 1 & 0x3f for i in starts]


def video(folder):
    """One frame a message, with parameter sets at every key frame; B-frames are refused."""
    for codec, (element, encoder, with_b) in ENCODERS.items():
        if not has_elements(element, f"{codec}parse"):
            continue
        source = "videotestsrc num-buffers=40 ! video/x-raw,format=I420,width=64,height=48,framerate=30/1"
        stream = f"video/x-{codec},stream-format=byte-stream,alignment=au"
        for interval in (-1, 0):
            recording, raw = record(folder, f"{source} ! {encoder} ! {codec}parse config-interval={interval} ! {stream}")
            messages = [m for _, m in recording.of("/sink_0")]
            yield f"{codec} type", recording.type_of("/sink_0"), "foxglove_msgs/msg/CompressedVideo"
            yield f"{codec} frames", (len(messages), {m.format for m in messages}), (40, {codec})
            yield f"{codec} stamps", recording.stamps("/sink_0"), [i * 10**9 // 30 for i in range(40)]
            types = [nal_types(bytes(m.data), codec) for m in messages]
            keys = [5] if codec == "h264" else [19, 20, 21]
            sets = [7, 8] if codec == "h264" else [32, 33, 34]
            key_frames = [t for t in types if set(t) & set(keys)]
            yield f"{codec} key frames", len(key_frames) >= 4, True
            yield f"{codec} parameter sets", all(set(sets) <= set(t) for t in key_frames), True
        yield f"{codec} as it was", b"".join(bytes(m.data) for m in messages) == raw.read_bytes() or interval == 0, True
        try:
            record(folder, f"{source} ! {with_b} ! {codec}parse ! {stream}")
            refused = ""
        except RuntimeError as error:
            refused = str(error)
        yield f"{codec} B-frames", "has B-frames" in refused and "bframes=0" in refused, True
    yield "ran", True, True


def age_of_used(tick, stream):
    """From the frame that was copied, which is the nearest, or from the newest row at or before the tick."""
    is_later = (stream.name == "camera_0" and stream.status == 0 and stream.after >= 0 and stream.after - tick < tick - stream.before)
    return tick - (stream.after if is_later else stream.before) if stream.before >= 0 else stream.before


def fused(folder):
    """A sample of several tensors: a topic a tensor and one of ticks."""
    path = Path(folder, "run.mcap")
    launch(f"robocachemcapsink name=record location={path} overwrite=true sync-interval=0 sink_0::topic=/aligned",
           "robocachefuse name=fuse rate=50/1 info=tensor ! record.sink_0",
           "videotestsrc num-buffers=60 ! video/x-raw,format=RGB,width=16,height=12,framerate=30/1 ! fuse.camera_0",
           "robocachetestsrc kind=proprio num-buffers=200 ! fuse.proprio_0",
           "robocachetestsrc kind=force num-buffers=2000 ! fuse.force_0")
    recording = read(path)
    yield "types", {topic: recording.type_of(topic) for topic in recording.channels if topic.startswith("/aligned")}, {
        "/aligned/camera_0": "robocache_msgs/msg/Tensor", "/aligned/proprio_0": "robocache_msgs/msg/Row",
        "/aligned/force_0": "robocache_msgs/msg/Row", "/aligned/info": "robocache_msgs/msg/Tensor",
        "/aligned/tick": "robocache_msgs/msg/Tick"}
    ticks = [m for _, m in recording.of("/aligned/tick")]
    yield "count", len({len(recording.of(f"/aligned/{name}")) for name in ("camera_0", "proprio_0", "force_0", "info", "tick")}), 1
    yield "ticks", [m.tick for m in ticks], [i * 20_000_000 for i in range(len(ticks))]
    yield "stamps", recording.stamps("/aligned/tick"), [m.tick for m in ticks]
    for (_, m), tick in zip(recording.of("/aligned/info"), ticks):
        info = np.frombuffer(bytes(m.data), np.int64).reshape(-1, 4)
        yield "info", [[s.before, s.after, s.status] for s in tick.streams], info[:, 1:].tolist()
        yield "names", [s.name for s in tick.streams], ["camera_0", "proprio_0", "force_0"]
        yield "ages", [s.age for s in tick.streams], [age_of_used(tick.tick, s) for s in tick.streams]
    yield "statuses", [m.status for _, m in recording.of("/aligned/proprio_0")], [tick.streams[1].status for tick in ticks]
    yield "picture", {tuple(m.dims) for _, m in recording.of("/aligned/camera_0")}, {(3, 16, 12)}


def fused_in_one(folder):
    path = Path(folder, "run.mcap")
    launch(f"robocachemcapsink name=record location={path} overwrite=true sync-interval=0 sink_0::topic=/aligned",
           "robocachefuse name=fuse rate=50/1 layout=concat ! record.sink_0",
           "robocachetestsrc kind=proprio channels=2 num-buffers=200 ! fuse.proprio_0",
           "robocachetestsrc kind=force num-buffers=2000 ! fuse.force_0")
    recording = read(path)
    yield "types", {topic: recording.type_of(topic) for topic in recording.channels if topic.startswith("/aligned")}, {
        "/aligned": "robocache_msgs/msg/Row", "/aligned/tick": "robocache_msgs/msg/Tick"}
    yield "names", {tuple(m.names) for _, m in recording.of("/aligned")}, {("q0", "q1", "fx", "fy", "fz", "tx", "ty", "tz")}


def order(folder):
    """Rows of several sources are in order of time, then pad, row by row, and the file is the same each time."""
    digests = set()
    for _ in range(20):
        path = Path(folder, "run.mcap")
        launch(f"robocachemcapsink name=record location={path} overwrite=true sync-interval=0 compression=zstd",
               "robocachetestsrc kind=proprio jitter=3000000 seed=1 num-buffers=100 ! record.sink_0",
               "robocachetestsrc kind=force num-buffers=1000 gap=50000000 gap-interval=200000000 ! record.sink_1",
               "robocachetestsrc kind=points channels=50 num-buffers=10 ! record.sink_2",
               "videotestsrc num-buffers=30 ! video/x-raw,format=GRAY8,width=16,height=16,framerate=30/1 ! record.sink_3")
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    yield "files", len(digests), 1
    recording = read(path)
    keys = [(stamp_of(decoded), topic) for topic, _, decoded in recording.messages if topic != "/robocache/events"]
    yield "order", keys, sorted(keys)
    yield "counts", [len(recording.of(f"/sink_{i}")) for i in range(4)], [100, 1000, 10, 30]


def mux_to_file(folder):
    """robocachemcapmux and filesink write the bytes of robocachemcapsink."""
    source = "robocachetestsrc kind=imu num-buffers=500"
    for compression in ("none", "zstd", "lz4"):
        one, other = Path(folder, "a.mcap"), Path(folder, "b.mcap")
        launch(f"{source} ! robocachemcapmux compression={compression} ! filesink location={one}")
        launch(f"{source} ! robocachemcapsink compression={compression} location={other} overwrite=true")
        yield compression, one.read_bytes(), other.read_bytes()
        yield "messages", len(read(one).of("/sink_0")), 500


def chunks(folder):
    """Chunks close by size, and by time."""
    for settings, n_min, n_max in (("", 10, 11), ("chunk-duration=0", 1, 2), ("chunk-duration=0 chunk-size=10000", 98, 101),
                                   ("chunk-duration=100000000", 50, 51)):
        recording, _ = record(folder, "robocachetestsrc kind=force rate=2000/1 num-buffers=10000", sink_settings=settings)
        n = recording.summary.statistics.chunk_count
        yield f"{settings} {n}", n_min <= n <= n_max, True


def statistics(folder):
    recording, _ = record(folder, "robocachetestsrc kind=force num-buffers=5000 gap=100000000 gap-interval=1000000000",
                          sink_settings="index-interval=1000000000")
    records = [values for name, values in recording.metadata if name == "robocache.statistics"]
    # 5000 rows and 5 silences
    yield "records", len(records), 6
    yield "growing", [int(values["/sink_0 rows-in"]) for values in records] == \
        sorted({int(values["/sink_0 rows-in"]) for values in records}), True
    yield "at the end", (records[-1]["/sink_0 rows-in"], records[-1]["/sink_0 messages"]), ("5000",) * 2


def attachments(folder):
    urdf, calibration = Path(folder, "robot.urdf"), Path(folder, "camera.yaml")
    urdf.write_text("<robot/>", encoding="ascii")
    calibration.write_bytes(bytes(range(256)))
    recording, _ = record(folder, "robocachetestsrc num-buffers=3", sink_settings=f"attachments={urdf},{calibration}")
    yield "attachments", [(a.name, a.media_type, a.data) for a in recording.attachments], \
        [("robot.urdf", "application/xml", urdf.read_bytes()), ("camera.yaml", "application/yaml", calibration.read_bytes())]


def fragments(folder):
    """Each file is complete in itself, none loses a message."""
    launch(f"robocachemcapsink name=record location={folder}/part-%03d.mcap sync-interval=0 fragment-duration=1000000000",
           "robocachetestsrc kind=proprio num-buffers=450 ! record.sink_0",
           "robocachetestsrc kind=force num-buffers=4500 ! record.sink_1")
    paths = sorted(Path(folder).glob("part-*.mcap"))
    yield "names", [path.name for path in paths], [f"part-{i:03}.mcap" for i in range(5)]
    files = [read(path) for path in paths]
    yield "starts", [min(m.log_time for _, m, _ in file.messages) for file in files], [i * 10**9 for i in range(5)]
    yield "rows", [m.sequence for file in files for m, _ in file.of("/sink_1")], list(range(4500))
    yield "types", {(file.type_of("/sink_0"), file.type_of("/sink_1")) for file in files}, \
        {("sensor_msgs/msg/JointState", "geometry_msgs/msg/WrenchStamped")}
    yield "clock", {dict(file.metadata)["robocache.recording"]["time-origin"] for file in files}, {"0"}


def bag(folder):
    """A folder that rosbags, and so ros2 bag, plays."""
    for settings, n_files in (("", 1), ("fragment-duration=1000000000", 3)):
        path = Path(folder, f"bag{n_files}")
        launch(f"robocachemcapsink name=record location={path} overwrite=true layout=rosbag2 sync-interval=0 {settings} sink_0::topic=/joint_states",
               "robocachetestsrc kind=proprio num-buffers=250 ! record.sink_0",
               "robocachetestsrc kind=imu num-buffers=500 ! record.sink_1")
        yield "files", sorted(p.name for p in path.iterdir()), [f"bag{n_files}_{i}.mcap" for i in range(n_files)] + ["metadata.yaml"]
        with AnyReader([path]) as reader:
            yield "topics", {c.topic: c.msgcount for c in reader.connections if c.topic != "/robocache/events"}, \
                {"/joint_states": 250, "/sink_1": 500}
            yield "duration", reader.duration, 2_495_000_001
            got = [reader.deserialize(data, c.msgtype).position[1] for c, _, data in reader.messages() if c.topic == "/joint_states"]
            yield "count", len(got), 250


def list_cases():
    for case in (joints, imu, wrench, pose, rows_of_other_names, rows_of_every_dtype, blocks, tensors, clouds, pictures,
                 compressed_pictures, video, fused, fused_in_one, order, mux_to_file, chunks, statistics, attachments, fragments, bag):
        yield case.__name__, in_folder, case


def in_folder(case):
    with tempfile.TemporaryDirectory() as folder:
        yield from case(folder)


if __name__ == "__main__":
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[1:] or case[0] in sys.argv[1:]]))
