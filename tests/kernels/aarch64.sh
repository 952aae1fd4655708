#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# aarch64.sh SOURCE ALIGN VOXEL KINEMATICS: the kernels, built for AArch64 with NEON and run under qemu, compute the
# same bits as ALIGN, VOXEL and KINEMATICS, this machine's programs of the tables of cases. Skipped where the cross
# compiler (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross) or qemu-user-static is not installed.
set -uo pipefail
source=$1 cross=${CROSS:-aarch64-linux-gnu-gcc} qemu=${QEMU-qemu-aarch64-static}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
# a program and the section that it runs
programs=("align $2 dtypes" "voxel $3 kinds" "kinematics $4 trees")

for tool in "$cross" $qemu; do
  if ! command -v "$tool" > /dev/null; then echo "SKIP bits_of_aarch64: there is no $tool"; exit 0; fi
done

# as kernels/meson.build does; files that are built once for each instruction set are the baseline's here
flags=(-std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror -O2 -fno-math-errno -fno-trapping-math
  -ffp-contract=off -fno-tree-slp-vectorize -DRC_LEVEL=baseline -I "$source" -static -pthread)
mapfile -t kernels < <(find "$source/kernels" -name '*.c' ! -path '*/cuda/*')
status=0
for line in "${programs[@]}"; do
  read -r name program section <<< "$line"
  mapfile -t sources < <(find "$source/tests/kernels/$name" -name '*.c' ! -name clouds.c ! -name window.c)
  sources+=("$source"/tests/kernels/{arena,place,suite}.c)
  "$program" --few --sums --only "$section" | grep '^sum' > "$work/here"
  if said=$("$cross" "${flags[@]}" "${kernels[@]}" "${sources[@]}" -lm -o "$work/there" 2>&1) &&
      $qemu "$work/there" --few --sums --only "$section" | grep '^sum' > "$work/there.sums" && cmp "$work/here" "$work/there.sums"; then
    echo "PASS bits_of_aarch64_$name: $(wc -l < "$work/here") cases"
  else
    printf '%s\n' "$said" | head -n 20
    echo "FAIL bits_of_aarch64_$name: they are not those of this machine"
    status=1
  fi
done
exit $status
