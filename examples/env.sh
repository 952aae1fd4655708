# robocache: lets GStreamer find the plugin of this checkout. Source it:
#   . examples/env.sh
#   gst-inspect-1.0 robocache
# ROBOCACHE_BUILD_DIR names a build directory other than ./build.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
ROBOCACHE_SOURCE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export GST_PLUGIN_PATH_1_0=${ROBOCACHE_BUILD_DIR:-$ROBOCACHE_SOURCE_DIR/build}/gst${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
