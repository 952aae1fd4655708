/* robocache: log lines of the core of robocachefuse, which knows no log: its owner gives it a function
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_LOG_H
#define FUSE_LOG_H

#include "common/time/nanoseconds.h"

G_BEGIN_DECLS

typedef enum
{
  FUSE_LOG_WARNING,
  FUSE_LOG_INFO,                /* a state */
  FUSE_LOG_DEBUG,               /* an event */
  FUSE_LOG_LOG                  /* each row, each tick */
} FuseLogLevel;

/* of: a FuseStream, or NULL. Both are called with the owner's lock; what is not on costs no formatting. */
typedef struct
{
  gboolean (*is_on) (FuseLogLevel level);
  void (*write) (gpointer data, FuseLogLevel level, gconstpointer of, const gchar * format, ...) G_GNUC_PRINTF (4, 5);
  gpointer data;
} FuseLog;

/* log: const FuseLog *, or NULL. */
#define FUSE_LOG(log, level, of, ...) G_STMT_START { \
  if ((log) && (log)->write && (log)->is_on (FUSE_LOG_ ## level)) \
    (log)->write ((log)->data, FUSE_LOG_ ## level, of, __VA_ARGS__); \
} G_STMT_END

/* A time for format strings, as GStreamer writes it: 0:00:01.500000000, -99:99:99.999999999 for none. */
#define FUSE_TIME_FORMAT "s%u:%02u:%02u.%09u"
#define FUSE_TIME_ARGS(t) (t) < 0 ? "-" : "", fuse_time_part (t, 3600, 0, 99), fuse_time_part (t, 60, 60, 99), fuse_time_part (t, 1, 60, 99), \
  (t) == ROBOCACHE_NO_TIME ? 999999999 : (guint) (ABS (t) % ROBOCACHE_SECOND)

/* How often `of` seconds are in t, modulo `modulo` where it is not 0. */
static inline guint
fuse_time_part (gint64 t, gint64 of, gint64 modulo, guint none)
{
  const gint64 n = t == ROBOCACHE_NO_TIME ? none : ABS (t) / ROBOCACHE_SECOND / of;

  return (guint) (modulo > 0 && t != ROBOCACHE_NO_TIME ? n % modulo : n);
}

/* A time in seconds, for messages. */
#define FUSE_SECONDS(t) ((gdouble) (t) / 1e9)

G_END_DECLS
#endif
