# robocache: lets GStreamer find the plugin of this checkout, and Python the package. Source it:
#   . examples/env.sh
#   gst-inspect-1.0 robocache
# A plugin that is already on the path comes first. ROBOCACHE_BUILD_DIR names a build directory other than ./build.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
robocache_path=${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}
robocache_root=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
robocache_build=${ROBOCACHE_BUILD_DIR:-$robocache_root/build}
export GST_PLUGIN_PATH_1_0=${robocache_path:+$robocache_path:}$robocache_build/gst
export PYTHONPATH=$robocache_root/examples/dataset${PYTHONPATH:+:$PYTHONPATH}
unset robocache_path robocache_root robocache_build
