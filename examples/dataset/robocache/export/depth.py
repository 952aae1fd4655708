# SPDX-License-Identifier: LGPL-2.1-or-later
"""Depth pictures in the videos of LeRobot: codes of 12 bits, at even steps of the logarithm of depth, in HEVC without loss.

Source of the range, the shift and the codes: src/lerobot/configs and src/lerobot/datasets in github.com/huggingface/lerobot (video, depth_utils).
"""
from fractions import Fraction

import numpy as np

from .errors import ExportError

CODES = 1 << 12
MIN_M, MAX_M, SHIFT_M = 0.01, 10.0, 3.5
CODEC, PIXEL_FORMAT, UNIT = "libx265", "gray12le", "mm"
# what is written in the description of the feature, for readers
INFO = {"video.codec": "hevc", "video.pix_fmt": PIXEL_FORMAT, "video.channels": 1, "is_depth_map": True, "depth_unit": UNIT,
        "video.depth_min": MIN_M, "video.depth_max": MAX_M, "video.shift": SHIFT_M, "video.use_log": True}

_FIRST, _LAST = (np.log(1000 * (depth + SHIFT_M)) for depth in (MIN_M, MAX_M))
# of each depth in mm; a depth outside the range has the first or the last code
CODE_OF = np.rint((np.log(np.arange(1 << 16) + 1000 * SHIFT_M) - _FIRST) / (_LAST - _FIRST) * (CODES - 1)).clip(0, CODES - 1).astype(np.uint16)
# of each code the depth in mm, whole as readers have it
DEPTH_OF = np.rint(np.exp(_FIRST + np.arange(CODES) / (CODES - 1) * (_LAST - _FIRST)) - 1000 * SHIFT_M).clip(1000 * MIN_M, 1000 * MAX_M)


def pixels(buffer, size):
    """uint16 [height, width], mm."""
    return np.frombuffer(buffer.extract_dup(0, buffer.get_size()), "<u2").reshape(size[1], size[0])


def of_metres(metres, size):
    """uint16 [height, width], mm, of float32 [height, width]; 0 where there is no depth. Another size takes pixels as they are."""
    rows, columns = ((np.arange(n) * 2 + 1) * length // (2 * n) for n, length in zip(size[::-1], metres.shape))
    millimetres = np.rint(metres[rows][:, columns] * np.float64(1000))
    return np.where(np.isfinite(millimetres), millimetres, 0).clip(0, (1 << 16) - 1).astype("<u2")


# ---- the encoder ----

def _options(video):
    """No B-frames: a picture is found without decoding later ones. Groups of pictures are closed."""
    return {"preset": video.preset, "x265-params": f"lossless=1:keyint={video.key_frame_interval}:min-keyint={video.key_frame_interval}:bframes=0:"
                                                   f"scenecut=0:open-gop=0:pools={video.threads}:frame-threads=1:log-level=error:info=0"}


def _set_format(context, size, fps):
    context.width, context.height, context.pix_fmt, context.time_base = size[0], size[1], PIXEL_FORMAT, Fraction(1, fps)


def check(features, video, fps):
    """An error where depth pictures of {feature: (width, height)} cannot be encoded."""
    import av  # it is slow to load, and only depth needs it here
    for feature, size in features.items():
        try:
            formats = [one.name for one in av.codec.Codec(CODEC, "w").video_formats or ()]
        except ValueError:
            formats = []
        if PIXEL_FORMAT not in formats:
            raise ExportError(f"features.{feature} is depth, whose video needs {CODEC} with {PIXEL_FORMAT}: the PyPI package av has it, and av "
                              f"{av.__version__}, which is installed, does not")
        context = av.CodecContext.create(CODEC, "w")
        _set_format(context, size, fps)
        context.options = _options(video)
        try:
            context.open()
        except (av.FFmpegError, ValueError) as error:
            raise ExportError(f"features.{feature} is depth of {size[0]}x{size[1]}, which {CODEC} does not encode with preset = {video.preset!r} and "
                              f"key-frame-interval = {video.key_frame_interval}: {error}") from None


class Encoder:
    """Writes one video. `add` takes the pictures in order, `finish` completes the file."""

    def __init__(self, path, size, fps, video):
        import av
        from . import mp4
        self._frame, self._size, self._fps, self._count = av.VideoFrame, size, fps, 0
        self._container = av.open(str(path), "w", format="mp4", options=mp4.OPTIONS)
        self._stream = self._container.add_stream(CODEC, rate=fps, options=_options(video))
        _set_format(self._stream, size, fps)

    def _encode(self, frame):
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def add(self, buffer):
        width, height = self._size
        frame = self._frame(width, height, PIXEL_FORMAT)
        frame.pts, frame.time_base = self._count, Fraction(1, self._fps)
        # lines may be longer than the picture
        np.frombuffer(frame.planes[0], "<u2").reshape(height, -1)[:, :width] = CODE_OF[pixels(buffer, self._size)]
        self._encode(frame)
        self._count += 1

    def finish(self):
        self._encode(None)
        self.close()

    def close(self):
        if self._container:
            self._container.close()
            self._container = None
