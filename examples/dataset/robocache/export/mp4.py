# SPDX-License-Identifier: LGPL-2.1-or-later
"""MP4 files without encoding: from a stream of an encoder, and from several files. Frame k is at k / fps exactly."""
from fractions import Fraction

import av

from .errors import ExportError

# no times of creation, no name of the writer: the same bytes each time
OPTIONS = {"fflags": "+bitexact", "movflags": "+faststart"}


class _Writer:
    """Gives packets the times of the grid, in the order of the stream: there are no B-frames."""

    def __init__(self, path, template, fps):
        self._container = av.open(str(path), "w", format="mp4", options=OPTIONS)
        self._stream = self._container.add_stream_from_template(template)
        self._stream.time_base = Fraction(1, fps)
        self._fps, self.count = fps, 0

    def add(self, packet):
        packet.stream, packet.time_base = self._stream, Fraction(1, self._fps)
        packet.pts = packet.dts = self.count
        packet.duration = 1
        self.count += 1
        self._container.mux(packet)

    def close(self):
        self._container.close()


def _packets(path, form=None):
    with av.open(str(path), format=form) as container:
        stream = container.streams.video[0]
        yield stream
        # an empty packet ends the stream
        yield from (packet for packet in container.demux(stream) if packet.size)


def _write(path, inputs, fps, form=None):
    """Frames that were written of each input."""
    writer, counts = None, []
    try:
        for source in inputs:
            packets = _packets(source, form)
            stream = next(packets)
            writer = writer or _Writer(path, stream, fps)
            before = writer.count
            for packet in packets:
                writer.add(packet)
            counts.append(writer.count - before)
    finally:
        if writer:
            writer.close()
    return counts


def from_stream(source, path, codec, fps, expected):
    """A file of an encoder's stream, which must have the expected number of frames."""
    written, = _write(path, [source], fps, codec)
    if written != expected:
        raise ExportError(f"{path.name}: the encoder made {written} frames of {expected} pictures")


def join(path, inputs, fps):
    """One file of several, which have the same format. Returns the number of frames of each."""
    return _write(path, inputs, fps)
