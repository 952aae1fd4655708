/* robocache: random access to the bytes of a file, on disk or elsewhere, and iteration over its records
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/buffer.h"
#include "common/mcap/records.h"

typedef struct
{
  guint64 size;
  /* Reads bytes within the size. FALSE and an error: not possible. */
  gboolean (*read) (gpointer user_data, guint64 offset, gsize size, guint8 * to, GError ** error);
  gpointer user_data;
  guint64 max_bytes;            /* maximum bytes of a message or chunk; 0: the default */
} RobocacheMcapSource;

/* A message or chunk above this size is a fault, unless another limit is set. */
#define ROBOCACHE_MCAP_DEFAULT_MAX_BYTES ((guint64) 256 << 20)
guint64 robocache_mcap_source_max_bytes (const RobocacheMcapSource * source);
/* The maximum unpacked size of n_bytes of compressed data, or of a compressed file of n_bytes. If max_bytes is 0, the limit grows with
 * n_bytes, so that few bytes do not take much memory. */
guint64 robocache_mcap_max_unpacked (guint64 max_bytes, guint64 n_bytes);

/* ---- files on disk ---- */

typedef struct
{
  RobocacheMcapSource source;   /* functions of the source; user_data is this struct */
  int fd;
  gchar *name;                  /* name of the file in errors */
  gint *is_stopped;             /* atomic: once set, reading fails; NULL: unused */
} RobocacheMcapFileSource;

/* Takes over an open file, also on failure. NULL and an error: its size cannot be determined. */
RobocacheMcapFileSource *robocache_mcap_file_source_new (int fd, const gchar * name, gint * is_stopped, GError ** error);
void robocache_mcap_file_source_free (RobocacheMcapFileSource * file);

/* Opens a file for reading. Only regular files are accepted, since others may block for ever. -1 and an error that names the file: failed. */
int robocache_open_to_read (const gchar * path, GError ** error);

/* ---- records ---- */

/* Iterates over a range of records. It reads ahead little if records are skipped, and more if they are read. */
typedef struct
{
  const RobocacheMcapSource *source;
  guint64 offset, end;          /* offset of the next record, and end of the range */
  RobocacheMcapBuffer window;
  guint64 window_offset;
  gsize read_ahead;
} RobocacheMcapWalk;

void robocache_mcap_walk_init (RobocacheMcapWalk * walk, const RobocacheMcapSource * source, guint64 offset, guint64 end);
void robocache_mcap_walk_clear (RobocacheMcapWalk * walk);

typedef struct
{
  guint8 opcode;
  guint64 offset;               /* offset of the record's head */
  guint64 size;                 /* size of the content */
} RobocacheMcapPlace;

/* Returns the next record. FALSE: at the end, or no complete record is left; walk->offset does not change. FALSE and an error: reading
 * failed. */
gboolean robocache_mcap_walk_next (RobocacheMcapWalk * walk, RobocacheMcapPlace * place, GError ** error);
/* Returns the first bytes of its content, at most max, valid until the next call. */
gboolean robocache_mcap_walk_peek (RobocacheMcapWalk * walk, const RobocacheMcapPlace * place, gsize max, RobocacheMcapBytes * bytes,
    GError ** error);
/* Returns bytes from any offset on, at most `size`, and fewer at the end of the range; valid until the next call. FALSE and an error:
 * reading failed. */
gboolean robocache_mcap_walk_look (RobocacheMcapWalk * walk, guint64 offset, gsize size, RobocacheMcapBytes * bytes, GError ** error);
