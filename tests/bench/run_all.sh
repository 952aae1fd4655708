#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every benchmark, and writes the figures, the plots and the tables in the pages of docs/performance.md from them.
#
#   run_all.sh [--gpu | --cpu] [--only PART[,PART...]] [--without NAME[,NAME...]] [--build DIR] [RESULTS]
#
#   RESULTS   a folder (default: results): performance/*.csv, plots and pages, as they lie in docs;
#             `cp -r RESULTS/performance* docs/` makes them those of the project
#   --gpu     what needs a GPU alone
#   --cpu     what needs none alone, on any machine
#   --only    these parts
#   --without not these parts; or, of libraries that ours is set beside, that these may be missing
#   --build   a build whose programs are to be run (default: what lies beside this script in a bundle, tests/gpu/bundle.sh;
#             in a checkout build-release, or else build)
#
# A library that is missing, a part that fails, takes too long or has measured nothing is said, and the status is 1. Of a part
# that failed the figures of before stay, with a mark in the table of parts; what it left, and what each part printed, is in
# RESULTS/logs. At the end it prints the tables of works with a wanted time and of works beside others.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kinds='gpu cpu' only='' without='' build='' results=results
while [ $# -gt 0 ]; do
  case $1 in
    --gpu | --cpu) kinds=${1#--} ;;
    --only) only=${2:?--only expects parts}; shift ;;
    --without) without=${2:?--without expects parts or libraries}; shift ;;
    --build) build=$(cd "${2:?--build expects a folder}" && pwd) || exit 1; shift ;;
    -*) echo "$1: expected --gpu, --cpu, --only PART,PART, --without NAME,NAME, --build DIR or RESULTS" >&2; exit 1 ;;
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
mkdir -p "$results"/{performance,logs}/ablations
results=$(cd "$results" && pwd)
csv=$results/performance
passed=0 failed=() missing=() known='' libraries=''
# inputs and results of ours, for the peers: gigabytes; and figures of before
rows=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$rows"' EXIT
mkdir -p "$rows"/{align,voxel,before/ablations}

# ---- where ----

# the value of a line of lscpu or of a file like it
value() { sed -n -E "s/^$1: *//p" | head -n1; }

gpu() { nvidia-smi -i 0 "--query-gpu=$1" --format=csv,noheader 2> /dev/null | head -n1; }

processor() { echo "$(lscpu | value 'Model name'), $(nproc) cores"; }

# of those that there are, the ones that programs see
gpus() {
  local visible=${CUDA_VISIBLE_DEVICES:-}
  visible=${visible//[^,]/}
  echo "${CUDA_VISIBLE_DEVICES:+$((${#visible} + 1)) of }$(nvidia-smi -L 2> /dev/null | wc -l) x $(gpu name)"
}

# environment KIND
environment() {
  echo "what,is"
  echo "CPU,\"$(processor)\""
  echo "memory,$(awk '/^MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)"
  echo "system,\"$(sed -n -E 's/^PRETTY_NAME="(.*)"/\1/p' /etc/os-release), Linux $(uname -r)\""
  if [ "$1" = gpu ] && [ -n "$(gpu name)" ]; then
    echo "GPU,\"$(gpus), $(gpu memory.total)\""
    echo "driver,\"$(gpu driver_version), CUDA $(nvidia-smi | sed -n -E 's/.*CUDA Version: ([0-9.]+).*/\1/p')\""
    echo "greatest clocks,\"SM $(gpu clocks.max.sm), memory $(gpu clocks.max.mem)\""
    echo "clocks at the start,\"SM $(gpu clocks.sm), memory $(gpu clocks.mem), $(gpu power.draw) of $(gpu power.limit)\""
  fi
  echo "commit,$commit"
  echo "date,$(date -u +%Y-%m-%d)"
}

# ---- what is needed ----

has_kind() { [[ " $kinds " == *" $1 "* ]]; }
is_in() { [[ ,$2, == *",$1,"* ]]; }
is_wanted() { ! is_in "$1" "$without" && { [ -z "$only" ] || is_in "$1" "$only"; }; }

# require KIND PART NAME COMMAND...: where the part is wanted and the command fails, the library of this name is missing. Plots
# are no part, and always made. What a part cannot even begin without lets it fail.
require() {
  local part=$2 name=$3
  libraries+="$name "
  if ! has_kind "$1" || is_in "$name" "$without" || { [ "$part" != plots ] && ! is_wanted "$part"; }; then return; fi
  if ! "${@:4}" > /dev/null 2>&1; then missing+=("MISSING $name, for $part (--without $name: it may be missing)"); fi
}
say_missing() { if [ "${#missing[@]}" -gt 0 ]; then printf '%s\n' "${missing[@]}"; fi; }

# ---- parts ----

# one line for each part: when and where it was last run, at which commit, the files of figures that it wrote, and whether it
# has failed since
begin_parts() {
  if [ -e "$csv/parts.csv" ]; then return; fi
  if ! cp "$pages/performance/parts.csv" "$csv/" 2> /dev/null; then
    echo "part,runs_on,machine,driver,seconds,commit,date,files,passed,failed_since" > "$csv/parts.csv"
  fi
}

machine() { if [ "$kind" = gpu ]; then echo "$(gpus), $(nproc) cores"; else processor; fi; }

# note NAME SECONDS STATUS "FILE..."
note() {
  local today
  today=$(date -u +%Y-%m-%d)
  if [ "$3" -ne 0 ] && grep -q "^$1,.*,yes,[^,]*$" "$csv/parts.csv"; then
    sed -i "s/^\($1,.*\),[^,]*$/\1,$today at $commit: status $3/" "$csv/parts.csv"
    return
  fi
  sed -i "/^$1,/d" "$csv/parts.csv"
  echo "$1,${kind^^},\"$(machine)\",$([ "$kind" = cpu ] || gpu driver_version),$2,$commit,$today,$4,$(
    [ "$3" -eq 0 ] && echo yes || echo no)," >> "$csv/parts.csv"
}

# move FROM TO FILE...: those that there are
move() {
  local file
  for file in "${@:3}"; do
    if [ -e "$1/$file.csv" ]; then mv "$1/$file.csv" "$2/$file.csv"; fi
  done
}

has_rows() { [ -n "$(sed -n 2p "$1" 2> /dev/null)" ]; }

# part KIND NAME SECONDS "FILE..." COMMAND...: which writes performance/FILE.csv for each FILE, within so many seconds
part() {
  local kind=$1 name=$2 limit=$3 files begun=$SECONDS status file lacking='' log=$results/logs/$2.log
  read -r -a files <<< "$4"
  known+="$name "
  if ! has_kind "$kind" || ! is_wanted "$name"; then return; fi
  shift 4
  move "$csv" "$rows/before" "${files[@]}"
  # the bundle's libraries are for its own programs, not for others'
  if [[ $1 == "$bin"/* ]]; then set -- "${run[@]}" "$@"; fi
  timeout --kill-after=5 "$limit" "$@" > "$log" 2>&1
  status=$?
  if [ "$status" -eq 124 ]; then echo "it took more than $limit s" >> "$log"; fi
  for file in "${files[@]}"; do
    if ! has_rows "$csv/$file.csv"; then lacking+=" $file.csv"; fi
  done
  # a program that has no GPU says so and goes on, which is right in a test
  if [ -n "$lacking" ] || { [ "$kind" = gpu ] && grep -q '^SKIP' "$log"; }; then status=${status/#0/1}; fi
  note "$name" $((SECONDS - begun)) "$status" "${files[*]}"
  if [ "$status" -eq 0 ]; then
    echo "PASS $name: $((SECONDS - begun)) s"
    passed=$((passed + 1))
  else
    move "$csv" "$results/logs" "${files[@]}"
    move "$rows/before" "$csv" "${files[@]}"
    echo "FAIL $name: status $status after $((SECONDS - begun)) s${lacking:+, no rows in$lacking}: $(
      grep -m1 '^SKIP' "$log" || tail -n1 "$log")"
    failed+=("$name")
  fi
}

# peers work on what ours had
if [ -n "$only" ] && is_wanted peers; then only+=,kernels_align,kernels_voxel; fi
# a recorded cloud, where there is one
cloud=${ROBOCACHE_TEST_DATA:-$root/../shared/data}/cloud_119978_xyz_f32.bin
if [ ! -e "$cloud" ]; then cloud=; fi
# PyTorch and its compiler are many files, which are read meanwhile
if has_kind gpu && is_wanted peers; then
  (cd "$here" && nice python3 -c 'import peers; peers.import_torch(); import align_peers, align_cpu' > /dev/null 2>&1 &)
fi
for library in scipy pandas cupy triton; do require gpu peers $library python3 -c "import $library"; done
for library in scipy pandas; do require cpu kernels_cpu $library python3 -c "import $library"; done
require cpu voxels_cpu open3d python3 -c "import open3d"
require cpu voxels_cpu pcl test -x "$bin/bench-voxels-pcl"
require "${kinds% *}" plots matplotlib python3 -c "import matplotlib"
say_missing
begin_parts
if has_kind gpu; then environment gpu > "$csv/environment.csv"; fi
if has_kind cpu; then environment cpu > "$csv/environment_cpu.csv"; fi
part gpu kernels_align 60 kernels_align "$bin/bench-kernels" --alignments --csv "$csv/kernels_align.csv" \
  --rows "$rows/align"
part gpu kernels_voxel 60 kernels_voxel "$bin/bench-kernels" --voxels --csv "$csv/kernels_voxel.csv" \
  --rows "$rows/voxel"
part gpu peers 210 "peers_align peers_align_libraries peers_align_cpu peers_align_cpu_libraries peers_voxel peers_voxel_libraries" \
  python3 "$here/libraries.py" "$rows/align" "$rows/voxel" --csv "$csv"
part gpu roofline 90 roofline "$here/profile.sh" "$bin" "$csv/roofline.csv"
part gpu ablations 60 "ablations/storage ablations/movement ablations/blocks ablations/banded ablations/chains ablations/bitmap \
  ablations/clearing ablations/live" "$bin/bench-ablations" --csv "$csv/ablations"
part gpu resources 20 ablations/resources "$bin/bench-resources" "$plugin" --csv "$csv/ablations/resources.csv"
part gpu bounds 120 ablations/bounds "$bin/bench-bounds" --csv "$csv/ablations/bounds.csv"
part gpu break_even 40 break_even "$bin/bench-break-even" --csv "$csv/break_even.csv"
# a driver that times its calls, and the real one behind it
ROBOCACHE_REAL_DRIVER=$(PATH=$PATH:/sbin ldconfig -p 2> /dev/null | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n1) \
  LD_LIBRARY_PATH=$bin/timeddriver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
  part gpu latency 100 latency "$bin/bench-latency" --ticks 700 --csv "$csv/latency.csv"
part gpu devices 100 "devices devices_crossover devices_links" "$bin/bench-devices" --csv "$csv/devices.csv"
part gpu splits 40 devices_elements "$bin/bench-splits" --csv "$csv/devices_elements.csv"
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
for name in ${without//,/ }; do
  if [[ " $known$libraries" != *" $name "* ]]; then
    echo "FAIL --without $name: there is no such part or library, but these: $known$libraries"
    failed+=("--without $name")
  fi
done

# ---- pages ----

# show PAGE TABLE...: as they were just written
show() {
  local page=$1 table
  shift
  for table in "$@"; do sed -n "/<!-- table $table:/,/<!-- end -->/{/^|/p}" "$results/$page" 2> /dev/null; echo; done
}

if ! python3 "$here/report.py" "$pages" "$results"; then failed+=(report); fi
if has_kind gpu; then
  show performance.md wanted
  show performance/alignments.md beside_peers_align
  show performance/voxels.md beside_peers_voxel
  show performance/roofline.md kernels_not_run
fi
if has_kind cpu; then
  show performance/alignments-cpu.md kernels_cpu
  show performance/voxels.md peers_voxel_cpu_libraries
fi
say_missing
echo "$passed parts, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}, ${#missing[@]} libraries missing"
[ "${#failed[@]}" -eq 0 ] && [ "${#missing[@]}" -eq 0 ] && [ "$passed" -gt 0 ]
