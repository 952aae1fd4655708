/* robocache: rules for the rows of a buffer: which are kept, late or dropped, and their insertion into a stream of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowrules.h"

/* A live stream that no tick consumes keeps this much; frames are large, and belong to upstream's pool. */
#define MAX_LIVE_ROWS 65536
#define MAX_LIVE_BYTES (G_GUINT64_CONSTANT (1) << 28)
#define MIN_LIVE_ROWS 16

/* One call of fuse_stream_insert. */
typedef struct
{
  FuseStream *stream;
  const FuseRows *rows;
  gint64 now;                   /* ROBOCACHE_NO_TIME: rows may be at any time */
  gsize max_rows;               /* see RobocacheHistory */
  FuseInsertion *insertion;
  GQueue *notes;
  gboolean drops_nan;           /* some rows have NaN, which is no value */
  const RobocacheHistory *full; /* had no memory for a row; or NULL */
} Call;

static void
note_far (Call *call, gint64 lead, gboolean is_dropped)
{
  fuse_note_add (call->notes, FUSE_NOTE_FORMAT, call->stream, g_strdup_printf ("%s: rows are %.3f s %s running time%s: set offset to correct a "
          "constant difference, clock-mode=track for a sensor with its own clock, or timestamp-source if the buffers have other times",
          call->stream->name, ABS (FUSE_SECONDS (lead)), lead > 0 ? "ahead of" : "behind", is_dropped
          ? ", more than max-lead, and are dropped (stats: rows-dropped-ahead)" : ""));
  call->stream->warned_far = TRUE;
}

/* Whether a row is no further ahead of running time than it may be. One that is, or a first one far from running time, is reported. */
static gboolean
check_lead (Call *call, gint64 t)
{
  FuseStream *stream = call->stream;
  const gint64 lead = rc_subtract_saturating (fuse_stream_with_offset (stream, t), call->now);
  const gboolean is_ahead = lead > stream->settings.max_lead;

  if (!stream->warned_far && (is_ahead || (!stream->has_data && (lead > ROBOCACHE_CLOCK_JUMP_BOUND
                  || lead < -ROBOCACHE_CLOCK_JUMP_BOUND))))
    note_far (call, lead, is_ahead);
  return !is_ahead;
}

static RobocacheHistory *
drop (const Call *call, RobocacheDropReason reason, gint64 t, const gchar *why)
{
  FuseStream *stream = call->stream;

  FUSE_LOG (stream->log, LOG, stream, "a row at %" FUSE_TIME_FORMAT " (running time %" FUSE_TIME_FORMAT ") is dropped: %s", FUSE_TIME_ARGS (t),
      FUSE_TIME_ARGS (call->now), why);
  robocache_history_count_dropped (&fuse_stream_newest_epoch (stream)->history, reason, t, 1);
  return NULL;
}

/* A row of a live stream whose clock may have jumped. */
static RobocacheRowPlace
place_row (Call *call, gint64 *t)
{
  FuseStream *stream = call->stream;
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (!fuse_timestamps_are_tracked (&stream->times))
    place = robocache_clock_jump_place (&stream->jump, call->now, stream->settings.reorder_window, t);
  if (place != ROBOCACHE_ROW_AFTER_JUMP)
    return place;
  fuse_stream_begin_epoch_at (stream, *t);
  call->insertion->jumped = TRUE;
  return place;
}

/* The history that row i belongs into, and its time; NULL when it is dropped. */
static RobocacheHistory *
history_of_row (Call *call, guint64 i, gint64 *t)
{
  FuseStream *stream = call->stream;
  FuseEpoch *epoch;

  if (!fuse_timestamps_nth (&stream->times, call->rows, i, t)) {
    call->insertion->n_outside += call->rows->times && call->rows->times[i] == ROBOCACHE_NO_TIME;
    FUSE_LOG (stream->log, LOG, stream, "a row of a buffer of %" G_GUINT64_FORMAT " is dropped: its time is outside the segment, or unknown",
        call->rows->n_rows);
    robocache_history_count_dropped (&fuse_stream_newest_epoch (stream)->history, ROBOCACHE_DROPPED_OUTSIDE_SEGMENT, ROBOCACHE_NO_TIME, 1);
    return NULL;
  }
  *t = rc_subtract_saturating (*t, stream->sought_by);
  if (call->now != ROBOCACHE_NO_TIME && place_row (call, t) == ROBOCACHE_ROW_OUTLIER)
    return drop (call, ROBOCACHE_DROPPED_CLOCK_JUMP, *t, "it is far from the clock, and from the rows before it");
  if (call->now != ROBOCACHE_NO_TIME && !check_lead (call, *t))
    return drop (call, ROBOCACHE_DROPPED_AHEAD, *t, "it is further ahead than max-lead");
  epoch = fuse_stream_newest_epoch (stream);
  if (call->now != ROBOCACHE_NO_TIME && !robocache_history_has_rows (&epoch->history))
    fuse_stream_end_epochs_ahead (stream, *t);
  epoch->history.max_rows = call->max_rows;
  return &epoch->history;
}

static void
insert_row (Call *call, guint64 i)
{
  FuseStream *stream = call->stream;
  gconstpointer row = call->rows->data + i * call->rows->stride;
  RobocacheHistory *history;
  RobocacheRowFate fate;
  gint64 t;

  history = history_of_row (call, i, &t);
  if (history == NULL)
    return;
  if (call->drops_nan && robocache_row_has_nan (stream->format->dtype, stream->format->channels, row)) {
    drop (call, ROBOCACHE_DROPPED_NAN, t, "it has NaN");
    return;
  }
  if (stream->format->ref_buffer)
    stream->format->ref_buffer (*(const gpointer *) row);
  fate = robocache_history_insert (history, t, row);
  if (fate == ROBOCACHE_ROW_NO_MEMORY)
    call->full = history;
  if (stream->decimation.is_open)
    robocache_decimation_check_add (&stream->decimation, t, row);
  stream->has_data = TRUE;
  FUSE_LOG (stream->log, LOG, stream, "a row at %" FUSE_TIME_FORMAT " is %s; the newest is at %" FUSE_TIME_FORMAT ", reorder-window=%"
      G_GINT64_FORMAT " ns", FUSE_TIME_ARGS (t), robocache_row_fate_name (fate), FUSE_TIME_ARGS (history->newest_row),
      history->reorder_window);
}

static void
drop_untimed (Call *call, RobocacheDropReason reason, gboolean *is_reported, gchar *warning)
{
  FUSE_LOG (call->stream->log, LOG, call->stream, "a buffer of %" G_GUINT64_FORMAT " rows is dropped: %s", call->rows->n_rows, warning);
  robocache_history_count_dropped (&fuse_stream_newest_epoch (call->stream)->history, reason, ROBOCACHE_NO_TIME, call->rows->n_rows);
  if (*is_reported)
    g_free (warning);
  else
    fuse_note_add (call->notes, FUSE_NOTE_FORMAT, call->stream, warning);
  *is_reported = TRUE;
}

static gchar *
describe_missing_reference (const FuseStream *stream)
{
  const GQuark reference = stream->times.settings.reference;

  return g_strdup_printf ("%s: dropped a buffer without a timestamp of %s; further ones are counted in stats (rows-dropped-no-reference). Set "
      "add-reference-timestamp-meta on rtpbin: it adds the timestamp after the first sender report", stream->name,
      reference ? g_quark_to_string (reference) : FUSE_USUAL_REFERENCE);
}

/* Rows that are kept of a live sensor which no tick consumes. */
static gsize
max_live_rows (const FuseStream *stream)
{
  if (stream->format->is_camera)
    return stream->max_frames;
  return CLAMP (MAX_LIVE_BYTES / fuse_row_format_bytes (stream->format), MIN_LIVE_ROWS, MAX_LIVE_ROWS);
}

static void
check_quaternions (FuseStream *stream, const FuseRows *rows)
{
  const FuseRowFormat *format = stream->format;

  if (format->ref_buffer == NULL)
    robocache_quaternion_check_rows (&stream->statistics.quaternions, stream->quaternions, stream->n_quaternions, format->dtype,
        format->channels, rows->data, rows->n_rows);
}

/* TRUE: rows have NaN. */
static gboolean
check_nan (FuseStream *stream, const FuseRows *rows)
{
  const FuseRowFormat *format = stream->format;

  return format->ref_buffer == NULL && !format->is_camera && !format->is_whole
      && robocache_nan_check_rows (&stream->nan, format->dtype, format->channels, rows->data, rows->n_rows);
}

gboolean
fuse_stream_insert (FuseStream *stream, const FuseRows *rows, gboolean live, gint64 now, FuseInsertion *insertion, GQueue *notes,
    GError **error)
{
  Call call = { stream, rows, live ? now : ROBOCACHE_NO_TIME, live ? max_live_rows (stream) : 0, insertion, notes,.full = NULL };

  if (!fuse_timestamps_check (&stream->times, stream->format->has_times, live, now, error)) {
    fuse_stream_refuse (stream, ROBOCACHE_DROPPED_REFUSED);
    return FALSE;
  }
  check_quaternions (stream, rows);
  call.drops_nan = check_nan (stream, rows) && stream->settings.nan == FUSE_NAN_MISSING;
  switch (fuse_timestamps_begin (&stream->times, rows, call.now)) {
    case FUSE_ROWS_TIMED:
      if (rows->has_earlier)
        fuse_stream_newest_epoch (stream)->begin = rc_subtract_saturating (rows->begin, stream->sought_by);
      for (guint64 i = 0; i < rows->n_rows && call.full == NULL; i++)
        insert_row (&call, i);
      break;
    case FUSE_ROWS_WITHOUT_TIME:
      drop_untimed (&call, ROBOCACHE_DROPPED_NO_TIME, &stream->warned_no_time, g_strdup_printf ("%s: dropped a buffer without a timestamp, "
              "because no row came before it; further ones are counted in stats (rows-dropped-no-time)", stream->name));
      break;
    case FUSE_ROWS_WITHOUT_REFERENCE:
      drop_untimed (&call, ROBOCACHE_DROPPED_NO_REFERENCE, &stream->warned_no_reference, describe_missing_reference (stream));
      break;
  }
  if (call.full)
    robocache_history_set_no_memory (call.full, error);
  return call.full == NULL;
}
