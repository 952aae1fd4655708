# robocache: lets the shell find the program robocache of this checkout, GStreamer the plugin, and Python the package. Source it:
#   . examples/env.sh
#   robocache doctor
# A plugin that is already on the path comes first. ROBOCACHE_BUILD_DIR names a build directory other than ./build.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
robocache_path=${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}
robocache_root=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
robocache_build=${ROBOCACHE_BUILD_DIR:-$robocache_root/build}
export GST_PLUGIN_PATH_1_0=${robocache_path:+$robocache_path:}$robocache_build/gst
case :$PATH: in
  *":$robocache_build/examples/tools:"*) ;;
  *) export PATH=$robocache_build/examples/tools:$PATH ;;
esac
export PYTHONPATH=$robocache_root/examples/dataset${PYTHONPATH:+:$PYTHONPATH}
unset robocache_path robocache_root robocache_build
