/* robocache: the formats of input that robocacheparse reads, and the results of its readers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib-object.h>

typedef enum
{
  /* records, one row each: recordreader.h */
  ROBOCACHE_INPUT_CSV,
  ROBOCACHE_INPUT_BINARY,
  /* files of points, one cloud each: cloudreader.h */
  ROBOCACHE_INPUT_PCD,
  ROBOCACHE_INPUT_KITTI,
  ROBOCACHE_INPUT_NUSCENES,
  ROBOCACHE_INPUT_POINTS,
  ROBOCACHE_INPUT_PLY,
  ROBOCACHE_INPUT_LAS
} RobocacheInputFormat;

#define ROBOCACHE_TYPE_INPUT_FORMAT (robocache_input_format_get_type ())
GType robocache_input_format_get_type (void);

/* Whether files of this format contain clouds, not records. */
gboolean robocache_input_format_is_of_clouds (RobocacheInputFormat format);

/* Whether input of rows or points begins like a file of another kind. Then an error names the type of the file, and an element or program
 * that reads or converts it. bytes: the beginning of the file, at least a line or 16 bytes. is_text: the input should be a table. Points
 * may begin with the two or three bytes that identify other types. */
gboolean robocache_input_refuse (const gchar * bytes, gsize n, gboolean is_text, GError ** error);

/* The first bytes of a PCD file. */
#define ROBOCACHE_PCD_MAGIC "# .PCD"

typedef enum
{
  ROBOCACHE_READ_MORE,          /* no complete record is left: push more bytes */
  ROBOCACHE_READ_HEADER,        /* the columns are known */
  ROBOCACHE_READ_RECORD,
  ROBOCACHE_READ_MALFORMED,     /* a record was skipped; the error has its position and the fault */
  ROBOCACHE_READ_REFUSED        /* the input lacks something that the spec requires; the error names it */
} RobocacheReadResult;
