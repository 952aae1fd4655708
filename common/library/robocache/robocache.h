/* robocache: functions with which applications read samples of robocachefuse
 *
 * Each sample is a buffer with a meta: its tick, and the status and times of the row of each stream. The meta names streams by
 * their pads, such as "proprio_0". A sample has one row of each stream, or the number of rows that the property window sets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_H
#define ROBOCACHE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define ROBOCACHE_API __attribute__ ((visibility ("default")))

/**
 * ROBOCACHE_SAMPLE_META:
 *
 * The name of the meta, a #GstCustomMeta. Its structure has the fields "tick" (int64), "streams" (names, separated by commas)
 * and "info" (#GBytes of int64 [rows][streams][4]: tick, time before, time after, status), and may have "references".
 *
 * Since: 0.1.0
 */
#define ROBOCACHE_SAMPLE_META "RobocacheSampleMeta"

/**
 * ROBOCACHE_SAMPLE_NO_TIME:
 *
 * The time of a row that does not exist.
 *
 * Since: 0.1.0
 */
#define ROBOCACHE_SAMPLE_NO_TIME ((gint64) (-G_GINT64_CONSTANT (9223372036854775807) - 1))

/**
 * ROBOCACHE_SAMPLE_CORRUPTED:
 *
 * A flag that is added to the status in the info of the meta: the camera flagged a frame of the row as corrupted.
 *
 * Since: 0.1.0
 */
#define ROBOCACHE_SAMPLE_CORRUPTED 4

/**
 * RobocacheSampleStatus:
 * @ROBOCACHE_SAMPLE_STATUS_ALIGNED: the row is aligned to its tick
 * @ROBOCACHE_SAMPLE_STATUS_HELD: the row is the last row of the stream, repeated
 * @ROBOCACHE_SAMPLE_STATUS_MISSING: no row: NaN, or zero in integer tensors
 *
 * The status of one stream's row in a sample.
 *
 * Since: 0.1.0
 */
typedef enum
{
  ROBOCACHE_SAMPLE_STATUS_ALIGNED = 0,
  ROBOCACHE_SAMPLE_STATUS_HELD = 1,
  ROBOCACHE_SAMPLE_STATUS_MISSING = 2
} RobocacheSampleStatus;

/**
 * robocache_sample_meta_register:
 *
 * Registers the meta. The plugin registers it when it is loaded. A process that makes samples without the plugin must call this function first.
 *
 * Since: 0.1.0
 */
ROBOCACHE_API
void robocache_sample_meta_register (void);

/**
 * robocache_sample_meta_get_tick:
 * @sample: a buffer of robocachefuse
 * @tick: (out): the running time of the sample's tick in ns
 *
 * Returns: %FALSE if the buffer does not have the meta
 *
 * Since: 0.1.0
 */
ROBOCACHE_API
gboolean robocache_sample_meta_get_tick (GstBuffer * sample, gint64 * tick);

/**
 * robocache_sample_meta_get_streams:
 * @sample: a buffer of robocachefuse
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the names of the streams, in the order of their tensors; %NULL
 *   if the buffer does not have the meta
 *
 * Since: 0.1.0
 */
ROBOCACHE_API
gchar **robocache_sample_meta_get_streams (GstBuffer * sample);

/**
 * robocache_sample_meta_get_n_rows:
 * @sample: a buffer of robocachefuse
 *
 * Returns: the number of rows of each stream; 0 if the buffer does not have the meta
 *
 * Since: 0.1.0
 */
ROBOCACHE_API
guint robocache_sample_meta_get_n_rows (GstBuffer * sample);

/**
 * robocache_sample_meta_get_status:
 * @sample: a buffer of robocachefuse
 * @stream: the name of a stream
 * @row: a row, counted from the oldest one, 0; or, if negative, from the end: -1 is the row at the tick
 * @status: (out): the status of the row
 * @is_corrupted: (out) (optional): whether the camera flagged a frame of the row as corrupted
 *
 * Returns: %FALSE if the buffer does not have the meta, or the sample lacks this stream or row
 *
 * Since: 0.1.0
 */
ROBOCACHE_API
gboolean robocache_sample_meta_get_status (GstBuffer * sample, const gchar * stream, gint row,
    RobocacheSampleStatus * status, gboolean * is_corrupted);

/**
 * robocache_sample_meta_get_times:
 * @sample: a buffer of robocachefuse
 * @stream: the name of a stream
 * @row: a row, counted from the oldest one, 0; or, if negative, from the end: -1 is the row at the tick
 * @tick: (out) (optional): the tick of the row
 * @before: (out) (optional): the time of the stream's row at or before that tick, or %ROBOCACHE_SAMPLE_NO_TIME
 * @after: (out) (optional): the time of the stream's row after that tick, or %ROBOCACHE_SAMPLE_NO_TIME
 *
 * All times are running times in ns.
 *
 * Returns: %FALSE if the buffer does not have the meta, or the sample lacks this stream or row
 *
 * Since: 0.1.0
 */
ROBOCACHE_API
gboolean robocache_sample_meta_get_times (GstBuffer * sample, const gchar * stream, gint row, gint64 * tick,
    gint64 * before, gint64 * after);

G_END_DECLS
#endif
