/* robocache: feeds one recorded stream to a core of robocachefuse, in the order of the journal
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "replay.h"

#include "common/rosstreams/rowcaps.h"
#include "common/time/segments.h"
#include "examples/tools/program.h"

/* Rows whose numbers are remembered. */
#define MAX_KNOWN_ROWS 4096

typedef struct
{
  gint64 time_ns;
  guint64 number;
} KnownRow;

struct _RowFeed
{
  gchar *pad;
  SessionStream *stream;
  gboolean by_pts;              /* the fuse took times from PTS, also where rows have their own: */
  gboolean ignores_row_times;   /* they have; these are in its journal: */
  gboolean has_buffer_times;
  GstClockTime pts, duration;   /* of the next buffer */
  gboolean by_reference;        /* the pad used reference timestamps, independently of the segment */
  GstCaps *caps;                /* the last ones, as the pad got them; NULL: none so far */
  GstSegment segment;
  gboolean is_block;            /* buffers have the time of each row */
  guint64 n_rows;               /* of a buffer, as caps have it */
  gsize row_bytes;              /* 0: a frame */
  GArray *known;                /* of KnownRow, a ring */
  guint n_known;                /* so far */
};

/* The pad that a feed writes to. */
typedef struct
{
  SteppedCore *core;
  GstRobocacheFusePad *pad;
} Target;

RowFeed *
row_feed_new (const gchar *pad, SessionStream *stream, const gchar *timestamp_source)
{
  RowFeed *feed = g_new0 (RowFeed, 1);

  feed->pad = g_strdup (pad);
  feed->stream = stream;
  feed->by_pts = g_strcmp0 (timestamp_source, "pts") == 0;
  feed->by_reference = g_strcmp0 (timestamp_source, "reference") == 0;
  feed->n_rows = 1;
  feed->known = g_array_new (FALSE, TRUE, sizeof (KnownRow));
  g_array_set_size (feed->known, MAX_KNOWN_ROWS);
  gst_segment_init (&feed->segment, GST_FORMAT_TIME);
  return feed;
}

void
row_feed_free (RowFeed *feed)
{
  g_array_unref (feed->known);
  gst_clear_caps (&feed->caps);
  g_free (feed->pad);
  g_free (feed);
}

/* ---- rows and their numbers ---- */

static void
note_row (RowFeed *feed, gint64 time_ns, guint64 number)
{
  g_array_index (feed->known, KnownRow, feed->n_known++ % MAX_KNOWN_ROWS) = (KnownRow) { time_ns, number };
}

void
row_feed_describe (const RowFeed *feed, GString *text, gint64 time_ns)
{
  for (guint i = 0; i < MIN (feed->n_known, MAX_KNOWN_ROWS); i++) {
    const KnownRow *row = &g_array_index (feed->known, KnownRow, i);

    if (row->time_ns != time_ns)
      continue;
    g_string_append_printf (text, " (row %" G_GUINT64_FORMAT " of %s)", row->number, session_stream_topic (feed->stream));
    return;
  }
}

/* ---- the next items of the recording ---- */

/* FALSE and an error: rows are missing. */
static gboolean
check_item (const RowFeed *feed, const SessionItem *item, const gchar *wanted, SessionItemKind kind, GError **error)
{
  static const gchar *const kinds[] = { "a row", "a GAP", "caps", "a segment", "an origin", "the end", "a flush",
    "a reference timestamp"
  };
  const gchar *topic = session_stream_topic (feed->stream);

  if (item->kind == SESSION_LOST)
    FAULT (error, "%s: the recorder dropped %" G_GUINT64_FORMAT " rows of %s before row %" G_GUINT64_FORMAT, feed->pad, item->n, topic,
        item->number);
  else if (item->kind == SESSION_MISSING)
    FAULT (error, "%s: the recording of %s has row %" G_GUINT64_FORMAT " after row %" G_GINT64_FORMAT ": %" G_GUINT64_FORMAT
        " missing", feed->pad, topic, item->number + item->n, (gint64) item->number - 1, item->n);
  else if (item->kind != kind)
    FAULT (error, "%s: the recorded fuse received %s, but %s has %s after row "
        "%" G_GINT64_FORMAT, feed->pad, wanted, topic, kinds[item->kind],
        (gint64) item->number - 1);
  else
    return TRUE;
  return FALSE;
}

/* NULL and an error: nothing is left, or it is something else. kind SESSION_LOST: any event. */
static SessionItem *
next_item (RowFeed *feed, Session *session, const gchar *wanted, SessionItemKind kind, GError **error)
{
  SessionItem *item;

  if (!feed->stream) {
    FAULT (error, "%s: no topic of the recording has the stream of this pad: name its topic with "
        "--topic=%s=TOPIC", feed->pad, feed->pad);
    return NULL;
  }
  item = session_next_item (session, feed->stream, error);
  if (!item && !*error)
    FAULT (error, "%s: the recorded fuse received %s, but %s ends before it",
        feed->pad, wanted, session_stream_topic (feed->stream));
  if (item && kind == SESSION_LOST && item->kind >= SESSION_CAPS && item->kind <= SESSION_FLUSH)
    return item;
  if (item && !check_item (feed, item, wanted, kind, error))
    g_clear_pointer (&item, session_item_free);
  return item;
}

/* ---- caps ---- */

/* Caps of blocks have a time for each row: what messages have of them is their rows' times. */
static GstCaps *
caps_of_blocks (const RobocacheTensorsInfo *info, GstCaps *caps)
{
  RobocacheTensorsInfo with_times = *info;
  const guint64 dims[] = { robocache_tensor_info_dim (&info->tensors[0], 1) };
  GstCaps *plain;

  with_times.n_tensors = 2;
  robocache_tensor_info_set (&with_times.tensors[1], RC_INT64, dims, 1);
  plain = robocache_tensors_info_to_caps (&with_times);
  for (guint i = 0; i < 3; i++) {
    static const gchar *const fields[] = { "num_tensors", "types", "dimensions" };

    gst_caps_set_value (caps, fields[i], gst_structure_get_value (gst_caps_get_structure (plain, 0), fields[i]));
  }
  gst_caps_unref (plain);
  return caps;
}

/* FALSE and an error: they are no rows. */
static gboolean
read_rows (RowFeed *feed, RobocacheTensorsInfo *info, const GstCaps *caps, GError **error)
{
  if (!robocache_tensors_info_from_caps (info, caps, error))
    return FALSE;
  feed->n_rows = robocache_tensor_info_dim (&info->tensors[0], 1);
  feed->row_bytes = robocache_tensor_info_dim (&info->tensors[0], 0) * rc_dtype_size (info->tensors[0].dtype);
  feed->is_block = feed->n_rows > 1 || info->n_tensors > 1;
  feed->ignores_row_times = feed->by_pts && info->n_tensors > 1;
  return TRUE;
}

/* Recorded rows are in system memory. NULL and an error. */
static GstCaps *
caps_of_feed (RowFeed *feed, const gchar *text, GError **error)
{
  GstCaps *caps = gst_caps_from_string (text);
  RobocacheTensorsInfo info;

  if (!caps || !gst_caps_is_fixed (caps)) {
    FAULT (error, "%s: caps that cannot be read: %s", feed->pad, text);
    gst_clear_caps (&caps);
    return NULL;
  }
  gst_caps_set_features (caps, 0, NULL);
  feed->n_rows = 1;
  feed->row_bytes = 0;
  feed->is_block = feed->ignores_row_times = FALSE;
  if (!gst_structure_has_name (gst_caps_get_structure (caps, 0), ROBOCACHE_TENSORS_MEDIA_TYPE))
    return caps;
  if (!read_rows (feed, &info, caps, error)) {
    gst_caps_unref (caps);
    return NULL;
  }
  return feed->is_block ? caps_of_blocks (&info, caps) : caps;
}

/* FALSE and an error: the pad does not accept them. */
static gboolean
send_caps (RowFeed *feed, const Target *target, const gchar *text, GError **error)
{
  const FuseEvent same = {.kind = FUSE_EVENT_SAME_FORMAT };
  GstCaps *caps = caps_of_feed (feed, text, error);
  gboolean is_good = caps != NULL;

  if (is_good && feed->caps && target->pad->reader.format && !target->pad->stream->is_declared && gst_caps_is_equal (feed->caps, caps))
    stepped_core_send (target->core, target->pad, &same);
  else if (is_good)
    is_good = stepped_core_send_caps (target->core, target->pad, caps, error);
  gst_caps_replace (&feed->caps, caps);
  gst_clear_caps (&caps);
  return is_good;
}

/* ---- events ---- */

static gboolean
send_segment (RowFeed *feed, const Target *target, const gchar *text, GError **error)
{
  if (!session_segment_parse (&feed->segment, text)) {
    FAULT (error, "%s: a segment that cannot be read: %s", feed->pad, text);
    return FALSE;
  }
  if (!robocache_segment_check (&feed->segment, error))
    return FALSE;
  stepped_core_send_segment (target->core, target->pad, &feed->segment);
  return TRUE;
}

static gboolean
send_origin (RowFeed *feed, const Target *target, const gchar *text, GError **error)
{
  FuseEvent event = {.kind = FUSE_EVENT_ORIGIN };
  SessionOrigin origin;

  if (!session_origin_parse (&origin, text)) {
    FAULT (error, "%s: an origin that cannot be read: %s", feed->pad, text);
    return FALSE;
  }
  event.origin.time = origin.origin_ns;
  event.origin.is_first_row = origin.is_first_row;
  stepped_core_send (target->core, target->pad, &event);
  return TRUE;
}

static gboolean
send_mark (const Target *target, FuseEventKind kind)
{
  const FuseEvent event = {.kind = kind };

  stepped_core_send (target->core, target->pad, &event);
  return TRUE;
}

static gboolean
take_event (RowFeed *feed, Session *session, const Target *target, GError **error)
{
  SessionItem *item = next_item (feed, session, "an event", SESSION_LOST, error);
  gboolean is_good;

  if (!item)
    return FALSE;
  switch (item->kind) {
    case SESSION_CAPS:
      is_good = send_caps (feed, target, item->text, error);
      break;
    case SESSION_SEGMENT:
      is_good = send_segment (feed, target, item->text, error);
      break;
    case SESSION_ORIGIN:
      is_good = send_origin (feed, target, item->text, error);
      break;
    default:
      is_good = send_mark (target, item->kind == SESSION_FLUSH ? FUSE_EVENT_FLUSH : FUSE_EVENT_EOS);
      break;
  }
  session_item_free (item);
  return is_good;
}

/* ---- times ---- */

/* The position of a running time, as the recorded stream had it. */
static GstClockTime
position_of (const RowFeed *feed, gint64 running_ns)
{
  if (running_ns == SESSION_NO_TIME || running_ns < 0)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_position_from_running_time (&feed->segment, GST_FORMAT_TIME, (guint64) running_ns);
}

static gboolean
take_gap (RowFeed *feed, Session *session, const Target *target, GError **error)
{
  SessionItem *item = next_item (feed, session, "a GAP", SESSION_GAP, error);

  if (!item)
    return FALSE;
  stepped_core_send_gap (target->core, target->pad, position_of (feed, item->running_ns), fuse_clock_time_of (item->duration_ns));
  session_item_free (item);
  return TRUE;
}

/* ---- rows ---- */

/* Rows of one buffer, from messages of one or of several. */
typedef struct
{
  GstBuffer *buffer;            /* with the memory of values so far */
  GArray *times;                /* of gint64 positions; -1: outside the segment */
  guint64 n_rows;
  GstClockTime pts, duration;
  GArray *references;           /* of SessionReference */
} Block;

static guint64
rows_of_message (const RowFeed *feed, const SessionItem *item)
{
  if (!feed->is_block)
    return 1;
  return MAX (gst_memory_get_sizes (gst_buffer_peek_memory (item->buffer, 0), NULL, NULL) / feed->row_bytes, 1);
}

/* The position that row i of a buffer took from its PTS. */
static gint64
position_of_row (const RowFeed *feed, guint64 i)
{
  if (!GST_CLOCK_TIME_IS_VALID (feed->pts))
    return -1;
  return (gint64) (feed->pts + (GST_CLOCK_TIME_IS_VALID (feed->duration) ? gst_util_uint64_scale (feed->duration, i, feed->n_rows) : 0));
}

/* Times of the message's rows, where the fuse used others than theirs. */
static void
add_buffer_times (RowFeed *feed, Block *block, const SessionItem *item, guint64 n_rows)
{
  for (guint64 i = 0; i < n_rows; i++) {
    const gint64 time = position_of_row (feed, block->times->len);

    g_array_append_val (block->times, time);
    note_row (feed, (gint64) gst_segment_to_running_time (&feed->segment, GST_FORMAT_TIME, (guint64) time), item->number);
  }
}

/* Times of the message's rows: the time of the message, plus the times per row if it has them. */
static void
add_times (RowFeed *feed, Block *block, const SessionItem *item, guint64 n_rows)
{
  const GstClockTime first = position_of (feed, item->running_ns);
  GstMapInfo map = { NULL };
  GstMemory *offsets = item->has_row_times ? gst_buffer_peek_memory (item->buffer, 1) : NULL;

  if (offsets && !gst_memory_map (offsets, &map, GST_MAP_READ))
    offsets = NULL;
  for (guint64 i = 0; i < n_rows; i++) {
    gint64 later = 0, time;

    if (offsets)
      memcpy (&later, map.data + i * sizeof later, sizeof later);
    else if (n_rows > 1 && item->duration_ns > 0)
      later = (gint64) gst_util_uint64_scale ((guint64) item->duration_ns, i, n_rows);
    time = GST_CLOCK_TIME_IS_VALID (first) ? (gint64) first + later : -1;
    g_array_append_val (block->times, time);
    note_row (feed, item->running_ns == SESSION_NO_TIME ? SESSION_NO_TIME : item->running_ns + later, item->number);
  }
  if (offsets)
    gst_memory_unmap (offsets, &map);
}

static void
add_message (RowFeed *feed, Block *block, SessionItem *item)
{
  const guint64 n_rows = rows_of_message (feed, item);

  if (!block->buffer && !(feed->by_reference && block->references->len > 0)) {
    block->pts = position_of (feed, item->running_ns);
    block->duration = item->duration_ns >= 0 ? (GstClockTime) item->duration_ns : GST_CLOCK_TIME_NONE;
  }
  if (feed->ignores_row_times)
    add_buffer_times (feed, block, item, n_rows);
  else
    add_times (feed, block, item, n_rows);
  block->n_rows += n_rows;
  if (item->has_row_times)
    gst_buffer_remove_memory (item->buffer, 1);
  block->buffer = block->buffer ? gst_buffer_append (block->buffer, gst_buffer_ref (item->buffer)) : gst_buffer_ref (item->buffer);
}

static gboolean
collect_message (RowFeed *feed, Block *block, Session *session, GError **error)
{
  SessionItem *item = next_item (feed, session, "a row", SESSION_ROW, error);

  if (!item)
    return FALSE;
  add_message (feed, block, item);
  session_item_free (item);
  return TRUE;
}

/* FALSE and an error: the recording does not have that many rows. */
static gboolean
collect_rows (RowFeed *feed, Block *block, guint64 n, Session *session, GError **error)
{
  while (block->n_rows < n)
    if (!collect_message (feed, block, session, error))
      return FALSE;
  return TRUE;
}

/* ---- reference timestamps ---- */

static void
clear_reference (gpointer reference)
{
  gst_clear_caps (&((SessionReference *) reference)->caps);
}

/* FALSE and an error: the recording does not have it, or it cannot be read. */
static gboolean
collect_reference (RowFeed *feed, Block *block, Session *session, GError **error)
{
  SessionItem *item = next_item (feed, session, "a reference timestamp", SESSION_REFERENCE, error);
  SessionReference reference;
  const gboolean is_good = item && session_reference_parse (&reference, item->text);

  if (is_good) {
    reference.duration = item->duration_ns >= 0 ? (GstClockTime) item->duration_ns : GST_CLOCK_TIME_NONE;
    g_array_append_val (block->references, reference);
    /* the messages have other times where rows have their own */
    block->pts = position_of (feed, reference.pts_ns);
    block->duration = reference.duration;
  } else if (item) {
    FAULT (error, "%s: a reference timestamp that cannot be read: %s", feed->pad, item->text);
  }
  g_clear_pointer (&item, session_item_free);
  return is_good;
}

/* Whether the buffer of n rows that was taken in had reference timestamps. One without rows had those that are next, if they are of one
 * without messages. */
static gboolean
has_references (const RowFeed *feed, guint64 n, Session *session, GError **error)
{
  const gchar *text = feed->stream ? session_peek_text (session, feed->stream, SESSION_REFERENCE, error) : NULL;
  SessionReference reference = { 0 };
  gboolean has;

  if (!text || n > 0 || feed->by_reference)
    return text != NULL;
  has = session_reference_parse (&reference, text) && reference.messages == 0;
  gst_clear_caps (&reference.caps);
  return has;
}

/* Reads all references of a buffer, and the messages after them. FALSE and an error: they differ from the input of the fuse. */
static gboolean
collect_referenced (RowFeed *feed, Block *block, Session *session, GError **error)
{
  SessionReference first;

  if (!collect_reference (feed, block, session, error))
    return FALSE;
  first = g_array_index (block->references, SessionReference, 0);
  for (guint64 i = 1; i < first.references; i++)
    if (!collect_reference (feed, block, session, error))
      return FALSE;
  for (guint64 i = 0; i < first.messages; i++)
    if (!collect_message (feed, block, session, error))
      return FALSE;
  if (!feed->by_reference || first.dropped == 0)
    return TRUE;
  FAULT (error, "%s: rows outside their segment were received by their reference timestamps, but the recording lacks their values",
      feed->pad);
  return FALSE;
}

static void
add_references (GstBuffer *buffer, const Block *block)
{
  for (guint i = 0; i < block->references->len; i++) {
    const SessionReference *reference = &g_array_index (block->references, SessionReference, i);

    gst_buffer_add_reference_timestamp_meta (buffer, reference->caps, reference->time, reference->duration);
  }
}

/* ---- buffers ---- */

/* All of a buffer, whichever rows are in the segment by the times that the fuse used. FALSE and an error: the recording has not as many,
 * or not their times. */
static gboolean
collect_by_pts (RowFeed *feed, Block *block, Session *session, GError **error)
{
  if (!feed->has_buffer_times)
    FAULT (error, "%s had timestamp-source=pts and rows with times of their own: an older version recorded it, without PTS", feed->pad);
  else if (has_references (feed, feed->n_rows, session, error))
    collect_referenced (feed, block, session, error);
  else if (!*error)
    collect_rows (feed, block, feed->n_rows, session, error);
  if (!*error && block->n_rows < feed->n_rows)
    FAULT (error, "%s: rows outside their segment were received by PTS, but the recording lacks their values", feed->pad);
  block->pts = feed->pts;
  block->duration = feed->duration;
  feed->has_buffer_times = FALSE;
  return *error == NULL;
}

/* FALSE and an error: the recording lacks the data of a buffer of n rows. */
static gboolean
collect (RowFeed *feed, Block *block, guint64 n, Session *session, GError **error)
{
  if (feed->ignores_row_times)
    return collect_by_pts (feed, block, session, error);
  if (has_references (feed, n, session, error))
    return collect_referenced (feed, block, session, error);
  return !*error && collect_rows (feed, block, n, session, error);
}

/* One memory of values, and one of times. Rows outside the segment were not recorded: nobody sees their values. */
static GstBuffer *
make_block (const RowFeed *feed, const Block *block)
{
  const gsize bytes = feed->row_bytes * feed->n_rows;
  const gint64 outside = -1;
  guint8 *values = g_malloc0 (bytes);
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_extract (block->buffer, 0, values, bytes);
  while (block->times->len < feed->n_rows)
    g_array_append_val (block->times, outside);
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, values, bytes, 0, bytes, values, g_free));
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (block->times->data, feed->n_rows * sizeof (gint64)));
  GST_BUFFER_FLAGS (buffer) |= GST_BUFFER_FLAGS (block->buffer) & GST_BUFFER_FLAG_CORRUPTED;
  return buffer;
}

static gboolean
take_rows (RowFeed *feed, guint64 n, Session *session, const Target *target, GError **error)
{
  Block block = {.times = g_array_new (FALSE, FALSE, sizeof (gint64)),.references = g_array_new (FALSE, FALSE, sizeof (SessionReference)) };
  GstBuffer *buffer = NULL;
  gboolean is_good;

  g_array_set_clear_func (block.references, clear_reference);
  is_good = collect (feed, &block, n, session, error);

  if (is_good && block.n_rows > feed->n_rows) {
    FAULT (error, "%s: a buffer of %" G_GUINT64_FORMAT " rows, but caps have %" G_GUINT64_FORMAT, feed->pad, block.n_rows, feed->n_rows);
    is_good = FALSE;
  }
  if (is_good && block.buffer) {
    buffer = feed->is_block ? make_block (feed, &block) : gst_buffer_make_writable (g_steal_pointer (&block.buffer));
    GST_BUFFER_PTS (buffer) = block.pts;
    GST_BUFFER_DURATION (buffer) = block.duration;
    add_references (buffer, &block);
    is_good = stepped_core_insert (target->core, target->pad, g_steal_pointer (&buffer), error);
  }
  gst_clear_buffer (&block.buffer);
  g_array_unref (block.times);
  g_array_unref (block.references);
  return is_good;
}

void
row_feed_set_buffer_times (RowFeed *feed, const FuseJournalEntry *entry)
{
  feed->has_buffer_times = TRUE;
  feed->pts = entry->time < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) entry->time;
  feed->duration = entry->n < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) entry->n;
}

gboolean
row_feed_take (RowFeed *feed, const FuseJournalEntry *entry, Session *session, SteppedCore *core, GError **error)
{
  const Target target = { core, stepped_core_pad (core, feed->pad) };

  if (!target.pad) {
    FAULT (error, "the journal has pad %s, but the settings do not", feed->pad);
    return FALSE;
  }
  switch (entry->kind) {
    case FUSE_JOURNAL_ROWS:
      return take_rows (feed, (guint64) entry->n, session, &target, error);
    case FUSE_JOURNAL_GAP:
      return take_gap (feed, session, &target, error);
    default:
      return take_event (feed, session, &target, error);
  }
}
