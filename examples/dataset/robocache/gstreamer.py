# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer of the system, with the plugin that a wheel brings.

A wheel has the plugin in the folder gstreamer-1.0 beside this file, and GLib, GStreamer and PyGObject are the system's."""
import ctypes
import importlib.machinery
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any, Optional, Tuple

PLUGINS = Path(__file__).resolve().parent / "gstreamer-1.0"  # absent unless this is a wheel
OLDEST = (1, 20)  # wheel.sh writes that of its system
PACKAGES = "python3-gi gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-base"
# where Debian's PyGObject is, which an environment does not see unless it is made with --system-site-packages
SYSTEM_PACKAGES = "/usr/lib/python3/dist-packages"


class MissingError(ImportError):
    """What the system lacks, and the command that installs it, in one line."""


class _SystemGi:
    """A finder that is asked last: finds PyGObject of the system, and nothing else there."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        del path, target
        return importlib.machinery.PathFinder.find_spec(name, [SYSTEM_PACKAGES]) if name == "gi" else None


def prepare() -> None:
    """Lets this process and its children find the wheel's plugin, and this process PyGObject of the system."""
    paths = [path for path in os.environ.get("GST_PLUGIN_PATH_1_0", os.environ.get("GST_PLUGIN_PATH", "")).split(":") if path]
    if PLUGINS.is_dir() and str(PLUGINS) not in paths:
        # a plugin that is already on the path comes first
        os.environ["GST_PLUGIN_PATH_1_0"] = ":".join([*paths, str(PLUGINS)])
    compiled = Path(SYSTEM_PACKAGES, "gi", f"_gi{sysconfig.get_config_var('EXT_SUFFIX')}")
    if compiled.exists() and _SystemGi not in sys.meta_path:
        sys.meta_path.append(_SystemGi)


def _install(what: str) -> str:
    return f"{what}: sudo apt-get install {PACKAGES}"


def missing_libraries() -> Optional[str]:
    """What programs lack, in one line, or None: GStreamer, its version, a library of the wheel's plugin, plugins of GStreamer."""
    try:
        gst = ctypes.CDLL("libgstreamer-1.0.so.0")
    except OSError:
        return _install("GStreamer is missing")
    version = [ctypes.c_uint() for _ in range(4)]
    gst.gst_version(*(ctypes.byref(number) for number in version))
    found = tuple(number.value for number in version[:2])
    if found < OLDEST:
        return f"GStreamer {found[0]}.{found[1]} is too old: this wheel needs {OLDEST[0]}.{OLDEST[1]} or later"
    try:
        for plugin in PLUGINS.glob("*.so"):
            ctypes.CDLL(str(plugin))
    except OSError as error:
        return _install(f"the plugin of robocache does not load: {error}")
    gst.gst_init(None, None)
    gst.gst_element_factory_find.restype = ctypes.c_void_p
    if not gst.gst_element_factory_find(b"appsink"):
        return _install("GStreamer's plugin app is missing")
    return None


def load() -> Tuple[Any, Any]:
    """(GLib, Gst) of PyGObject, initialised. Raises MissingError."""
    try:
        import gi
    except ImportError:
        others = [path.name.split("-")[1] for path in Path(SYSTEM_PACKAGES, "gi").glob("_gi.cpython-*.so")]
        if others:
            raise MissingError(f"PyGObject of this system is for Python {others[0][0]}.{others[0][1:]}, not {sys.version.split()[0]}: "
                               "make the environment with /usr/bin/python3 -m venv") from None
        raise MissingError(_install("PyGObject is missing")) from None
    try:
        gi.require_version("Gst", "1.0")
        from gi.repository import GLib, Gst
    except (ImportError, ValueError):
        raise MissingError(_install("GStreamer for Python is missing")) from None
    # Gst.init finds no plugin in PLUGINS where a library of the plugin is missing: this says which
    if PLUGINS.is_dir() and (missing := missing_libraries()):
        raise MissingError(missing)
    Gst.init(None)
    if PLUGINS.is_dir() and Gst.Registry.get().find_plugin("robocache") is None:
        # GStreamer was initialised before this module was imported
        Gst.Registry.get().scan_path(str(PLUGINS))
    return GLib, Gst

