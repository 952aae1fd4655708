# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of an episode on their way to files: videos, or arrays in HDF5; and their statistics."""
import numpy as np

from .encoder import Encoder

SAMPLED_FRAMES = 100  # of an episode at least, for statistics
SAMPLED_PIXELS = 150  # along each side


def file_of(feature):
    return f"{feature}.mp4"


class Histogram:
    """Exact counts of the values of sampled pixels, a row a colour. It adds up over episodes."""

    def __init__(self, expected_frames, size):
        self._every = max(1, expected_frames // SAMPLED_FRAMES)
        self._step = max(1, min(size) // SAMPLED_PIXELS)
        self.size, self.seen, self.frames = size, 0, 0
        self.counts = np.zeros((3, 256), np.int64)

    def add(self, buffer):
        if self.seen % self._every == 0:
            width, height = self.size
            pixels = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(height, width, 3)
            pixels = pixels[::self._step, ::self._step]
            self.counts += [np.bincount(pixels[..., colour].ravel(), minlength=256) for colour in range(3)]
            self.frames += 1
        self.seen += 1

    def state(self):
        return {"frames": self.frames, "counts": self.counts.tolist()}


class Arrays:
    """Pictures as they are, for HDF5: a dataset [frames, height, width, 3] of each camera."""

    def __init__(self, path, sizes):
        import h5py  # it is slow to load, and only HDF5 needs it
        self._file = h5py.File(path, "w")
        self._sets = {feature: self._file.create_dataset(feature, (0, height, width, 3), np.uint8, maxshape=(None, height, width, 3),
                                                         chunks=(1, height, width, 3)) for feature, (width, height) in sizes.items()}

    def add(self, feature, buffer):
        dataset = self._sets[feature]
        dataset.resize(len(dataset) + 1, axis=0)
        dataset[-1] = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(dataset.shape[1:])

    def finish(self):
        self._file.close()

    close = finish


class Videos:
    """Pictures as videos, a file of each camera."""

    def __init__(self, folder, sizes, mapping):
        self._encoders = {feature: Encoder(folder / file_of(feature), size, mapping.fps, mapping.video) for feature, size in sizes.items()}

    def add(self, feature, buffer):
        self._encoders[feature].add(buffer)

    def finish(self):
        for encoder in self._encoders.values():
            encoder.finish()

    def close(self):
        for encoder in self._encoders.values():
            encoder.close()
