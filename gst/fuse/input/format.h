/* robocache: the format of an input of robocachefuse: caps, and the rows that they describe
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

#include "common/tensors/tensorcaps.h"
#include "gst/fuse/core/stream/rowformat.h"

/* Frames of a camera in addition to the frames that are kept for ticks. */
#define FUSE_FRAMES_ON_THEIR_WAY 2

typedef struct
{
  FuseRowFormat rows;           /* a camera's frame is one row of width * height * components elements */
  gboolean is_in_frames;        /* a buffer is a frame, whose GstTensorMeta has the tensor */
  GQuark tensor_id;             /* id of the tensor in a GstTensorMeta; 0: not set */
  RobocacheTensorsInfo tensors; /* tensors of a tensor stream's buffers */
  GstVideoInfo video;           /* video info of a camera's frames */
  gchar *channels;              /* names of the channels, separated by commas; or NULL */
  gchar *kinds;                 /* kinds of the channels, as in caps; or NULL */
  gboolean hides_kinds;         /* the caps of samples are without them, because they were unknown then */
} FuseFormat;

/* Parses fixed caps; free with fuse_format_unref. tensor_id: use this tensor of the frames' GstTensorMeta; NULL: use the frames. Returns
 * NULL and a ROBOCACHE_ERROR_CAPS that names the wrong field. */
FuseFormat *fuse_format_parse (const GstCaps * caps, const gchar * tensor_id, GError ** error);
FuseFormat *fuse_format_ref (FuseFormat * format);
void fuse_format_unref (FuseFormat * format);

/* Whether rows of both formats may be blended and give the same output. Blocks of different lengths have the same rows. */
gboolean fuse_format_has_same_rows (const FuseFormat * a, const FuseFormat * b);

/* Whether rows match declared. Names, kinds and framerate may have any value if declared has none. If so, format
 * gets the names of declared, which are in the caps of samples, and drops kinds that declared lacks. */
gboolean fuse_format_is_as_declared (FuseFormat * format, const FuseFormat * declared);

/* Whether a tensor has more axes than channels and rows, or is a picture: it is one row, and is carried as it is. */
gboolean fuse_format_is_whole (const FuseFormat * format);
/* System memory that rows may take while they wait for ticks: for a camera, that of max_frames and two more frames. */
guint64 fuse_format_held_bytes (const FuseFormat * format, guint max_frames);
/* Releases a buffer that the core keeps. */
void fuse_buffer_unref (gpointer buffer);
