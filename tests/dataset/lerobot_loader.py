#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A set read by LeRobot itself, which takes gigabytes: run it by hand, in an environment with lerobot and torchcodec.

    lerobot_loader.py [SET [BACKEND...]]     pyav and torchcodec unless named

Compares the rule for depth. Loads every frame of every episode of SET with each decoder, windows by delta_timestamps, and the inputs of a policy from
the features.
Prints PASS or FAIL for each; exit status 1 if one failed.
"""
import sys
import traceback
from pathlib import Path

import numpy as np
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.utils.feature_utils import dataset_to_policy_features

TIMES = ("capture_time.", "age.", "status.")


def load(root, backend, **settings):
    return LeRobotDataset("local/set", root=root, video_backend=backend, **settings)


def every_frame(root, backend):
    """Each item has all features; its pictures have the shape of the features."""
    dataset = load(root, backend)
    assert len(dataset) == dataset.meta.total_frames > 0
    for index in range(len(dataset)):
        item = dataset[index]
        assert item["index"].item() == index
        assert abs(item["timestamp"].item() - item["frame_index"].item() / dataset.meta.fps) < 1e-4
        assert isinstance(item["task"], str)
        for key in dataset.meta.video_keys:
            height, width, channels = dataset.meta.features[key]["shape"]
            assert tuple(item[key].shape) == (channels, height, width), item[key].shape
        for key, feature in dataset.meta.features.items():
            assert key in item, key
            assert feature["dtype"] == "video" or torch.isfinite(item[key].double()).all(), key
    return f"{len(dataset)} frames of {dataset.meta.total_episodes} episodes"


def windows(root, backend):
    """A window ends at the episode's ends, and its middle is the item itself."""
    fps = load(root, backend).meta.fps
    keys = ["observation.state", "action", *load(root, backend).meta.video_keys]
    dataset = load(root, backend, delta_timestamps={key: [-1 / fps, 0.0, 1 / fps] for key in keys})
    plain = load(root, backend)
    for index in np.unique(np.linspace(0, len(dataset) - 1, 40).astype(int)):
        item, alone = dataset[int(index)], plain[int(index)]
        for key in keys:
            assert len(item[key]) == 3
            assert torch.equal(item[key][1], alone[key]), (index, key)
    first = dataset[0]
    assert first["action_is_pad"].tolist() == [True, False, False]
    return f"{', '.join(keys)}"


def inputs(root, _):
    """What policies take from the features: no time among them."""
    features = dataset_to_policy_features(load(root, "pyav").meta.features)
    assert not [key for key in features if key.startswith(TIMES)], features
    assert "observation.state" in features and "action" in features
    return ", ".join(features)


def depth_rule(*_):
    """Range, shift and codes of depth are those of the LeRobot that is installed."""
    from lerobot.configs import video
    from lerobot.datasets import depth_utils
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "dataset"))
    from robocache.export import depth
    theirs = (video.DEFAULT_DEPTH_MIN, video.DEFAULT_DEPTH_MAX, video.DEFAULT_DEPTH_SHIFT, video.DEPTH_QMAX + 1, video.DEFAULT_DEPTH_PIX_FMT)
    assert theirs == (depth.MIN_M, depth.MAX_M, depth.SHIFT_M, depth.CODES, depth.PIXEL_FORMAT), theirs
    settings = video.DepthEncoderConfig.from_video_info(depth.INFO)
    assert depth.INFO["is_depth_map"] and settings.use_log and depth.INFO["depth_unit"] == video.infer_depth_unit(np.uint16), settings
    # they compute in float32: at most one code, and 1 mm, apart
    codes = depth_utils.quantize_depth(np.arange(1 << 16, dtype=np.uint16)[None], video_backend=None)[0].astype(int)
    assert abs(codes - depth.CODE_OF).max() <= 1 and (codes != depth.CODE_OF).mean() < 0.001
    read = depth_utils.dequantize_depth(np.arange(depth.CODES, dtype=np.uint16)[None], output_tensor=False).ravel().astype(int)
    assert abs(read - depth.DEPTH_OF).max() <= 1 and (read != depth.DEPTH_OF).mean() < 0.01
    return f"{depth.MIN_M} to {depth.MAX_M} m"


def act(root, _):
    """ACT's configuration accepts the features, and one batch gives a loss. Its backbone takes pictures of three channels, so no depth."""
    from lerobot.configs.types import FeatureType
    from lerobot.policies.act.configuration_act import ACTConfig
    from lerobot.policies.act.modeling_act import ACTPolicy
    from lerobot.policies.factory import make_pre_post_processors
    meta = load(root, "pyav").meta
    features = dataset_to_policy_features(meta.features)
    outputs = {key: value for key, value in features.items() if value.type is FeatureType.ACTION}
    config = ACTConfig(input_features={key: value for key, value in features.items() if key not in (*outputs, *meta.depth_keys)}, output_features=outputs,
                       chunk_size=8, n_action_steps=8, dim_model=64, n_heads=2, dim_feedforward=64, n_encoder_layers=1, n_decoder_layers=1,
                       n_vae_encoder_layers=1, pretrained_backbone_weights=None, device="cpu")
    dataset = load(root, "pyav", delta_timestamps={"action": [i / meta.fps for i in range(8)]})
    preprocess, _ = make_pre_post_processors(config, dataset_stats=meta.stats)
    batch = preprocess(next(iter(torch.utils.data.DataLoader(dataset, batch_size=4))))
    loss, _ = ACTPolicy(config).forward(batch)
    assert torch.isfinite(loss)
    return f"{', '.join(config.input_features)}; loss {loss.item():.3f}"


def main(root=None, *backends):
    failed = False
    cases = [(depth_rule, "")]
    for backend in (backends or ("pyav", "torchcodec")) if root else ():
        cases += [(case, backend) for case in (every_frame, windows, *((inputs, act) if len(cases) == 1 else ()))]
    for case, backend in cases:
        try:
            print(f"PASS {case.__name__} {backend}: {case(root, backend)}", flush=True)
        except Exception:  # pylint: disable=broad-except
            print(f"FAIL {case.__name__} {backend}: {traceback.format_exc()}", flush=True)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
