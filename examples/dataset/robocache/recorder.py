# SPDX-License-Identifier: LGPL-2.1-or-later
"""What robocache record runs: a pipeline into a recording, and marks of episodes beside it."""
import os
import re
import secrets
import socket
import sys
import termios
import time
import tty
from dataclasses import dataclass

from . import gstreamer
from .printable import printable

GLib, Gst = gstreamer.load()

SECOND = 10**9
SYNC_NS = SECOND // 2  # to the disk this often
VIEW = "robocache_view"
# a viewer loses the oldest rather than that the recorder waits
SHOWN = "queue leaky=downstream max-size-buffers=0 max-size-time=0 max-size-bytes=67108864"
TOKEN = "ROBOCACHE_VIEW_TOKEN"
DEFAULT_PORT = 8765
KEYS = {"y": "success", "n": "failure", "d": "discard", "q": "quit"}
JUDGED = {"end": "", "success": "true", "failure": "false", "discard": ""}


# ---- marks ----

@dataclass
class Episode:
    start: int  # ns of the recording's clock
    end: int
    task: str
    success: str = ""
    discard: str = ""


def _seconds(nanoseconds):
    return f"{nanoseconds // SECOND}.{nanoseconds % SECOND:09d}"


class Marks:
    """The episodes, in a file that is complete at any time."""

    def __init__(self, path):
        self.path, self.episodes, self.is_open = path, [], False

    def _write(self):
        """A disk that is full keeps what was: the next mark tries again."""
        temporary = self.path.with_name(f".{self.path.name}.new")
        try:
            self._replace(temporary)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            print(f"error: {printable(error)}: the marks are not updated", file=sys.stderr)

    def _replace(self, temporary):
        with open(temporary, "w", encoding="utf-8") as file:
            file.write("start,end,task,success,discard\n")
            for one in self.episodes:
                task = one.task.replace('"', '""')
                file.write(f'{_seconds(one.start)},{_seconds(one.end)},"{task}",{one.success},{one.discard}\n')
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path)

    def start(self, now, task):
        self.episodes.append(Episode(now, now + 1, task))
        self.is_open = True
        self._write()

    def extend(self, now):
        if self.is_open:
            self.episodes[-1].end = now
            self._write()

    def end(self, now, word):
        """Ends the running episode, or judges the one before."""
        last = self.episodes[-1]
        last.end = now if self.is_open else last.end
        last.success = JUDGED[word] or last.success
        last.discard = "true" if word == "discard" else last.discard
        self.is_open = False
        self._write()


# ---- the pipeline ----

def _topic_and_frame(stream_id):
    """Of a recorded stream: ("/tf/camera", "base") of the stream "/tf:camera@base"."""
    name, _, frame = stream_id.partition("/")[2].partition("@")
    topic, colon, key = name.partition(":")
    return topic + (f"/{re.sub('[^A-Za-z0-9_]', '_', key)}" if colon else ""), frame


class Recorder:
    """Writes the streams. Its clock is UTC, as running time 0 is a time that is known."""

    def __init__(self, path, sources, ros, has_view=False):
        self._topics = {f"sink_{i}": topic for i, (topic, _) in enumerate(sources)}
        pads = " ".join(f"{pad}::topic={topic}" for pad, topic in self._topics.items())
        branches = " ".join(f"{source} !{f' tee name={VIEW}_{i} !' if has_view else ''} record.sink_{i}" for i, (_, source) in enumerate(sources))
        live = "" if ros is None else "robocacherossrc name=ros"
        shown = " ".join(f"{VIEW}_{i}. ! {SHOWN} ! {VIEW}.sink_{i}" for i in range(len(sources)))
        view = f"robocachefoxglovesink name={VIEW} sync=false {pads} {shown}" if has_view else ""
        self.pipeline = Gst.parse_launch(f"robocachemcapsink name=record sync-interval={SYNC_NS} chunk-duration={SYNC_NS // 2} "
                                         f"{pads} {branches} {live} {view}")
        self.view = self.pipeline.get_by_name(VIEW)
        self._sink = self.pipeline.get_by_name("record")
        self._sink.set_property("location", str(path))
        self._ros = self.pipeline.get_by_name("ros") if ros is not None else None
        for name, text in (ros or {}).items():
            Gst.util_set_object_arg(self._ros, name, str(text))
        if self._ros:
            self._ros.connect("pad-added", self._add_stream)

    def _add_stream(self, _, pad):
        """Called by the thread of the source, before the first row of the stream."""
        wanted, frame = _topic_and_frame(pad.get_stream_id())
        topic, number = wanted, 1
        while topic in self._topics.values():
            number += 1
            topic = f"{wanted}_{number}"
        sink_pad = self._request_pad(self._sink, topic, frame)
        pad.link(self._share(sink_pad, topic, frame) if self.view else sink_pad)
        self._topics = {**self._topics, sink_pad.get_name(): topic}

    @staticmethod
    def _request_pad(sink, topic, frame):
        pad = sink.request_pad_simple("sink_%u")
        pad.set_property("topic", topic)
        pad.set_property("frame-id", frame)
        return pad

    def _share(self, sink_pad, topic, frame):
        """Links sink_pad and the page to one pad, which it returns."""
        tee, shown = Gst.ElementFactory.make("tee"), Gst.parse_bin_from_description(SHOWN, True)
        for element in (tee, shown):
            self.pipeline.add(element)
        tee.request_pad_simple("src_%u").link(sink_pad)
        tee.request_pad_simple("src_%u").link(shown.get_static_pad("sink"))
        shown.get_static_pad("src").link(self._request_pad(self.view, topic, frame))
        for element in (shown, tee):
            element.sync_state_with_parent()
        return tee.get_static_pad("sink")

    def start(self):
        clock = Gst.SystemClock.obtain()
        self.pipeline.use_clock(clock)
        self.pipeline.set_start_time(Gst.CLOCK_TIME_NONE)
        base, origin = clock.get_time(), time.time_ns()
        self.pipeline.set_base_time(base)
        # live topics have an origin of their own, which comes with their rows
        if not self._ros:
            self._sink.set_property("time-origin", origin)
            if self.view:
                self.view.set_property("time-origin", origin)
        self._offset = origin - base
        self._clock = clock
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            return False
        if self._ros:
            self._offset = self._ros.get_property("stats").get_int64("time-origin")[1] - base
        return True

    def now(self):
        """On the recording's clock."""
        return self._clock.get_time() + self._offset

    def messages(self):
        """{topic: (messages, rows that were dropped)}."""
        topics, stats, found = self._topics, self._sink.get_property("stats"), {}
        for pad, topic in topics.items():
            one = stats.get_value(pad)
            dropped = sum(one.get_value(one.nth_field_name(k)) for k in range(one.n_fields()) if one.nth_field_name(k).startswith("rows-dropped"))
            found[topic] = (one.get_value("messages"), dropped)
        return found


# ---- the page ----

def _choose_port(port):
    """The port that was asked for, or else the usual one, or a free one (0)."""
    if port:
        return port
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            return 0
    return DEFAULT_PORT


class View:
    """The page of a recorder, from which a person with the token marks episodes."""

    def __init__(self, sink, port):
        self._sink = sink
        os.environ[TOKEN] = os.environ.get(TOKEN) or secrets.token_hex(16)
        sink.set_property("port", _choose_port(port))

    def show(self, text):
        self._sink.set_property("session", text)

    def print_address(self):
        address = f"http://localhost:{self._sink.get_property('stats').get_value('port')}/"
        # not into a log
        if sys.stdout.isatty():
            print(f"live view, with buttons for marks: {address}#token={os.environ[TOKEN]}", flush=True)
        else:
            print(f"live view: {address} (for marks, set {TOKEN}, and add #token=TOKEN)", flush=True)


# ---- what the user sees ----

def _verdict_of(episode):
    return "discarded" if episode.discard else {"true": "success", "false": "failure"}.get(episode.success, "ended")


def _print_table(number, episode, before, after):
    seconds = (episode.end - episode.start) / SECOND
    print(f"episode {number}: {seconds:.2f} s, {_verdict_of(episode)}{f', {printable(episode.task)}' if episode.task else ''}")
    for topic, (count, dropped) in after.items():
        count_before, dropped_before = before.get(topic, (0, 0))
        count, dropped = count - count_before, dropped - dropped_before
        print(f"  {printable(topic):24} {count:8} messages {count / max(seconds, 1e-9):9.1f} per second{f' {dropped:8} dropped' if dropped else ''}")
    sys.stdout.flush()


class Session:
    """Takes marks, shows progress, and ends."""

    def __init__(self, recorder, marks, task, view=None):
        self.recorder, self.marks, self.task, self.view = recorder, marks, task, view
        self.loop, self.failed, self._before = GLib.MainLoop(), False, {}
        self._show_state()

    def handle(self, word, task=""):
        """A mark; one that does not fit is said and ignored."""
        now = self.recorder.now()
        if word == "quit":
            self.quit()
        elif word == "start" and not self.marks.is_open:
            self._before = self.recorder.messages()
            self.marks.start(now, task or self.task)
            print(f"episode {len(self.marks.episodes) - 1} begins", flush=True)
        elif word in JUDGED and self.marks.episodes and (self.marks.is_open or word != "end"):
            self.marks.end(now, word)
            _print_table(len(self.marks.episodes) - 1, self.marks.episodes[-1], self._before, self.recorder.messages())
        else:
            print(f"ignored: {word!r} {'within an episode' if self.marks.is_open else 'and no episode runs'}", flush=True)
        self._show_state()

    def _show_state(self):
        if self.view:
            last = self.marks.episodes[-1] if self.marks.episodes else None
            verdict = "" if not last or self.marks.is_open else f", the last one: {_verdict_of(last)}"
            self.view.show(f"{self._state()}{f', {(last.end - last.start) / SECOND:.0f} s' if self.marks.is_open else verdict}")

    def _state(self):
        return f"episode {len(self.marks.episodes) - 1} runs" if self.marks.is_open else f"{len(self.marks.episodes)} episodes"

    def handle_key(self, key):
        if key == " ":
            self.handle("end" if self.marks.is_open else "start")
        elif key in KEYS:
            self.handle(KEYS[key])

    def progress(self):
        self.marks.extend(self.recorder.now())
        self._show_state()
        counts = ", ".join(f"{printable(topic)} {count}{f' ({dropped} dropped)' if dropped else ''}"
                           for topic, (count, dropped) in self.recorder.messages().items())
        print(f"{self._state()}: {counts}", flush=True)
        return True

    def quit(self, *_):
        self.marks.extend(self.recorder.now())
        self.recorder.pipeline.send_event(Gst.Event.new_eos())
        return True

    def handle_message(self, _, message):
        if message.type == Gst.MessageType.ERROR:
            error, debug = message.parse_error()
            print(printable(f"error: {message.src.get_name()}: {error.message} ({debug})"), file=sys.stderr)
            self.failed = True
        if message.type == Gst.MessageType.WARNING:
            error, debug = message.parse_warning()
            print(printable(f"warning: {message.src.get_name()}: {error.message} ({debug})"), file=sys.stderr)
        if message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name() == "robocache-mark":
            self.handle(message.get_structure().get_string("mark"))
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            self.loop.quit()


# ---- input ----

class Input:
    """Keys of a terminal, or lines."""

    def __init__(self, session):
        self._session, self._descriptor, self._text = session, sys.stdin.fileno(), b""
        self._saved = termios.tcgetattr(self._descriptor) if sys.stdin.isatty() else None
        if self._saved:
            tty.setcbreak(self._descriptor)
        GLib.io_add_watch(self._descriptor, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self._read)

    def _read(self, *_):
        data = os.read(self._descriptor, 4096)
        if not data:
            print("standard input has ended, and so the recording ends", flush=True)
            self._session.quit()
            return False
        if self._saved:
            for key in data.decode(errors="replace"):
                self._session.handle_key(key)
            return True
        *lines, self._text = (self._text + data).split(b"\n")
        for line in lines:
            word, _, task = line.decode(errors="replace").strip().partition(" ")
            self._session.handle(word, task)
        return True

    def restore(self):
        if self._saved:
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._saved)


def run(recording, marks, sources, ros, task, view_port=None):
    """Records [(topic, source)] until the user ends it, and live topics if ros has properties of robocacherossrc. view_port: of the page; 0: any;
    None: no page. Returns the exit status."""
    Gst.init(None)
    if ros is not None and not Gst.ElementFactory.find("robocacherossrc"):
        sys.exit("error: this build does not join live topics of ROS 2: build it with Cyclone DDS (package cyclonedds-dev)")
    try:
        recorder = Recorder(recording, sources, ros, view_port is not None)
    except GLib.Error as error:
        sys.exit(f"error: {printable(error.message)}; is the plugin installed, or on GST_PLUGIN_PATH_1_0?")
    view = View(recorder.view, view_port) if recorder.view else None
    session = Session(recorder, Marks(marks), task, view)
    bus = recorder.pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", session.handle_message)
    # its error is on the bus
    if recorder.start() and view:
        view.print_address()
    keys = Input(session)
    GLib.timeout_add_seconds(1, session.progress)
    # SIGINT ends the recording as q does
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, 2, session.quit)
    try:
        session.loop.run()
    finally:
        keys.restore()
        recorder.pipeline.set_state(Gst.State.NULL)
    return 1 if session.failed else 0
