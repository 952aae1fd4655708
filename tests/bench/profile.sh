#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Hardware counters of every kernel, by Nsight Compute over bench-kernels --once: time, bytes from and to memory, L2, occupancy,
# registers, instructions and shares of the peaks. Clocks and caches stay as they are, so that times are those of the benchmarks.
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

"$ncu" --csv --page raw --nvtx --nvtx-include second/ --clock-control none --cache-control none --log-file "$work/counted" \
  --metrics "$(python3 "$here/roofline.py" --metrics)" "$dir/bench-kernels" --once "${@:3}" > "$work/works"
status=$?
grep '^==ERROR==' "$work/counted" >&2
python3 "$here/roofline.py" "$work/counted" "$work/works" > "$file" && [ "$status" -eq 0 ]
