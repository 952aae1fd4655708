# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the line with which gst-launch-1.0 and other programs find the plugin of a wheel: eval "$(python3 -m robocache)"."""
import shlex
import sys

from .gstreamer import PLUGINS

if __name__ == "__main__":
    if not PLUGINS.is_dir():
        sys.exit("error: this package robocache was not installed from a wheel, so it has no plugin: install a wheel, or source examples/env.sh")
    print(f"export GST_PLUGIN_PATH_1_0={shlex.quote(str(PLUGINS))}${{GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}}")
