/* robocache: caps of the inputs of robocachefuse, and the rows that they describe
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_INPUTCAPS_H
#define FUSE_INPUTCAPS_H

#include <gst/video/video.h>

#include "common/tensors/tensorcaps.h"
#include "common/time/rowtimes.h"

G_BEGIN_DECLS

/* A zeroed format is empty. */
typedef struct
{
  gboolean is_camera;           /* a frame is one row of width * height * components elements */
  gboolean is_in_frames;        /* a buffer is a frame, whose GstTensorMeta has the tensor */
  GQuark tensor_id;             /* of the tensor in a GstTensorMeta; 0: none was given */
  gboolean on_device;           /* tensors in memory:RobocacheCUDA, frames in memory:CUDAMemory */
  RobocacheRowLayout rows;
  RobocacheTensorsInfo tensors; /* of a tensor stream's buffers */
  GstVideoInfo video;           /* of a camera's frames */
  gint rate_num, rate_den;      /* 0/1: none */
  gchar *channels;              /* names of the channels, separated by commas; or NULL */
} FuseFormat;

/* Parses fixed caps. With a tensor_id, frames stand for that tensor of their GstTensorMeta; NULL: none. FALSE and a
 * ROBOCACHE_ERROR_CAPS that names the wrong field. */
gboolean fuse_format_parse (FuseFormat * format, const GstCaps * caps, const gchar * tensor_id, GError ** error);
/* to is overwritten, not freed. */
void fuse_format_copy (FuseFormat * to, const FuseFormat * from);
void fuse_format_clear (FuseFormat * format);

/* Whether rows of both may be blended and give the same output. Blocks of another length hold the same rows. */
gboolean fuse_format_has_same_rows (const FuseFormat * a, const FuseFormat * b);

/* Whether rows are as declared: what declared leaves open, names and framerate, may be anything. */
gboolean fuse_format_is_as_declared (const FuseFormat * format, const FuseFormat * declared);

/* Whether a tensor has more axes than channels and rows: it is one row, and is carried as it is. */
gboolean fuse_format_is_whole (const FuseFormat * format);
/* Bytes of a row of elements. */
gsize fuse_format_row_bytes (const FuseFormat * format);
/* Bytes of what a history keeps of a row: the row itself, or where it keeps buffers the GstBuffer * of a camera's frame or a
 * RobocacheDeviceRow, which both begin with a buffer. */
gsize fuse_format_kept_bytes (const FuseFormat * format);
gboolean fuse_format_keeps_buffers (const FuseFormat * format);

/* 1/framerate (ns); 0 where there is none. */
gint64 fuse_format_period (const FuseFormat * format);

G_END_DECLS
#endif
