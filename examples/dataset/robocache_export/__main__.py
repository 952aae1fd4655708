# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m robocache_export: see ../robocache-export."""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402: require_version comes first

Gst.init(None)

from .cli import main  # noqa: E402: elements come first

if __name__ == "__main__":
    sys.exit(main())
