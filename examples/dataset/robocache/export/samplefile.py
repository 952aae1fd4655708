# SPDX-License-Identifier: LGPL-2.1-or-later
"""Samples of robocachefuse as bytes of a file: no Python runs while they come, as long as they have no pictures."""
import os
import tempfile

import numpy as np
from gi.repository import Gst

from ..fused import Format, PipelineError, Samples

# between looks at how far the samples are
LOOK_NS = 20 * Gst.MSECOND
# bytes of samples that come after the last one that is read
BUFFERED = 16384


class SampleFile(Samples):
    """A pipeline that runs until a tick has come, or to its end."""

    def __init__(self, description):
        # gone with the object
        self._formats = []
        self._file = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
        super().__init__(description)
        # Gst.Caps is known from here on: PyGObject makes the class of a type twice where two threads meet it first at once
        self._caps = [Gst.Caps.new_any()]
        self.fuse.get_static_pad("src").connect("notify::caps", self._note_caps)

    def _add_sink(self):
        sink = Gst.ElementFactory.make("filesink")
        sink.set_property("location", self._file.name)
        # a call of the kernel for each sample takes longer than the sample
        sink.set_property("buffer-mode", "full")
        sink.set_property("buffer-size", BUFFERED)
        sink.set_property("sync", False)
        self.pipeline.add(sink)
        self.fuse.link(sink)
        return sink

    def _note_caps(self, pad, _):
        """Flushes take caps away for a while."""
        caps = pad.get_current_caps()
        if caps is not None and not self._caps[-1].is_equal(caps):
            self._caps.append(caps)

    @property
    def formats(self):
        """Of the samples so far, in their order."""
        self._formats += [Format(caps) for caps in self._caps[1 + len(self._formats):]]
        return self._formats

    def _newest_tick(self):
        """Of the last whole sample, -1 before the first."""
        if not self.formats:
            return -1
        size, info = sample_bytes(self.formats[0]), self.formats[0].info
        count = os.fstat(self._file.fileno()).st_size // size
        if not count:
            return -1
        return int.from_bytes(os.pread(self._file.fileno(), 8, (count - 1) * size + info.offset), "little", signed=True)

    def run(self, last_ns, needed_ns):
        """Until a tick at last_ns or later is there, or one at needed_ns and an error. Returns uint8 [samples, bytes]; none where their format
        changed."""
        self._runs = True
        try:
            self.pipeline.set_state(Gst.State.PLAYING)
            while not self._handle_messages(LOOK_NS) and self._newest_tick() < last_ns:
                pass
            self._end_threads()
        except PipelineError:
            if self._newest_tick() < needed_ns:
                raise
        finally:
            self.close()
        if not self.formats:
            return np.zeros((0, 0), np.uint8)
        self._file.seek(0)
        data, size = np.fromfile(self._file, np.uint8), sample_bytes(self.formats[0])
        return data[:len(data) // size * size].reshape(-1, size)

    def close(self):
        """Stops, and waits for nothing."""
        self._runs = False
        self.pipeline.set_state(Gst.State.NULL)


def sample_bytes(form):
    return form.places[-1].offset + form.places[-1].size
