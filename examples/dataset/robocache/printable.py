# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text of recordings and messages for a terminal, which must not obey it. printable.c is the same in C."""


def printable(text):
    """Control characters and marks of direction are escaped, as in the name of a topic that anybody chose; text of one line stays one."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "backslashreplace").decode() for one in str(text))
