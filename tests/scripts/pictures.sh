#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pictures.sh PICTURES: checks that the pictures of the documentation are those that their script draws.
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

# pixels PNG RAW: writes the pixels of a picture
pixels () { gst-launch-1.0 -q filesrc location="$1" ! pngdec ! videoconvert ! video/x-raw,format=RGB ! filesink location="$2"; }

# difference RAW RAW: the mean difference of their bytes (every seventh), of 255; 255 if they have other sizes
difference () {
  python3 -c 'import sys
a, b = (open(name, "rb").read() for name in sys.argv[1:])
print(sum(abs(x - y) for x, y in zip(a[::7], b[::7])) / len(a[::7]) if len(a) == len(b) > 0 else 255)' "$1" "$2"
}

failed=0
# expect NAME RAW RAW OPERATOR: how their difference compares with a level, which other versions of cairo and of the font stay below
expect () {
  local by
  by=$(difference "$2" "$3")
  if [ "$(python3 -c "print($by $4 1)")" = True ]; then echo "PASS $1"; else echo "FAIL $1: differs by $by, expected $4 1"; failed=1; fi
}

"$pictures/make.sh" "$drawn" || { echo "FAIL pictures: make.sh"; exit 1; }
for picture in "$pictures"/*.png; do
  name=$(basename "$picture" .png)
  pixels "$picture" "$drawn/$name.raw" && pixels "$drawn/$name.png" "$drawn/$name-drawn.raw"
  expect "$name" "$drawn/$name.raw" "$drawn/$name-drawn.raw" '<'
done
expect another_picture "$drawn/top-height.raw" "$drawn/top-value.raw" '>'
exit $failed
