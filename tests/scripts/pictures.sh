#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pictures.sh PICTURES: checks that the pictures of the documentation equal those that their script draws, byte for byte.
set -uo pipefail
pictures=$1
drawn=$(mktemp -d) && trap 'rm -rf "$drawn"' EXIT

skip () {
  echo "SKIP pictures: $1"
  exit 0
}

for element in robocachevoxelview videoconvert pngenc; do
  gst-inspect-1.0 "$element" >/dev/null 2>&1 || skip "no element $element"
done
# the font of their text
font=$(fc-match -f '%{family}' sans-serif 2>&1)
[ "$font" = 'DejaVu Sans' ] || skip "sans-serif is \"$font\", not DejaVu Sans"

if "$pictures/make.sh" "$drawn" && diff -rq --exclude=make.sh "$pictures" "$drawn"; then
  echo "PASS pictures"
else
  echo "FAIL pictures"
  exit 1
fi
