# SPDX-License-Identifier: LGPL-2.1-or-later
"""The newest sample of a pipeline as values of features."""
import logging
import threading
import time

import numpy as np

from robocache.fused import PipelineError, Status, fused

LOG = logging.getLogger(__name__)


class Newest:
    """Reads a pipeline in a thread, and keeps its newest sample."""

    def __init__(self, description):
        self.samples = fused(description)
        self._changed = threading.Condition()
        self._sample, self._arrival, self._failure, self._has_ended = None, 0.0, None, False
        self._thread = threading.Thread(target=self._read, name="robocache", daemon=True)
        self._thread.start()

    def _read(self):
        failure = None
        try:
            for sample in self.samples:
                with self._changed:
                    self._sample, self._arrival = sample, time.monotonic()
                    self._changed.notify_all()
        except PipelineError as error:
            failure = error
        with self._changed:
            self._failure, self._has_ended = failure, True
            self._changed.notify_all()

    def get(self, timeout_s, max_age_s, streams=()):
        """The newest sample; waits for the first one, in which none of the streams is missing. Raises ConnectionError where the pipeline failed,
        ended or is silent."""
        def is_there():
            return self._has_ended or self._sample is not None and not any(self._sample.status.get(one) == Status.MISSING for one in streams)

        with self._changed:
            self._changed.wait_for(is_there, timeout_s)
            if self._failure is not None:
                raise ConnectionError(f"the pipeline failed: {self._failure}") from self._failure
            if self._sample is None:
                raise ConnectionError("the pipeline ended without a sample" if self._has_ended else f"no sample came within {timeout_s:g} s")
            age_s = time.monotonic() - self._arrival
            if self._has_ended or age_s > max_age_s:
                raise ConnectionError(f"the newest sample came {age_s:.3g} s ago, and max_age_s is {max_age_s:g}: "
                                      + ("the pipeline has ended" if self._has_ended else "does a sensor stall the pipeline?"))
            return self._sample

    def close(self):
        self.samples.end()
        self._thread.join(5)
        self.samples.close()


class Device:
    """What the robot and the teleoperator share: the pipeline of self.config, and the values of its newest sample."""

    def _open(self, config):
        self.config = config
        self._newest = None
        self._held = set()
        self.tick_ns = None  # of the last values, on the pipeline's running time

    @property
    def is_connected(self):
        return self._newest is not None

    @property
    def is_calibrated(self):
        return True

    def calibrate(self):
        """Nothing: the pipeline's sources send calibrated values."""

    def configure(self):
        """Nothing: the pipeline has its settings."""

    def connect(self, calibrate=True):
        del calibrate
        if self.is_connected:
            raise ConnectionError(f"{self} is connected already")
        newest = Newest(self.config.pipeline)
        try:
            self._check(newest.get(self.config.connect_timeout_s, self.config.connect_timeout_s, self._streams()))
            self._prepare(newest.samples.pipeline)
        except Exception:
            newest.close()
            raise
        self._newest = newest

    def disconnect(self):
        self._require_connection()
        newest, self._newest = self._newest, None
        newest.close()

    def _prepare(self, pipeline):
        """What else a device needs of its pipeline."""

    def _require_connection(self):
        if not self.is_connected:
            raise ConnectionError(f"{self} is not connected")

    def _images(self):
        return getattr(self.config, "images", {})

    def _streams(self):
        return [*self.config.state, *(image.stream for image in self._images().values())]

    def _check(self, sample):
        """That the sample has what the features say."""
        for stream in self._streams():
            self._tensor(sample, stream)
            self._refuse_missing(sample, stream)
        for stream, names in self.config.state.items():
            shape = self._tensor(sample, stream).shape
            if shape != (len(names),):
                raise ValueError(f"state of {stream} names {len(names)} channels ({', '.join(names)}), and its tensor is {shape}")
        for name, image in self._images().items():
            shape, wanted = self._tensor(sample, image.stream).shape, (image.height, image.width, image.channels)
            if shape != wanted:
                raise ValueError(f"image {name} is {wanted}, and the frames of {image.stream} are {shape}")

    @staticmethod
    def _tensor(sample, stream):
        if stream not in sample.tensors:
            raise ValueError(f"{stream} is no stream of the samples: they have {', '.join(sample.tensors)}")
        return sample.tensors[stream]

    def _values(self):
        """The values of the newest sample by feature."""
        self._require_connection()
        sample = self._newest.get(self.config.connect_timeout_s, self.config.max_age_s)
        values = {}
        for stream, names in self.config.state.items():
            self._refuse_missing(sample, stream)
            values |= dict(zip(names, np.asarray(sample.tensors[stream], np.float64).tolist()))
        for name, image in self._images().items():
            self._refuse_missing(sample, image.stream)
            values[name] = np.array(sample.tensors[image.stream])
        self.tick_ns = sample.tick_ns
        return values

    def _refuse_missing(self, sample, stream):
        """A set would have NaN, or an old row, as if it were measured."""
        status = sample.status[stream]
        if status == Status.MISSING:
            raise ConnectionError(f"{stream} is missing at the tick {sample.tick_ns / 1e9:.3f} s: no row is near it")
        if status == Status.HELD and stream not in self._held:
            self._held.add(stream)
            LOG.warning("%s repeats its last row, %s ns old at the tick: no newer row came in time", stream, sample.age_ns[stream])
