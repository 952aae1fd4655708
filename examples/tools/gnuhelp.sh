#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# gnuhelp.sh PROGRAM --help: the program's help with its usage on one line, as help2man expects it.
"$@" | sed -z 's/^Usage:\n  */Usage: /; s/^usage:/Usage:/; s/\[OPTION…\]/[OPTION].../'
