# robocache: lets GStreamer find the plugin of this checkout. Source it:
#   . examples/env.sh
#   gst-inspect-1.0 robocache
# A plugin that is already on the path comes first. ROBOCACHE_BUILD_DIR names a build directory other than ./build.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
robocache_path=${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}
robocache_build=${ROBOCACHE_BUILD_DIR:-$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build}
export GST_PLUGIN_PATH_1_0=${robocache_path:+$robocache_path:}$robocache_build/gst
unset robocache_path robocache_build
