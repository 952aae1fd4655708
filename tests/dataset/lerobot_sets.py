# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: LeRobot v3.0 sets, read by PyArrow and PyAV. Cases generate (what, got, expected)."""
import json
import os
from unittest import mock

import av
import h5py
import make
import numpy as np
import pyarrow.parquet as pq
from robocache.export import depth
from robocache.export.errors import ExportError
from robocache.export.mapping import Video
from run import export, must_export, start
from shards import compare, tree

FPS = 30
SECOND = 10**9
TIMES = ("capture_time", "age", "gap", "status")
STREAMS = ("joints", "command", "front", "wrist")
DEFAULTS = ["timestamp", "frame_index", "episode_index", "index", "task_index"]


class Set:
    def __init__(self, root):
        self.root = root
        self.info, self.stats = (json.loads((root / "meta" / name).read_text()) for name in ("info.json", "stats.json"))
        self.episodes = pq.read_table(root / "meta" / "episodes").to_pylist()
        self.files = sorted((root / "data").rglob("*.parquet"))
        self.table = pq.ParquetDataset(self.files).read()

    def column(self, name):
        values = self.table.column(name).to_pylist()
        return np.array(values, np.float32 if self.info["features"][name]["dtype"] == "float32" else np.int64)

    def of(self, episode, name):
        row = self.episodes[episode]
        return self.column(name)[row["dataset_from_index"]:row["dataset_to_index"]]

    def video(self, episode, key):
        """Path of the file."""
        row = self.episodes[episode]
        return self.root / self.info["video_path"].format(video_key=key, chunk_index=row[f"videos/{key}/chunk_index"],
                                                          file_index=row[f"videos/{key}/file_index"])

    def frames(self, episode, key):
        """The frame that LeRobot would take for each row of an episode: the nearest to from_timestamp + timestamp, (distance, pixels)."""
        with av.open(str(self.video(episode, key))) as container:
            decoded = [(float(frame.pts * frame.time_base), frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
        times = np.array([time for time, _ in decoded])
        wanted = self.episodes[episode][f"videos/{key}/from_timestamp"] + self.of(episode, "timestamp").astype(float)
        nearest = [int(np.argmin(abs(times - time))) for time in wanted]
        return [(abs(times[i] - time), decoded[i][1]) for i, time in zip(nearest, wanted)]


def schema(made):
    features = made.info["features"]
    yield "version", made.info["codebase_version"], "v3.0"
    yield "totals", [made.info[f"total_{name}"] for name in ("episodes", "frames", "tasks")], [3, made.table.num_rows, 3]
    yield "compulsory", [features[name]["dtype"] for name in DEFAULTS], ["float32", "int64", "int64", "int64", "int64"]
    yield "state", features["observation.state"], {"dtype": "float32", "shape": [6],
                                                   "names": ["joints.q0", "joints.q1", "joints.q2", "joints.q3", "joints.q4", "joints.q6"]}
    yield "picture", (features["observation.images.front"]["dtype"], features["observation.images.front"]["shape"]), ("video", [48, 64, 3])
    times = [f"{time}.{stream}" for stream in STREAMS for time in TIMES]
    yield "times", sorted(name for name in features if name.split(".")[0] in TIMES), sorted(times)
    # LeRobot makes inputs of policies from names that begin with these
    yield "inputs", sorted(name for name in features if name.startswith(("observation", "action"))), sorted(make.FEATURES)
    yield "columns", made.table.column_names, [name for name, feature in features.items() if feature["dtype"] != "video"]
    yield "types", {name: str(made.table.schema.field(name).type) for name in ("observation.state", "capture_time.front", "timestamp")}, \
        {"observation.state": "fixed_size_list<element: float>[6]", "capture_time.front": "int64", "timestamp": "float"}
    yield "row groups", [pq.ParquetFile(file).num_row_groups for file in made.files], [3]
    yield "rows of a group", [pq.ParquetFile(made.files[0]).metadata.row_group(i).num_rows for i in range(3)], \
        [row["length"] for row in made.episodes]
    yield "kinds", json.loads((made.root / "meta" / "kinds.json").read_text()), \
        {name: {"kinds": "", "from": "none"} for name in ("joints", "command")}
    yield "nulls", sum(made.table.column(name).null_count for name in made.table.column_names), 0


def tasks(made):
    table = pq.read_table(made.root / "meta" / "tasks.parquet")
    yield "tasks", table.to_pylist(), [{"task_index": i, "task": task} for i, task in enumerate(["pick", "place", "default task"])]
    yield "index of pandas", json.loads(table.schema.metadata[b"pandas"])["index_columns"], ["task"]
    yield "of episodes", [row["tasks"] for row in made.episodes], [["pick"], ["place"], ["default task"]]
    yield "of rows", [sorted(set(made.of(i, "task_index").tolist())) for i in range(3)], [[0], [1], [2]]
    yield "success", [row["success"] for row in made.episodes], [True, False, None]
    yield "recordings", [row["recording"] for row in made.episodes], ["a.mcap", "a.mcap", "b.mcap"]


def indices(made):
    lengths = [row["length"] for row in made.episodes]
    yield "lengths", lengths, [30, 45, 60]
    yield "index", made.column("index").tolist(), list(range(sum(lengths)))
    yield "episode_index", made.column("episode_index").tolist(), [i for i, n in enumerate(lengths) for _ in range(n)]
    yield "frame_index", made.column("frame_index").tolist(), [i for n in lengths for i in range(n)]
    yield "timestamp", made.column("timestamp").tolist(), [float(np.float32(i / FPS)) for n in lengths for i in range(n)]
    yield "from and to", [(row["dataset_from_index"], row["dataset_to_index"]) for row in made.episodes], [(0, 30), (30, 75), (75, 135)]


def videos(made):
    for key in ("observation.images.front", "observation.images.wrist"):
        with av.open(str(made.video(0, key))) as container:
            stream = container.streams.video[0]
            yield f"{key} format", (stream.codec_context.name, stream.codec_context.pix_fmt, stream.average_rate), ("h264", "yuv420p", FPS)
            packets = [packet for packet in container.demux(stream) if packet.size]
            yield f"{key} grid", [packet.pts * packet.time_base * FPS for packet in packets], list(range(135))
            yield f"{key} no B-frames", all(packet.pts == packet.dts for packet in packets), True
            yield f"{key} key frames", [packet.is_keyframe for packet in packets],  [i % 2 == 0 for n in (30, 45, 60) for i in range(n)]
        found = [distance for episode in range(3) for distance, _ in made.frames(episode, key)]
        yield f"{key} within 1e-4 s", max(found) < 1e-4, True
        yield f"{key} one file", {made.video(i, key) for i in range(3)}, {made.video(0, key)}


def pictures(made):
    """Frames are those whose capture times the table says: the counter of a frame is its number."""
    for name, rate in (("front", 50), ("wrist", 30)):
        for episode in range(3):
            counters = [make.counter_of(pixels) for _, pixels in made.frames(episode, f"observation.images.{name}")]
            captured = made.of(episode, f"capture_time.{name}").tolist()
            yield f"{name} of episode {episode}", [make.frame_time(counter, rate) for counter in counters], captured
            ticks = made.of(episode, f"capture_time.{name}") + made.of(episode, f"age.{name}")
            expected = [min(range(len(counters) * 4), key=lambda i, tick=tick: (abs(make.frame_time(i, rate) - tick), i)) for tick in ticks.tolist()]
            yield f"{name} of episode {episode} is the nearest", counters, expected
    ticks = [made.of(0, f"capture_time.{name}") + made.of(0, f"age.{name}") for name in STREAMS]
    yield "ticks of all streams", [tick.tolist() for tick in ticks], [[SECOND // 2 + k * SECOND // FPS for k in range(30)]] * 4


def _fused(folder, recording, start):
    """Rows of robocachefuse for joints from a tick of the grid on, from a pipeline of its own."""
    raw = folder / "fused.f32"
    make.launch(f"filesrc location={recording} ! robocachemcapdemux name=demux topics=/joint_states,/command time-origin={start - SECOND}",
                f"robocachefuse name=fuse rate={FPS}/1 layout=concat type=float32 ! filesink location={raw}",
                "demux.src_0 ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! fuse.sink_0",
                "demux.src_1 ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! fuse.sink_1")
    return np.fromfile(raw, np.float32).reshape(-1, 13)


def values(made, folder):
    """The bits of robocachefuse with a pipeline of its own; the command holds."""
    # from half a second before the first row: ticks at which a stream is missing are NaN
    fused = _fused(folder, folder / "a.mcap", SECOND // 2)[15:45]
    expected = fused[:, [0, 1, 2, 3, 4, 6]]
    yield "state", made.of(0, "observation.state").view(np.int32).tolist(), expected.view(np.int32).tolist()
    raw = folder / "command.f32"
    make.launch(f"filesrc location={folder / 'a.mcap'} ! robocachemcapdemux topics=/command ! filesink location={raw}")
    commands = np.fromfile(raw, np.float32).reshape(-1, 6)
    ticks = (made.of(0, "capture_time.command") + made.of(0, "age.command")).tolist()
    yield "action", made.of(0, "action").tolist(), commands[[tick // (SECOND // 20) for tick in ticks]].tolist()
    yield "its time", made.of(0, "capture_time.command").tolist(), [tick // (SECOND // 20) * (SECOND // 20) for tick in ticks]
    # the last of three seconds of frames is a little before its tick, and there is none after it
    late = made.column("capture_time.wrist") + made.column("age.wrist") > make.frame_time(89, 30)
    yield "status", {name: set(made.column(f"status.{name}")[~late].tolist()) for name in STREAMS}, {name: {0} for name in STREAMS}
    yield "held", made.column("status.wrist")[late].tolist(), [1]


def _expected_stats(array):
    wide = array.reshape(len(array), -1).astype(np.float64)
    named = {f"q{int(q * 100):02d}": np.percentile(wide, q * 100, axis=0) for q in (0.01, 0.1, 0.5, 0.9, 0.99)}
    return {"min": wide.min(axis=0), "max": wide.max(axis=0), "mean": np.average(wide, axis=0), "std": np.sqrt(wide.var(axis=0)),
            "count": [len(wide)]} | named


def _is_close(got, expected):
    return {name: bool(np.allclose(np.ravel(got[name]), np.ravel(value), rtol=1e-9, atol=1e-12)) for name, value in expected.items()}


def statistics(made):
    numbers = [name for name, feature in made.info["features"].items() if feature["dtype"] != "video"]
    yield "features", sorted(made.stats), sorted(made.info["features"])
    for name in numbers:
        expected = _expected_stats(made.column(name))
        yield name, _is_close(made.stats[name], expected), {stat: True for stat in expected}
        own = {stat: made.episodes[1][f"stats/{name}/{stat}"] for stat in expected}
        expected = _expected_stats(made.of(1, name))
        yield f"{name} of an episode", _is_close(own, expected), {stat: True for stat in expected}
    # every frame is sampled in episodes as short as these, and every pixel of pictures as small
    for name, size in (("front", (64, 48)), ("wrist", (60, 48))):
        counters = [time / make.frame_time(1, {"front": 50, "wrist": 30}[name]) for time in made.column(f"capture_time.{name}").tolist()]
        pixels = np.stack([make.picture(round(counter), *size) for counter in counters]).reshape(-1, 3) / 255
        expected = _expected_stats(pixels) | {"count": [135]}
        got = made.stats[f"observation.images.{name}"]
        yield f"{name} shape", np.shape(got["mean"]), (3, 1, 1)
        # JPEG overshoots at edges
        tolerance = 0.15 if name == "front" else 1e-9
        close = {stat: bool(np.allclose(np.ravel(got[stat]), value, atol=tolerance)) for stat, value in expected.items()}
        yield name, close, {stat: True for stat in expected}


def next_state(folder):
    """The action is the state of the next tick; the last tick has none."""
    out = folder / "next"
    said = must_export(folder / "b.mcap", "--mapping", make.mapping(folder, "next.toml"), "--output", out, "--action", "next-state",
                       "--episodes", make.spans(folder, ["b,0.5,1.5,,,"], "next.csv"))
    made = Set(out)
    yield "said", "1 ticks dropped, no next state" in said, True
    yield "length", made.info["total_frames"], 29
    yield "names", made.info["features"]["action"]["names"], made.info["features"]["observation.state"]["names"]
    yield "action", made.column("action")[:-1].tolist(), made.column("observation.state")[1:].tolist()


def missing(folder):
    """Joints are silent from 1.0 to 1.5 s: 15 ticks, which are dropped, or end the episode; holes.py has the other choices."""
    path = make.robot(folder, "gap.mcap", joint_settings="gap=500000000 gap-interval=1000000000")
    strict = make.mapping(folder, "gap.toml", {"joints": '{topic = "/joint_states", max-gap = "100ms", hold-limit = 0}'})
    marks = make.spans(folder, ["gap,0,1.9,,,"], "gap.csv")
    for choice, frames in (("drop", [k for k in range(57) if not 30 <= k < 45]), ("end", list(range(30)))):
        out = folder / f"gap-{choice}"
        said = must_export(path, "--mapping", strict, "--output", out, "--episodes", marks, "--missing", choice)
        made = Set(out)
        ticks = made.column("capture_time.joints") + made.column("age.joints")
        yield choice, ticks.tolist(), [k * SECOND // FPS for k in frames]
        yield f"{choice} is said", f"{15 if choice == 'drop' else 1} ticks dropped, joints missing" in said, True
        yield f"{choice} leaves no hole", np.isfinite(made.column("observation.state")).all() and set(made.column("status.joints")) == {0}, True
        yield f"{choice} frames", len(made.frames(0, "observation.images.front")), len(frames)
        counters = [make.counter_of(pixels) for _, pixels in made.frames(0, "observation.images.wrist")]
        yield f"{choice} pictures", counters, frames


def held(folder):
    """The same silence with a longer hold limit: rows are repeated, and the table says so."""
    path = make.robot(folder, "held.mcap", joint_settings="gap=500000000 gap-interval=1000000000")
    lenient = make.mapping(folder, "held.toml", {"joints": '{topic = "/joint_states", max-gap = "100ms", hold-limit = "1s"}'})
    must_export(path, "--mapping", lenient, "--output", folder / "held", "--episodes", make.spans(folder, ["held,0,1.9,,,"], "held.csv"))
    made = Set(folder / "held")
    yield "status", made.column("status.joints").tolist(), [1 if 30 <= k < 45 else 0 for k in range(57)]
    yield "capture time", set(made.column("capture_time.joints")[30:45].tolist()), {995_000_000}
    yield "age", made.column("age.joints")[30:45].tolist(), [k * SECOND // FPS - 995_000_000 for k in range(30, 45)]


def files(folder):
    """Sizes in info.json cut files, and each frame is still where the table says."""
    more = "[files]\ndata-mb = 1\nvideo-mb = 1\nchunk-size = 2\n[video]\nquality = 1\nkey-frame-interval = 3\n"
    big = make.record(folder / "big.mcap", [make.rows("sink_0", 200, 12, 7), make.rows("sink_1", 20, 12, 6),
                                            f"videotestsrc pattern=snow num-buffers=360 ! video/x-raw,format=RGB,width=160,height=120,"
                                            "framerate=30/1 ! record.sink_2"], ["/joint_states", "/command", "/camera/front"])
    path = make.mapping(folder, "big.toml", {"wrist": None}, {"observation.images.wrist": None}, more)
    must_export(big, "--mapping", path, "--output", folder / "big", "--episodes",
                make.spans(folder, [f"big,{i * 2},{i * 2 + 2},,," for i in range(6)], "big.csv"))
    made, key = Set(folder / "big"), "observation.images.front"
    places = [(row[f"videos/{key}/chunk_index"], row[f"videos/{key}/file_index"]) for row in made.episodes]
    yield "several files", len(set(places)) > 1, True
    yield "chunks of two", places == sorted(places) and max(file for _, file in places) <= 1, True
    yield "files exist", {made.video(i, key).is_file() for i in range(6)}, {True}
    yield "within 1e-4 s", max(distance for i in range(6) for distance, _ in made.frames(i, key)) < 1e-4, True
    with av.open(str(made.video(0, key))) as container:
        keys = [packet.is_keyframe for packet in container.demux(video=0) if packet.size]
    yield "key frames", keys[:60], [i % 3 == 0 for i in range(60)]


def size_from_pictures(folder):
    """Compressed pictures whose caps say no size, as those of other recorders; and a size of the set's own."""
    make.record(folder / "sizeless.mcap", [
        make.rows("sink_0", 200, 1, 7), make.rows("sink_1", 20, 1, 6),
        make.camera(folder, "sink_2", 50, 1, (64, 48), "jpegenc quality=95 ! capssetter caps=image/jpeg,framerate=50/1 replace=true !"),
        make.camera(folder, "sink_3", 30, 1, (60, 48))], ["/joint_states", "/command", "/camera/front", "/camera/wrist"])
    path = make.mapping(folder, "sizeless.toml", {"wrist": '{topic = "/camera/wrist", width = 128, height = 96}'})
    must_export(folder / "sizeless.mcap", "--mapping", path, "--output", folder / "sizeless", "--episodes", "whole")
    made = Set(folder / "sizeless")
    for name, size in (("front", (64, 48)), ("wrist", (128, 96))):
        key = f"observation.images.{name}"
        yield f"{name} feature", made.info["features"][key]["shape"], [size[1], size[0], 3]
        frames = [pixels for _, pixels in made.frames(0, key)]
        yield f"{name} frames", {pixels.shape for pixels in frames}, {(size[1], size[0], 3)}
        rate = {"front": 50, "wrist": 30}[name]
        yield f"{name} counters", [make.frame_time(make.counter_of(pixels), rate) for pixels in frames], made.column(f"capture_time.{name}").tolist()


# sizes of the recording's pictures, and those that the mapping sets
WIDTHS = {"642": ((642, 482), None), "62": ((62, 46), None), "639 as 638": ((639, 479), (638, 478))}


def widths(folder):
    """Lines of pictures whose bytes are no multiple of 4."""
    for name, (size, scaled) in WIDTHS.items():
        recorded = make.record(folder / f"width{size[0]}.mcap", [
            make.rows("sink_0", 200, 1, 7), make.rows("sink_1", 20, 1, 6), make.camera(folder, "sink_2", 30, 1, size, "jpegenc quality=95 !"),
            make.camera(folder, "sink_3", 30, 1, size)], ["/joint_states", "/command", "/camera/front", "/camera/wrist"])
        own = f", width = {scaled[0]}, height = {scaled[1]}" if scaled else ""
        path = make.mapping(folder, "width.toml", {camera: f'{{topic = "/camera/{camera}"{own}}}' for camera in ("front", "wrist")})
        arguments = recorded, "--mapping", path, "--episodes", "whole", "--output"
        out, other = folder / f"width{size[0]}", folder / f"width{size[0]}-again"
        must_export(*arguments, out)
        # bytes between lines are not initialized
        with mock.patch.dict(os.environ, MALLOC_PERTURB_="85"):
            start(*arguments, other).communicate()
        yield f"{name} same bytes", compare(tree(other), tree(out)), set()
        made = Set(out)
        for camera in ("front", "wrist"):
            frames = [pixels for _, pixels in made.frames(0, f"observation.images.{camera}")]
            width, height = scaled or size
            yield f"{name} {camera} shapes", {pixels.shape for pixels in frames}, {(height, width, 3)}
            yield f"{name} {camera} counters", [make.frame_time(make.counter_of(pixels), 30) for pixels in frames], \
                made.column(f"capture_time.{camera}").tolist()
    status, said = export(folder / "width639.mcap", "--mapping", make.mapping(folder), "--output", folder / "odd", "--episodes", "whole")
    yield "odd sizes", (status, "639x479 pictures; yuv420p needs even numbers: set width and height" in said), (1, True)


# LeRobot's rule for depth: 12 bits, at even steps of the logarithm of the depth and 3.5 m
DEPTH_STEP = np.log((10 + 3.5) / (0.01 + 3.5)) / 4095
DEPTH_INFO = {"video.codec": "hevc", "video.pix_fmt": "gray12le", "video.channels": 1, "is_depth_map": True, "depth_unit": "mm", "video.depth_min": 0.01,
              "video.depth_max": 10.0, "video.shift": 3.5, "video.use_log": True, "video.fps": FPS, "has_audio": False}


def _codes(made, key):
    with av.open(str(made.video(0, key))) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("hevc", "gray12le")
        frames = [(frame.pts * frame.time_base * FPS, np.frombuffer(frame.planes[0], "<u2").reshape(frame.height, -1)[:, :frame.width].copy())
                  for frame in container.decode(stream)]
    return [time for time, _ in frames], np.stack([codes for _, codes in frames])


def _depth_problems(folder, *arguments):
    """One error before anything is written."""
    def lacking(*_):
        raise ValueError("no such codec")

    with mock.patch.object(av.codec, "Codec", lacking):
        status, said = export(*arguments, "--output", folder / "no-codec")
    yield "without libx265", (status, said.count("error: "), "needs libx265 with gray12le: the PyPI package av has it" in said), (1, 1, True)
    yield "nothing is written", sorted(path.name for path in folder.glob("no-codec*")), []
    try:
        depth.check({"observation.images.depth": (8, 8)}, Video(), FPS)
        text = ""
    except ExportError as error:
        text = str(error)
    yield "a picture that is too small", "features.observation.images.depth is depth of 8x8, which libx265 does not encode" in text, True


def depths(folder):
    """Depth that is raw and of an odd width, in PNG, in m, and of another size: read by LeRobot's rule it is what was recorded, within half a step."""
    size, topics = (61, 47), ["/joint_states", "/command", "/camera/front", "/depth/raw", "/depth/png", "/depth/metres"]
    recorded = make.record(folder / "depth.mcap", [
        make.rows("sink_0", 200, 2, 7), make.rows("sink_1", 20, 2, 6), make.camera(folder, "sink_2", 50, 2, (64, 48), "jpegenc quality=95 !"),
        make.depth_camera(folder, "sink_3", 30, 2, size), make.depth_camera(folder, "sink_4", 30, 2, size, "videoconvert ! video/x-raw,format=GRAY16_BE ! pngenc !"),
        make.metric_camera(folder, "sink_5", 30, 2, size)], topics)
    # those in m come first in the mapping, and last in samples
    names = {"metres": '{topic = "/depth/metres"}', "raw": '{topic = "/depth/raw"}', "png": '{topic = "/depth/png"}',
             "small": '{topic = "/depth/raw", width = 31, height = 24}', "small_metres": '{topic = "/depth/metres", width = 31, height = 24}'}
    path = make.mapping(folder, "depth.toml", {"wrist": None, **names},
                        {"observation.images.wrist": None, **{f"observation.images.{name}": f'"{name}"' for name in names}})
    arguments = recorded, "--mapping", path, "--episodes", make.spans(folder, ["depth,0.2,1.2,,,"], "depth.csv")
    yield from _depth_problems(folder, *arguments)
    said = must_export(*arguments, "--output", folder / "depth")
    yield "said", [line for line in said.splitlines() if "depth" in line and "features" in line], [
        f"features.observation.images.{name} is {'depth in m, and stored in mm' if 'metres' in name else 'taken for depth in mm, as its pictures have 16 bits'}"
        for name in names]
    made = Set(folder / "depth")
    must_export(*arguments, "--format", "robomimic", "--output", folder / "depth.hdf5")
    for name in names:
        key, (width, height) = f"observation.images.{name}", (31, 24) if "small" in name else size
        feature = made.info["features"][key]
        yield f"{name} feature", (feature["shape"], feature["info"]), ([height, width, 1], DEPTH_INFO | {"video.height": height, "video.width": width})
        numbers = [time // make.frame_time(1, 30) for time in made.column(f"capture_time.{name}").tolist()]
        wanted = np.stack([make.depth(number, *size) for number in numbers]).astype(float)
        with h5py.File(folder / "depth.hdf5") as file:
            stored = file[f"data/demo_0/obs/{name}_image"][:]
        times, codes = _codes(made, key)
        yield f"{name} grid", times, list(range(30))
        read = np.clip((np.exp(codes * DEPTH_STEP + np.log(3.51)) - 3.5) * 1000, 10, 10000)
        if "small" in name:
            # 0 is a border, as 31x24 is another aspect
            yield f"{name} has depths of the picture alone", all(set(a.ravel()) <= {0, *b.ravel()} for a, b in zip(stored, wanted)), True
            wanted = stored.astype(float)
        yield f"{name} in HDF5", (stored.dtype, np.array_equal(stored, wanted)), (np.uint16, True)
        wanted = np.clip(wanted, 10, 10000)
        yield f"{name} depth", bool((abs(read - wanted) <= (wanted + 3500) * DEPTH_STEP * 0.501).all()), True
        expected = _expected_stats(np.rint(read).reshape(-1, 1)) | {"count": [30]}
        yield f"{name} statistics", _is_close(made.stats[key], expected), {stat: True for stat in expected}
        yield f"{name} shape of statistics", np.shape(made.stats[key]["mean"]), (1, 1, 1)


def disordered_quaternion(folder):
    """Columns of an order of their own are refused, or are numbers."""
    source = folder / "disordered"
    source.mkdir()
    (source / "pose.csv").write_text("t,qz,qy,qx,qw\n" + "".join(f"{100 + i * 0.1:.1f},0,0,{i},1\n" for i in range(31)))
    for kinds, words in (("", "qx, qy, qz and qw are a quaternion by their names"), (', kinds = "ignore"', "")):
        path = folder / "disordered.toml"
        path.write_text(f'fps = 10\naction = "next-state"\n[streams]\npose = {{topic = "/pose"{kinds}}}\n[features]\n"observation.state" = "pose"\n')
        status, said = export(source, "--mapping", path, "--output", folder / "disordered-set", "--episodes",
                              make.spans(folder, [",+0.5,+2.5,,,"], "disordered.csv"))
        yield f"quaternion in disorder{kinds}", (status, words in said), (int(bool(words)), True)


def csv_folder(folder):
    """A folder of CSV, which has numbers alone; the command is between its rows what it was."""
    source = folder / "csv"
    source.mkdir()
    (source / "joints.csv").write_text("t,a,b\n" + "".join(f"{100 + i * 0.01:.2f},{i},{-i}\n" for i in range(300)))
    (source / "command.csv").write_text("t,c\n" + "".join(f"{100 + i * 0.1:.1f},{i}\n" for i in range(31)))
    path = folder / "csv.toml"
    path.write_text('fps = 10\n[streams]\njoints = {topic = "/joints", kinds = "real,hold"}\ncommand = {topic = "/command"}\n'
                    '[features]\n"observation.state" = "joints:b"\n"action" = "command"\n')
    must_export(source, "--mapping", path, "--output", folder / "csv-set", "--episodes", make.spans(folder, [",+0.5,+2.5,,,"], "csv.csv"))
    made = Set(folder / "csv-set")
    yield "state", np.round(made.column("observation.state")).ravel().tolist(), [-(50 + 10 * k) for k in range(20)]
    yield "action", made.column("action").ravel().tolist(), [5 + k for k in range(20)]
    yield "times", made.column("capture_time.command").tolist(), [100 * SECOND + (5 + k) * SECOND // 10 for k in range(20)]
    yield "no video", made.info["video_path"], None
    yield from disordered_quaternion(folder)
    yield "kinds", json.loads((folder / "csv-set" / "meta" / "kinds.json").read_text()), \
        {"joints": {"kinds": "real,hold", "from": "the mapping"}, "command": {"kinds": "", "from": "none"}}


def cases(folder):
    """Two recordings, three episodes of half a second to two."""
    make.robot(folder, "a.mcap")
    make.robot(folder, "b.mcap", seed=7)
    marks = make.spans(folder, ["a,0.5,1.5,pick,true,", "a.mcap,1.5,+3,place,no,", "a.mcap,2.9,2.95,bad,,yes", "b,+0,2,,,"])
    out = folder / "set"
    must_export(folder / "a.mcap", folder / "b.mcap", "--mapping", make.mapping(folder), "--output", out, "--episodes", marks)
    made = Set(out)
    yield from ((f"lerobot {case.__name__}", case, made) for case in (schema, tasks, indices, videos, pictures, statistics))
    yield "lerobot values", values, made, folder
    yield from ((f"lerobot {case.__name__}", case, folder) for case in (next_state, missing, held, files, size_from_pictures, widths, depths, csv_folder))
