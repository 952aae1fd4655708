/* robocache: what the core of robocachefuse knows of a format: how many bytes of a row it keeps, and how often rows come
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_ROWFORMAT_H
#define FUSE_ROWFORMAT_H

#include "common/time/nanoseconds.h"
#include "kernels/dtype.h"

G_BEGIN_DECLS

/* The first member of a structure that g_atomic_rc_box_new0 made, which describes the rows to those who blend them. */
typedef struct
{
  void (*clear) (gpointer format);      /* frees what the structure owns; or NULL */
  /* NULL where the rows themselves are kept. Otherwise a kept row begins with a pointer to a buffer, of which it has a reference. */
  gpointer (*ref_buffer) (gpointer buffer);
  gsize kept_bytes;             /* of a row in a history */
  RcDtype dtype;
  guint64 channels;             /* elements of a row */
  guint64 n_rows;               /* of each buffer */
  gboolean has_times;           /* buffers have a time for each row */
  gboolean is_camera;           /* a row is a frame */
  gboolean on_device;           /* rows are in memory of a device */
  gint rate_num, rate_den;      /* rows a second; 0/1: none */
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

/* Bytes of the elements of a row. */
static inline gsize
fuse_row_format_bytes (const FuseRowFormat *format)
{
  return format->channels * rc_dtype_size (format->dtype);
}

/* 1/framerate (ns); 0 where there is none. */
static inline gint64
fuse_row_format_period (const FuseRowFormat *format)
{
  return format->rate_num > 0 ? (gint64) ((__int128) ROBOCACHE_SECOND * format->rate_den / format->rate_num) : 0;
}

G_END_DECLS
#endif
