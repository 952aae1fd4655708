# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: HDF5 sets, read by h5py as robomimic and ACT read them."""
import json

import h5py
import make
import numpy as np
from lerobot_sets import STREAMS, TIMES, Set
from run import export, must_export

KEYS = {"front": 50, "wrist": 30}


def _counters(dataset):
    return [make.counter_of(pixels) for pixels in dataset[()]]


def _pictures_of(group, times, name_of):
    """Raw pictures are what was recorded, and are those whose times are beside them."""
    for name, rate in KEYS.items():
        captured = times[f"capture_time/{name}"][()].tolist()
        yield f"{name} counters", [make.frame_time(counter, rate) for counter in _counters(group[name_of(name)])], captured
    wrist = group[name_of("wrist")]
    expected = [make.picture(counter, 60, 48) for counter in _counters(wrist)]
    yield "raw pixels", bool((wrist[()] == np.stack(expected)).all()), True
    yield "of uint8, a chunk a frame", (wrist.dtype, wrist.chunks), (np.uint8, (1, 48, 60, 3))


def robomimic(folder):
    made = Set(folder / "set")
    with h5py.File(folder / "set.hdf5") as file:
        data = file["data"]
        yield "demos", sorted(data), ["demo_0", "demo_1", "demo_2"]
        yield "total", int(data.attrs["total"]), sum(int(data[demo].attrs["num_samples"]) for demo in data)
        yield "env_args", sorted(json.loads(data.attrs["env_args"])), ["env_kwargs", "env_name", "type"]
        yield "masks", {name: [demo.decode() for demo in file["mask"][name]] for name in file["mask"]}, \
            {"train": ["demo_0", "demo_1", "demo_2"], "success": ["demo_0"], "failure": ["demo_1"]}
        yield "manifest", [one["recording"] for one in json.loads(file["manifest"][()])["episodes"]], ["a.mcap", "a.mcap", "b.mcap"]
        for i, demo in enumerate(data[name] for name in sorted(data)):
            count = int(demo.attrs["num_samples"])
            yield f"actions {i}", demo["actions"][()].tolist(), made.of(i, "action").tolist()
            yield f"state {i}", demo["obs/state"][()].tolist(), made.of(i, "observation.state").tolist()
            yield f"next state {i}", demo["next_obs/state"][()].tolist(), made.of(i, "observation.state")[[*range(1, count), -1]].tolist()
            yield f"dones {i}", demo["dones"][()].tolist(), [0] * (count - 1) + [1]
            yield f"rewards {i}", demo["rewards"][()].tolist(), [0.0] * (count - 1) + [1.0 if i == 0 else 0.0]
            for time in TIMES:
                yield f"{time} {i}", {name: demo[f"times/{time}/{name}"][()].tolist() for name in STREAMS}, \
                    {name: made.of(i, f"{time}.{name}").tolist() for name in STREAMS}
            yield f"no time in obs {i}", sorted(demo["obs"]), ["front_image", "state", "wrist_image"]
        yield from _pictures_of(data["demo_1/obs"], data["demo_1/times"], lambda name: f"{name}_image")


def aloha(folder):
    made = Set(folder / "set")
    yield "files", sorted(path.name for path in (folder / "act").iterdir()), [*(f"episode_{i}.hdf5" for i in range(3)), "manifest.json"]
    for i in range(3):
        with h5py.File(folder / "act" / f"episode_{i}.hdf5") as root:
            yield f"sim {i}", bool(root.attrs["sim"]), False
            yield f"action {i}", root["/action"][()].tolist(), made.of(i, "action").tolist()
            yield f"qpos {i}", root["/observations/qpos"][()].tolist(), made.of(i, "observation.state").tolist()
            yield f"qvel {i}", root["/observations/qvel"][()].any() or root["/observations/qvel"].shape != root["/observations/qpos"].shape, False
            yield f"cameras {i}", sorted(root["/observations/images"]), ["front", "wrist"]
            yield from _pictures_of(root["/observations/images"], root["times"], str)


def velocity_is_asked_for(folder):
    status, said = export(folder / "a.mcap", "--mapping", make.mapping(folder), "--output", folder / "act-none", "--format", "aloha")
    yield "error", (status, "map observation.velocity" in said), (1, True)
    yield "nothing written", (folder / "act-none").exists() or (folder / "act-none.parts").exists(), False


def cases(folder):
    both = [folder / "a.mcap", folder / "b.mcap", "--episodes", folder / "spans.csv"]
    must_export(*both, "--mapping", make.mapping(folder), "--format", "robomimic", "--output", folder / "set.hdf5")
    zeros = make.mapping(folder, "act.toml", more='[aloha]\nvelocity = "zeros"')
    must_export(*both, "--mapping", zeros, "--format", "aloha", "--output", folder / "act")
    yield from ((f"hdf5 {case.__name__}", case, folder) for case in (robomimic, aloha, velocity_is_asked_for))
