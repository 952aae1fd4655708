#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Samples of robocachefuse as NumPy arrays and PyTorch tensors.

    from robocache.fused import fused

    for sample in fused("robocachefuse name=fuse rate=50/1 v4l2src ! videoconvert ! fuse.camera_0 …"):
        sample.tick_ns, sample.tensors["camera_0"], sample.status["camera_0"], sample.age_ns["camera_0"]

From a shell, prints one line for each sample, and the statistics:

    python3 -m robocache.fused 'robocachefuse name=fuse rate=10/1 robocachetestsrc num-buffers=100 ! fuse.proprio_0'

Needs python3-gi, gir1.2-gstreamer-1.0 and python3-numpy; PyTorch only for Sample.torch().
"""
import ctypes
import enum
import functools
import re
import sys
import warnings
from typing import Any, Dict, Iterator, List, Optional, Set

from . import gstreamer
from .printable import printable

try:
    import numpy as np
except ModuleNotFoundError as error:
    if error.name != "numpy":
        raise
    raise gstreamer.MissingError("NumPy is missing: sudo apt-get install python3-numpy, or pip install numpy") from None

GLib, Gst = gstreamer.load()

QUEUED = 8  # samples that wait for the loop; the pipeline waits beyond that
POLL_NS = 50 * Gst.MSECOND  # between looks at the bus while no sample comes
NO_TIME = -(1 << 63)  # in info: there is no such row
CORRUPTED = 4  # in info: a bit of the status

# Types of other/tensors in NumPy, which has no bfloat16: these are its bits.
DTYPES = {name: np.dtype(name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                                            "float16", "float32", "float64")}
DTYPES["bfloat16"] = np.dtype("uint16")


class PipelineError(RuntimeError):
    """A pipeline that cannot be made, or an element that failed; `debug` has GStreamer's details."""

    def __init__(self, text: str, debug: Optional[str] = None):
        super().__init__(text)
        self.debug = debug


class Status(enum.IntEnum):
    """How a stream's row of a tick was made."""
    ALIGNED = 0  # from rows around the tick
    HELD = 1  # the last row, repeated
    MISSING = 2  # NaN, or 0 for integers


# ---------------------------------------------------------------- memory
class _MapInfo(ctypes.Structure):
    """GstMapInfo. PyGObject copies its bytes, and cannot hand out an address on a GPU."""
    _fields_ = [("memory", ctypes.c_void_p), ("flags", ctypes.c_int), ("data", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("maxsize", ctypes.c_size_t), ("user_data", ctypes.c_void_p * 4), ("reserved", ctypes.c_void_p * 4)]


_gst = ctypes.CDLL("libgstreamer-1.0.so.0")
_gst.gst_buffer_map_range.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.POINTER(_MapInfo), ctypes.c_int]
_gst.gst_buffer_unmap.argtypes = [ctypes.c_void_p, ctypes.POINTER(_MapInfo)]
MAP_READ, MAP_DEVICE = 1, 1 << 17


class Mapping:
    """The memory of one tensor at `address`, mapped for reading until this object is gone. NumPy takes it as an array."""
    _buffer = None

    def __init__(self, buffer, place, flags=MAP_READ):
        found, first, n, skip = buffer.find_memory(place.offset, place.size)
        self._info = _MapInfo()
        # the hash of a boxed object is its address
        if not found or not _gst.gst_buffer_map_range(hash(buffer), first, n, self._info, flags):
            raise PipelineError(f"{place.name}: the buffer lacks its {place.size} bytes, or cannot be mapped")
        self._buffer = buffer
        self.address = self._info.data + skip
        self.__array_interface__ = {"version": 3, "data": (self.address, True), "shape": place.shape,
                                    "typestr": DTYPES[place.type].str}

    def __del__(self, unmap=_gst.gst_buffer_unmap):
        if self._buffer is not None:
            unmap(hash(self._buffer), self._info)


# ---------------------------------------------------------------- caps
class Place:
    """Where a tensor lies in a buffer, in bytes, and what it is."""

    def __init__(self, name, kind, dimensions, offset):
        if kind not in DTYPES:
            raise PipelineError(f"{name}: unknown tensor type {kind}")
        self.name, self.type, self.offset = name, kind, offset
        # caps begin with the fastest axis, NumPy ends with it
        self.shape = tuple(int(axis) for axis in reversed(dimensions.split(":")))
        self.size = DTYPES[kind].itemsize * int(np.prod(self.shape))


def _words(structure, field):
    """A field with one word for each tensor. A single number may be an int."""
    value = structure.get_value(field) if structure.has_field(field) else ""
    return [word.strip() for word in str(value).replace(".", ",").split(",") if word]


def _shortest(dimensions):
    """Without 1s at the end, which mean nothing."""
    return re.sub("(:1)+$", "", dimensions)


class Format:
    """The tensors and streams of samples with these caps."""

    def __init__(self, caps):
        structure = caps.get_structure(0)
        if structure.get_name() != "other/tensors":
            raise PipelineError(f"appsink receives {structure.get_name()}, expected other/tensors")
        types = _words(structure, "types")
        dimensions = [_shortest(axes) for axes in _words(structure, "dimensions")]
        if not types or len(types) != len(dimensions):
            raise PipelineError(f"caps need a type and dimensions for each tensor, but are {caps.to_string()}")
        self.caps = caps
        # others than robocachefuse may send tensors without names
        self.streams = _words(structure, "streams") or [f"tensor_{i}" for i in range(len(types))]
        self.nearest = set(_words(structure, "nearest") or ())
        self.window = structure.get_int("window")[1] if structure.has_field("window") else 1
        self.on_device = any(caps.get_features(0).contains(f"memory:{memory}") for memory in ("RobocacheCUDA", "CUDAMemory"))
        self.places = []
        names = self._names(types, dimensions)
        for name, kind, axes in zip(names, types, dimensions):
            offset = self.places[-1].offset + self.places[-1].size if self.places else 0
            self.places.append(Place(name, kind, axes, offset))
        self.info = self.places[-1] if names[-1] == "info" else None
        lists = (structure.get_string("kinds") or "").split(";") if structure.has_field("kinds") else []
        # {tensor: what its channels are}, of those that are not real alone
        self.kinds = {name: kinds for name, kinds in zip(names, lists) if kinds}

    def _names(self, types, dimensions):
        """Of the tensors: their streams, "concat" for several streams in one, and "info" for info=tensor."""
        n = len(types)
        info = "int64", _shortest(f"4:{len(self.streams)}:{self.window}")
        has_info = n - 1 in (1, len(self.streams)) and (types[-1], dimensions[-1]) == info
        if n - has_info == len(self.streams):
            names = list(self.streams)
        else:
            names = ["concat"] if n - has_info == 1 else [f"tensor_{i}" for i in range(n - has_info)]
        return names + ["info"] * has_info


# ---------------------------------------------------------------- samples
class Sample:
    """One tick of all streams. Arrays are views of the buffer, which lives as long as they do, and are read-only."""

    def __init__(self, sample, form):
        self.buffer, self.format = sample.get_buffer(), form

    def __repr__(self):
        rows = [f"{name} {self.status[name].name.lower()}"
                + (f" {self.age_ns[name] / 1e6:.2f} ms old" if self.age_ns[name] is not None else "") for name in self.streams]
        arrays = [f"{name} {getattr(array, 'dtype', '')}{list(array.shape)}" for name, array in self.tensors.items()]
        return f"tick {self.tick_ns / 1e9:.3f} s: {', '.join(rows)}; {', '.join(arrays)}"

    @property
    def streams(self) -> List[str]:
        """Names of the streams, in the order of `info`."""
        return self.format.streams

    @functools.cached_property
    def tensors(self) -> Dict[str, Any]:
        """{name: array}; in GPU memory {name: DeviceTensor}."""
        return {place.name: self._tensor(place) for place in self.format.places}

    def _tensor(self, place):
        if not self.format.on_device:
            return np.asarray(Mapping(self.buffer, place))
        from .devicetensor import DeviceTensor
        return DeviceTensor(place.shape, place.type, lambda: Mapping(self.buffer, place, MAP_READ | MAP_DEVICE),
                            lambda: np.array(Mapping(self.buffer, place)))

    def torch(self, name: str) -> Any:
        """A tensor of PyTorch: a copy on the CPU, the sample's own memory on a GPU."""
        try:
            import torch
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise gstreamer.MissingError("PyTorch is missing: pip install torch, or sudo apt-get install python3-torch") from None
        tensor = self.tensors[name]
        if self.format.on_device:
            return torch.from_dlpack(tensor)
        kind = next(place.type for place in self.format.places if place.name == name)
        if kind == "bfloat16":
            return torch.from_numpy(tensor.astype(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(tensor.copy())

    @functools.cached_property
    def info(self) -> np.ndarray:
        """int64 [window, streams, 4]: tick, time of the row at or before it, time of the row after it (ns), status."""
        shape = (self.format.window, len(self.streams), 4)
        meta = self.buffer.get_custom_meta("RobocacheSampleMeta")
        if meta is not None:
            return np.frombuffer(meta.get_structure().get_value("info").get_data(), np.int64).reshape(shape)
        if self.format.info is None:
            raise PipelineError("the sample has no times and statuses: an element dropped its meta; set info=tensor on robocachefuse")
        return np.array(Mapping(self.buffer, self.format.info)).reshape(shape)

    @functools.cached_property
    def tick_ns(self) -> int:
        """Running time of the tick, the last one of a window."""
        return int(self.info[-1, 0, 0])

    @functools.cached_property
    def status(self) -> Dict[str, Status]:
        """{stream: Status} at the tick."""
        return {name: Status(int(row[3]) & ~CORRUPTED) for name, row in zip(self.streams, self.info[-1])}

    @functools.cached_property
    def corrupted(self) -> Set[str]:
        """Names of the streams whose camera flagged the frame as corrupted."""
        return {name for name, row in zip(self.streams, self.info[-1]) if row[3] & CORRUPTED}

    @functools.cached_property
    def age_ns(self) -> Dict[str, Optional[int]]:
        """{stream: time from its row to the tick, None without one}: from the frame or row that was copied, which is negative where
        the nearest one came after the tick, or from the newest row before it, where several make one."""
        return {name: self._age(name, *(int(number) for number in row)) for name, row in zip(self.streams, self.info[-1])}

    def _age(self, name, tick, before, after, status):
        if before == NO_TIME:
            return None
        is_later = (name in self.format.nearest and status & ~CORRUPTED == Status.ALIGNED and after != NO_TIME
                    and after - tick < tick - before)
        return tick - after if is_later else tick - before


# ---------------------------------------------------------------- pipelines
def to_dict(structure):
    """A GstStructure of statistics as a dictionary; enums are their names."""
    values = {}
    for index in range(structure.n_fields()):
        name = structure.nth_field_name(index)
        value = structure.get_value(name)
        if isinstance(value, Gst.Structure):
            value = to_dict(value)
        values[name] = getattr(value, "value_nick", value)
    return values


def _elements(pipeline, factory):
    iterator = pipeline.iterate_all_by_element_factory_name(factory)
    while True:
        result, element = iterator.next()
        if result != Gst.IteratorResult.OK:
            return
        yield element


def _text_of(message, error, debug):
    """Who, what, and the details that GStreamer's own elements keep for developers."""
    detail = (debug or "").partition("\n")[2].strip()
    return f"{message.src.get_name()}: {error.message}" + (f" ({detail})" if detail else "")


def _advice_on(error):
    """What to do about a description that GStreamer refuses."""
    if error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT) and "robocache" in error.message:
        return "; is GST_PLUGIN_PATH_1_0 set?"
    if error.matches(Gst.ParseError.quark(), Gst.ParseError.LINK):
        return "; put videoconvert before a camera pad, and robocacheparse before bytes. Sink pads are camera_0, proprio_0, force_0, sink_0, …"
    return ""


def _check_durations(description):
    """GStreamer ignores a property of a pad whose value it cannot read, and it reads no units."""
    for pad, name, value in re.findall(r"([\w-]+)::([\w-]+)=\"?(-?[\d.]+(?:ns|us|ms|s))\b", description):
        raise PipelineError(f'{pad}::{name}={value}: a number of ns is needed here; a unit is possible in pads="{pad},{name}={value}"')


class Samples:
    """A pipeline as an iterator over its samples. It runs while it is iterated over."""

    def __init__(self, description: str):
        _check_durations(description)
        try:
            self.pipeline = Gst.parse_launch(description)
        except GLib.Error as error:
            raise PipelineError(error.message + _advice_on(error)) from None
        if not isinstance(self.pipeline, Gst.Bin):
            raise PipelineError(f"expected robocachefuse and its sources, not {self.pipeline.get_name()} alone")
        self.fuse = next(_elements(self.pipeline, "robocachefuse"), None)
        self._sink = next(_elements(self.pipeline, "appsink"), None) or self._add_sink()
        self._last_stats = {}
        self._runs = False

    def _add_sink(self):
        if self.fuse is None or self.fuse.get_static_pad("src").is_linked():
            raise PipelineError("no output to read: leave that of robocachefuse free, or link it to appsink")
        sink = Gst.ElementFactory.make("appsink")
        # ticks are paced already, and a sample is never dropped
        sink.set_property("sync", False)
        sink.set_property("max-buffers", QUEUED)
        sink.set_property("enable-last-sample", False)
        self.pipeline.add(sink)
        self.fuse.link(sink)
        return sink

    @property
    def stats(self) -> Dict[str, Any]:
        """robocachefuse's `stats` as nested dictionaries, at their last values once the pipeline has stopped."""
        if self.fuse is not None and self._runs:
            self._last_stats = to_dict(self.fuse.get_property("stats"))
        return self._last_stats

    def end(self) -> None:
        """Ends all sources: the iteration goes on to the last sample."""
        self.pipeline.send_event(Gst.Event.new_eos())

    def close(self) -> None:
        """Stops the pipeline at once."""
        self.stats  # pylint: disable=pointless-statement
        self._runs = False
        self.pipeline.set_state(Gst.State.NULL)

    def _end_threads(self):
        """A warning about the last rows may come later than the end, as other threads bring it."""
        self.stats  # pylint: disable=pointless-statement
        self._runs = False
        self.pipeline.set_state(Gst.State.READY)
        self._handle_messages()

    def _handle_messages(self, wait_ns=0):
        """Takes messages off the bus: raises an error, warns of a warning. Returns True once every sink has ended."""
        bus, has_ended = self.pipeline.get_bus(), False
        message = bus.timed_pop(wait_ns)
        while message is not None:
            if message.type == Gst.MessageType.ERROR:
                error, debug = message.parse_error()
                raise PipelineError(_text_of(message, error, debug), debug)
            if message.type == Gst.MessageType.WARNING:
                warnings.warn(_text_of(message, *message.parse_warning()), RuntimeWarning, stacklevel=3)
            if message.type == Gst.MessageType.LATENCY:
                # otherwise ticks leave before their rows arrive
                self.pipeline.recalculate_latency()
            has_ended |= message.type == Gst.MessageType.EOS
            message = bus.pop()
        return has_ended

    def __iter__(self) -> Iterator[Sample]:
        form, has_ended = None, False
        self._runs = True
        try:
            if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
                self._handle_messages()
                raise PipelineError("the pipeline does not start")
            while True:
                sample = self._sink.emit("try-pull-sample", POLL_NS)
                is_last = sample is None and self._sink.get_property("eos")
                # other sinks may still write
                has_ended |= self._handle_messages(POLL_NS if is_last and not has_ended else 0)
                if sample is not None:
                    if form is None or not form.caps.is_equal(sample.get_caps()):
                        form = Format(sample.get_caps())
                    yield Sample(sample, form)
                elif is_last and has_ended:
                    self._end_threads()
                    return
        finally:
            self.close()


def fused(description: str) -> Samples:
    """The samples of a pipeline, described as for gst-launch-1.0. appsink is added to a robocachefuse whose output is free.

    Raises PipelineError where the description is wrong or an element fails. Ends with the streams."""
    return Samples(description)


# ---------------------------------------------------------------- a program
USES = ("used", "late", "duplicate", "superseded", "dropped", "kept")  # each row has one


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    samples = None
    try:
        samples = fused(arguments[0])
        for sample in samples:
            print(sample, flush=True)
    except PipelineError as error:
        sys.exit(f"error: {printable(error)}")
    except KeyboardInterrupt:
        pass
    for name, value in samples.stats.items():
        if isinstance(value, dict) and "rows-in" in value and (value["rows-in"] or name != "removed-pads"):
            rows = ", ".join(f"{value[f'rows-{use}']} {use}" for use in USES if value[f"rows-{use}"] or use == "used")
            print(f"{name}: {value['rows-in']} rows in, {rows}; ticks: {value['ticks-aligned']} aligned, {value['ticks-held']} held, "
                  f"{value['ticks-missing']} missing")


if __name__ == "__main__":
    main(sys.argv[1:])
