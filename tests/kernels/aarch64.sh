#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# aarch64.sh SOURCE BITS: the kernels, built for AArch64 with NEON and run under qemu, make the bits that BITS makes here. Where the
# cross compiler (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross) or qemu-user-static is not installed it says so.
set -uo pipefail
source=$1 bits=$2 cross=aarch64-linux-gnu-gcc qemu=qemu-aarch64-static
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

if "$bits" > "$work/best" && "$bits" baseline > "$work/baseline" && [ -s "$work/best" ] && cmp -s "$work/best" "$work/baseline"; then
  echo "PASS bits_of_the_best_instruction_set: as the baseline's"
else
  diff "$work/baseline" "$work/best" | head -n 5
  echo "FAIL bits_of_the_best_instruction_set: they are not the baseline's"
  exit 1
fi
for tool in "$cross" "$qemu"; do
  if ! command -v "$tool" > /dev/null; then echo "SKIP bits_of_aarch64: there is no $tool"; exit 0; fi
done

# as kernels/meson.build does; files that are built once for each instruction set are the baseline's here
flags=(-std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror -O3 -fno-math-errno -fno-trapping-math
  -ffp-contract=off -DRC_LEVEL=baseline -I "$source")
# shellcheck disable=SC2046
build() { "$cross" "${flags[@]}" -static $(find "$source/kernels" -name '*.c' ! -path '*/cuda/*') "$source/tests/kernels/bits.c" -lm -o "$work/bits"; }
if said=$(build 2>&1) && said=$("$qemu" "$work/bits" 2>&1 > "$work/aarch64") && cmp -s "$work/aarch64" "$work/best"; then
  echo "PASS bits_of_aarch64: $(wc -l < "$work/aarch64") cases"
else
  printf '%s\n' "$said"
  [ -e "$work/aarch64" ] && diff "$work/best" "$work/aarch64" | head -n 5
  echo "FAIL bits_of_aarch64: they are not those of this machine"
  exit 1
fi
