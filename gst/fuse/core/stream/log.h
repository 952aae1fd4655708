/* robocache: log messages of the core of robocachefuse, by a function of its owner
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"

/* The values are those of GstDebugLevel. */
typedef enum
{
  FUSE_LOG_WARNING = 2,
  FUSE_LOG_INFO = 4,            /* a state */
  FUSE_LOG_DEBUG,               /* an event */
  FUSE_LOG_LOG                  /* each row, each tick */
} FuseLogLevel;

/* of: a FuseStream, or NULL. Called with the owner's lock. A disabled message costs one comparison. */
typedef struct
{
  const gint *threshold;        /* atomic: the last level that is on; NULL: there is no log */
  void (*write) (gpointer data, FuseLogLevel level, const gchar * file, const gchar * function, gint line, gconstpointer of,
      const gchar * format, ...) G_GNUC_PRINTF (7, 8);
  gpointer data;
} FuseLog;

/* log: const FuseLog *, or NULL. */
#define FUSE_LOG(log, level, of, ...) G_STMT_START { \
  if ((log) && (log)->threshold && G_UNLIKELY (g_atomic_int_get ((log)->threshold) >= (gint) FUSE_LOG_ ## level)) \
    (log)->write ((log)->data, FUSE_LOG_ ## level, __FILE__, G_STRFUNC, __LINE__, of, __VA_ARGS__); \
} G_STMT_END

/* A time for format strings, as GStreamer writes it: 0:00:01.500000000, -99:99:99.999999999 for none. */
#define FUSE_TIME_FORMAT "s%u:%02u:%02u.%09u"
#define FUSE_TIME_ARGS(t) (t) < 0 ? "-" : "", fuse_time_part (t, 3600, 0, 99), fuse_time_part (t, 60, 60, 99), fuse_time_part (t, 1, 60, 99), \
  (t) == ROBOCACHE_NO_TIME ? 999999999 : (guint) (ABS (t) % ROBOCACHE_SECOND)

/* The number of times that `of` seconds fit into t, modulo `modulo` unless it is 0. */
static inline guint
fuse_time_part (gint64 t, gint64 of, gint64 modulo, guint none)
{
  const gint64 n = t == ROBOCACHE_NO_TIME ? none : ABS (t) / ROBOCACHE_SECOND / of;

  return (guint) (modulo > 0 && t != ROBOCACHE_NO_TIME ? n % modulo : n);
}

/* A time in seconds, for messages. */
#define FUSE_SECONDS(t) ((gdouble) (t) / 1e9)
