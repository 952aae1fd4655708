#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Windows of a training set, or of a recording itself, for a DataLoader of PyTorch.

    from robocache.loader import SetDataset, RecordingDataset

    dataset = SetDataset("set", {"observation.state": [-0.1, 0.0], "action": [0.0, 0.1, 0.2], "observation.images.front": [0.0]})
    recording = RecordingDataset("filesrc location=run.mcap ! robocachemcapdemux ! fuse.sink_0 robocachefuse name=fuse rate=30/1 window=4")

From a shell, prints samples a second:

    python3 -m robocache.loader set [--workers N] [--batch N] [--device cuda]
    python3 -m robocache.loader 'filesrc … robocachefuse name=fuse rate=30/1 window=4' [--batch N] [--device cuda]

A SetDataset needs PyTorch, PyArrow and PyAV; a RecordingDataset PyTorch.
"""
import argparse
import bisect
import functools
import json
import os
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Union

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

OPEN_VIDEOS = 16  # decoders that are kept, per worker


# ---------------------------------------------------------------- a set
class Video:
    """Frames of one file by their number. Decodes from the key frame before, and goes on where it is."""

    def __init__(self, path, fps, depths=None):
        """depths: float32 [4096], mm of each code of a depth video; None: a colour video."""
        import av
        self._container, self._fps, self._depths = av.open(str(path)), fps, depths
        self._stream = self._container.streams.video[0]
        self._frames, self._next = None, None

    def _seek(self, number):
        self._container.seek(round(number / self._fps / self._stream.time_base), stream=self._stream, backward=True)
        self._frames, self._next = self._container.decode(self._stream), None

    def frame(self, number):
        """uint8 [3, height, width]; of depth float32 [1, height, width], mm."""
        if self._next is None or not self._next <= number <= self._next + 2:
            self._seek(number)
        for frame in self._frames:
            at = round(float(frame.pts * frame.time_base) * self._fps)
            self._next = at + 1
            if at == number:
                return self._tensor(frame)
        raise IndexError(f"no frame {number} in {self._container.name}")

    def _tensor(self, frame):
        if self._depths is not None:
            return torch.from_numpy(self._depths[frame.to_ndarray(format="gray12le")])[None]
        return torch.from_numpy(frame.to_ndarray(format="rgb24")).permute(2, 0, 1).contiguous()


class SetDataset(Dataset):
    """Items of a LeRobot v3.0 set: {feature: tensor [window, …], feature + "_is_pad": bool [window]}.

    `delta_timestamps` are seconds from the item, multiples of 1/fps. Beyond the episode's ends its first or last tick is repeated."""

    def __init__(self, root: Union[str, Path], delta_timestamps: Dict[str, List[float]]):
        import pyarrow.parquet as pq
        self.root = Path(root)
        self.info = json.loads((self.root / "meta" / "info.json").read_text(encoding="utf-8"))
        self.fps, self.features = self.info["fps"], self.info["features"]
        unknown = [name for name in delta_timestamps if name not in self.features]
        if unknown:
            raise KeyError(f"the set has no feature {', '.join(unknown)}; it has {', '.join(self.features)}")
        self.deltas = {name: self._ticks(name, seconds) for name, seconds in delta_timestamps.items()}
        columns = [name for name in self.deltas if self.features[name]["dtype"] != "video"]
        table = pq.ParquetDataset(sorted((self.root / "data").glob("*/*.parquet"))).read(columns=columns)
        self._columns = {name: torch.from_numpy(np.stack(table.column(name).to_numpy())) for name in columns}
        self.episodes = [row for path in sorted((self.root / "meta" / "episodes").glob("*/*.parquet"))
                         for row in pq.read_table(path).to_pylist()]
        self._starts = [row["dataset_from_index"] for row in self.episodes]
        self._depths = {name: self._depths_of(name) for name in self.deltas if (self.features[name].get("info") or {}).get("is_depth_map")}
        self._open_videos()

    def _depths_of(self, name):
        """An error where the codes are not those of robocache export."""
        from .export.depth import DEPTH_OF, INFO
        info = self.features[name]["info"]
        other = [key for key in ("video.depth_min", "video.depth_max", "video.shift", "video.use_log") if info.get(key, INFO[key]) != INFO[key]]
        if other:
            raise ValueError(f"{name}: {', '.join(other)} differ from those of robocache export: read this set with LeRobot")
        return DEPTH_OF.astype(np.float32)

    def _open_videos(self):
        # a worker that was forked has files of its own, too: the place in a file is shared with its parent
        self._video = functools.lru_cache(OPEN_VIDEOS)(lambda path, process, name: Video(path, self.fps, self._depths.get(name)))

    def _ticks(self, name, seconds):
        ticks = [round(second * self.fps) for second in seconds]
        if any(abs(tick / self.fps - second) > 1e-4 for tick, second in zip(ticks, seconds)):
            raise ValueError(f"{name}: {seconds} are not multiples of 1/{self.fps} s")
        return ticks

    def __len__(self) -> int:
        return self.info["total_frames"]

    def __getstate__(self):
        # a worker opens files of its own
        return {**self.__dict__, "_video": None}

    def __setstate__(self, state):
        self.__dict__ = state
        self._open_videos()

    def _frames(self, name, episode, wanted):
        path = self.root / self.info["video_path"].format(video_key=name, chunk_index=episode[f"videos/{name}/chunk_index"],
                                                          file_index=episode[f"videos/{name}/file_index"])
        first = round(episode[f"videos/{name}/from_timestamp"] * self.fps)
        return torch.stack([self._video(path, os.getpid(), name).frame(first + index - episode["dataset_from_index"]) for index in wanted])

    def __getitem__(self, index: int) -> Dict[str, torch.Tensor]:
        episode = self.episodes[bisect.bisect_right(self._starts, index) - 1]
        first, last, item = episode["dataset_from_index"], episode["dataset_to_index"] - 1, {}
        for name, deltas in self.deltas.items():
            wanted = [min(max(index + delta, first), last) for delta in deltas]
            item[f"{name}_is_pad"] = torch.tensor([not first <= index + delta <= last for delta in deltas])
            item[name] = self._columns[name][wanted] if name in self._columns else self._frames(name, episode, wanted)
        return item


# ---------------------------------------------------------------- a recording
class RecordingDataset(IterableDataset):
    """Samples of a pipeline with robocachefuse, in the order of time: {stream: tensor [window, …], "tick_ns": int}.

    window=W on robocachefuse makes windows; without it they have one row, and no first axis. One worker reads a recording."""

    def __init__(self, description: str):
        self.description = description

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        from . import samples, to_torch
        info = get_worker_info()
        if info is not None and info.id > 0:
            return
        for sample in samples(self.description):
            yield {**to_torch(sample), "tick_ns": sample.tick_ns}


# ---------------------------------------------------------------- a program
def _default_windows(root):
    """The item of every input, and half a second of actions."""
    info = json.loads((Path(root) / "meta" / "info.json").read_text(encoding="utf-8"))
    names = [name for name in info["features"] if name.startswith(("observation", "action"))]
    return {name: [i / info["fps"] for i in range(info["fps"] // 2)] if name.startswith("action") else [0.0] for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a set, or the description of a pipeline")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    is_set = Path(arguments.source).is_dir()
    dataset = SetDataset(arguments.source, _default_windows(arguments.source)) if is_set else RecordingDataset(arguments.source)
    loader = DataLoader(dataset, arguments.batch, shuffle=is_set, num_workers=arguments.workers, pin_memory=arguments.device != "cpu")
    count, began = 0, time.monotonic()
    for batch in loader:
        batch = {name: value.to(arguments.device, non_blocking=True) for name, value in batch.items()}
        count += len(next(iter(batch.values())))
    if arguments.device != "cpu":
        torch.cuda.synchronize()
    seconds = time.monotonic() - began
    print(f"{count} samples in {seconds:.2f} s: {count / seconds:.0f} samples per second, "
          f"{', '.join(f'{name} {list(value.shape[1:])}' for name, value in batch.items() if not name.endswith('_is_pad'))}")


if __name__ == "__main__":
    main()
