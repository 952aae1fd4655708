# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the programs of a wheel, under the names that pip gives them."""
import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from . import gstreamer

PROGRAMS = Path(__file__).resolve().parent / "bin"
# modules that the exporter imports: distributions of the extra robocache[export]
EXPORT_MODULES = ("numpy", "pyarrow", "h5py", "av", "mcap", "mcap_ros2")
# threads that wait for a product of matrices take time, and nothing here multiplies any; memory of pictures is kept for the next pictures
EXPORT_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "268435456"}

# libraries of the system that one program alone needs: (name, file, package)
PROGRAM_LIBRARIES = {"robocache-top": ("libsoup 3", "libsoup-3.0.so.0", "libsoup-3.0-0")}

EXIT_MISSING = 77  # as of the program robocache


def _stop(name: str, missing: str) -> None:
    print(f"{name}: {missing}", file=sys.stderr)
    sys.exit(EXIT_MISSING)


def _stop_without_library(program: str) -> None:
    what, library, package = PROGRAM_LIBRARIES[program]
    try:
        ctypes.CDLL(library)
    except OSError:
        _stop(program, f"{what} is missing: sudo apt-get install {package}")


def run() -> None:
    """A program in C, in place of this process."""
    name = Path(sys.argv[0]).name
    if missing := gstreamer.missing_libraries():
        _stop(name, missing)
    # robocache runs the program of its command
    program = "-".join([name, *sys.argv[1:2]]) if name == "robocache" else name
    if program in PROGRAM_LIBRARIES:
        _stop_without_library(program)
    # robocache starts the programs in Python by their names
    os.environ["PATH"] = f"{Path(sys.argv[0]).resolve().parent}:{os.environ.get('PATH', os.defpath)}"
    os.execv(PROGRAMS / name, [name, *sys.argv[1:]])


def run_module() -> None:
    """The module of this package after which a program is named: robocache-sample-data runs robocache.sampledata."""
    name = Path(sys.argv[0]).name
    module = name.partition("-")[2].replace("-", "")
    if not {"-h", "--help"} & set(sys.argv[1:]):
        absent = [package for package in EXPORT_MODULES if importlib.util.find_spec(package) is None] if module == "export" else []
        if absent:
            _stop(name, f"Python packages are missing ({', '.join(absent)}): pip install 'robocache[export]'")
        try:
            gstreamer.load()
        except gstreamer.MissingError as error:
            _stop(name, str(error))
    elif module == "export":
        module = "export.arguments"
    os.environ.update({key: value for key, value in EXPORT_ENVIRONMENT.items() if key not in os.environ})
    os.execv(sys.executable, [sys.executable, "-m", f"robocache.{module}", *sys.argv[1:]])
