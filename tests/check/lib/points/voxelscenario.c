/* robocache: scenarios of elements of voxels as lines of words: those of scenario.h, and more
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/voxelscenario.h"

static void
append_number (GByteArray *bytes, const gchar *type, const gchar *text)
{
  const gdouble real = g_ascii_strtod (text, NULL);
  const gfloat single = (gfloat) real;
  const gint64 whole = type[0] == 'f' ? 0 : (gint64) real;
  const guint size = (guint) atoi (type + 1) / 8;
  const void *data = type[0] != 'f' ? (const void *) &whole : size == 4 ? (const void *) &single : (const void *) &real;

  g_byte_array_append (bytes, data, size);
}

static void
append_zeros (GByteArray *bytes, gsize n)
{
  guint8 *zeros = g_malloc0 (n + 1);    /* an empty tensor has no data to clear */

  g_byte_array_append (bytes, zeros, (guint) n);
  g_free (zeros);
}

GByteArray *
parse_tensor (const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1), *bracket = strchr (words[0], '[');
  GByteArray *bytes = g_byte_array_new (), *value = g_byte_array_new ();
  gsize at_byte = 0;
  guint size;

  append_number (value, words[0], "0");
  size = value->len;
  append_zeros (bytes, size * (gsize) atoi (bracket + 1));
  for (guint i = 1; words[i]; i++) {
    const gsize end = g_str_equal (words[i], "...") ? bytes->len : at_byte + size;

    if (words[i][0] == '@') {
      at_byte = size * (gsize) atoi (words[i] + 1);
      continue;
    }
    if (!g_str_equal (words[i], "...")) {
      g_byte_array_set_size (value, 0);
      append_number (value, words[0], words[i]);
    }
    fail_unless (end <= bytes->len, "%s", text);
    for (; at_byte < end; at_byte += size)
      memcpy (bytes->data + at_byte, value->data, size);
  }
  g_byte_array_unref (value);
  g_strfreev (words);
  return bytes;
}

static GByteArray *
parse_numbers (const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1);
  GByteArray *bytes = g_byte_array_new ();
  const gchar *type = "f32";

  for (gchar **word = words; *word; word++) {
    if (strchr ("iuf", **word) && g_ascii_isdigit ((*word)[1]))
      type = *word;
    else
      append_number (bytes, type, *word);
  }
  g_strfreev (words);
  return bytes;
}

GstBuffer *
parse_buffer (const gchar *text)
{
  gchar **memories = g_strsplit (text, "&", -1);
  GstBuffer *buffer = gst_buffer_new ();

  for (gchar **memory = memories; *memory; memory++) {
    gchar **parts = g_strsplit (*memory, "|", -1);
    GByteArray *all = g_byte_array_new ();

    for (gchar **part = parts; *part; part++) {
      GByteArray *bytes = strchr (*part, '[') ? parse_tensor (*part) : parse_numbers (*part);

      g_byte_array_append (all, bytes->data, bytes->len);
      g_byte_array_unref (bytes);
    }
    if (all->len > 0)
      buffer = gst_buffer_append (buffer, untimed_buffer (all->data, all->len));
    g_byte_array_unref (all);
    g_strfreev (parts);
  }
  g_strfreev (memories);
  return buffer;
}

/* "FORMAT,WIDTH,OFFSET,STRIDE" of two lines */
static void
add_meta (GstBuffer *buffer, const gchar *text)
{
  gchar **words = g_strsplit (text, ",", 4);
  gsize offset[GST_VIDEO_MAX_PLANES] = { (gsize) atoi (words[2]) };
  gint stride[GST_VIDEO_MAX_PLANES] = { atoi (words[3]) };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, gst_video_format_from_string (words[0]),
      (guint) atoi (words[1]), 2, 1, offset, stride);
  g_strfreev (words);
}

static GstBuffer *
read_data (Scenario *s, const gchar *text)
{
  VoxelScenario *scenario = (VoxelScenario *) s;
  const gchar *colon = strchr (text, ':');
  GstBuffer *buffer = parse_buffer (colon ? colon + 1 + strspn (colon + 1, " ") : text);

  scenario->pts = colon ? time_of (s, text) : GST_CLOCK_TIME_NONE;
  if (scenario->meta)
    add_meta (buffer, scenario->meta);
  g_clear_pointer (&scenario->meta, g_free);
  return colon ? at (buffer, scenario->pts) : buffer;
}

static void
expect_output_of (VoxelScenario *scenario, const gchar *outcome)
{
  GstBuffer *output = gst_harness_try_pull (scenario->s.h);

  expect_in (&scenario->s, output != NULL, "there is no output");
  expect_int_in (&scenario->s, (gint64) GST_BUFFER_PTS (output), (gint64) scenario->pts);
  scenario->expect_output (scenario->s.h, output, outcome);
  gst_buffer_unref (output);
}

/* FORMAT,START,BASE,POSITION */
static void
pass_segment (Scenario *s, const gchar *text)
{
  gchar **numbers = g_strsplit (text, ",", 4);
  GstSegment segment;
  GstEvent *event, *got;

  gst_segment_init (&segment, g_str_equal (numbers[0], "bytes") ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
  segment.start = segment.time = (guint64) atoi (numbers[1]) * GST_SECOND;
  segment.base = (guint64) atoi (numbers[2]) * GST_SECOND;
  segment.position = (guint64) atoi (numbers[3]) * GST_SECOND;
  event = gst_event_new_segment (&segment);
  gst_harness_push_event (s->h, gst_event_ref (event));
  while ((got = pull_event (s->h, GST_EVENT_SEGMENT)) && got != event)
    gst_event_unref (got);
  expect_in (s, got != NULL, "it is not passed on");
  gst_event_unref (got);
  gst_event_unref (event);
  g_strfreev (numbers);
}

/* N[,FIELD=N] */
static void
expect_element_messages (Scenario *s, const gchar *text)
{
  gchar **parts = g_strsplit_set (text, ",=", 3);
  GstMessage *message;
  guint64 value = 0;
  guint n = 0;

  for (; (message = pop_message (s->h, GST_MESSAGE_ELEMENT)) != NULL; n++) {
    expect_in (s, gst_message_has_name (message, GST_OBJECT_NAME (gst_element_get_factory (s->h->element))), "another name");
    if (parts[1])
      gst_structure_get_uint64 (gst_message_get_structure (message), parts[1], &value);
    gst_message_unref (message);
  }
  expect_int_in (s, n, atoi (parts[0]));
  expect_int_in (s, (gint64) value, parts[1] ? atoi (parts[2]) : 0);
  g_strfreev (parts);
}

/* NAME=VALUE */
static void
expect_property (Scenario *s, const gchar *text)
{
  gchar **pair = g_strsplit (text, "=", 2), *got_text = property_text (s->h->element, pair[0]);
  const GType type = g_object_class_find_property (G_OBJECT_GET_CLASS (s->h->element), pair[0])->value_type;
  GValue got = G_VALUE_INIT, wanted = G_VALUE_INIT;

  g_value_init (&got, type);
  g_value_init (&wanted, type);
  g_object_get_property (G_OBJECT (s->h->element), pair[0], &got);
  expect_in (s, gst_value_deserialize (&wanted, pair[1]) && gst_value_compare (&got, &wanted) == GST_VALUE_EQUAL, "it is %s",
      got_text);
  g_value_unset (&got);
  g_value_unset (&wanted);
  g_free (got_text);
  g_strfreev (pair);
}

/* WORDS of the next error's debug text */
static void
expect_debug_text (Scenario *s, const gchar *words)
{
  GstMessage *message = pop_message (s->h, GST_MESSAGE_ERROR);
  gchar *debug = NULL;

  expect_in (s, message != NULL, "there is no error");
  gst_message_parse_error (message, NULL, &debug);
  expect_in (s, debug && strstr (debug, words), "it is %s", debug);
  g_free (debug);
  gst_message_unref (message);
}

static gboolean
follow_voxel_word (Scenario *s, const gchar *word)
{
  const gchar *rest = strchr (word, ':') ? strchr (word, ':') + 1 : "";

  if (*word == '=')
    expect_output_of ((VoxelScenario *) s, word + 1);
  else if (g_str_has_prefix (word, "is:"))
    expect_property (s, rest);
  else if (g_str_has_prefix (word, "debug:"))
    expect_debug_text (s, rest);
  else if (g_str_has_prefix (word, "out:"))
    expect_output_caps (s->h, rest);
  else if (g_str_has_prefix (word, "messages:"))
    expect_element_messages (s, rest);
  else if (g_str_has_prefix (word, "segment:"))
    pass_segment (s, rest);
  else if (g_str_has_prefix (word, "meta:"))
    ((VoxelScenario *) s)->meta = g_strdup (rest);
  else
    return FALSE;
  return TRUE;
}

void
voxel_scenario_run (GstHarness *h, const gchar *line, void (*expect_output) (GstHarness *, GstBuffer *, const gchar *))
{
  VoxelScenario scenario = {.s = {.h = h,.name = line,.input = read_data,.extra = follow_voxel_word} };

  scenario.expect_output = expect_output;
  scenario_run (&scenario.s, line);
  expect_int_in (&scenario.s, gst_harness_buffers_in_queue (h), 0);
}
