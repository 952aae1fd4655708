/* robocache: a fuzzer of message definitions and of messages
 *
 * A byte chooses fields, two are the length of the definition, which follows, and the rest is messages, each behind two bytes of its
 * length. A message that is decoded gives the same row again, and places of its fields lie in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "common/ros/fieldlocator.h"
#include "common/ros/rowdecoder.h"

#define MAX_MESSAGES 16

static const gchar *const field_choices[] = { NULL, "*", "x", "pose.*,data[?]", "*stamp*", "data", "a.b,c[1].d" };

static const gchar *const paths[] = { "header.stamp.sec", "header.stamp.nanosec", "header.frame_id", "name", "position", "data",
  "pose.pose.orientation", "x", "a", "a.b", "fields", "is_bigendian"
};

/* The row of a message as bytes; NULL: it has none. */
static GBytes *
decode (RobocacheRowDecoder *decoder, const guint8 *message, gsize size)
{
  const RobocacheRowChannels *channels = robocache_row_decoder_channels (decoder);
  RobocacheCdrReader reader;
  GError *error = NULL;
  gconstpointer values;

  robocache_cdr_reader_init (&reader, message, size);
  values = robocache_row_decoder_run (decoder, &reader, &error);
  if ((values == NULL) != (error != NULL))
    fuzz_fail ("a message has %s row and %s error", values ? "a" : "no", error ? "an" : "no");
  g_clear_error (&error);
  if (!values)
    return NULL;
  /* every name, too */
  for (guint i = 0; i < channels->n; i++) {
    if (*channels->names[i] == '\0')
      fuzz_fail ("channel %u has no name", i);
  }
  return g_bytes_new (values, channels->n * rc_dtype_size (channels->dtype));
}

static void
decode_twice (RobocacheRowDecoder *decoder, const guint8 *message, gsize size)
{
  const RobocacheRowChannels *channels = robocache_row_decoder_channels (decoder);
  GBytes *row = decode (decoder, message, size), *again;
  const guint generation = channels->generation;

  if (!row)
    return;
  again = decode (decoder, message, size);
  if (!again || !g_bytes_equal (row, again))
    fuzz_fail ("a message has two rows");
  if (channels->n > 0 && channels->generation != generation)
    fuzz_fail ("the same channels are new ones");
  g_bytes_unref (again);
  g_bytes_unref (row);
}

/* One that has seen other messages finds what one finds that has not. */
static void
check_places (const RobocacheRosSchema *schema, RobocacheFieldLocator *locator, const guint8 *message, gsize size)
{
  RobocacheFieldLocator *fresh = robocache_field_locator_new (schema, 0, paths, G_N_ELEMENTS (paths));
  RobocacheRosPlace places[G_N_ELEMENTS (paths)], again[G_N_ELEMENTS (paths)];
  RobocacheCdrReader reader, other;
  gboolean is_whole;

  robocache_cdr_reader_init (&reader, message, size);
  other = reader;
  is_whole = robocache_field_locator_run (locator, &reader, FALSE, places);
  if (is_whole != robocache_field_locator_run (fresh, &other, FALSE, again) || reader.offset != other.offset
      || (is_whole && memcmp (places, again, sizeof (places)) != 0))
    fuzz_fail ("places depend on the messages before");
  robocache_field_locator_free (fresh);
  if (!is_whole)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    if (places[i].offset > reader.size || places[i].count > reader.size)
      fuzz_fail ("%s lies at %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes", paths[i], places[i].offset, reader.size);
  }
}

static void
read_messages (const RobocacheRosSchema *schema, const gchar *fields, Input *input)
{
  RobocacheFieldLocator *locator = robocache_field_locator_new (schema, 0, paths, G_N_ELEMENTS (paths));
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (schema, fields, NULL);

  for (guint i = 0; i < MAX_MESSAGES && !input_is_empty (input); i++) {
    gsize size;
    guint8 *message = input_exact (input, &size);

    check_places (schema, locator, message, size);
    if (decoder)
      decode_twice (decoder, message, size);
    g_free (message);
  }
  robocache_row_decoder_free (decoder);
  robocache_field_locator_free (locator);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  Input input = { bytes, n };
  const gchar *fields = input_pick (&input, field_choices);
  gsize length;
  guint8 *text = input_exact (&input, &length);
  GError *error = NULL;
  const gchar *name = length > 0 && text[0] == '=' ? "a/srv/S_Event" : "a/msg/T";
  RobocacheRosSchema *schema = robocache_ros_schema_parse (name, (const gchar *) text, length, &error);

  if (schema)
    read_messages (schema, fields, &input);
  else if (!g_utf8_validate (error->message, -1, NULL))
    fuzz_fail ("an error is no UTF-8");
  g_clear_error (&error);
  robocache_ros_schema_free (schema);
  g_free (text);
  return 0;
}
