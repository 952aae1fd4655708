# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors that tell the user what to change."""
from ..printable import printable


class ExportError(Exception):
    """Nothing of the set was written, or only complete episodes."""

    def lines(self):
        """What a terminal shows."""
        return [printable(self)]


class ProblemsError(ExportError):
    """Several problems, one a line: [(where, what)]."""

    def __init__(self, problems):
        super().__init__("\n".join(f"{where}: {what}" for where, what in problems))
        self.problems = problems

    def lines(self):
        return [printable(f"{where}: {what}") for where, what in self.problems]
