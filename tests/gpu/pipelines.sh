#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Pipelines on a GPU, with the GStreamer of the bundle it lies in: what they write is, byte for byte, what the CPU writes.
# A case a line, PASS, FAIL or SKIP.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export G_DEBUG=fatal-criticals

pass() { echo "PASS pipeline_$1"; }
fail() { echo "FAIL pipeline_$1: $2"; }
skip() { echo "SKIP pipeline_$1: $2"; }

# launch LOG PIPELINE...
launch() {
  local log=$1
  shift
  timeout 120 "$here/env" gst-launch-1.0 -q "$@" > "$work/$log" 2>&1
}

# the line that says most of what went wrong
reason() {
  grep -m1 -E 'ERROR|CRITICAL|WARNING' "$work/$1" || tail -n1 "$work/$1"
}

# compare NAME PIPELINE...: the first one is the CPU's; what each writes to OUT is the same
compare() {
  local name=$1 pipeline n=0
  shift
  for pipeline; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    if ! launch log ${pipeline//OUT/$work/$n}; then
      fail "$name" "pipeline $n: $(reason log)"
    elif [ ! -s "$work/$n" ]; then
      fail "$name" "pipeline $n: nothing was written"
    elif ! cmp "$work/1" "$work/$n" > "$work/log" 2>&1; then
      fail "$name" "pipeline $n: $(cat "$work/log")"
    else
      continue
    fi
    return
  done
  pass "$name"
}

# grep reads all: a pipe that breaks would fail gst-inspect-1.0
if "$here/env" gst-inspect-1.0 robocachefuse | grep memory:CUDAMemory > /dev/null; then
  gstcuda=built
else
  gstcuda=
  skip cuda_memory "robocache was built without GstCuda"
fi

# same NAME PIPELINE: with BACKEND and MEMORY replaced, on the CPU and on the GPU, into system memory, into device memory, and into
# GStreamer's own, which no pad f.… takes
same() {
  local system=${2//MEMORY/other/tensors} device=${2//MEMORY/other/tensors(memory:RobocacheCUDA)}
  local gstreamers=${2//MEMORY ! f./other/tensors(memory:RobocacheCUDA) ! f.}
  gstreamers=${gstreamers//MEMORY/other/tensors(memory:CUDAMemory)}
  compare "$1" "${system//BACKEND/cpu}" "${system//BACKEND/cuda}" "${device//BACKEND/cuda}" ${gstcuda:+"${gstreamers//BACKEND/cuda}"}
}

# refused NAME TEXT PIPELINE...: an error with that text
refused() {
  local name=$1 text=$2
  shift 2
  if launch log "$@"; then
    fail "$name" "it ran"
  elif grep -q -F -- "$text" "$work/log"; then
    pass "$name"
  else
    fail "$name" "$(reason log)"
  fi
}

if ! "$here/env" gst-inspect-1.0 robocachefuse > "$work/log" 2>&1; then
  fail plugin "$(tail -n1 "$work/log")"
  exit 1
fi
if ! launch log robocachetestsrc num-buffers=1 ! robocachefuse rate=10/1 backend=cuda ! fakesink; then
  skip all "$(reason log)"
  exit 0
fi

proprio="robocachetestsrc kind=proprio rate=100/1 jitter=1000000 num-buffers=300 seed=1"
force="robocachetestsrc kind=force rate=1000/1 jitter=200000 drop=0.05 num-buffers=3000 seed=2"
imu="robocachetestsrc kind=imu rate=200/1 num-buffers=600 seed=3"
camera="videotestsrc num-buffers=90 pattern=smpte ! video/x-raw,format=RGB,width=322,height=240,framerate=30/1"
wide="videotestsrc num-buffers=90 pattern=ball ! video/x-raw,format=RGBA,width=512,height=240,framerate=30/1"

for interpolation in linear nearest previous cubic mean lowpass; do
  same "fuse_$interpolation" "robocachefuse name=f rate=50/1 backend=BACKEND proprio_0::interpolation=$interpolation
    force_0::interpolation=$interpolation ! MEMORY ! filesink location=OUT $proprio ! f.proprio_0 $force ! f.force_0"
done
same fuse_quaternions "robocachefuse name=f rate=50/1 backend=BACKEND sink_0::quaternions=0 ! MEMORY ! filesink location=OUT
  $imu ! f.sink_0"
same fuse_means_of_rotations "robocachefuse name=f rate=5/1 info=tensor backend=BACKEND sink_0::quaternions=0 sink_0::angles=4-6
  sink_0::interpolation=mean ! MEMORY ! filesink location=OUT $imu ! robocacheresample rate=150/1 quaternions=0 backend=BACKEND ! MEMORY ! f.sink_0"
same fuse_lowpass_of_rotations "robocachefuse name=f rate=5/1 info=tensor backend=BACKEND sink_0::quaternions=0 sink_0::angles=4-6
  sink_0::interpolation=lowpass sink_0::lobes=2 ! MEMORY ! filesink location=OUT $imu ! robocacheresample rate=150/1 quaternions=0 backend=BACKEND ! MEMORY ! f.sink_0"
for type in float16 bfloat16 float64 int16; do
  same "fuse_$type" "robocachefuse name=f rate=50/1 backend=BACKEND type=$type ! MEMORY ! filesink location=OUT
    $proprio ! f.proprio_0 $force ! f.force_0"
done
same fuse_window "robocachefuse name=f rate=50/1 window=7 info=tensor backend=BACKEND ! MEMORY ! filesink location=OUT
  $proprio ! f.proprio_0 $force ! f.force_0"
same fuse_concat "robocachefuse name=f rate=50/1 layout=concat window=3 backend=BACKEND ! MEMORY ! filesink location=OUT
  $proprio ! f.proprio_0 $force ! f.force_0 $imu ! f.sink_0"
same fuse_camera "robocachefuse name=f backend=BACKEND ! MEMORY ! filesink location=OUT
  $camera ! f.camera_0 $proprio ! f.proprio_0 $force ! f.force_0"
same fuse_camera_nv12 "robocachefuse name=f rate=50/1 camera_0::interpolation=linear backend=BACKEND ! MEMORY ! filesink location=OUT
  ${camera/RGB/NV12} ! f.camera_0 $proprio ! f.proprio_0"
for interpolation in linear cubic mean; do
  same "fuse_camera_$interpolation" "robocachefuse name=f rate=50/1 backend=BACKEND camera_0::interpolation=$interpolation !
    MEMORY ! filesink location=OUT $camera ! f.camera_0 $proprio ! f.proprio_0"
done
same fuse_camera_window "robocachefuse name=f window=4 backend=BACKEND ! MEMORY ! filesink location=OUT
  $camera ! f.camera_0 $wide ! f.camera_1 $proprio ! f.proprio_0"
# named "mode=mean type=float16": mean_float16
named() { sed -E 's/[a-z-]+=//g; s/ /_/g' <<< "$1"; }

# a cloud whose fields are of many types, in a file
awk 'BEGIN {
  print "VERSION 0.7\nFIELDS x y z ring flags intensity stamp\nSIZE 8 8 8 2 1 4 8\nTYPE F F F U U F F\nCOUNT 1 1 1 1 1 1 1"
  print "WIDTH 20000\nHEIGHT 1\nPOINTS 20000\nDATA ascii"
  srand(1)
  for (i = 0; i < 20000; i++)
    printf "%.9f %.9f %s %d %d %.4f %.6f\n", 7 * rand() - 3.5, 7 * rand() - 3.5, i % 97 ? 3.6 * rand() - 1.8 : "nan", \
      65536 * rand(), 256 * rand(), 255 * rand(), 1.7e9 + i / 1000
}' > "$work/cloud.pcd"
for form in "mode=mean" "mode=mean output=sparse max-voxels=5000" "mode=max type=float16" "mode=min output=sparse max-voxels=20000" \
    "mode=centroid" "mode=count output=sparse max-voxels=20000" "output=bits"; do
  same "voxelize_pcd_$(named "$form")" "filesrc location=$work/cloud.pcd ! robocacheparse format=pcd !
    robocachevoxelize grid=64:64:32 voxel-size=<0.1,0.1,0.1> origin=<-3.2,-3.2,-1.6> $form backend=BACKEND ! MEMORY !
    filesink location=OUT"
done
depth="videotestsrc num-buffers=5 pattern=circular ! video/x-raw,format=GRAY16_LE,width=322,height=240,framerate=30/1"
for form in "mode=count" "mode=centroid output=sparse max-voxels=20000 accumulate=3" "output=bits"; do
  same "voxelize_lens_$(named "$form")" "$depth ! robocachevoxelize fx=240 fy=241 cx=160.5 cy=119 k1=-0.08 k2=0.02
    k3=-0.003 p1=0.001 p2=-0.002 depth-scale=0.0001 grid=64:64:32 voxel-size=<0.1,0.1,0.2> origin=<-3.2,-3.2,0.0> $form
    backend=BACKEND ! MEMORY ! filesink location=OUT"
done
same chain "robocachefuse name=f rate=50/1 backend=BACKEND ! MEMORY ! filesink location=OUT
  $force ! robocacheresample rate=200/1 backend=BACKEND ! MEMORY ! f.force_0
  $imu ! robocacheresample rate=100/1 interpolation=cubic backend=BACKEND ! MEMORY ! f.sink_0 $proprio ! f.proprio_0"

# both readers of a sample see it as it was, however late the slow one is
slow="robocachefuse name=f rate=100/1 backend=cuda ! other/tensors(memory:RobocacheCUDA) ! tee name=t
  t. ! queue max-size-buffers=4 ! filesink location=$work/fast
  t. ! queue max-size-buffers=50 max-size-time=0 ! identity sleep-time=5000 ! filesink location=$work/slow $proprio ! f.proprio_0"
# shellcheck disable=SC2086
if ! launch log $slow; then
  fail tee_with_slow_reader "$(reason log)"
elif [ -s "$work/fast" ] && cmp "$work/fast" "$work/slow" > "$work/log" 2>&1; then
  pass tee_with_slow_reader
else
  fail tee_with_slow_reader "$(cat "$work/log")"
fi

# frames that never leave the GPU, against frames that never see it
uploaded() {
  local memory=${4:-other/tensors(memory:RobocacheCUDA)}
  compare "$1" "robocachefuse name=f backend=cpu $3 ! filesink location=OUT $2 ! f.camera_0 $proprio ! f.proprio_0" \
    "robocachefuse name=f backend=cuda $3 ! $memory ! filesink location=OUT
      $2 ! cudaupload ! video/x-raw(memory:CUDAMemory) ! f.camera_0 $proprio ! f.proprio_0"
}
if [ -z "$gstcuda" ]; then
  skip cudaupload "robocache was built without GstCuda"
elif "$here/env" gst-inspect-1.0 cudaupload > /dev/null 2>&1; then
  # formats that cudaupload of GStreamer 1.22 takes
  rgba="videotestsrc num-buffers=60 pattern=ball ! video/x-raw,format=RGBA,width=322,height=240,framerate=30/1"
  rgb="videotestsrc num-buffers=60 pattern=smpte ! video/x-raw,format=RGB,width=322,height=240,framerate=30/1"
  uploaded cudaupload "$rgba" ""
  uploaded cudaupload_rgb "$rgb" ""
  uploaded cudaupload_nv12 "${rgb/RGB/NV12}" ""
  uploaded cudaupload_nv12_linear "${rgb/RGB/NV12}" "rate=50/1 camera_0::interpolation=linear"
  uploaded cudaupload_linear "$rgba" "rate=50/1 camera_0::interpolation=linear"
  uploaded cudaupload_into_system_memory "$rgba" "" other/tensors
  uploaded cudaupload_window "$rgba" "window=3"
else
  skip cudaupload "the nvcodec plugin has no such element here"
fi
# frames of the decoder as they are, against the same in system memory; and as RGBA
if [ -e "$here/frames.h264" ] && "$here/env" gst-inspect-1.0 nvh264dec > /dev/null 2>&1; then
  decoded="filesrc location=$here/frames.h264 ! h264parse ! nvh264dec"
  for settings in "" "rate=50/1 camera_0::interpolation=linear"; do
    compare "nvh264dec${settings:+_linear}" "robocachefuse name=f backend=cpu $settings ! filesink location=OUT
      $decoded ! video/x-raw,format=NV12 ! f.camera_0 $proprio ! f.proprio_0" \
      "robocachefuse name=f backend=cuda $settings ! other/tensors(memory:RobocacheCUDA) ! filesink location=OUT
      $decoded ! video/x-raw(memory:CUDAMemory) ! f.camera_0 $proprio ! f.proprio_0"
  done
  # in the context that robocachefuse offers; the decoder asks for a display of OpenGL, too
  # shellcheck disable=SC2086
  if [ -n "$gstcuda" ]; then
    if GST_DEBUG=GST_CONTEXT:4 launch log robocachefuse name=f backend=cuda ! fakesink $decoded ! \
        "video/x-raw(memory:CUDAMemory)" ! f.camera_0 && grep -q 'nvh264dec0.*found context.*in downstream query' "$work/log" &&
        ! grep -q 'gstcudautils.*nvh264dec0.*need context' "$work/log"; then
      pass nvh264dec_context
    else
      fail nvh264dec_context "$(reason log)"
    fi
    # and announces to decoders that are added later
    if ! "$here/env" gst-inspect-1.0 decodebin > /dev/null 2>&1; then
      skip decodebin_context "GStreamer has no decodebin here"
    elif GST_DEBUG=GST_CONTEXT:5 launch log robocachefuse name=f backend=cuda ! fakesink filesrc location="$here/frames.h264" ! \
        decodebin ! "video/x-raw(memory:CUDAMemory)" ! f.camera_0 && grep -q 'gstcudautils.*nvh264dec0.*need context' "$work/log" &&
        ! grep -q 'gstcudautils.*nvh264dec0.*have context' "$work/log"; then
      pass decodebin_context
    else
      fail decodebin_context "$(reason log)"
    fi
  fi
  if "$here/env" gst-inspect-1.0 cudaconvert > /dev/null 2>&1; then
    # shellcheck disable=SC2086
    if launch log $decoded ! "video/x-raw(memory:CUDAMemory)" ! cudaconvert ! "video/x-raw(memory:CUDAMemory),format=RGBA" ! \
        robocachefuse name=f backend=cuda ! "other/tensors(memory:RobocacheCUDA)" ! \
        filesink location="$work/decoded" $proprio ! f.proprio_0 && [ -s "$work/decoded" ]; then
      pass cudaconvert
    else
      fail cudaconvert "$(reason log)"
    fi
  else
    skip cudaconvert "without NVRTC, the nvcodec plugin has no such element"
  fi
else
  skip nvh264dec "no recording, or the nvcodec plugin has no nvh264dec here"
fi

# each element on a GPU of its own: memory of the other one is copied
# shellcheck disable=SC2086
if ! launch log robocachetestsrc num-buffers=1 ! robocachefuse rate=10/1 backend=cuda device-id=1 ! fakesink; then
  skip two_devices "this machine has one GPU"
else
  compare two_devices "robocachefuse name=f rate=50/1 backend=cpu ! filesink location=OUT
    $proprio ! f.proprio_0 $force ! robocacheresample rate=200/1 ! f.force_0" \
    "robocachefuse name=f rate=50/1 backend=cuda device-id=1 ! other/tensors(memory:RobocacheCUDA) ! filesink location=OUT
    $proprio ! f.proprio_0 $force ! robocacheresample rate=200/1 backend=cuda device-id=0 !
    other/tensors(memory:RobocacheCUDA) ! f.force_0"
fi

refused wrong_device "device number: 99" robocachetestsrc num-buffers=1 ! robocachefuse rate=10/1 backend=cuda device-id=99 ! fakesink
CUDA_VISIBLE_DEVICES= refused no_device "set backend=auto or backend=cpu" robocachetestsrc num-buffers=1 ! \
  robocachefuse rate=10/1 backend=cuda ! fakesink
# shellcheck disable=SC2086
if CUDA_VISIBLE_DEVICES= launch log robocachefuse name=f rate=50/1 ! filesink location="$work/auto" $proprio ! f.proprio_0; then
  pass auto_without_device
else
  fail auto_without_device "$(reason log)"
fi
refused no_room "max-device-memory" $camera ! robocachefuse backend=cuda max-device-memory=100000 ! fakesink
