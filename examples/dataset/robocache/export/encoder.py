# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of an episode to a video: an encoder of GStreamer, then a file whose frames are exactly on the tick grid."""
from pathlib import Path

from gi.repository import Gst

from .errors import ExportError
from .recordings import pipelines

QUEUED = 8  # pictures that wait for the encoder

# {encoder: (settings, format of its stream)}. No B-frames: a picture is found without decoding later ones. Groups of pictures are closed.
# x264 writes a few other bytes for the same pictures in about one of a hundred videos, with one thread too.
ENCODERS = {
    "x264enc": ("pass=qual quantizer={quality} key-int-max={key_frame_interval} bframes=0 threads={threads} speed-preset={preset} "
                "option-string=scenecut=0:open-gop=0", "video/x-h264,profile=high"),
    "x265enc": ("key-int-max={key_frame_interval} speed-preset={preset} "
                "option-string=crf={quality}:bframes=0:scenecut=0:open-gop=0:pools={threads}:frame-threads=1", "video/x-h265,profile=main"),
    "nvh264enc": ("rc-mode=constqp qp-const={quality} gop-size={key_frame_interval} bframes=0", "video/x-h264,profile=high"),
    "nvh265enc": ("rc-mode=constqp qp-const={quality} gop-size={key_frame_interval} bframes=0", "video/x-h265,profile=main"),
}


def codec_of(video):
    return "h264" if "264" in video.encoder else "hevc"


def _description(video, size, fps, path):
    settings, caps = ENCODERS[video.encoder]
    settings = settings.format(quality=video.quality, key_frame_interval=video.key_frame_interval, threads=video.threads,
                               preset=video.preset)
    parser = "h264parse" if codec_of(video) == "h264" else "h265parse"
    return (f"appsrc name=source format=time block=true max-buffers={QUEUED} max-bytes=0 "
            f"caps=video/x-raw,format=RGB,width={size[0]},height={size[1]},framerate={fps}/1,pixel-aspect-ratio=1/1 ! "
            f"videoconvert ! video/x-raw,format=I420 ! {video.encoder} {settings} ! {caps} ! {parser} ! "
            f"{caps.split(',')[0]},stream-format=byte-stream,alignment=au ! filesink location={pipelines.quote(path)}")


def check(video):
    """An error where the encoder cannot be used, or does not have the settings."""
    if video.encoder not in ENCODERS:
        raise ExportError(f"video.encoder = {video.encoder!r}: expected {', '.join(ENCODERS)}")
    if Gst.ElementFactory.find(video.encoder) is None:
        raise ExportError(f"video.encoder: {video.encoder} is not installed: sudo apt-get install gstreamer1.0-plugins-"
                          + ("ugly" if video.encoder == "x264enc" else "bad") + ("; it needs an NVIDIA GPU" if video.encoder.startswith("nv") else ""))
    pipelines.parse(_description(video, (64, 64), 1, "/dev/null"))


def _pad_lines(buffer, width, height):
    """Lines of RGB begin at multiples of 4 bytes; those of a tensor are dense."""
    data, line = buffer.extract_dup(0, buffer.get_size()), 3 * width
    gap = bytes(-line % 4)
    return Gst.Buffer.new_wrapped(b"".join(data[i * line:(i + 1) * line] + gap for i in range(height)))


class Encoder:
    """Writes one video. `add` takes the pictures in order, `finish` completes the file."""

    def __init__(self, path, size, fps, video):
        self.path, self._raw = Path(path), Path(path).with_suffix(".stream")
        self._size, self._fps, self._video, self._count = size, fps, video, 0
        self._pipeline = pipelines.parse(_description(video, size, fps, self._raw))
        self._source, self._failed = self._pipeline.get_by_name("source"), False
        self._pipeline.get_bus().enable_sync_message_emission()
        self._pipeline.get_bus().connect("sync-message::error", self._fail)
        self._pipeline.set_state(Gst.State.PLAYING)

    def _fail(self, *_):
        """No limit any more: a picture that waits for a failed encoder would wait for ever."""
        self._failed = True
        self._source.set_property("max-buffers", 0)

    def add(self, buffer):
        if 3 * self._size[0] % 4:
            buffer = _pad_lines(buffer, *self._size)
        times = [k * Gst.SECOND // self._fps for k in (self._count, self._count + 1)]
        buffer.pts, buffer.duration = times[0], times[1] - times[0]
        self._count += 1
        if self._source.emit("push-buffer", buffer) != Gst.FlowReturn.OK or self._failed:
            self._wait()
            raise ExportError(f"{self._video.encoder} takes no more pictures")

    def _wait(self):
        pipelines.wait(self._pipeline, Gst.MessageType.EOS, f"the end of {self.path.name}")

    def finish(self):
        try:
            self._source.emit("end-of-stream")
            self._wait()
        finally:
            self.close()
        from . import mp4  # it is slow to load, and sets without videos need none
        mp4.from_stream(self._raw, self.path, codec_of(self._video), self._fps, self._count)
        self._raw.unlink()

    def close(self):
        self._pipeline.set_state(Gst.State.NULL)
