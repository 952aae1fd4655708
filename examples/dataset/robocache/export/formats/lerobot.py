# SPDX-License-Identifier: LGPL-2.1-or-later
"""LeRobot's format v3.0: joins parts into a set, or appends them to one, without encoding again.

Source: lerobot-dataset-v3.mdx and src/lerobot/datasets in github.com/huggingface/lerobot.
"""
import itertools
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .. import depth
from ..encoder import codec_of
from ..errors import ExportError
from ..manifest import MANIFEST, link_or_copy, sizes_below, write_json
from ..mapping import Files
from ..parts import TIMES, column_values, kinds_of, number_column, vector_type
from ..pictures import file_of
from ..plan import MAX_SECONDS
from ..statistics import add_pictures, of_columns, of_pictures, of_values

DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES_PATH = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
# those that every set has
DEFAULT_FEATURES = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64", "task_index": "int64"}
HISTOGRAMS = "meta/histograms.json"  # of all pictures that were sampled, for episodes that are appended
MB = 1 << 20


# ---- features ----

def _number_feature(dtype, shape=1, names=None):
    return {"dtype": dtype, "shape": [shape], "names": names}


def _video_feature(size, mapping, is_depth):
    colours = {"video.codec": codec_of(mapping.video), "video.pix_fmt": "yuv420p", "video.is_depth_map": False, "video.channels": 3}
    info = {"video.height": size[1], "video.width": size[0], "video.fps": mapping.fps, "has_audio": False, **(depth.INFO if is_depth else colours)}
    return {"dtype": "video", "shape": [size[1], size[0], info["video.channels"]], "names": ["height", "width", "channels"], "info": info}


def _features(mapping, said):
    features = {name: _number_feature("float32", len(channels), channels) for name, channels in said["names"].items()}
    features |= {name: _video_feature(size, mapping, name in said["depth"]) for name, size in said["sizes"].items()}
    # outside observation and action, so that policies do not take them as inputs
    features |= {f"{time}.{stream}": _number_feature("int64") for stream in said["streams"] for time in TIMES}
    return features | {name: _number_feature(dtype) for name, dtype in DEFAULT_FEATURES.items()}


def _schema(features):
    numbers = {name: feature for name, feature in features.items() if feature["dtype"] != "video"}
    types = {"float32": lambda feature: vector_type(feature["shape"][0]), "int64": lambda feature: pa.int64()}
    return pa.schema([(name, types[feature["dtype"]](feature)) for name, feature in numbers.items()])


# ---- which file an episode goes to ----

class _Files:
    """Gives (chunk, file) to one item after another: another file where one would be larger than max_size, or longer."""

    def __init__(self, max_size, chunk_size, max_length=None, first=0):
        self._max_size, self._chunk_size, self._max_length = max_size, chunk_size, max_length
        self._file, self._size, self._length = first, 0, 0

    def add(self, size, length=0):
        is_full = self._size and (self._size + size > self._max_size or self._max_length and self._length + length > self._max_length)
        if is_full:
            self._file, self._size, self._length = self._file + 1, 0, 0
        place, before = divmod(self._file, self._chunk_size), self._length
        self._size, self._length = self._size + size, self._length + length
        return place, before


def _group(places):
    """{place: indices of its items}."""
    groups = {}
    for index, place in enumerate(places):
        groups.setdefault(place, []).append(index)
    return groups


# ---- data ----

def _whole_table(part, episode, first, task, fps, schema):
    table, count = part.table(), part.said["frames"]
    frames = np.arange(count)
    own = {"timestamp": (frames / fps).astype(np.float32), "frame_index": frames, "episode_index": np.full(count, episode),
           "index": first + frames, "task_index": np.full(count, task)}
    columns = {name: table.column(name) for name in table.column_names} | {name: number_column(values) for name, values in own.items()}
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _repeated(schema):
    """Columns with few values. A dictionary of the others would be as long as the column."""
    return [name for name in schema.names if name in ("episode_index", "task_index") or name.startswith("status.")]


def _data_path(folder, place):
    return folder / DATA_PATH.format(chunk_index=place[0], file_index=place[1])


def _write_data(folder, tables, places, schema):
    """Writes tables one after another, so that one at a time is in memory, each as a row group. Returns the statistics of each."""
    stats = []
    for place, group in itertools.groupby(zip(places, tables), key=lambda pair: pair[0]):
        path = _data_path(folder, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=_repeated(schema)) as writer:
            for _, table in group:
                writer.write_table(table, row_group_size=len(table))
                stats.append(of_columns({name: column_values(table.column(name)) for name in schema.names}))
    return stats


def _write_videos(folder, key, parts, fps, files, first):
    """The columns of an episode about one video."""
    from .. import mp4  # it is slow to load, and sets without videos need none
    limit = _Files(files.video_mb * MB, files.chunk_size, MAX_SECONDS * fps, first)
    placed = [limit.add(part.size(file_of(key)), part.said["frames"]) for part in parts]
    for (chunk, file), indices in _group([place for place, _ in placed]).items():
        path = folder / VIDEO_PATH.format(video_key=key, chunk_index=chunk, file_index=file)
        path.parent.mkdir(parents=True, exist_ok=True)
        mp4.join(path, [parts[index].folder / file_of(key) for index in indices], fps)
    return [{f"videos/{key}/chunk_index": place[0], f"videos/{key}/file_index": place[1], f"videos/{key}/from_timestamp": before / fps,
             f"videos/{key}/to_timestamp": (before + part.said["frames"]) / fps} for part, (place, before) in zip(parts, placed)]


# ---- meta ----

def _tasks_table(tasks):
    """As pandas writes a frame with the tasks as its index."""
    columns = [{"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy, "metadata": None}
               for name, kind, numpy in (("task_index", "int64", "int64"), ("task", "unicode", "object"))]
    labels = [{"name": None, "field_name": None, "pandas_type": "unicode", "numpy_type": "object", "metadata": {"encoding": "UTF-8"}}]
    pandas = {"index_columns": ["task"], "column_indexes": labels, "columns": columns,
              "creator": {"library": "pyarrow", "version": pa.__version__}, "pandas_version": "2.0.0"}
    table = pa.table({"task_index": pa.array(range(len(tasks)), pa.int64()), "task": pa.array(tasks, pa.string())})
    return table.replace_schema_metadata({"pandas": json.dumps(pandas)})


def _number_stats(paths, names):
    """Of each column over all files, one column at a time."""
    read = lambda path, name: column_values(pq.ParquetFile(path).read(columns=[name]).column(name))
    return {name: of_values(np.concatenate([read(path, name) for path in paths])) for name in names}


def _histograms(parts):
    return {key: [part.said["pictures"][key] for part in parts] for key in parts[0].said["sizes"]}


def _picture_stats(histograms):
    return {key: of_pictures(states) for key, states in histograms.items()}


def _write_episodes(folder, rows):
    path = folder / EPISODES_PATH.format(chunk_index=0, file_index=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist([{**row, "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0} for row in rows]), path,
                   compression="snappy")


def _info(mapping, features, rows, tasks, files):
    return {"codebase_version": "v3.0", "robot_type": mapping.robot_type or None, "total_episodes": len(rows),
            "total_frames": sum(row["length"] for row in rows), "total_tasks": len(tasks), "chunks_size": files.chunk_size,
            "data_files_size_in_mb": files.data_mb, "video_files_size_in_mb": files.video_mb, "fps": mapping.fps,
            "splits": {"train": f"0:{len(rows)}"}, "data_path": DATA_PATH, "video_path": VIDEO_PATH if mapping.pictures else None,
            "features": features}


# ---- a set that is appended to ----

class _Before:
    """What a set has, or nothing: its episodes, tasks and histograms, and which file is the next one."""

    def __init__(self, root):
        self.root, self.episodes, self.tasks, self.histograms, self.info = root, [], [], {}, {}
        if root:
            self.info = json.loads((root / "meta" / "info.json").read_text(encoding="utf-8"))
            self.episodes = [row for path in sorted((root / "meta" / "episodes").rglob("*.parquet")) for row in pq.read_table(path).to_pylist()]
            tasks = pq.read_table(root / "meta" / "tasks.parquet").to_pylist()
            self.tasks = [row["task"] for row in sorted(tasks, key=lambda row: row["task_index"])]
            if (root / HISTOGRAMS).is_file():
                self.histograms = json.loads((root / HISTOGRAMS).read_text(encoding="utf-8"))

    @property
    def frames(self):
        return sum(row["length"] for row in self.episodes)

    def files(self, mapping):
        """Limits of files: those of the set."""
        return Files(*(self.info[name] for name in ("data_files_size_in_mb", "video_files_size_in_mb", "chunks_size"))) if self.info else mapping.files

    def next_file(self, name):
        """Behind the last one of `data` or of a video."""
        chunks = self.info.get("chunks_size", 0)
        return max((row[f"{name}/chunk_index"] * chunks + row[f"{name}/file_index"] + 1 for row in self.episodes), default=0)

    def check(self, features):
        """An error where a feature differs: its type, shape, names or video."""
        there = self.info.get("features", features)
        for name in sorted(there.keys() | features.keys()):
            if there.get(name) != features.get(name):
                raise ExportError(f"--append: the set has another feature {name}: {there.get(name)}, and the episodes {features.get(name)}")
        if self.info and self.histograms.keys() != {name for name, feature in features.items() if feature["dtype"] == "video"}:
            raise ExportError(f"--append: the set has no {HISTOGRAMS}, which the statistics of all pictures are computed from")

    def place(self, folder):
        """Its files of data and videos, in another folder of the same file system."""
        for path in [path for name in ("data", "videos") for path in sorted((self.root / name).rglob("*")) if path.is_file()] if self.root else []:
            to = folder / path.relative_to(self.root)
            to.parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(path, to)


# ---- the set ----

def _episode_row(index, part, place, first, stats):
    said = part.said
    row = {"episode_index": index, "tasks": [said["task"]], "length": said["frames"], "data/chunk_index": place[0],
           "data/file_index": place[1], "dataset_from_index": first, "dataset_to_index": first + said["frames"],
           "success": said["success"], "recording": said["recording"], "piece": said["piece"], "start_time": said["start"], "end_time": said["end"]}
    return row | {f"stats/{name}/{stat}": value for name, values in stats.items() for stat, value in values.items()}


def _write_parts(folder, parts, mapping, before, features, tasks):
    """Writes data and videos. The rows of the episodes."""
    files, schema, begin = before.files(mapping), _schema(features), len(before.episodes)
    starts = np.cumsum([before.frames] + [part.said["frames"] for part in parts]).tolist()
    tables = (_whole_table(part, begin + i, starts[i], tasks.index(part.said["task"]), mapping.fps, schema) for i, part in enumerate(parts))
    limit = _Files(files.data_mb * MB, files.chunk_size, first=before.next_file("data"))
    places = [limit.add(part.size())[0] for part in parts]
    stats = _write_data(folder, tables, places, schema)
    rows = [_episode_row(begin + i, part, places[i], starts[i], stats[i] | _picture_stats(_histograms([part]))) for i, part in enumerate(parts)]
    for key in parts[0].said["sizes"]:
        videos = _write_videos(folder, key, parts, mapping.fps, files, before.next_file(f"videos/{key}"))
        rows = [row | video for row, video in zip(rows, videos)]
    return rows


def read_appended_to(mapping, said, path):
    """The set at path, for write; an error where episodes with this manifest cannot be appended to it."""
    before = _Before(path)
    before.check(_features(mapping, said))
    return before


def write(folder, parts, mapping, manifest, appended_to=None):
    """The set of these parts in `folder`, which does not exist yet, behind the episodes of appended_to, of read_appended_to."""
    before, features = appended_to or _Before(None), _features(mapping, parts[0].said)
    before.place(folder)
    tasks = list(dict.fromkeys([*before.tasks, *(part.said["task"] for part in parts)]))
    rows = before.episodes + _write_parts(folder, parts, mapping, before, features, tasks)
    _write_episodes(folder, rows)
    pq.write_table(_tasks_table(tasks), folder / "meta" / "tasks.parquet")
    histograms = {key: add_pictures([*states, *([before.histograms[key]] if before.histograms else [])]) for key, states in _histograms(parts).items()}
    stats = _number_stats(sorted((folder / "data").rglob("*.parquet")), _schema(features).names)
    write_json(folder / "meta" / "stats.json", stats | _picture_stats({key: [state] for key, state in histograms.items()}))
    if histograms:
        write_json(folder / HISTOGRAMS, histograms, indent=None)
    write_json(folder / "meta" / "info.json", _info(mapping, features, rows, tasks, before.files(mapping)))
    write_json(folder / "meta" / "kinds.json", kinds_of(manifest["episodes"]))
    write_json(folder / "meta" / MANIFEST, manifest | {"files": sizes_below(folder)})
