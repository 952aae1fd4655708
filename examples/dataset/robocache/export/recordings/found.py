# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stream of the mapping as a recording has it: its pad, and its format by its caps."""
import re
from dataclasses import dataclass, replace

from gi.repository import Gst

from ..errors import ExportError

# settings that take the place of kinds
LISTS = ("quaternions", "angles", "velocities")
HOLD = re.compile(r"hold(\s*\*\s*\d+)?")


@dataclass(frozen=True)
class Found:
    stream: object  # of the mapping
    pad: str  # of the recording's source
    caps: str
    channels: tuple  # names, or numbers where caps have none; of a camera ()
    size: tuple = ()  # of a camera: width, height of the set's pictures
    is_depth: bool = False  # of a camera: its pictures have 16 bits, mm, or are_metres
    are_metres: bool = False  # of a camera: its pictures are tensors of float32

    @property
    def kinds(self):
        """What robocachefuse takes its channels for, and what says so; of a camera None."""
        if self.size:
            return None
        settings, noted = dict(self.stream.settings), Gst.Caps.from_string(self.caps).get_structure(0).get_string("kinds")
        chosen = settings.get("kinds") or noted
        listed = [f"{name}={settings[name]}" for name in LISTS if name in settings]
        source = "the mapping" if settings.get("kinds") else "the recording" if noted else "none"
        return {"kinds": chosen or "", "from": ", ".join([source, *listed])}

    @property
    def is_held(self):
        """Whether no channel is interpolated: the last row then stays in force, without a gap."""
        lists = [str(dict(self.stream.settings).get(name, "")) for name in LISTS]
        return not any(lists) and holds_all(self.kinds["kinds"] if self.kinds else "")

    @property
    def has_rate(self):
        """Whether its caps tell the period of its rows."""
        has, rate, _ = Gst.Caps.from_string(self.caps).get_structure(0).get_fraction("framerate")
        return has and rate > 0


def holds_all(kinds):
    """Whether kinds of caps say hold of every channel."""
    return all(HOLD.fullmatch(word.strip()) for word in kinds.split(","))


def _are_metres(structure):
    """Depth as sensor_msgs has it in 32FC1."""
    return structure.get_name() == "other/tensors" and structure.get_string("picture") == "32FC1"


def is_depth(caps, topic):
    """Pictures of 16 bits, by their format, or compressed ones by their topic; and pictures in m."""
    structure = caps.get_structure(0)
    return _are_metres(structure) or (structure.get_string("format") or "").startswith("GRAY16") or structure.get_name() == "image/png" and "depth" in topic.lower()


def channels_of(structure):
    dimensions = str(structure.get_value("dimensions"))
    count = int(re.split(r"[:,.]", dimensions)[0])
    names = structure.get_string("channels") if structure.has_field("channels") else ""
    words = tuple(word.strip() for word in (names or "").split(",") if word.strip())
    return words if len(words) == count else tuple(str(i) for i in range(count))


def names_of(texts):
    """Caps as the names of their channels, or as they are where names do not tell them apart."""
    names = [Gst.Caps.from_string(text).get_structure(0).get_string("channels") or "" for text in texts]
    return names if len(set(names)) == len(names) else texts


def has_format(caps):
    """Whether caps tell the size of pictures, which those of compressed ones of other writers do not, and whether they are depth, as PNG may be."""
    structure = caps.get_structure(0)
    return _are_metres(structure) or structure.get_int("width")[0] and structure.get_int("height")[0] and structure.get_name() != "image/png"


def _size_of(stream, structure, is_depth):
    if _are_metres(structure):
        width, height = map(int, (str(structure.get_value("dimensions")) + ":1").split(":")[:2])
    else:
        width, height = structure.get_int("width")[1], structure.get_int("height")[1]
    width, height = stream.width or width, stream.height or height
    if not is_depth and (width % 2 or height % 2):
        raise ExportError(f"{stream.topic} has {width}x{height} pictures; yuv420p needs even numbers: set width and height of "
                          f"streams.{stream.name}")
    return width, height


def kind_of(caps):
    """rows, pictures, or the media type of other streams."""
    name = caps.get_structure(0).get_name()
    if name.startswith(("video/", "image/")) or _are_metres(caps.get_structure(0)):
        return "pictures"
    return "rows" if name == "other/tensors" else name


def check_kind(stream, caps):
    """An error where the caps are of another kind than the mapping needs."""
    structure = caps.get_structure(0)
    if kind_of(caps) != ("pictures" if stream.is_camera else "rows"):
        raise ExportError(f"{stream.topic} sends {structure.get_name()}, and streams.{stream.name} is used as "
                          f"{'pictures' if stream.is_camera else 'numbers'}")


def describe(stream, pad, caps, sized=None):
    """The Found of a stream. `sized` are caps with the size and format of pictures, where `caps` do not tell them."""
    if stream.is_camera:
        structure = (sized or caps).get_structure(0)
        are_metres = _are_metres(structure)
        is_depth = are_metres or (structure.get_string("format") or "").startswith("GRAY16")
        return Found(stream, pad, caps.to_string(), (), _size_of(stream, structure, is_depth), is_depth, are_metres)
    return Found(stream, pad, caps.to_string(), channels_of(caps.get_structure(0)))


def joints_of(caps):
    """Names of the joints of JointState messages, each once; () of others."""
    structure = caps.get_structure(0)
    if structure.get_string("role") != "joints":
        return ()
    return tuple(dict.fromkeys(name.rpartition(".")[0] for name in channels_of(structure)))


def with_caps(one, text):
    """A stream of rows with the channels of other caps."""
    return replace(one, caps=text, channels=channels_of(Gst.Caps.from_string(text).get_structure(0)))


def decoder_of(caps_text):
    """The installed element of the highest rank that decodes a camera's caps; "" for raw video."""
    caps = Gst.Caps.from_string(caps_text)
    if caps.get_structure(0).get_name() == "video/x-raw":
        return ""
    kind = Gst.ELEMENT_FACTORY_TYPE_DECODER | Gst.ELEMENT_FACTORY_TYPE_MEDIA_IMAGE | Gst.ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
    listed = Gst.ElementFactory.list_get_elements(kind, Gst.Rank.MARGINAL)
    # by media type: parsers before a decoder make the rest fit
    bare = Gst.Caps.new_empty_simple(caps.get_structure(0).get_name())
    fitting = Gst.ElementFactory.list_filter(listed, bare, Gst.PadDirection.SINK, False)
    if not fitting:
        raise ExportError(f"no decoder for {caps.get_structure(0).get_name()} is installed")
    best = max(fitting, key=lambda factory: (factory.get_rank(), factory.get_name()))
    parser = {"video/x-h264": "h264parse ! ", "video/x-h265": "h265parse ! "}.get(caps.get_structure(0).get_name(), "")
    return f"{parser}{best.get_name()} ! "
