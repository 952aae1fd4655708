#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that sources named by docs exist. Prints PASS or FAIL for each page.
#
#   names.sh ROOT
set -uo pipefail
root=$1 failed=0
names=$(find "$root" -path "$root/build*" -prune -o -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) -printf '%f\n')

while IFS= read -r page; do
  missing=
  for name in $(grep -o '`[a-z_0-9]*\.\(c\|h\|cu\|cuh\)`' "$page" | tr -d '`' | sort -u); do
    grep -qx "$name" <<< "$names" || missing+=" $name"
  done
  if [ -z "$missing" ]; then echo "PASS ${page#"$root"/}"; else echo "FAIL ${page#"$root"/}:$missing"; failed=1; fi
done < <(find "$root/README.md" "$root/docs" -name '*.md' | sort)
exit $failed
