#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Hardware counters of every kernel, by Nsight Compute over bench-kernels --once: time, bytes from and to memory, L2, occupancy,
# registers, instructions, shares of the peaks of all units, and what warps wait for. Clocks stay as they are, and so do
# caches but for what takes several passes, so that times are those of the benchmarks.
# Counters have to be allowed: by root, or by the driver's NVreg_RestrictProfilingToAdminUsers=0.
#
#   profile.sh DIR FILE [ARGUMENT...]     DIR: where bench-kernels is; FILE: the table, as CSV
#                                         ARGUMENT: of bench-kernels, which works; default: all
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:?usage: profile.sh DIR FILE [ARGUMENT...]}
file=${2:?usage: profile.sh DIR FILE [ARGUMENT...]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
if [ ! -x "$ncu" ]; then
  echo "$ncu: there is no Nsight Compute" >&2
  exit 1
fi

status=0 counted=()
while read -r caches metrics works; do
  counted+=("$work/counted${#counted[@]}")
  "$ncu" --csv --page raw --nvtx --nvtx-include counted/ --clock-control none --cache-control "$caches" --metrics "$metrics" \
    --log-file "${counted[-1]}" "$dir/bench-kernels" --once $works "${@:3}" > "${counted[-1]}.works" < /dev/null || status=$?
  grep '^==ERROR==' "${counted[-1]}" >&2
done < <(python3 "$here/roofline.py" --runs)
python3 "$here/roofline.py" "${counted[0]}.works" "${counted[@]}" > "$file" && [ "$status" -eq 0 ]
