#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every benchmark, and writes its figures into the tables and plots of docs/explanation/measurements.md and docs/performance.md.
#
#   run_all.sh [--gpu | --cpu] [--only PART[,PART...]] [--without NAME[,NAME...]] [--pointpillars DIR] [--awml DIR]
#              [--build DIR] [RESULTS]
#
#   RESULTS   a folder (default: results) for performance/*.csv, logs, performance.md, explanation/measurements.md and performance/*.svg;
#             copy pages and plots to the same places in docs
#   --gpu     only parts that need a GPU
#   --cpu     only parts that need none
#   --only    only these parts
#   --without these parts do not run; these Python libraries may be missing
#   --pointpillars, --awml  a folder with the repository of CUDA-PointPillars or AWML, peers that nvcc compiles
#   --build   a build (default: in a bundle of tests/gpu/bundle.sh the bundle, in a checkout build-release or build)
#
# The status is 1 if a library is missing, or if a part fails, is too slow or writes no figures; its table then stays as it was.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kinds='gpu cpu' only='' without='' build='' clones=() results=results
while [ $# -gt 0 ]; do
  case $1 in
    --gpu | --cpu) kinds=${1#--} ;;
    --only) only=${2:?--only expects parts}; shift ;;
    --without) without=${2:?--without expects parts or libraries}; shift ;;
    --pointpillars | --awml) clones+=("$1" "$(cd "${2:?$1 expects a folder}" && pwd)") || exit 1; shift ;;
    --build) build=$(cd "${2:?--build expects a folder}" && pwd) || exit 1; shift ;;
    -*) echo "$1: expected --gpu, --cpu, --only PART,PART, --without NAME,NAME, --pointpillars DIR, --awml DIR, --build DIR or RESULTS" >&2; exit 1 ;;
    *) results=$1 ;;
  esac
  shift
done

# programs, pages, and the command that runs a program with the GStreamer of a bundle
root=$(dirname "$(dirname "$here")")
if [ -z "$build" ] && [ -e "$here/commit" ]; then
  bin=$here pages=$here/docs run=("$here/../env") plugin=$here/../plugins/libgstrobocache.so
  commit=$(cat "$here/commit")
else
  build=${build:-$([ -d "$root/build-release" ] && echo "$root/build-release" || echo "$root/build")}
  bin=$build/tests/bench pages=$root/docs run=(env "GST_PLUGIN_PATH=$build/gst") plugin=$build/gst/libgstrobocache.so
  commit=$(git -C "$root" describe --always --dirty --abbrev=12 2> /dev/null || echo unknown)
fi
mkdir -p "$results"/{performance,logs}
results=$(cd "$results" && pwd)
csv=$results/performance
passed=0 failed=() missing=() known=''
# inputs and outputs of kernels for the peers: gigabytes
rows=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$rows"' EXIT
mkdir -p "$rows"/{align,voxel,cpu}

# ---- the machine ----

# the value of a line of lscpu or of a similar file
value() { sed -n -E "s/^$1: *//p" | head -n1; }
device=${CUDA_VISIBLE_DEVICES:-0}
gpu() { nvidia-smi -i "${device%%,*}" "--query-gpu=$1" --format=csv,noheader 2> /dev/null | head -n1; }
processor() { echo "$(lscpu | value 'Model name'), $(nproc) cores"; }
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
    echo "maximum clocks,\"SM $(gpu clocks.max.sm), memory $(gpu clocks.max.mem)\""
    echo "clocks at the start,\"SM $(gpu clocks.sm), memory $(gpu clocks.mem), $(gpu power.draw) of $(gpu power.limit)\""
  fi
  echo "commit,$commit"
  echo "date,$(date -u +%Y-%m-%d)"
}

# ---- parts ----

is_in() { [[ ,$2, == *",$1,"* ]]; }
is_wanted() { ! is_in "$1" "$without" && { [ -z "$only" ] || is_in "$1" "$only"; }; }
has_rows() { [ -n "$(sed -n 2p "$1" 2> /dev/null)" ]; }

# require KIND PART LIBRARY...: Python libraries of a part
require() {
  local kind=$1 part=$2 library
  shift 2
  if [[ " $kinds " != *" $kind "* ]] || ! is_wanted "$part"; then return; fi
  for library; do
    if ! is_in "$library" "$without" && ! python3 -c "import $library" > /dev/null 2>&1; then
      missing+=("MISSING $library, for $part (--without $library accepts that)")
    fi
  done
}

# part KIND NAME SECONDS "FILE..." COMMAND...: the command writes performance/FILE.csv for each FILE within the time limit
part() {
  local kind=$1 name=$2 limit=$3 files begun=$SECONDS status file lacking='' machine log=$results/logs/$2.log clocks=''
  read -r -a files <<< "$4"
  known+="$name "
  if [[ " $kinds " != *" $kind "* ]] || ! is_wanted "$name"; then return; fi
  shift 4
  # other programs do not get the bundle's libraries
  if [[ $1 == "$bin"/* ]]; then set -- "${run[@]}" "$@"; fi
  timeout --kill-after=5 "$limit" "$@" > "$log" 2>&1
  status=$?
  if [ "$kind" = gpu ]; then clocks=$(gpu clocks.sm,power.draw); fi
  if [ "$status" -eq 124 ]; then echo "it took more than $limit s" >> "$log"; fi
  for file in "${files[@]}"; do
    if ! has_rows "$csv/$file.csv"; then lacking+=" $file.csv"; fi
  done
  # a program without a GPU skips its work and passes, which is correct in a test only
  if [ -n "$lacking" ] || { [ "$kind" = gpu ] && grep -q '^SKIP' "$log"; }; then status=${status/#0/1}; fi
  if [ "$status" -eq 0 ]; then
    machine=$([ "$kind" = gpu ] && echo "$(gpus), $(nproc) cores" || processor)
    echo "$name,${kind^^},\"$machine\",$([ "$kind" = cpu ] || gpu driver_version),$((SECONDS - begun)),\"$clocks\",$commit,$(date -u +%Y-%m-%d)" \
      >> "$csv/parts.csv"
    echo "PASS $name: $((SECONDS - begun)) s"
    passed=$((passed + 1))
  else
    for file in "${files[@]}"; do
      if [ -e "$csv/$file.csv" ]; then mv "$csv/$file.csv" "$results/logs/"; fi
    done
    echo "FAIL $name: status $status after $((SECONDS - begun)) s${lacking:+, no rows in$lacking}: $(
      grep -m1 '^SKIP' "$log" || tail -n1 "$log")"
    failed+=("$name")
  fi
}

# peers need the rows of our kernels
for pair in peers:kernels_align,kernels_voxel peers_cpu:kernels_cpu; do
  if [ -n "$only" ] && is_wanted "${pair%%:*}"; then only+=,${pair#*:}; fi
done
# a recorded cloud, where there is one
cloud=${ROBOCACHE_TEST_DATA:-$root/../shared/data}/cloud_119978_xyz_f32.bin
if [ ! -e "$cloud" ]; then cloud=; fi
# a recording for the GPU's decoder, in a bundle
h264=$here/../frames.h264
if [ ! -e "$h264" ]; then h264=; fi
# the arm of kinematics, which a bundle has beside this script
urdf=$here/arm.urdf
if [ ! -e "$urdf" ]; then urdf=$root/examples/arm.urdf; fi
require gpu peers torch triton
require gpu kinematics torch pytorch_kinematics
require cpu peers_cpu numpy scipy open3d
for line in ${missing[@]+"${missing[@]}"}; do echo "$line"; done
echo "part,runs_on,machine,driver,seconds,clocks,commit,date" > "$csv/parts.csv"
for kind in $kinds; do environment "$kind" > "$csv/environment_$kind.csv"; done
part gpu kernels_align 60 kernels_align "$bin/bench-kernels" --alignments --csv "$csv/kernels_align.csv" --rows "$rows/align"
part gpu kernels_voxel 60 kernels_voxel "$bin/bench-kernels" --voxels --csv "$csv/kernels_voxel.csv" --rows "$rows/voxel"
part gpu peers 440 "peers_align peers_align_libraries peers_voxel peers_voxel_libraries peers_lidar peers_lidar_libraries" \
  python3 "$here/peers/peers.py" "$rows/align" "$rows/voxel" --csv "$csv" ${clones[@]+"${clones[@]}"}
part gpu kinematics 200 kinematics python3 "$here/peers/kinematics.py" "$bin/bench-kinematics" "$urdf" --csv "$csv/kinematics.csv"
part gpu roofline 90 roofline python3 "$here/limits/roofline.py" "$bin/bench-kernels" "$csv/roofline.csv"
part gpu resources 20 resources "$bin/bench-resources" "$plugin" --csv "$csv/resources.csv"
part gpu break_even 60 break_even "$bin/bench-break-even" --csv "$csv/break_even.csv"
part gpu latency 130 latency "$bin/bench-latency" --ticks 700 --csv "$csv/latency.csv"
part gpu latency_idle 60 latency_idle "$bin/bench-latency" --idle --only '^GPU, with a camera on the device$' --csv "$csv/latency_idle.csv"
part gpu several 300 several "${run[@]}" "$here/pipelines/several.sh" "$bin" "$csv/several.csv"
part gpu camera 180 camera "$bin/bench-camera" ${h264:+--h264 "$h264"} --csv "$csv/camera.csv"
part gpu one_job 280 one_job "$bin/bench-one-job" --csv "$csv/one_job.csv"
part gpu scaling 120 scaling "$bin/bench-scaling" --csv "$csv/scaling.csv"
part gpu energy 60 energy "$bin/bench-energy" --seconds 5 --csv "$csv/energy.csv"
part cpu kernels_cpu 120 kernels_cpu "$bin/bench-cpu" ${cloud:+--cloud "$cloud"} --csv "$csv/kernels_cpu.csv" --rows "$rows/cpu"
part cpu peers_cpu 120 "peers_align_cpu peers_align_cpu_libraries peers_voxel_cpu peers_voxel_cpu_libraries" \
  python3 "$here/peers/peers.py" "$rows/cpu" --csv "$csv"
part cpu latency_cpu 120 latency_cpu "$bin/bench-latency" --ticks 2000 --csv "$csv/latency_cpu.csv"
part cpu pipelines 600 pipelines_cpu "$bin/bench-pipelines" --csv "$csv/pipelines_cpu.csv"

for name in ${only//,/ }; do
  if [[ " $known" != *" $name "* ]]; then
    echo "FAIL $name: no such part, expected one of: $known"
    failed+=("$name")
  fi
done

# ---- the pages ----

if ! python3 -B "$here/report/report.py" "$pages" "$results"; then failed+=(report); fi
echo "$passed parts, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}, ${#missing[@]} libraries missing"
[ "${#failed[@]}" -eq 0 ] && [ "${#missing[@]}" -eq 0 ] && [ "$passed" -gt 0 ]
