# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors that tell the user what to change."""


class ExportError(Exception):
    """Nothing of the set was written, or only complete episodes."""


class ProblemsError(ExportError):
    """Several problems, one a line: [(where, what)]."""

    def __init__(self, problems):
        super().__init__("\n".join(f"{where}: {what}" for where, what in problems))
        self.problems = problems
