#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every benchmark, and writes the figures, the plots and the tables in the pages of docs/performance.md from them.
#
#   run_all.sh [--cpu] [--only PART[,PART...]] [--build DIR] [RESULTS]
#
#   RESULTS   a folder (default: results): performance/*.csv, plots and pages, as they lie in docs;
#             `cp -r RESULTS/performance* docs/` makes them those of the project
#   --cpu     what needs no GPU, on any machine; otherwise what needs one
#   --only    these parts
#   --build   a build whose programs are to be run (default: what lies beside this script in a bundle, tests/gpu/bundle.sh;
#             in a checkout build-release, or else build)
#
# A part that fails or takes too long is said, and what it has left is kept; status 1 at the end. What each part printed is in
# RESULTS/logs.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kind=gpu only='' build='' results=results
while [ $# -gt 0 ]; do
  case $1 in
    --cpu) kind=cpu ;;
    --only) only=${2:?--only expects parts}; shift ;;
    --build) build=$(cd "${2:?--build expects a folder}" && pwd) || exit 1; shift ;;
    -*) echo "$1: expected --cpu, --only PART,PART, --build DIR or RESULTS" >&2; exit 1 ;;
    *) results=$1 ;;
  esac
  shift
done

# where programs, the pages and, in a bundle, the GStreamer that belongs to it are
root=$(dirname "$(dirname "$here")")
if [ -z "$build" ] && [ -e "$here/commit" ]; then
  bin=$here pages=$here/docs run=("$here/../env") plugin=$here/../plugins/libgstrobocache.so
  commit=$(cat "$here/commit")
else
  build=${build:-$([ -d "$root/build-release" ] && echo "$root/build-release" || echo "$root/build")}
  bin=$build/tests/bench pages=$root/docs run=(env "GST_PLUGIN_PATH=$build/gst") plugin=$build/gst/libgstrobocache.so
  commit=$(git -C "$root" describe --always --dirty --abbrev=12 2> /dev/null || echo unknown)
fi
mkdir -p "$results"/{performance/ablations,logs}
results=$(cd "$results" && pwd)
csv=$results/performance
passed=0 failed=() known=
# inputs and results of ours, for the peers: gigabytes
rows=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$rows"' EXIT
mkdir "$rows"/{align,voxel}

# ---- where ----

# the value of a line of lscpu or of a file like it
value() { sed -n -E "s/^$1: *//p" | head -n1; }

gpu() { nvidia-smi -i 0 "--query-gpu=$1" --format=csv,noheader 2> /dev/null | head -n1; }

environment() {
  echo "what,is"
  echo "CPU,\"$(lscpu | value 'Model name'), $(nproc) cores\""
  echo "memory,$(awk '/^MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)"
  echo "system,\"$(sed -n -E 's/^PRETTY_NAME="(.*)"/\1/p' /etc/os-release), Linux $(uname -r)\""
  if [ "$kind" = gpu ] && [ -n "$(gpu name)" ]; then
    echo "GPU,\"$(nvidia-smi -L | wc -l) x $(gpu name), $(gpu memory.total)\""
    echo "driver,\"$(gpu driver_version), CUDA $(nvidia-smi | sed -n -E 's/.*CUDA Version: ([0-9.]+).*/\1/p')\""
    echo "greatest clocks,\"SM $(gpu clocks.max.sm), memory $(gpu clocks.max.mem)\""
    echo "clocks at the start,\"SM $(gpu clocks.sm), memory $(gpu clocks.mem), $(gpu power.draw) of $(gpu power.limit)\""
  fi
  echo "commit,$commit"
  echo "date,$(date -u +%Y-%m-%d)"
}

# ---- parts ----

# one line for each part: when it was last run, and at which commit
begin_parts() {
  if [ -e "$csv/parts.csv" ]; then return; fi
  if ! cp "$pages/performance/parts.csv" "$csv/" 2> /dev/null; then
    echo "part,runs_on,seconds,commit,date,passed" > "$csv/parts.csv"
  fi
}

# note NAME SECONDS yes|no
note() {
  sed -i "/^$1,/d" "$csv/parts.csv"
  echo "$1,${kind^^},$2,$commit,$(date -u +%Y-%m-%d),$3" >> "$csv/parts.csv"
}

is_wanted() { [ -z "$only" ] || [[ ,$only, == *",$1,"* ]]; }

# part KIND NAME SECONDS "FILE..." COMMAND...: which writes performance/FILE.csv for each FILE, within so many seconds
part() {
  local name=$2 limit=$3 files=$4 begun=$SECONDS status file missing='' log=$results/logs/$2.log
  known+="$name "
  if [ "$1" != "$kind" ] || ! is_wanted "$name"; then return; fi
  shift 4
  for file in $files; do rm -f "$csv/$file.csv"; done
  # the bundle's libraries are for its own programs, not for others'
  if [[ $1 == "$bin"/* ]]; then set -- "${run[@]}" "$@"; fi
  timeout --kill-after=5 "$limit" "$@" > "$log" 2>&1
  status=$?
  for file in $files; do
    if [ ! -s "$csv/$file.csv" ]; then
      status=${status/#0/1}
      missing+=" $file.csv"
    fi
  done
  if [ "$status" -eq 124 ]; then echo "it took more than $limit s" >> "$log"; fi
  note "$name" $((SECONDS - begun)) "$([ "$status" -eq 0 ] && echo yes || echo no)"
  if [ "$status" -eq 0 ]; then
    echo "PASS $name: $((SECONDS - begun)) s"
    passed=$((passed + 1))
  else
    echo "FAIL $name: status $status after $((SECONDS - begun)) s${missing:+, no$missing}: $(tail -n1 "$log")"
    failed+=("$name")
  fi
}

# peers work on what ours had
if [ -n "$only" ] && is_wanted peers; then only+=,kernels_align,kernels_voxel; fi
# a recorded cloud, where there is one
cloud=${ROBOCACHE_TEST_DATA:-$root/../shared/data}/cloud_119978_xyz_f32.bin
if [ ! -e "$cloud" ]; then cloud=; fi
# PyTorch and its compiler are many files, which are read meanwhile
if [ "$kind" = gpu ] && is_wanted peers; then
  (cd "$here" && nice python3 -c 'import peers; peers.import_torch(); import align_peers, align_cpu' > /dev/null 2>&1 &)
fi
begin_parts
if [ "$kind" = gpu ]; then environment > "$csv/environment.csv"; else environment > "$csv/environment_cpu.csv"; fi
part gpu kernels_align 60 kernels_align "$bin/bench-kernels" --alignments --csv "$csv/kernels_align.csv" \
  --rows "$rows/align"
part gpu kernels_voxel 60 kernels_voxel "$bin/bench-kernels" --voxels --csv "$csv/kernels_voxel.csv" \
  --rows "$rows/voxel"
part gpu peers 210 "peers_align peers_align_libraries peers_align_cpu peers_align_cpu_libraries peers_voxel peers_voxel_libraries" \
  python3 "$here/libraries.py" "$rows/align" "$rows/voxel" --csv "$csv"
part gpu roofline 60 roofline "$here/profile.sh" "$bin" "$csv/roofline.csv"
part gpu ablations 40 "ablations/storage ablations/movement ablations/bounds ablations/banded ablations/chains ablations/bitmap \
  ablations/clearing ablations/live" "$bin/bench-ablations" --csv "$csv/ablations"
part gpu resources 20 ablations/resources "$bin/bench-resources" "$plugin" --csv "$csv/ablations/resources.csv"
part gpu break_even 40 break_even "$bin/bench-break-even" --csv "$csv/break_even.csv"
# a driver that times its calls, and the real one behind it
ROBOCACHE_REAL_DRIVER=$(PATH=$PATH:/sbin ldconfig -p 2> /dev/null | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n1) \
  LD_LIBRARY_PATH=$bin/timeddriver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
  part gpu latency 100 latency "$bin/bench-latency" --ticks 700 --csv "$csv/latency.csv"
part gpu devices 60 "devices devices_sizes devices_crossover devices_links" "$bin/bench-devices" --csv "$csv/devices.csv"
part gpu splits 30 devices_elements "$bin/bench-splits" --csv "$csv/devices_elements.csv"
part gpu energy 50 energy "$bin/bench-energy" --seconds 5 --csv "$csv/energy.csv"
part cpu kernels_cpu 120 kernels_cpu python3 "$here/alignments.py" "$bin" --csv "$csv/kernels_cpu.csv"
part cpu voxels_cpu 120 "peers_voxel_cpu peers_voxel_cpu_libraries" \
  python3 "$here/voxels.py" "$bin" ${cloud:+"$cloud"} --csv "$csv/peers_voxel_cpu.csv"
part cpu latency_cpu 120 latency_cpu "$bin/bench-latency" --ticks 2000 --csv "$csv/latency_cpu.csv"
part cpu pipelines 600 pipelines_cpu "$bin/bench-pipelines" --csv "$csv/pipelines_cpu.csv"

for name in ${only//,/ }; do
  if [[ " $known" != *" $name "* ]]; then
    echo "FAIL $name: there is no such part, but these: $known"
    failed+=("$name")
  fi
done

# ---- pages ----

if ! python3 "$here/report.py" "$pages" "$results"; then failed+=(report); fi
echo "$passed parts, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}"
[ "${#failed[@]}" -eq 0 ] && [ "$passed" -gt 0 ]
