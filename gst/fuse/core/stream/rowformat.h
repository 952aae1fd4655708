/* robocache: the format of rows for the core of robocachefuse: bytes that it keeps of a row, and the rate of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"
#include "kernels/dtype.h"

/* The part of a row format that the core uses. It is the first member of a structure made by g_atomic_rc_box_new0, whose other members are
 * for the code that blends the rows. */
typedef struct
{
  void (*clear) (gpointer format);      /* frees the contents of the structure; or NULL */
  /* NULL: the rows themselves are kept. Otherwise a kept row begins with a pointer to a buffer, and owns a reference to it. */
  gpointer (*ref_buffer) (gpointer buffer);
  /* Copies bytes of a kept row's elements, from offset on, from that buffer; NULL: the core does not read elements. */
  gboolean (*read) (gconstpointer kept, gsize offset, gsize bytes, gpointer to);
  gsize kept_bytes;             /* bytes of a row in a history */
  RcDtype dtype;
  guint64 channels;             /* number of elements of a row */
  guint64 n_rows;               /* number of rows per buffer */
  gboolean has_times;           /* buffers have a time for each row */
  gboolean is_camera;           /* a row is a frame */
  gboolean is_whole;            /* a row is a tensor of more axes than channels and rows, or a picture: NaN in it are values of pixels */
  gboolean on_device;           /* rows are in memory of a device */
  gint rate_num, rate_den;      /* rows per second; 0/1: unknown */
} FuseRowFormat;

static inline gpointer
fuse_row_format_ref (FuseRowFormat *format)
{
  return g_atomic_rc_box_acquire (format);
}

/* format may be NULL. */
static inline void
fuse_row_format_unref (FuseRowFormat *format)
{
  if (format)
    g_atomic_rc_box_release_full (format, format->clear);
}

/* The number of bytes of a row's elements. */
static inline gsize
fuse_row_format_bytes (const FuseRowFormat *format)
{
  return format->channels * rc_dtype_size (format->dtype);
}

/* 1/framerate (ns); 0 without a framerate. */
static inline gint64
fuse_row_format_period (const FuseRowFormat *format)
{
  return format->rate_num > 0 ? (gint64) ((__int128) ROBOCACHE_SECOND * format->rate_den / format->rate_num) : 0;
}
