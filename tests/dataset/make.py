# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings to export: rows of robocachetestsrc, and pictures with a counter in them, by robocachemcapsink."""
import subprocess

import numpy as np

BITS = 16
COLUMNS, ROWS = 4, 4
DARK, BRIGHT = 40, 215

MAPPING = """
fps = 30
robot-type = "arm"
task = "default task"
[streams]
{streams}
[features]
{features}
{more}
"""
STREAMS = {
    "joints": '{topic = "/joint_states", max-gap = "100ms"}',
    "command": '{topic = "/command"}',
    "front": '{topic = "/camera/front"}',
    "wrist": '{topic = "/camera/wrist"}',
}
FEATURES = {
    "observation.state": '["joints:0-4", "joints:q6"]',
    "action": '"command"',
    "observation.images.front": '"front"',
    "observation.images.wrist": '"wrist"',
}


def launch(*words):
    done = subprocess.run(["gst-launch-1.0", "-q", *" ".join(words).split()], capture_output=True, timeout=120, check=False)
    text = (done.stdout + done.stderr).decode()
    if done.returncode or "ERROR" in text:
        raise RuntimeError(f"exit status {done.returncode}: {text.strip()[-1500:]}")


# ---- pictures ----

def picture(counter, width, height):
    """RGB with a cell for each bit of the counter."""
    bits = np.array([(counter >> bit) & 1 for bit in range(BITS)]).reshape(ROWS, COLUMNS)
    cells = np.repeat(np.repeat(bits, -(-height // ROWS), axis=0), -(-width // COLUMNS), axis=1)[:height, :width]
    return np.repeat(np.where(cells, BRIGHT, DARK).astype(np.uint8)[..., None], 3, axis=2)


def counter_of(pixels):
    """Of a picture [height, width, 3] that may have been encoded. A bit that is neither dark nor bright is an error."""
    height, width, _ = pixels.shape
    rows, columns = ((np.arange(n) * 2 + 1) * -(-size // n) // 2 for n, size in ((ROWS, height), (COLUMNS, width)))
    values = pixels[np.ix_(np.minimum(rows, height - 1), np.minimum(columns, width - 1))].astype(int).mean(axis=2).ravel()
    assert (np.minimum(abs(values - DARK), abs(values - BRIGHT)) < 60).all(), values
    return sum(1 << bit for bit in range(BITS) if values[bit] > (DARK + BRIGHT) / 2)


def write_pictures(path, count, width, height):
    """Lines begin at multiples of 4 bytes."""
    gap = ((0, 0), (0, -3 * width % 4))
    path.write_bytes(b"".join(np.pad(picture(i, width, height).reshape(height, -1), gap).tobytes() for i in range(count)))


def frame_time(number, rate):
    """Of a frame of rawvideoparse, which adds up durations."""
    return number * (10**9 // rate)


# ---- recordings ----

def camera(folder, pad, rate, seconds, size, encoder=""):
    path = folder / f"{pad}-{rate}-{size[0]}.rgb"
    write_pictures(path, int(rate * seconds), *size)
    return (f"filesrc location={path} ! rawvideoparse format=rgb width={size[0]} height={size[1]} "
            f"framerate={rate}/1 ! {encoder} record.{pad}")


def depth(number, width, height):
    """Of a depth picture: mm from 0 to beyond 10 m."""
    return ((np.arange(width * height) * 131 + number * 977) % 12000).astype("<u2").reshape(height, width)


def depth_camera(folder, pad, rate, seconds, size, encoder=""):
    path = folder / f"{pad}-{rate}-{size[0]}.gray16"
    # lines begin at multiples of 4 bytes
    gap = ((0, 0), (0, size[0] % 2))
    path.write_bytes(b"".join(np.pad(depth(i, *size), gap).tobytes() for i in range(int(rate * seconds))))
    return (f"filesrc location={path} ! rawvideoparse format=gray16-le width={size[0]} height={size[1]} "
            f"framerate={rate}/1 ! {encoder} record.{pad}")


def metric_camera(folder, pad, rate, seconds, size):
    """The same in m, as 32FC1, without a depth where that is 0."""
    path = folder / f"{pad}-{rate}-{size[0]}.float32"
    pictures = [depth(i, *size).astype("<f4") / np.float32(1000) for i in range(int(rate * seconds))]
    path.write_bytes(b"".join(np.where(picture > 0, picture, [np.float32(x) for x in ("nan", "inf", "-inf", "0", "-1")][i % 5]).tobytes()
                              for i, picture in enumerate(pictures)))
    return (f"filesrc location={path} ! rawvideoparse format=gray8 width={4 * size[0]} height={size[1]} framerate={rate}/1 ! capssetter join=false "
            f'replace=true caps="other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string){size[0]}:{size[1]},framerate={rate}/1,'
            f'picture=32FC1" ! record.{pad}')


def rows(pad, rate, seconds, channels, more=""):
    return f"robocachetestsrc kind=proprio rate={rate}/1 channels={channels} num-buffers={int(rate * seconds)} {more} ! record.{pad}"


def record(path, sources, topics):
    pads = " ".join(f"sink_{i}::topic={topic}" for i, topic in enumerate(topics))
    launch(f"robocachemcapsink name=record location={path} sync-interval=0 {pads}", *sources)
    return path


def robot(folder, name, seconds=3, seed=1, joints=7, front_rate=50, joint_settings="jitter=1000000", command_seconds=None):
    """Joints at 200 Hz, commands at 20 Hz, JPEG and raw pictures whose counter is their number."""
    return record(folder / name, [
        rows("sink_0", 200, seconds, joints, f"seed={seed} {joint_settings}"),
        rows("sink_1", 20, command_seconds or seconds, 6, f"seed={seed + 1}"),
        camera(folder, "sink_2", front_rate, seconds, (64, 48), "jpegenc quality=95 !"),
        camera(folder, "sink_3", 30, seconds, (60, 48)),
    ], ["/joint_states", "/command", "/camera/front", "/camera/wrist"])


def mapping(folder, name="robot.toml", streams=None, features=None, more="", **changes):
    """A mapping of the robot, with other streams and features, and settings of the top in `changes`."""
    def lines(table):
        return "\n".join(f'"{key}" = {value}' for key, value in table.items() if value is not None)

    text = MAPPING.format(streams=lines(STREAMS | (streams or {})), features=lines(FEATURES | (features or {})), more=more)
    for key, value in changes.items():
        key = key.replace("_", "-")
        text = text.replace("fps = 30", f"fps = {value}") if key == "fps" else f'{key} = "{value}"\n{text}'
    path = folder / name
    path.write_text(text)
    return path


def spans(folder, rows_of_text, name="spans.csv"):
    path = folder / name
    path.write_text("recording,start,end,task,success,discard\n" + "\n".join(rows_of_text) + "\n")
    return path
