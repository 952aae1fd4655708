#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Collects the GPU test suite of a build, with the GStreamer that it was built for, into a folder that runs on a machine which
# has a GPU and its driver and nothing else (of the same architecture, with a C library at least as new).
#
#   bundle.sh OUT [BUILD]     BUILD: default build
#   OUT/run.sh                there: the whole suite
#   OUT/env COMMAND...        there: a command with the bundle's GStreamer, such as gst-launch-1.0
#   OUT/bench/run_all.sh      there: every benchmark (tests/bench/run_all.sh)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?usage: bundle.sh OUT [BUILD]}
build=${2:-$here/../../build}
[ -d "$build/tests/bench" ] || { echo "bundle.sh: no benchmarks in $build: configure it with -Dbenchmarks=enabled" >&2; exit 1; }
plugins=$(pkg-config --variable=pluginsdir gstreamer-1.0)
scanner=$(pkg-config --variable=pluginscannerdir gstreamer-1.0)/gst-plugin-scanner
rm -rf "$out"
mkdir -p "$out"/{bin,check,lib,plugins}

for name in coreelements app videotestsrc videoconvertscale videoparsersbad playback typefindfunctions nvcodec coretracers debugutilsbad; do
  if [ -e "$plugins/libgst$name.so" ]; then cp "$plugins/libgst$name.so" "$out/plugins/"; fi
done
cp "$build/gst/libgstrobocache.so" "$out/plugins/"
if [ -e "$build/gst/robocache-view.module" ]; then cp "$build/gst/robocache-view.module" "$out/plugins/"; fi
cp -L "$build"/common/library/librobocache-1.0.so.[0-9] "$out/lib/"
cp "$(command -v gst-launch-1.0)" "$(command -v gst-inspect-1.0)" "$scanner" "$out/bin/"
find "$build/tests/gpu" "$build/tests/kernels" -maxdepth 1 -type f -executable \( -name 'gpu-*' -o -name 'kernels-*' \) -exec cp -t "$out" {} +
mkdir "$out/faulty"
cp "$build/tests/gpu/faulty/libcuda.so.1" "$out/faulty/"
cp "$build/tests/gpu/libholdcontexts.so" "$out/"
find "$build/tests/check" -maxdepth 1 -type f -executable \( -name 'fuse_*' -o -name 'resample_*' -o -name 'voxelize_*' \
  -o -name 'gpu*' -o -name 'cudamemory' \) -exec cp -t "$out/check" {} +
mkdir -p "$out"/bench/docs/explanation
find "$build/tests/bench" -type f -executable -name 'bench-*' -exec cp -t "$out/bench" {} +
cp "$here"/../bench/run_all.sh "$out/bench/"
for folder in limits peers report; do
  mkdir "$out/bench/$folder"
  find "$here/../bench/$folder" -name '*.py' ! -name '*_test.py' -exec cp -t "$out/bench/$folder" {} +
done
mkdir "$out/bench/pipelines"
cp "$here/../bench/pipelines/several.sh" "$out/bench/pipelines/"
cp "$here/../../docs/performance.md" "$out/bench/docs/"
cp "$here/../../docs/explanation/measurements.md" "$out/bench/docs/explanation/"
cp "$here/../../examples/arm.urdf" "$out/bench/"
git -C "$here" describe --always --dirty --abbrev=12 > "$out/bench/commit" 2> /dev/null || echo unknown > "$out/bench/commit"
if [ -x "$build/tests/soak/robot" ]; then cp "$build/tests/soak/robot" "$out/bin/"; fi
cp "$here"/run.sh "$here"/pipelines.sh "$here"/live.sh "$here"/camera.sh "$out/"
# a recording for the GPU's decoder, as a camera sends it: no frame refers to a later one
encoder=
for candidate in "x264enc tune=zerolatency key-int-max=30" "openh264enc gop-size=30"; do
  if [ -z "$encoder" ] && gst-inspect-1.0 "${candidate%% *}" > /dev/null 2>&1; then encoder=$candidate; fi
done
[ -n "$encoder" ] || { echo "bundle.sh: nothing encodes H.264 for the decoder's tests: install x264enc or openh264enc" >&2; exit 1; }
# shellcheck disable=SC2086
gst-launch-1.0 -q videotestsrc num-buffers=90 pattern=ball ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! \
  $encoder ! video/x-h264,stream-format=byte-stream ! filesink location="$out/frames.h264"
# every library that these need, but for those of the C and C++ compilers, which any machine has, and the driver's
{ find "$out" -type f \( -perm -u+x -o -name '*.so' -o -name '*.module' \) -exec ldd {} + 2> /dev/null || true; } | awk '/=> \//{print $3}' | sort -u |
  grep -v -E '/(libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|libcuda)\.so' |
  grep -v -F "$out" | while read -r library; do cp -L "$library" "$out/lib/"; done
find "$out" -type f \( -perm -u+x -o -name '*.so*' \) -exec strip --strip-unneeded {} + 2> /dev/null || true
cat > "$out/env" <<'ENV'
#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PATH=$here/bin:$here/check:$PATH GST_PLUGIN_SYSTEM_PATH= \
  GST_PLUGIN_PATH=$here/plugins GST_PLUGIN_SCANNER=$here/bin/gst-plugin-scanner \
  GST_REGISTRY=${TMPDIR:-/tmp}/robocache-registry.bin
# cudaconvert compiles its kernels there
if [ -z "${GST_CUDA_NVRTC_LIBNAME:-}" ]; then
  nvrtc=$(find /usr/local/cuda/lib64/ -maxdepth 1 -name 'libnvrtc.so*' 2> /dev/null | sort | tail -n1)
  if [ -n "$nvrtc" ]; then export GST_CUDA_NVRTC_LIBNAME=$nvrtc; fi
fi
exec "$@"
ENV
chmod +x "$out/env"
du -sh "$out"
