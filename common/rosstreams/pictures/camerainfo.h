/* robocache: sensor_msgs/CameraInfo and foxglove_msgs/CameraCalibration as fields of caps
 *
 *   intrinsics=(double)<fx,fy,cx,cy>, distortion-model=(string)plumb_bob, distortion=(double)<k1,k2,p1,p2,k3>
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/rosstreams/messagefields.h"

/* Whether messages of a type are a calibration: "sensor_msgs/CameraInfo", "foxglove.CameraCalibration". */
gboolean robocache_camera_info_has (const gchar * type);

typedef struct _RobocacheCameraInfo RobocacheCameraInfo;

/* NULL and an error: the type has an unexpected definition. */
RobocacheCameraInfo *robocache_camera_info_new (const RobocacheRosSchema * schema, GError ** error);
void robocache_camera_info_free (RobocacheCameraInfo * info);
/* Reads a message. FALSE and an error: it cannot be read. */
gboolean robocache_camera_info_read (RobocacheCameraInfo * info, gconstpointer message, gsize size, GError ** error);
/* Fields for the caps of a stream of the camera; NULL: caps of no pictures, uncalibrated, or no message yet. The object changes only
 * when the fields change. */
const GstStructure *robocache_camera_info_fields (const RobocacheCameraInfo * info, const GstCaps * caps);

/* Whether topics like /camera/image_raw and /camera/camera_info belong to the same camera. */
gboolean robocache_camera_info_is_of (const gchar * info_topic, const gchar * picture_topic);
