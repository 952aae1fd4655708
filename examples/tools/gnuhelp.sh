#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# gnuhelp.sh PROGRAM --help: the program's help as help2man expects it: its usage on one line, and each example a paragraph.
"$@" | sed -z 's/^Usage:\n  */Usage: /; s/^usage:/Usage:/; s/\n  robocache \([^\n]*\)/\n\n  robocache \1/g; s/\[OPTION…\]/[OPTION].../'
