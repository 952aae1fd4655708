# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocache-export in this process, and as a user runs it."""
import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from robocache.export import cli

SCRIPT = Path(cli.__file__).parents[2] / "robocache-export"


def export(*arguments):
    """(exit status, all that it printed)."""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["robocache-export", *map(str, arguments)]), contextlib.redirect_stdout(said), \
            contextlib.redirect_stderr(said):
        try:
            status = cli.main()
        except SystemExit as error:
            status = error.code
    return status, said.getvalue()


def must_export(*arguments):
    status, said = export(*arguments)
    if status:
        raise RuntimeError(f"exit status {status}: {said}")
    return said


def start(*arguments):
    """A process of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "ROBOCACHE_EXPORT_PROGRAM"}
    return subprocess.Popen([SCRIPT, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True)
