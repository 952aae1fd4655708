# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text of recordings and messages for a terminal, which must not obey it. printable.c is the same in C."""


def printable(text):
    """Control characters and marks of direction are escaped, as in the name of a topic that anybody chose; text of one line stays one."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "backslashreplace").decode() for one in str(text))


def describe_os_error(error):
    """The file, and what is wrong with it; the whole text of an error without a file."""
    return printable(f"{error.filename}: {error.strerror}" if error.filename else error)
