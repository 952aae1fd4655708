/* robocache: caps of other/tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/element/errors.h"
#include "kernels/dtype.h"

#define ROBOCACHE_TENSORS_MEDIA_TYPE "other/tensors"
/* Field of caps of a tensor that is a picture: its encoding in ROS, like 32FC1. */
#define ROBOCACHE_PICTURE_FIELD "picture"
#define ROBOCACHE_MAX_TENSORS 16
#define ROBOCACHE_MAX_RANK 8

/* Shape and type of one tensor. dims[0] is the fastest axis; rank is at least 1 and has no trailing axis of 1. */
typedef struct
{
  RcDtype dtype;
  guint rank;
  guint64 dims[ROBOCACHE_MAX_RANK];
} RobocacheTensorInfo;

typedef struct
{
  guint n_tensors;
  RobocacheTensorInfo tensors[ROBOCACHE_MAX_TENSORS];
  gint rate_num, rate_den;      /* framerate; 0/1: no nominal rate */
} RobocacheTensorsInfo;

/* Parses dimensions like "14" or "14:100". FALSE and an error that quotes the string: zero, negative, missing or overflowing numbers, or
 * more than ROBOCACHE_MAX_RANK axes. */
gboolean robocache_dimensions_parse (const gchar * string, guint64 dims[ROBOCACHE_MAX_RANK], guint * rank,
    GError ** error);

/* The shortest text of dimensions. Free with g_free. */
gchar *robocache_dimensions_to_string (const RobocacheTensorInfo * tensor);

/* Extent of an axis; 1 for axes past the rank. */
guint64 robocache_tensor_info_dim (const RobocacheTensorInfo * tensor, guint axis);
/* Sets dims from axis 0 on, and omits trailing axes of 1. */
void robocache_tensor_info_set (RobocacheTensorInfo * tensor, RcDtype dtype, const guint64 * dims, guint n_dims);
/* Bytes of the tensor; G_MAXUINT64 on overflow, which parsed infos never reach. */
gsize robocache_tensor_info_size (const RobocacheTensorInfo * tensor);
guint64 robocache_tensor_info_elements (const RobocacheTensorInfo * tensor);

/* Bytes of all tensors; G_MAXUINT64 on overflow. */
gsize robocache_tensors_info_size (const RobocacheTensorsInfo * info);

/* Parses the framerate of caps; 0/1 if they have none. */
gboolean robocache_framerate_parse (const GstStructure * structure, gint * num, gint * den, GError ** error);
/* Whether a framerate in caps allows all values, so that caps without a framerate are also acceptable. */
gboolean robocache_framerate_is_any (const GValue * framerate);

/* Checks every field of fixed other/tensors caps; the error names the field, its value and the expected value. */
gboolean robocache_tensors_info_from_caps (RobocacheTensorsInfo * info, const GstCaps * caps, GError ** error);
/* Fixed caps with framerate and the shortest text of dimensions. */
GstCaps *robocache_tensors_info_to_caps (const RobocacheTensorsInfo * info);

/* Converts caps to the spelling of a peer that has equal caps with other text ("14:1" for "14"): if a structure of peer equals caps
 * except for spelling, returns caps with the dimensions and types of this structure; otherwise returns a new reference to caps. */
GstCaps *robocache_tensors_caps_in_spelling_of (GstCaps * caps, const GstCaps * peer);
/* Like gst_caps_can_intersect (a, b), but dimensions with the same meaning are equal. a is fixed. */
gboolean robocache_tensors_caps_compatible (const GstCaps * a, const GstCaps * b);

RcDtype robocache_dtype_from_name (const gchar * name); /* RC_N_DTYPES: unknown name */
