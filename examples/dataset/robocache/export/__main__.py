# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m robocache.export: see ../../robocache-export."""
import gc
import sys

# modules make much that stays, which the collector would look through again and again
gc.disable()

import gi  # noqa: E402: the collector comes first

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)

from .cli import main  # noqa: E402: elements come first

gc.freeze()
gc.enable()


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
