/* robocache: a stream of a core by itself: caps, segments, buffers and events as the core takes them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "rig.h"

/* ---- buffers ---- */

typedef struct
{
  gint n_refs;
  guint8 data[MAX_VALUES * sizeof (gdouble)];
} Buffer;

/* A row of a buffer, as a history keeps it. */
typedef struct
{
  Buffer *buffer;
  gsize offset;
} KeptRow;

gint n_buffers;

static Buffer *
buffer_new (void)
{
  Buffer *buffer = g_new0 (Buffer, 1);

  buffer->n_refs = 1;
  n_buffers++;
  return buffer;
}

static gpointer
buffer_ref (gpointer buffer)
{
  ((Buffer *) buffer)->n_refs++;
  return buffer;
}

void
buffer_unref (gpointer data)
{
  Buffer *buffer = data;

  if (--buffer->n_refs > 0)
    return;
  g_free (buffer);
  n_buffers--;
}

const guint8 *
kept_row (const FuseRowFormat *format, gconstpointer kept)
{
  const KeptRow *row = kept;

  return format->ref_buffer ? row->buffer->data + row->offset : kept;
}

/* ---- formats ---- */

static void
clear_format (gpointer data)
{
  Format *format = data;

  g_free (format->shape);
  g_free (format->names);
}

static void
parse_rate (const gchar *text, gint *num, gint *den)
{
  const gchar *slash = text ? strchr (text, '/') : NULL;

  *num = text ? atoi (text) : 0;
  *den = slash ? atoi (slash + 1) : 1;
}

/* Rows whose quaternions are looked at are kept themselves. */
static Format *
format_new (const Feed *feed, const PlayedCaps *caps)
{
  Format *format = g_atomic_rc_box_new0 (Format);
  FuseRowFormat *rows = &format->rows;

  play_expect (feed->rig->play, caps->channels * caps->n_rows <= MAX_VALUES, "a buffer of %u values", caps->channels * caps->n_rows);
  format->shape = g_strdup (caps->shape);
  format->names = g_strdup (caps->names);
  rows->clear = clear_format;
  rows->dtype = caps->element_size == 1 ? RC_UINT8 : caps->element_size == sizeof (gfloat) ? RC_FLOAT32 : RC_FLOAT64;
  rows->channels = caps->channels;
  rows->n_rows = caps->n_rows;
  rows->has_times = caps->has_times;
  rows->is_camera = caps->element_size == 1;
  parse_rate (caps->rate, &rows->rate_num, &rows->rate_den);
  rows->kept_bytes = fuse_row_format_bytes (rows);
  if (feed->rig->mode == RIG_LAZY && feed->roles[ROLE_QUATERNIONS] == NULL) {
    rows->ref_buffer = buffer_ref;
    rows->kept_bytes = sizeof (KeptRow);
  }
  return format;
}

static gboolean
has_same_shape (const Format *a, const Format *b)
{
  return a->rows.dtype == b->rows.dtype && a->rows.channels == b->rows.channels;
}

static gboolean
has_same_rate (const Format *a, const Format *b)
{
  return a->rows.rate_num == b->rows.rate_num && a->rows.rate_den == b->rows.rate_den;
}

static gboolean
is_as_declared (const Format *format, const Format *declared)
{
  return has_same_shape (format, declared) && (declared->names == NULL || g_strcmp0 (format->names, declared->names) == 0)
      && (declared->rows.rate_num == 0 || has_same_rate (format, declared));
}

/* "0,4"; free with g_free. */
static gint32 *
parse_channels (const gchar *text, gint64 *n)
{
  gchar **items = g_strsplit (text ? text : "", ",", -1);
  gint32 *channels;

  *n = g_strv_length (items);
  channels = g_new (gint32, MAX (*n, 1));
  for (gint64 i = 0; i < *n; i++)
    channels[i] = atoi (items[i]);
  g_strfreev (items);
  return channels;
}

/* Takes format. */
static void
use_format (Feed *feed, Format *format, gboolean is_declared)
{
  FuseEvent event = {
    .kind = FUSE_EVENT_FORMAT,
    .format = fuse_row_format_ref (&format->rows),
    .has_same_rows = feed->format && has_same_shape (feed->format, format) && has_same_rate (feed->format, format)
        && g_strcmp0 (feed->format->names, format->names) == 0,
    .is_declared = is_declared,
  };

  event.quaternions = parse_channels (feed->roles[ROLE_QUATERNIONS], &event.n_quaternions);
  if (feed->format)
    fuse_row_format_unref (&feed->format->rows);
  feed->format = format;
  feed->nominal_duration = format->rows.rate_num > 0 ? fuse_row_format_period (&format->rows) : NONE;
  feed_event (feed, &event);
}

/* ---- life ---- */

/* As the element sorts tensors: by role, then by number. */
static gint64
order_of (const gchar *name)
{
  static const gchar *const roles[] = { "camera_", "proprio_", "force_", "sink_" };
  gint64 role = 0;

  while (!g_str_has_prefix (name, roles[role]))
    role++;
  return role << 32 | atoi (strchr (name, '_') + 1);
}

Feed *
feed_new (Rig *rig, const PlayedPad *pad)
{
  const gboolean is_camera = g_str_has_prefix (pad->name, "camera_");
  Feed *feed = g_new0 (Feed, 1);

  feed->rig = rig;
  feed->stream = fuse_stream_new (pad->name, order_of (pad->name), is_camera);
  feed->expected = pad->expected.shape ? &pad->expected : NULL;
  feed->is_linked = !pad->is_unlinked;
  feed->flow = rig->ended;
  feed->next_time = feed->nominal_duration = NONE;
  feed_default_settings (feed, is_camera);
  g_ptr_array_add (rig->feeds, feed);
  fuse_core_add_stream (rig->core, feed->stream);
  feed_send_settings (feed);
  return feed;
}

void
feed_free (Feed *feed)
{
  Rig *rig = feed->rig;

  fuse_core_remove_stream (rig->core, feed->stream, &rig->notes);
  g_ptr_array_remove (rig->feeds, feed);
  rig_look_for_failure (rig);
  if (feed->format)
    fuse_row_format_unref (&feed->format->rows);
  fuse_stream_free (feed->stream);
  for (guint i = 0; i < N_ROLES; i++)
    g_free (feed->roles[i]);
  g_free (feed);
}

static void
declare (Feed *feed)
{
  if (feed->rig->is_started && feed->expected && feed->format == NULL)
    use_format (feed, format_new (feed, feed->expected), TRUE);
}

void
feed_send_settings (Feed *feed)
{
  const FuseEvent settings = {.kind = FUSE_EVENT_SETTINGS,.settings = feed->settings };
  const FuseEvent timestamps = {.kind = FUSE_EVENT_TIMESTAMPS,.timestamps = feed->timestamps };

  feed_event (feed, &settings);
  feed_event (feed, &timestamps);
  declare (feed);
  rig_update_latency (feed->rig);
}

void
feed_reset (Feed *feed)
{
  if (feed->format)
    fuse_row_format_unref (&feed->format->rows);
  feed->format = NULL;
  feed->has_segment = FALSE;
  feed->next_time = feed->nominal_duration = NONE;
  feed->flow = FLOW_OK;
  declare (feed);
}

/* ---- events ---- */

void
feed_event (Feed *feed, const FuseEvent *event)
{
  fuse_core_event (feed->rig->core, feed->stream, event, &feed->rig->notes);
  rig_look_after (feed->rig);
}

static void
ask_source (Feed *feed)
{
  rig_query_sources (feed->rig, feed);
  rig_update_latency (feed->rig);
}

gboolean
feed_set_caps (Feed *feed, const PlayedCaps *caps)
{
  const FuseEvent same = {.kind = FUSE_EVENT_SAME_FORMAT };
  Format *format = format_new (feed, caps);
  const gboolean is_declared = feed->stream->is_declared;

  if (is_declared && !is_as_declared (format, feed->format)) {
    fuse_row_format_unref (&format->rows);
    return FALSE;
  }
  if (feed->format && !is_declared && g_str_equal (feed->format->shape, format->shape) && feed->format->rows.dtype == format->rows.dtype
      && has_same_rate (feed->format, format) && g_strcmp0 (feed->format->names, format->names) == 0) {
    fuse_row_format_unref (&format->rows);
    feed_event (feed, &same);
    return TRUE;
  }
  use_format (feed, format, FALSE);
  ask_source (feed);
  return TRUE;
}

static gboolean
is_same_segment (const PlayedSegment *a, const PlayedSegment *b)
{
  return a->start == b->start && a->stop == b->stop && a->base == b->base && a->offset == b->offset && a->time == b->time;
}

void
feed_set_segment (Feed *feed, const PlayedSegment *segment)
{
  const gboolean continues = feed->has_segment && is_same_segment (&feed->segment, segment);
  const FuseEvent event = {
    .kind = FUSE_EVENT_SEGMENT,
    .segment = {.continues = continues,.start = segment->start,.begin = segment->base },
  };

  if (!continues)
    feed->next_time = NONE;
  feed->segment = *segment;
  feed->has_segment = TRUE;
  feed_event (feed, &event);
  ask_source (feed);
}

/* The running time of a position; NONE: outside the segment, or after the end of time. */
static gint64
running_time (const Feed *feed, gint64 position)
{
  const PlayedSegment *segment = &feed->segment;

  if (!feed->has_segment || position < segment->start + segment->offset || (segment->stop != NONE && position > segment->stop))
    return NONE;
  return rc_add_saturating (position - segment->start - segment->offset, segment->base);
}

/* The running time of a row; the same is known before the segment, unless the source is live. */
static gint64
time_of_row (const Feed *feed, gint64 position, FuseRows *rows)
{
  const PlayedSegment *segment = &feed->segment;

  if (!feed->has_segment || feed->stream->source.live || position < 0 || position >= segment->start)
    return running_time (feed, position);
  rows->has_earlier = TRUE;
  rows->begin = segment->base;
  return position - segment->start - segment->offset + segment->base;
}

void
feed_gap (Feed *feed, gint64 start, gint64 duration)
{
  FuseEvent event = {.kind = FUSE_EVENT_GAP };
  gint64 end = duration == NONE ? start : rc_add_saturating (start, duration);

  if (feed->has_segment && feed->segment.stop != NONE)
    end = MIN (end, feed->segment.stop);
  event.gap.start = running_time (feed, start);
  event.gap.end = running_time (feed, end);
  rig_set_time (feed->rig);
  feed_event (feed, &event);
}

/* ---- rows ---- */

static void
write_values (const FuseRowFormat *format, const gdouble *values, guint8 *bytes)
{
  const guint n = (guint) (format->channels * format->n_rows);

  for (guint i = 0; i < n; i++) {
    const gfloat value = (gfloat) values[i];

    if (format->dtype == RC_UINT8)
      bytes[i] = (guint8) values[i];
    else if (format->dtype == RC_FLOAT32)
      memcpy (bytes + i * sizeof (value), &value, sizeof (value));
    else
      memcpy (bytes + i * sizeof (gdouble), &values[i], sizeof (gdouble));
  }
}

static const gchar *
reference_name (GQuark reference)
{
  return reference ? g_quark_to_string (reference) : FUSE_USUAL_REFERENCE;
}

/* The position of row i of a buffer that begins at time. */
static gint64
position_of_row (const PlayedRows *rows, gboolean has_row_times, gint64 time, gint64 duration, guint i, guint n)
{
  if (has_row_times)
    return rows->reference;
  return time + (i > 0 && duration != NONE ? (gint64) ((__int128) duration * i / n) : 0);
}

/* times: of the rows; they are set where the buffer has any. */
static void
read_times (Feed *feed, const PlayedRows *rows, gint64 *times, FuseRows *to)
{
  const FuseTimestampSettings *settings = &feed->stream->times.settings;
  const gboolean has_row_times = feed->format->rows.has_times && settings->source != FUSE_TIMES_PTS;
  const gint64 duration = rows->duration != NONE && rows->clock == PLAYED_NO_CLOCK ? rows->duration : feed->nominal_duration;
  gint64 time;

  if (feed->n_positions != feed->stream->n_positions)
    feed->next_time = NONE;
  feed->n_positions = feed->stream->n_positions;
  time = rows->time != NONE ? rows->time : feed->next_time;
  feed->next_time = time != NONE && duration != NONE ? rc_add_saturating (time, duration) : NONE;
  to->ignores_row_times = feed->format->rows.has_times && !has_row_times;
  to->buffer_pts = time;
  to->buffer_duration = duration == NONE ? -1 : duration;
  to->has_start = rows->time != NONE;
  to->start = to->has_start ? running_time (feed, rows->time) : NONE;
  if (settings->source == FUSE_TIMES_REFERENCE) {
    const gboolean has_reference = rows->clock != PLAYED_NO_CLOCK && rows->clock != PLAYED_ROW
        && g_str_equal (reference_name (settings->reference), rows->clock == PLAYED_UNIX ? "timestamp/x-unix" : FUSE_USUAL_REFERENCE);

    to->reference = has_reference ? rows->reference : ROBOCACHE_NO_TIME;
    to->duration = rows->duration != NONE ? rows->duration : feed->nominal_duration;
  } else if (time != NONE || has_row_times) {
    for (guint i = 0; i < to->n_rows; i++)
      times[i] = time_of_row (feed, position_of_row (rows, has_row_times, time, duration, i, (guint) to->n_rows), to);
    to->times = times;
  }
}

/* Rows that a history copies, or of a buffer of which it takes references. */
static void
point_to_rows (const FuseRowFormat *format, Buffer *buffer, KeptRow kept[MAX_VALUES], FuseRows *to)
{
  const gsize row_bytes = fuse_row_format_bytes (format);

  to->data = format->ref_buffer ? (const guint8 *) kept : buffer->data;
  to->stride = format->ref_buffer ? sizeof (KeptRow) : row_bytes;
  for (guint64 i = 0; i < to->n_rows; i++)
    kept[i] = (KeptRow) { buffer, i * row_bytes };
}

static Flow
insert (Feed *feed, const PlayedRows *rows)
{
  Rig *rig = feed->rig;
  const FuseRowFormat *format = &feed->format->rows;
  FuseRows to = {
    .n_rows = format->n_rows,.reference = ROBOCACHE_NO_TIME,.duration = ROBOCACHE_NO_TIME,.base_time = rig->base_time
  };
  Buffer *buffer = buffer_new ();
  KeptRow kept[MAX_VALUES];
  gint64 times[MAX_VALUES];
  GError *error = NULL;
  Flow flow = FLOW_ERROR;

  write_values (format, rows->values, buffer->data);
  point_to_rows (format, buffer, kept, &to);
  rig_set_time (rig);
  read_times (feed, rows, times, &to);
  if (fuse_core_insert (rig->core, feed->stream, &to, &rig->notes, &error))
    flow = fuse_core_choose_reference (rig->core, &error) ? FLOW_OK : FLOW_NOT_NEGOTIATED;
  buffer_unref (buffer);
  rig_report (rig);
  if (error)
    rig_fail (rig, feed, flow, error);
  return flow;
}

/* Where recordings are far apart a source would wait; it may, until the ticks are there. */
static void
expect_no_wait (Feed *feed)
{
  Rig *rig = feed->rig;

  if (feed->flow == FLOW_OK && fuse_core_is_ahead (rig->core, feed->stream, FALSE))
    rig_look (rig);
  play_expect (rig->play, feed->flow != FLOW_OK || !fuse_core_is_ahead (rig->core, feed->stream, FALSE), "the source of %s waits for ever",
      feed->stream->name);
}

const gchar *
feed_push (Feed *feed, const PlayedRows *rows)
{
  static const gchar *const names[] = { "ok", "eos", "not-negotiated", "error" };
  Rig *rig = feed->rig;
  Flow flow = feed->flow;

  if (flow == FLOW_OK && (feed->format == NULL || feed->stream->is_declared || !feed->has_segment))
    flow = FLOW_NOT_NEGOTIATED;
  if (flow == FLOW_OK)
    flow = insert (feed, rows);
  else
    fuse_core_refuse (rig->core, feed->stream, ROBOCACHE_DROPPED_REFUSED);
  rig_look_after (rig);
  if (flow == FLOW_OK)
    expect_no_wait (feed);
  return names[flow];
}
