# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pipelines that only look at a recording."""
from gi.repository import GLib, Gst

from ..errors import ExportError

TIMEOUT_NS = 60 * Gst.SECOND


def quote(text):
    """A value for a description of a pipeline."""
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _error_of(message):
    error, debug = message.parse_error()
    return ExportError(f"{message.src.get_name()}: {error.message} ({debug})")


def wait(pipeline, until, wanted, timeout_ns=TIMEOUT_NS):
    """Returns the message of the types `until`; raises an element's error, and one where time was up before."""
    message = pipeline.get_bus().timed_pop_filtered(timeout_ns, until | Gst.MessageType.ERROR)
    if message is None:
        raise ExportError(f"{wanted} did not come within {TIMEOUT_NS // Gst.SECOND} s")
    if message.type == Gst.MessageType.ERROR:
        raise _error_of(message)
    return message


def pause(pipeline, demux, wanted):
    """Goes to PAUSED, up to where the demuxer has exposed its pads."""
    # made here, as PyGObject makes the class of a type twice where two threads meet it first at once
    bus, message = pipeline.get_bus(), Gst.Message.new_application(None, Gst.Structure.new_empty("pads"))
    handler = demux.connect("no-more-pads", lambda _: bus.post(message))
    pipeline.set_state(Gst.State.PAUSED)
    wait(pipeline, Gst.MessageType.APPLICATION, wanted)
    demux.disconnect(handler)


def close_gates(demux):
    """Holds back all that the demuxer's pads send, as soon as they are there. Returns the list for open_gates."""
    gates = []

    def close(_, pad):
        gates.append((pad, pad.add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM, lambda *_: Gst.PadProbeReturn.OK)))

    demux.connect("pad-added", close)
    return gates


def open_gates(gates):
    for pad, probe in gates:
        pad.remove_probe(probe)


def seek(pad, position):
    """From `position` on, which is running time 0 then."""
    event = Gst.Event.new_seek(1.0, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekType.SET, position,
                               Gst.SeekType.NONE, -1)
    if not pad.send_event(event):
        raise ExportError("the recording does not accept a seek")


def parse(description):
    try:
        made = Gst.parse_launch(description)
    except GLib.Error as error:
        hint = "; does GST_PLUGIN_PATH_1_0 name the folder of libgstrobocache.so?" if "no element \"robocache" in error.message else ""
        raise ExportError(f"{error.message}{hint}") from None
    if isinstance(made, Gst.Pipeline):
        return made
    # one element alone
    pipeline = Gst.Pipeline()
    pipeline.add(made)
    return pipeline
