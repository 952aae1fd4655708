/* robocache: the messages of a recording that say what robocachefuse did, and what happened to its streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessionmessages.h"

#include <string.h>

#include "common/ros/cdr.h"
#include "common/ros/definitions.h"
#include "examples/tools/program.h"

#define MIN_TICK_STREAM_BYTES 54
#define NUMBERS_OF_ENTRY 4

static gint64
read_int64 (RobocacheCdrReader *reader)
{
  gint64 value;

  robocache_cdr_read_number (reader, sizeof value, &value);
  return value;
}

static gchar *
read_text (RobocacheCdrReader *reader)
{
  guint32 length;

  return g_utf8_make_valid (robocache_cdr_read_string (reader, &length), -1);
}

/* The stamp. */
static gint64
read_header (RobocacheCdrReader *reader)
{
  const gint64 seconds = robocache_cdr_read_int32 (reader), nanoseconds = robocache_cdr_read_uint32 (reader);

  g_free (read_text (reader));
  return seconds * (gint64) GST_SECOND + nanoseconds;
}

/* ---- events ---- */

gboolean
session_event_read (SessionEvent *event, RobocacheMcapBytes message, GError **error)
{
  RobocacheCdrReader reader;

  robocache_cdr_reader_init (&reader, message.data, message.size);
  event->stamp_ns = read_header (&reader);
  event->kind = read_text (&reader);
  event->topic = read_text (&reader);
  robocache_cdr_read_uint32 (&reader);  /* messages before it, which are before it in the file, too */
  event->duration_ns = read_int64 (&reader);
  event->text = read_text (&reader);
  if (robocache_cdr_reader_check (&reader, error))
    return TRUE;
  session_event_clear (event);
  return FALSE;
}

void
session_event_clear (SessionEvent *event)
{
  g_clear_pointer (&event->kind, g_free);
  g_clear_pointer (&event->topic, g_free);
  g_clear_pointer (&event->text, g_free);
}

static void
set_time (GstClockTime *field, const gchar *number)
{
  const gint64 value = g_ascii_strtoll (number, NULL, 10);

  *field = value < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) value;
}

static void
set_field (GstSegment *segment, const gchar *key, const gchar *value)
{
  const struct
  {
    const gchar *key;
    GstClockTime *field;
  } times[] = { {"start", &segment->start}, {"stop", &segment->stop}, {"time", &segment->time}, {"base", &segment->base},
  {"offset", &segment->offset}
  };

  if (g_str_equal (key, "rate"))
    segment->rate = segment->applied_rate = g_ascii_strtod (value, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    if (g_str_equal (key, times[i].key))
      set_time (times[i].field, value);
}

gboolean
session_segment_parse (GstSegment *segment, const gchar *text)
{
  gchar **fields = g_strsplit (text, " ", -1);
  gboolean is_time = FALSE;

  gst_segment_init (segment, GST_FORMAT_TIME);
  for (gchar **field = fields; *field; field++) {
    gchar *value = strchr (*field, '=');

    if (!value)
      continue;
    *value++ = '\0';
    is_time |= g_str_equal (*field, "format") && g_str_equal (value, "time");
    set_field (segment, *field, value);
  }
  segment->applied_rate = 1.0;
  g_strfreev (fields);
  return is_time;
}

/* Reads the number of "key=" in a text of such pairs. FALSE: no such key. */
static gboolean
find_number (const gchar *text, const gchar *key, gint64 *value)
{
  const gchar *found = strstr (text, key);

  if (!found || (found > text && found[-1] != ' '))
    return FALSE;
  *value = g_ascii_strtoll (found + strlen (key), NULL, 10);
  return TRUE;
}

gboolean
session_origin_parse (SessionOrigin *origin, const gchar *text)
{
  origin->is_first_row = strstr (text, "first-row=true") != NULL;
  return find_number (text, "origin=", &origin->origin_ns) && find_number (text, "shift=", &origin->shift_ns);
}

gboolean
session_reference_parse (SessionReference *reference, const gchar *text)
{
  const gchar *time = strstr (text, " time="), *caps = strstr (text, " caps=");
  gint64 number, references, messages, dropped;

  if (!time || !caps || !find_number (text, "number=", &number) || !find_number (text, "references=", &references)
      || !find_number (text, "messages=", &messages) || !find_number (text, "dropped=", &dropped)
      || !find_number (text, "pts=", &reference->pts_ns))
    return FALSE;
  reference->number = (guint64) number;
  reference->references = (guint64) references;
  reference->messages = (guint64) messages;
  reference->dropped = (guint64) dropped;
  reference->time = g_ascii_strtoull (time + strlen (" time="), NULL, 10);
  reference->caps = gst_caps_from_string (caps + strlen (" caps="));
  return reference->caps != NULL;
}

/* ---- ticks ---- */

static void
read_stream (RobocacheCdrReader *reader, SessionTickInfo *info)
{
  gchar *name = read_text (reader);
  SessionTickStream stream = { name, read_int64 (reader), read_int64 (reader), 0, 0, 0, 0 };

  read_int64 (reader);          /* the age, which follows from the others */
  stream.status = robocache_cdr_read_uint8 (reader);
  stream.rows = read_int64 (reader);
  stream.gaps = read_int64 (reader);
  stream.events = read_int64 (reader);
  g_ptr_array_add (info->names, name);
  g_array_append_val (info->streams, stream);
}

static void
read_streams (RobocacheCdrReader *reader, SessionTickInfo *info)
{
  const guint32 n = robocache_cdr_read_count (reader, MIN_TICK_STREAM_BYTES, 0);

  for (guint32 i = 0; i < n; i++)
    read_stream (reader, info);
  info->n_streams = info->window > 0 ? n / info->window : 0;
}

static void
read_journal (RobocacheCdrReader *reader, SessionTickInfo *info)
{
  gchar *pads;
  guint32 n;
  const guint8 *numbers;

  info->journal_start = read_int64 (reader);
  pads = read_text (reader);
  info->pads = g_strsplit (pads, ",", -1);
  g_free (pads);
  n = robocache_cdr_read_count (reader, sizeof (gint64), 0);
  numbers = robocache_cdr_read_array (reader, sizeof (gint64), n);
  g_array_set_size (info->journal, n / NUMBERS_OF_ENTRY);
  if (numbers)
    robocache_cdr_copy_numbers (reader, info->journal->data, numbers, sizeof (gint64), info->journal->len * NUMBERS_OF_ENTRY);
}

static gboolean
is_of_pad (const FuseJournalEntry *entry)
{
  return entry->kind <= FUSE_JOURNAL_EVENT || entry->kind == FUSE_JOURNAL_PTS;
}

/* FALSE and an error: an entry is of no pad. */
static gboolean
check_journal (const SessionTickInfo *info, GError **error)
{
  const gint64 n_pads = g_strv_length (info->pads);

  for (guint i = 0; i < info->journal->len; i++) {
    const FuseJournalEntry *entry = &g_array_index (info->journal, FuseJournalEntry, i);

    if (entry->kind >= FUSE_JOURNAL_ROWS && entry->kind <= FUSE_JOURNAL_PTS && (!is_of_pad (entry) || (entry->pad >= 0 && entry->pad < n_pads)))
      continue;
    FAULT (error, "entry %u of a journal is damaged: kind %" G_GINT64_FORMAT " of pad %" G_GINT64_FORMAT, i, entry->kind, entry->pad);
    return FALSE;
  }
  return TRUE;
}

SessionTickInfo *
session_tick_info_read (RobocacheMcapBytes message, GError **error)
{
  SessionTickInfo *info = g_new0 (SessionTickInfo, 1);
  RobocacheCdrReader reader;

  info->names = g_ptr_array_new_with_free_func (g_free);
  info->streams = g_array_new (FALSE, FALSE, sizeof (SessionTickStream));
  info->journal = g_array_new (FALSE, FALSE, sizeof (FuseJournalEntry));
  robocache_cdr_reader_init (&reader, message.data, message.size);
  read_header (&reader);
  info->tick_ns = read_int64 (&reader);
  info->decided_ns = read_int64 (&reader);
  info->window = robocache_cdr_read_uint32 (&reader);
  read_streams (&reader, info);
  read_journal (&reader, info);
  if (robocache_cdr_reader_check (&reader, error) && check_journal (info, error))
    return info;
  session_tick_info_free (info);
  return NULL;
}

void
session_tick_info_free (SessionTickInfo *info)
{
  g_array_unref (info->streams);
  g_array_unref (info->journal);
  g_ptr_array_unref (info->names);
  g_strfreev (info->pads);
  g_free (info);
}

/* ---- schemas ---- */

gboolean
session_check_schema (const RobocacheMcapSchemaInfo *schema, GError **error)
{
  gchar *ours = robocache_ros_schema_text (schema->name);
  const gboolean is_ours = ours && strlen (ours) == schema->size && memcmp (ours, schema->data, schema->size) == 0;

  g_free (ours);
  if (!is_ours)
    FAULT (error, "messages of %s have other fields than this version writes: replay with the version that recorded", schema->name);
  return is_ours;
}
