#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocache.fused, used as an application uses it. Prints one line a case: PASS, FAIL or SKIP and its name.

    fused.py EXAMPLES [--device]

--device: only the cases in GPU memory, which may be that of an emulated GPU.
"""
import ctypes
import gc
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
PACKAGES = pathlib.Path(sys.argv[1]).resolve() / "dataset"
sys.path.insert(0, str(PACKAGES))
os.environ["PYTHONPATH"] = str(PACKAGES)
CASES = {}
MS = 1_000_000

JOINTS = "robocachetestsrc kind=proprio rate=100/1 num-buffers=100 ! fuse.proprio_0"
FORCE = "robocachetestsrc kind=force rate=1000/1 num-buffers=400 ! fuse.force_0"
LIVE_JOINTS = "robocachetestsrc is-live=true kind=proprio rate=100/1 ! fuse.proprio_0"


class Skip(Exception):
    """What a case needs is not there."""


def case(*names):
    """Registers a function of one name, or of one argument that a table has by name."""

    def register(function):
        CASES.update({name: function if len(names) == 1 else lambda name=name: function(name) for name in names})
        return function

    return register


def expect(got, expected, what):
    if got != expected:
        raise AssertionError(f"{what}: got {got!r}, expected {expected!r}")


def fuse(settings, *streams):
    return " ".join([f"robocachefuse name=fuse {settings}", *streams])


def camera(form, buffers=10, live="false"):
    return (f"videotestsrc is-live={live} num-buffers={buffers} "
            f"! video/x-raw,format={form},width=16,height=4,framerate=10/1 ! fuse.camera_0")


def need(element, package):
    if Gst.ElementFactory.find(element) is None:
        raise Skip(f"no element {element} ({package})")


# ---------------------------------------------------------------- types and shapes
TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64")


@case(*(f"type_{name}" for name in TYPES))
def type_of_arrays(name):
    """Arrays hold the bytes that the same pipeline writes to a file."""
    name = name.removeprefix("type_")
    with tempfile.NamedTemporaryFile() as file:
        arrays = [sample.tensors["proprio_0"] for sample in fused(
            fuse(f"rate=50/1 type={name} ! tee name=t ! queue ! appsink sync=false t. ! queue ! filesink location={file.name}",
                 JOINTS))]
        written = pathlib.Path(file.name).read_bytes()
    expect({str(array.dtype) for array in arrays}, {name.replace("bfloat16", "uint16")}, "dtypes")
    expect({array.shape for array in arrays}, {(14,)}, "shapes")
    expect(b"".join(array.tobytes() for array in arrays) == written and len(arrays) == 50, True, "bytes as in the file")


SHAPES = {
    "shape_of_rgb": (fuse("rate=10/1", camera("RGB")), {"camera_0": ("uint8", (4, 16, 3))}),
    "shape_of_rgba": (fuse("rate=10/1", camera("RGBA")), {"camera_0": ("uint8", (4, 16, 4))}),
    "shape_of_gray": (fuse("rate=10/1", camera("GRAY8")), {"camera_0": ("uint8", (4, 16, 1))}),
    "shape_of_depth": (fuse("rate=10/1", camera("GRAY16_LE")), {"camera_0": ("uint16", (4, 16, 1))}),
    "shape_of_one_channel": (fuse("rate=10/1", JOINTS.replace("rate", "channels=1 rate")), {"proprio_0": ("float32", (1,))}),
    "shape_of_two_streams": (fuse("rate=10/1", FORCE, JOINTS), {"proprio_0": ("float32", (14,)), "force_0": ("float32", (6,))}),
    "shape_of_window": (fuse("rate=10/1 window=3", camera("RGB"), JOINTS),
                        {"camera_0": ("uint8", (3, 4, 16, 3)), "proprio_0": ("float32", (3, 14))}),
    "shape_of_concat": (fuse("rate=10/1 layout=concat", FORCE, JOINTS), {"concat": ("float32", (20,))}),
    "shape_of_concat_window": (fuse("rate=10/1 layout=concat window=5 info=tensor", FORCE, JOINTS),
                               {"concat": ("float32", (5, 20)), "info": ("int64", (5, 2, 4))}),
    "shape_of_concat_of_one": (fuse("rate=10/1 layout=concat info=tensor", JOINTS),
                               {"proprio_0": ("float32", (14,)), "info": ("int64", (4,))}),
    "shape_of_info": (fuse("rate=10/1 info=tensor", FORCE, JOINTS),
                      {"proprio_0": ("float32", (14,)), "force_0": ("float32", (6,)), "info": ("int64", (2, 4))}),
}


@case(*SHAPES)
def shapes(name):
    description, expected = SHAPES[name]
    samples = list(fused(description))
    for sample in samples:
        expect({key: (str(array.dtype), array.shape) for key, array in sample.tensors.items()}, expected, "tensors")
        expect(sample.info.shape[1:], (len(sample.streams), 4), "info")
    expect(len(samples) > 3, True, "samples")


@case("kinds")
def kinds():
    sources = [f"robocachetestsrc kind=proprio channels={n} num-buffers=20 ! fuse.sink_{i}" for i, n in enumerate((3, 2, 1))]
    for layout, expected in (("tensors", {"sink_0": "angle,real*2", "sink_2": "hold"}), ("concat", {"concat": "angle,real*4,hold"})):
        samples = fused(fuse(f"rate=10/1 layout={layout} sink_0::kinds=angle,real*2 sink_2::kinds=hold", *sources))
        expect([sample.format.kinds for sample in samples][-1], expected, layout)


@case("pixels")
def pixels():
    """Rows of a frame that are padded (5 * 3 bytes to 16) come out dense."""
    frames = "videotestsrc pattern=solid-color foreground-color=0xff102030 num-buffers=3 ! video/x-raw,format=RGB,width=5,height=4,framerate=10/1"
    for sample in fused(fuse("rate=10/1", frames + " ! fuse.camera_0")):
        expect(sample.tensors["camera_0"].reshape(-1, 3).tolist(), [[0x10, 0x20, 0x30]] * 20, "pixels")


# ---------------------------------------------------------------- times and statuses
@case("statuses")
def statuses():
    """The camera ends at 200 ms, is held for 100 ms, and then missing."""
    got = [(sample.tick_ns // MS, sample.status["camera_0"].name, sample.age_ns["camera_0"] // MS, sample.status["proprio_0"].name)
           for sample in fused(fuse("rate=20/1 camera_0::hold-limit=100000000", camera("RGB", 3), JOINTS.replace("=100 ", "=45 ")))]
    # of two frames at the same distance the one before is copied
    expect(got, [(0, "ALIGNED", 0, "ALIGNED"), (50, "ALIGNED", 50, "ALIGNED"), (100, "ALIGNED", 0, "ALIGNED"),
                 (150, "ALIGNED", 50, "ALIGNED"), (200, "ALIGNED", 0, "ALIGNED"), (250, "HELD", 50, "ALIGNED"),
                 (300, "HELD", 100, "ALIGNED"), (350, "MISSING", 150, "ALIGNED"), (400, "MISSING", 200, "ALIGNED")], "rows")


@case("ages")
def ages():
    """Of the frame that was copied: negative where it came after the tick. Rows that are interpolated have the age of the one before."""
    got = [(sample.tick_ns // MS, round(sample.age_ns["camera_0"] / MS), round(sample.age_ns["proprio_0"] / MS))
           for sample in fused(fuse("rate=30/1", camera("RGB", 3), JOINTS))]
    expect(got[:7], [(0, 0, 0), (33, 33, 3), (66, -33, 7), (100, 0, 0), (133, 33, 3), (166, -33, 7), (200, 0, 0)], "ages")


@case("before_the_first_row")
def before_the_first_row():
    """A stream that begins later is missing, without age, and its floats are NaN."""
    sample = next(iter(fused(fuse("rate=10/1 force_0::offset=500000000", FORCE, JOINTS))))
    expect((sample.tick_ns, sample.status["force_0"].name, sample.age_ns["force_0"], sample.status["proprio_0"].name),
           (0, "MISSING", None, "ALIGNED"), "first sample")
    expect(np.isnan(sample.tensors["force_0"]).all(), True, "NaN")


@case("window")
def window():
    """info has the rows of a window, oldest first; tick, status and age are the last one's."""
    for sample in fused(fuse("rate=10/1 window=3", JOINTS)):
        expect(sample.info[-1, 0, 0], sample.tick_ns, "last tick")
        if sample.tick_ns >= 200 * MS:
            expect((sample.info[:, 0, 0] - sample.tick_ns).tolist(), [-200 * MS, -100 * MS, 0], "ticks")
            expect(sample.info[:, 0, 3].tolist(), [0, 0, 0], "statuses")


@case("info_without_meta")
def info_without_meta():
    """gdppay drops the meta; info=tensor keeps times and statuses."""
    need("gdppay", "gstreamer1.0-plugins-bad")
    direct, received = ([(sample.tick_ns, sample.status, sample.age_ns, sample.tensors["proprio_0"].tobytes()) for sample in fused(
        fuse(f"rate=20/1 info=tensor {behind}", FORCE, JOINTS))] for behind in ("", "! gdppay ! gdpdepay ! appsink sync=false"))
    expect(received, direct, "samples")
    try:
        next(iter(fused(fuse("rate=20/1 ! gdppay ! gdpdepay ! appsink sync=false", JOINTS)))).status
    except PipelineError as error:
        expect("set info=tensor" in str(error), True, str(error))
    else:
        raise AssertionError("a sample without meta has a status")


@case("corrupted")
def corrupted():
    """A frame that its source flags as corrupted; here a probe does."""
    samples = fused(fuse("rate=10/1", camera("RGB"), JOINTS))
    count = iter(range(100))

    def flag(_, info):
        if next(count) == 2:
            info.get_buffer().set_flags(Gst.BufferFlags.CORRUPTED)
        return Gst.PadProbeReturn.OK

    samples.fuse.get_static_pad("camera_0").add_probe(Gst.PadProbeType.BUFFER, flag)
    got = [(sample.tick_ns // MS, sample.corrupted, sample.status["camera_0"].name) for sample in samples]
    expect([row for row in got if row[1]], [(200, {"camera_0"}, "ALIGNED")], "corrupted")


# ---------------------------------------------------------------- memory
@case("views")
def views():
    """Arrays are views that cannot be written, and outlive sample and pipeline."""
    kept = []
    for sample in fused(fuse("rate=10/1", camera("RGB"), JOINTS)):
        array = sample.tensors["camera_0"]
        address = Mapping(sample.buffer, sample.format.places[0]).address
        expect((array.__array_interface__["data"], array.flags.writeable), ((address, True), False), "address")
        kept.append((array, sample.tensors["proprio_0"], array.copy(), sample.tensors["proprio_0"].copy()))
    del sample, array
    gc.collect()
    expect(len(kept), 10, "samples")
    for array, row, copy, copy_of_row in kept:
        expect(np.array_equal(array, copy) and row.tobytes() == copy_of_row.tobytes(), True, "kept")


@case("queue_is_bounded")
def queue_is_bounded():
    """The pipeline waits for a slow loop: no more samples are made than fit into the queue."""
    iterator = iter(fused(fuse("rate=1000/1", "robocachetestsrc rate=1000/1 num-buffers=2000 ! fuse.proprio_0")))
    sample = next(iterator)
    expect(sample.tick_ns, 0, "first tick")
    samples = iterator.gi_frame.f_locals["self"]
    for sample in iterator:
        made = samples.stats["ticks-out"] - round(sample.tick_ns / MS)
        # one in the loop, one that appsink is about to take, one that is being made
        expect(made <= fused_module.QUEUED + 3, True, f"{made} samples made ahead")


@case("interface")
def interface():
    """robocache.samples and to_torch are what fused and Sample.torch give."""
    import robocache
    sample = next(iter(robocache.samples(fuse("rate=50/1 info=tensor", JOINTS))))
    expect(sample.tensors["proprio_0"].shape, (14,), "shape")
    if importlib.util.find_spec("torch") is None:
        raise Skip("no PyTorch (python3-torch)")
    expect({name: tuple(tensor.shape) for name, tensor in robocache.to_torch(sample).items()}, {"proprio_0": (14,)}, "tensors")


def run_as_a_wheel(folder, program, **environment):
    """Output of a program with a copy of the package that has the plugin inside, as a wheel has it."""
    package = pathlib.Path(folder, "robocache")
    (package / "gstreamer-1.0").mkdir(parents=True)
    (package / "bin").mkdir()
    for file in (PACKAGES / "robocache").glob("*.py"):
        (package / file.name).write_bytes(file.read_bytes())
    plugin = pathlib.Path(os.environ["GST_PLUGIN_PATH_1_0"].split(":")[-1], "libgstrobocache.so")
    (package / "gstreamer-1.0" / plugin.name).symlink_to(plugin)
    (package / "bin" / "robocache-hello").write_text("#!/bin/sh\necho \"hello $1, $GST_PLUGIN_PATH_1_0\"\n")
    (package / "bin" / "robocache-hello").chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": folder, "GST_PLUGIN_PATH_1_0": "", "GST_REGISTRY_1_0": f"{folder}/registry.bin", **environment}
    return subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True, check=False)


WHEELS = {
    # a program, its environment, its status, and a line of its output
    "wheel_finds_its_plugin": ("import robocache; print(sum(1 for _ in robocache.samples('robocachefuse name=fuse rate=10/1 "
                               "robocachetestsrc num-buffers=10 ! fuse.proprio_0')))", {}, 0, "1"),
    "wheel_after_gst_init": ("import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst; Gst.init(None); import robocache; "
                             "print(len([*robocache.samples('robocachefuse name=fuse rate=10/1 robocachetestsrc num-buffers=10 ! fuse.proprio_0')]))",
                             {}, 0, "1"),
    "wheel_starts_programs": ("import sys; sys.argv = ['/bin/robocache-hello', 'you']; from robocache.programs import run; run()", {}, 0,
                              "hello you, {folder}/robocache/gstreamer-1.0"),
    "wheel_without_plugins": ("import robocache; robocache.samples('robocachefuse')", {"GST_PLUGIN_SYSTEM_PATH_1_0": "/nowhere"}, 1,
                              "robocache.gstreamer.MissingError: GStreamer's plugin app is missing: sudo apt-get install "
                              "python3-gi gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-base"),
    "wheel_program_without_plugins": ("import sys; sys.argv = ['robocache-hello']; from robocache.programs import run; run()",
                                      {"GST_PLUGIN_SYSTEM_PATH_1_0": "/nowhere"}, 77, "robocache-hello: GStreamer's plugin app is missing: "
                                      "sudo apt-get install python3-gi gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-base"),
    "wheel_for_the_shell": ("import runpy; runpy.run_module('robocache', run_name='__main__')", {}, 0,
                            "export GST_PLUGIN_PATH_1_0={folder}/robocache/gstreamer-1.0${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"),
}


@case(*WHEELS)
def wheel(name):
    program, environment, status, line = WHEELS[name]
    with tempfile.TemporaryDirectory() as folder:
        result = run_as_a_wheel(folder, program, **environment)
        said = (result.stderr if status else result.stdout).strip().splitlines()
        expect((result.returncode, said[-1] if said else ""), (status, line.replace("{folder}", folder)), f"{result.stdout}{result.stderr}")


@case("torch")
def torch_tensors():
    """Copies of all types that PyTorch has, which may be written."""
    try:
        import torch
    except ImportError:
        raise Skip("no PyTorch (python3-torch)") from None
    for name in TYPES:
        if not hasattr(torch, name) or name in ("uint16", "uint32", "uint64"):
            continue
        for sample in fused(fuse(f"rate=50/1 type={name}", JOINTS)):
            tensor, array = sample.torch("proprio_0"), sample.tensors["proprio_0"]
            expect((tensor.dtype, tuple(tensor.shape)), (getattr(torch, name), (14,)), "tensor")
            bits = tensor.view(torch.int16).numpy().view("uint16") if name == "bfloat16" else tensor.numpy()
            expect(bits.tobytes(), array.tobytes(), name)
            tensor.zero_()
            expect(bits.any(), False, "written")
    sample = next(iter(fused(fuse("rate=50/1 type=bfloat16 proprio_0::interpolation=previous", JOINTS))))
    exact = next(iter(fused(fuse("rate=50/1 type=float32 proprio_0::interpolation=previous", JOINTS))))
    expect(torch.equal(sample.torch("proprio_0"), exact.torch("proprio_0").to(torch.bfloat16)), True, "bfloat16 of float32")


# ---------------------------------------------------------------- ends and errors
OTHERS = "fakesrc num-buffers=3 sizetype=fixed sizemax=8 ! other/tensors,format=static,num_tensors=1,framerate=0/1,{} ! appsink"
ERRORS = {
    "error_no_plugin": ("robocachefused ! fakesink", 'no element "robocachefused"; is GST_PLUGIN_PATH_1_0 set?'),
    "error_no_element": ("nosuchelement ! fakesink", 'no element "nosuchelement"'),
    "error_property": (fuse("rat=50/1", JOINTS), 'no property "rat" in element '),
    "error_value": (fuse("rate=often", JOINTS), 'could not set property "rate" in element '),
    "error_unit": (fuse("rate=50/1 proprio_0::max-gap=100ms", JOINTS), "proprio_0::max-gap=100ms: a number of ns is needed here; a unit is possible in "
                   'pads="proprio_0,max-gap=100ms"'),
    "error_link": (fuse("rate=50/1", "videotestsrc name=camera ! fuse.joints"),
                   "could not link camera to fuse; put videoconvert before a camera pad, and robocacheparse before bytes. Sink pads are camera_0"),
    "error_single": ("robocachefuse", "expected robocachefuse and its sources, not robocachefuse"),
    "error_no_output": (fuse("rate=50/1 ! fakesink", JOINTS), "no output to read: leave that of robocachefuse free, or link it to appsink"),
    "error_no_fuse": ("videotestsrc ! fakesink", "no output to read: leave that of robocachefuse free, or link it to appsink"),
    "error_not_tensors": ("videotestsrc num-buffers=3 ! video/x-raw ! appsink", "appsink receives video/x-raw, expected other/tensors"),
    "error_setting": (fuse("", JOINTS), "fuse: no tick source: set rate"),
    "error_no_file": (fuse("rate=50/1", "filesrc name=file location=/nowhere/joints.csv ! robocacheparse ! fuse.proprio_0"),
                      'file: Resource not found. (No such file "/nowhere/joints.csv")'),
    "error_type": (OTHERS.format("types=float33,dimensions=(string)1"), "tensor_0: unknown tensor type float33"),
    "error_dimensions": (OTHERS.format("types=float32"), "caps need a type and dimensions for each tensor, but are other/tensors"),
    "error_size": (OTHERS.format("types=float32,dimensions=(string)3"), "tensor_0: the buffer lacks its 12 bytes, or cannot be mapped"),
    "error_no_meta": (OTHERS.format("types=float32,dimensions=(string)2"), "the sample has no times and statuses"),
}


@case(*ERRORS)
def errors(name):
    description, expected = ERRORS[name]
    samples = None
    try:
        samples = fused(description)
        for sample in samples:
            expect(sample.tensors["tensor_0"].shape, (2,), "shape")
            expect(sample.status, {}, "status")
    except PipelineError as error:
        expect(str(error)[:len(expected)], expected, "text")
    else:
        raise AssertionError("no error")
    if samples:
        expect(samples.pipeline.get_state(0).state, Gst.State.NULL, "state")


@case("warning")
def warning():
    """An element's warning is a Python warning with its text. Here: a row too few values."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        file.write("t,a,b\n" + "".join(f"{i / 100},1,2\n" if i != 7 else "0.07,1\n" for i in range(20)))
        file.flush()
        n = sum(1 for _ in fused(fuse("rate=100/1", f"filesrc location={file.name} ! robocacheparse name=p ! fuse.proprio_0")))
    expect(n, 20, "samples")
    expect([str(w.message)[:3] for w in caught if w.category is RuntimeWarning], ["p: "], "warnings")
    expect([pathlib.Path(w.filename).name for w in caught], ["fused.py"], "where")


@case("end_of_streams")
def end_of_streams():
    """Ends with the streams. The same pipeline runs again, with the same samples, and the statistics stay readable."""
    samples = fused(fuse("rate=50/1", FORCE, JOINTS))
    expect(samples.stats, {}, "stats before")
    first, second = ([(sample.tick_ns, sample.tensors["proprio_0"].tobytes()) for sample in samples] for _ in range(2))
    expect(len(first), 50, "samples")
    expect(first == second, True, "equal")
    stats = samples.stats
    expect((stats["ticks-out"], stats["proprio_0"]["rows-in"], stats["force_0"]["rows-in"], stats["active-backend"]),
           (50, 100, 400, "cpu"), "stats")


@case("leave_the_loop")
def leave_the_loop():
    """break stops a live pipeline."""
    samples = fused(fuse("rate=50/1", LIVE_JOINTS))
    for sample in samples:
        expect(sample.tensors["proprio_0"].shape, (14,), "shape")
        break
    expect(samples.pipeline.get_state(0).state, Gst.State.NULL, "state")


@case("end_live")
def end_live():
    """end() ends the sources, and the loop with the last sample."""
    samples = fused(fuse("rate=50/1", LIVE_JOINTS))
    n = 0
    for _ in samples:
        n += 1
        if n == 3:
            samples.end()
    expect(samples.stats["ticks-out"], n, "samples")


@case("latency")
def latency():
    """A LATENCY message makes the pipeline distribute its latency again."""
    samples = fused(fuse("rate=50/1 stats-interval=0", LIVE_JOINTS))
    seen = []

    def event(_, info):
        if info.get_event().type == Gst.EventType.LATENCY:
            seen.append(1)
        return Gst.PadProbeReturn.OK

    samples.fuse.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_UPSTREAM, event)
    iterator = iter(samples)
    next(iterator)
    next(iterator)
    before = len(seen)
    samples.pipeline.get_bus().post(Gst.Message.new_latency(samples.fuse))
    next(iterator)
    expect(len(seen) > before, True, "latency events")
    iterator.close()


INTERRUPTED = """
import sys
sys.dont_write_bytecode = True
from robocache.fused import fused
try:
    for sample in fused({description!r}):
        print(sample.tick_ns, flush=True)
except KeyboardInterrupt:
    print("interrupted")
"""


def interrupt(*command):
    """What a program prints that gets Ctrl-C after its first line, and its exit status."""
    with subprocess.Popen([sys.executable, "-B", *command], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        return process.stdout.read().splitlines(), process.wait(60)


@case("interrupt")
def interrupt_a_loop():
    """Ctrl-C raises KeyboardInterrupt, also while no sample comes: ticks are 100 s apart."""
    for rate in ("50/1", "1/100"):
        script = INTERRUPTED.format(description=fuse(f"rate={rate}", LIVE_JOINTS))
        lines, status = interrupt("-c", script)
        expect((lines[-1:], status), (["interrupted"], 0), rate)


@case("program_interrupted")
def program_interrupted():
    lines, status = interrupt("-mrobocache.fused", fuse("rate=50/1", LIVE_JOINTS))
    expect(status, 0, "status")
    expect(any(line.startswith("proprio_0: ") and "ticks: " in line for line in lines), True, f"statistics in {lines}")


@case("program")
def program():
    for arguments, status, stdout, stderr in (
            ([fuse("rate=10/1", JOINTS)], 0, "tick 0.900 s: proprio_0 aligned 0.00 ms old; proprio_0 float32[14]\n"
             "proprio_0: 100 rows in, 10 used, 90 superseded; ticks: 10 aligned, 0 held, 0 missing\n", ""),
            ([], 1, "", "python3 -m robocache.fused 'robocachefuse "),
            (["nosuchelement ! fakesink"], 1, "", 'error: no element "nosuchelement"\n')):
        done = subprocess.run([sys.executable, "-B", "-mrobocache.fused", *arguments], capture_output=True, text=True,
                              timeout=60, check=False)
        expect((done.returncode, stdout in done.stdout, stderr in done.stderr), (status, True, True),
               f"{arguments}: {done.stdout}{done.stderr}")


# ---------------------------------------------------------------- GPU memory
def on_gpu(*streams, memory="RobocacheCUDA"):
    """Samples in GPU memory; Skip without a usable GPU."""
    settings = f"rate=10/1 backend=cuda ! other/tensors(memory:{memory}) ! appsink sync=false"
    if not has_template(memory):
        raise Skip("built without gstreamer-cuda")
    try:
        next(iter(fused(fuse(settings, JOINTS))))
    except PipelineError:
        if IS_EMULATED:
            raise
        raise Skip("no usable GPU") from None
    return fused(fuse(settings, *streams))


def has_template(memory):
    """Whether this build's samples may be in that memory."""
    from robocache.fused import Gst
    templates = Gst.ElementFactory.find("robocachefuse").get_static_pad_templates()
    return any(f"memory:{memory}" in template.static_caps.string for template in templates if template.name_template == "src")


def from_capsule(capsule, devicetensor):
    """What a consumer of DLPack does: reads the tensor, renames the capsule, and calls the deleter in the end."""
    api = ctypes.pythonapi
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(id(capsule), devicetensor.NAME)
    api.PyCapsule_SetName(capsule, devicetensor.USED_NAME)
    return devicetensor.DLManagedTensor.from_address(address), address


@case("device_tensors")
def device_tensors(memory="RobocacheCUDA"):
    """The CPU's bits, in GPU memory, through DLPack. Emulated devices have the host's memory, which the case reads."""
    from robocache import devicetensor
    expected = {"camera_0": (1, 8, [4, 16, 3]), "proprio_0": (2, 32, [14])}
    streams = camera("RGB"), JOINTS
    on_cpu = [(sample.tick_ns, {name: array.tobytes() for name, array in sample.tensors.items()})
              for sample in fused(fuse("rate=10/1 backend=cpu", *streams))]
    on_device = []
    for sample in on_gpu(*streams, memory=memory):
        values = {}
        for name, tensor in sample.tensors.items():
            expect(tensor.__dlpack_device__(), (2, 0), "device")
            managed, address = from_capsule(tensor.__dlpack__(stream=1), devicetensor)
            dl = managed.tensor
            expect((dl.code, dl.bits, dl.shape[:dl.ndim], dl.lanes, bool(dl.strides)), (*expected[name], 1, False), name)
            values[name] = tensor.numpy().tobytes()
            if IS_EMULATED:
                expect(ctypes.string_at(dl.data, len(values[name])), values[name], name)
            expect(len(devicetensor._exports), 1, "held")
            managed.deleter(address)
            expect(len(devicetensor._exports), 0, "released")
        on_device.append((sample.tick_ns, values))
    expect(on_device == on_cpu and len(on_cpu) == 10, True, "bits")


@case("device_gstreamers_memory")
def device_gstreamers_memory():
    """The same in GStreamer's own CUDA memory."""
    device_tensors("CUDAMemory")


@case("device_capsule_unused")
def device_capsule_unused():
    """A capsule that nobody takes releases the memory, also after its sample and pipeline are gone."""
    from robocache import devicetensor
    capsules = [sample.tensors["proprio_0"].__dlpack__() for sample in on_gpu(JOINTS)]
    gc.collect()
    expect(len(devicetensor._exports), 10, "held")
    capsules.clear()
    expect(len(devicetensor._exports), 0, "released")


@case("device_refusals")
def device_refusals():
    """What the tensor cannot do is an error: a copy, or another device."""
    tensor = next(iter(on_gpu(JOINTS))).tensors["proprio_0"]
    for wrong in ({"copy": True}, {"dl_device": (1, 0)}):
        try:
            tensor.__dlpack__(**wrong)
        except BufferError as error:
            expect("use numpy() for a copy on the CPU" in str(error), True, str(error))
        else:
            raise AssertionError(f"{wrong} is accepted")


@case("device_torch")
def device_torch():
    """PyTorch reads the memory where it is, and keeps it."""
    try:
        import torch
    except ImportError:
        raise Skip("no PyTorch (python3-torch)") from None
    if IS_EMULATED or not torch.cuda.is_available():
        raise Skip("PyTorch finds no GPU")
    kept = []
    for sample in on_gpu(JOINTS):
        kept.append((sample.torch("proprio_0"), sample.tensors["proprio_0"].numpy()))
    for tensor, array in kept:
        expect((tensor.device.type, tensor.cpu().numpy().tobytes()), ("cuda", array.tobytes()), "tensor")


# ---------------------------------------------------------------- one line a case
def needs():
    """What is missing on this machine, or None."""
    for module, package in (("gi", "python3-gi"), ("numpy", "python3-numpy")):
        if importlib.util.find_spec(module) is None:
            return f"not installed: {package}"
    import gi
    try:
        gi.require_version("Gst", "1.0")
    except ValueError:
        return "not installed: gir1.2-gstreamer-1.0"
    return None


def run(names):
    failed = False
    for name in names:
        try:
            CASES[name]()
            print("PASS", name, flush=True)
        except Skip as reason:
            print(f"SKIP {name}: {reason}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            print(f"FAIL {name}: {type(error).__name__}: {error}".replace("\n", " | "), flush=True)
            failed = True
    return failed


if __name__ == "__main__":
    selected = [name for name in CASES if name.startswith("device_") or "--device" not in sys.argv]
    missing = needs()
    if missing:
        for selected_name in selected:
            print(f"SKIP {selected_name}: {missing}")
        sys.exit(0)
    import numpy as np
    from robocache import fused as fused_module
    from robocache.fused import Gst, Mapping, PipelineError, fused
    IS_EMULATED = "ROBOCACHE_EMULATED_DEVICES" in os.environ
    sys.exit(run(selected))
