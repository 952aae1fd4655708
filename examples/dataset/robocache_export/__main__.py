# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m robocache_export: see ../robocache-export."""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402: require_version comes first

Gst.init(None)

from .cli import main  # noqa: E402: elements come first


class NoPandas:
    """PyArrow looks for these in all folders at each array, and nothing here needs them."""
    names = ("pandas", "dateutil")

    @classmethod
    def find_spec(cls, name, path=None, target=None):  # pylint: disable=unused-argument
        if name in cls.names:
            raise ModuleNotFoundError(name=name)


sys.meta_path.insert(0, NoPandas)

if __name__ == "__main__":
    sys.exit(main())
