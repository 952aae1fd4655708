/* robocache: the plugin, which registers its elements and metas
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>

#include "common/rospads/outputstream.h"
#ifdef HAVE_VIEW
#include "gst/foxglovesink/gstrobocachefoxglovesink.h"
#endif
#include "gst/fuse/gstrobocachefuse.h"
#ifdef HAVE_URDF
#include "gst/kinematics/gstrobocachekinematics.h"
#endif
#ifdef HAVE_MCAP
#include "gst/mcapdemux/gstrobocachemcapdemux.h"
#include "gst/mcapmux/gstrobocachemcapmux.h"
#include "gst/mcapmux/gstrobocachemcapsink.h"
#endif
#ifdef HAVE_BAGS
#include "gst/mcapdemux/gstrobocachebagsrc.h"
#endif
#include "gst/parse/gstrobocacheparse.h"
#include "gst/resample/gstrobocacheresample.h"
#ifdef HAVE_ROS2
#include "gst/rossink/gstrobocacherossink.h"
#include "gst/rossrc/gstrobocacherossrc.h"
#endif
#include "gst/testsrc/gstrobocachetestsrc.h"
#include "gst/voxelize/gstrobocachevoxelize.h"
#ifdef HAVE_VOXELVIEW
#include "gst/voxelview/gstrobocachevoxelview.h"
#endif
#include "robocache/robocache.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = FALSE;

  /* metas first, so that they are registered in a process that only receives samples */
  robocache_sample_meta_register ();
#if defined (HAVE_MCAP) || defined (HAVE_ROS2)
  robocache_ros_tags_register ();
#endif

  registered |= GST_ELEMENT_REGISTER (robocachefuse, plugin);
  registered |= GST_ELEMENT_REGISTER (robocacheparse, plugin);
  registered |= GST_ELEMENT_REGISTER (robocacheresample, plugin);
  registered |= GST_ELEMENT_REGISTER (robocachetestsrc, plugin);
  registered |= GST_ELEMENT_REGISTER (robocachevoxelize, plugin);
#ifdef HAVE_URDF
  registered |= GST_ELEMENT_REGISTER (robocachekinematics, plugin);
#endif
#ifdef HAVE_MCAP
  registered |= gst_robocache_mcap_register_types (plugin);
  registered |= GST_ELEMENT_REGISTER (robocachemcapdemux, plugin);
  registered |= GST_ELEMENT_REGISTER (robocachemcapmux, plugin);
  registered |= GST_ELEMENT_REGISTER (robocachemcapsink, plugin);
#endif
#ifdef HAVE_BAGS
  registered |= GST_ELEMENT_REGISTER (robocachebagsrc, plugin);
#endif
#ifdef HAVE_ROS2
  registered |= GST_ELEMENT_REGISTER (robocacherossink, plugin);
  registered |= GST_ELEMENT_REGISTER (robocacherossrc, plugin);
#endif
#ifdef HAVE_VIEW
  registered |= GST_ELEMENT_REGISTER (robocachefoxglovesink, plugin);
#endif
#ifdef HAVE_VOXELVIEW
  registered |= GST_ELEMENT_REGISTER (robocachevoxelview, plugin);
#endif

  return registered;
}

#define PACKAGE "robocache"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, robocache,
    "Aligns a robot's sensors in time, and turns point clouds into voxel grids", plugin_init, PACKAGE_VERSION, "LGPL",
    "robocache", "https://github.com/robocache/robocache")
