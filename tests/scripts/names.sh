#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that sources named by docs exist. Prints PASS or FAIL for each page.
#
#   names.sh ROOT
set -uo pipefail
root=$1 failed=0
names=$(find "$root" -path "$root/build*" -prune -o -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) -printf '%f\n')

for page in "$root"/docs/*.md; do
  missing=
  for name in $(grep -o '`[a-z_0-9]*\.\(c\|h\|cu\|cuh\)`' "$page" | tr -d '`' | sort -u); do
    grep -qx "$name" <<< "$names" || missing+=" $name"
  done
  if [ -z "$missing" ]; then echo "PASS ${page##*/}"; else echo "FAIL ${page##*/}:$missing"; failed=1; fi
done
exit $failed
