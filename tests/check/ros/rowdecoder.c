/* robocache: numbers of any message as named channels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/rowdecoder.h"

#include <string.h>

#include "common/element/errors.h"
#include "tests/check/lib/messagetext.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/memorylimit.h"

#define BREAK "\n===\nMSG: "
#define POINT BREAK "a/P\nfloat64 x\nfloat64 y"
#define LE "00010000"
#define BE "00000000"
#define ONE "000000000000f03f"
#define TWO "0000000000000040"

/* A message and its row: "name=value ...: dtype". */
static const struct
{
  const gchar *schema, *fields, *hex, *row, *error, *skipped;
} rows[] = {
  {"float64 x\nfloat64 y", NULL, LE ONE TWO, "x=1 y=2: float64"},
  {"float64 x\nfloat64 y", NULL, BE "3ff0000000000000 4000000000000000", "x=1 y=2: float64"},
  {"float32[2] x", NULL, LE "0000803f 00000040", "x[0]=1 x[1]=2: float32"},
  {"float32[] x", NULL, LE "02000000 0000803f 00000040", "x[0]=1 x[1]=2: float32"},
  {"float32[<=2] x", NULL, LE "01000000 0000803f", "x[0]=1: float32"},
  {"float32[] x", NULL, LE "00000000", ": float32"},
  /* types within types, and what is left out */
  {"P p\nfloat64 z" POINT, NULL, LE ONE TWO ONE, "p.x=1 p.y=2 z=1: float64"},
  {"P[2] p" POINT, NULL, LE ONE TWO TWO ONE, "p[0].x=1 p[0].y=2 p[1].x=2 p[1].y=1: float64"},
  {"P[] p\nint8 z" POINT, NULL, LE "0100000000000000" ONE TWO "05", "p[0].x=1 p[0].y=2 z=5: float64"},
  {"P[] p\nint8 z" POINT, NULL, LE "00000000 05", "z=5: int8"},
  {"string s\nint8 z", NULL, LE "03000000 616200 05", "z=5: int8", NULL, "s"},
  {"string[] s\nint8 z", NULL, LE "02000000 02000000 6100 0000 01000000 00 05", "z=5: int8", NULL, "s[]"},
  {"std_msgs/Header header\nint8 z", NULL, LE "01000000 02000000 02000000 6100 05", "z=5: int8", NULL, "header"},
  {"builtin_interfaces/Duration d\nbuiltin_interfaces/Time t\nint8 z", NULL, LE "01000000 02000000 01000000 02000000 05", "z=5: int8",
        NULL, "d t"},
  {"uint8[] data\nint8 z", NULL, LE "02000000 0102 05", "z=5: int8", NULL, "data[]"},
  {"bool[] data\nint8 z", NULL, LE "02000000 0100 05", "data[0]=1 data[1]=0 z=5: int16"},
  {"float32 z\nfloat64[9] z_covariance", NULL, LE "0000803f", "z=1: float32", NULL, "z_covariance[]"},
  {"int8 a\nE e\nint8 b" BREAK "a/E\n# empty", NULL, LE "01 00 02", "a=1 b=2: int8"},
  {"int8 a\nE[] e\nint8 b" BREAK "a/E\n# empty", NULL, LE "01 000000 02000000 0000 02", "a=1 b=2: int8"},
  /* behind the last number nothing is read */
  {"int8 a\nwstring w", NULL, LE "01", "a=1: int8", NULL, "w"},
  {"wstring w\nint8 a", NULL, LE "01000000 61000000 01", NULL, "wstring"},
  /* chosen fields */
  {"P p\nfloat64 z" POINT, "p.y", LE ONE TWO ONE, "p.y=2: float64", NULL, "p.x z"},
  {"P p\nfloat64 z" POINT, "p", LE ONE TWO ONE, "p.x=1 p.y=2: float64"},
  {"P p\nfloat64 z" POINT, " z , p.x ", LE ONE TWO ONE, "p.x=1 z=1: float64"},
  {"P p\nfloat64 z" POINT, "*", LE ONE TWO ONE, "p.x=1 p.y=2 z=1: float64"},
  {"P p\nfloat64 z" POINT, "?", LE ONE TWO ONE, "p.x=1 p.y=2 z=1: float64"},
  {"P p\nfloat64 z" POINT, "*.y", LE ONE TWO ONE, "p.y=2: float64"},
  {"P[2] p" POINT, "p[1]", LE ONE TWO TWO ONE, "p[1].x=2 p[1].y=1: float64"},
  {"P[2] p" POINT, "p[*].y", LE ONE TWO TWO ONE, "p[0].y=2 p[1].y=1: float64"},
  {"P[2] p" POINT, "p[1].x", LE ONE TWO TWO ONE, "p[1].x=2: float64"},
  {"uint8[] data", "data", LE "02000000 0102", "data[0]=1 data[1]=2: uint8"},
  {"uint8[] data", "data[1]", LE "02000000 0102", "data[1]=2: uint8"},
  {"uint8[] data", "data[2]", LE "02000000 0102", ": float32"},
  {"std_msgs/Header header\nint8 z", "*sec", LE "01000000 02000000 02000000 6100 05", "header.stamp.sec=1 header.stamp.nanosec=2: "
        "int64"},
  {"float64 x\nfloat64 y", "z", LE, NULL, "fields=z selects no numeric field of a/T"},
  {"string x", NULL, LE, NULL, "a/T has no numeric field"},
  {"string x", "x", LE, NULL, "fields=x selects no numeric field"},
  {"", NULL, LE, NULL, "no numeric field"},
  /* dtypes that hold all */
  {"bool a\nbool b", NULL, LE "0100", "a=1 b=0: uint8"},
  {"uint8 a\nint8 b", NULL, LE "ffff", "a=255 b=-1: int16"},
  {"uint16 a\nint8 b", NULL, LE "ffffff", "a=65535 b=-1: int32"},
  {"uint8 a\nuint32 b", NULL, LE "ff000000 ffffffff", "a=255 b=4294967295: uint32"},
  {"uint32 a\nint32 b", NULL, LE "ffffffff ffffffff", "a=4294967295 b=-1: int64"},
  {"uint64 a\nuint8 b", NULL, LE "ffffffffffffffff ff", "a=18446744073709551615 b=255: uint64"},
  {"uint64 a\nint8 b", NULL, LE "0000000000000080 ff", "a=9.2233720368547758e+18 b=-1: float64, rounded"},
  {"int64 a\nfloat32 b", NULL, LE "ffffffffffffffff 0000803f", "a=-1 b=1: float64, rounded"},
  {"int16 a\nfloat32 b", NULL, LE "ffff0000 0000803f", "a=-1 b=1: float32"},
  {"int32 a\nfloat32 b", NULL, LE "ffffffff 0000803f", "a=-1 b=1: float64"},
  {"float32 a\nfloat64 b", NULL, LE "0000803f 00000000" TWO, "a=1 b=2: float64"},
  {"uint16 a\nfloat32 b", NULL, BE "ffff0000 3f800000", "a=65535 b=1: float32"},
  /* faults */
  {"float64 x\nfloat64 y", NULL, LE ONE, NULL, "at byte 12 of the message"},
  {"P[4000000000] p" POINT, NULL, LE ONE TWO, NULL, "ends within an array"},
  {"float64[4000000000] p", NULL, LE ONE TWO, NULL, "ends within an array"},
  {"P[] p" POINT, NULL, LE "ffffffff" ONE TWO, NULL, "more items"},
  {"E[4000000000] p\nint8 a" BREAK "a/E", NULL, LE "01", NULL, "ends within an array"},
};

static gchar *
decode (RobocacheRowDecoder *decoder, const gchar *hex, GError **error)
{
  GByteArray *bytes = bytes_of_hex (hex);
  guint8 *exact = g_memdup (bytes->data, bytes->len);
  RobocacheCdrReader reader;
  gconstpointer values;
  gchar *row;

  robocache_cdr_reader_init (&reader, exact, bytes->len);
  values = robocache_row_decoder_run (decoder, &reader, error);
  row = values ? row_to_string (robocache_row_decoder_channels (decoder), values) : NULL;
  g_free (exact);
  g_byte_array_unref (bytes);
  return row;
}

static RobocacheRosSchema *
schema_of (const gchar *text)
{
  GError *error = NULL;
  RobocacheRosSchema *schema = robocache_ros_schema_parse ("a/msg/T", text, strlen (text), &error);

  fail_unless (schema != NULL, "%s", error ? error->message : "");
  return schema;
}

GST_START_TEST (test_rows)
{
  RobocacheRosSchema *schema = schema_of (rows[__i__].schema);
  GError *error = NULL;
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (schema, rows[__i__].fields, &error);
  gchar *row, *skipped;

  /* each message alike, whether its channels are new or not */
  for (guint round = 0; round < 3 && decoder && !error; round++) {
    row = decode (decoder, rows[__i__].hex, &error);
    fail_unless_equals_string (row, rows[__i__].row);
    g_free (row);
  }
  fail_unless_equals_int (error == NULL, rows[__i__].error == NULL);
  if (error) {
    fail_unless (strstr (error->message, rows[__i__].error) != NULL, "\"%s\" lacks \"%s\"", error->message, rows[__i__].error);
    g_error_free (error);
  }
  if (rows[__i__].skipped) {
    skipped = g_strjoinv (" ", (gchar **) robocache_row_decoder_skipped (decoder));
    fail_unless_equals_string (skipped, rows[__i__].skipped);
    g_free (skipped);
  }
  robocache_row_decoder_free (decoder);
  robocache_ros_schema_free (schema);
}

GST_END_TEST;

/* ---- messages one after another ---- */

static const struct
{
  const gchar *hex, *row;
  guint generation;
} messages[] = {
  {LE "01000000 0000803f 05", "x[0]=1 z=5: float32", 1},
  {LE "01000000 00000040 06", "x[0]=2 z=6: float32", 1},
  {LE "02000000 0000803f 00000040 05", "x[0]=1 x[1]=2 z=5: float32", 2},
  {LE "02000000 00000040 0000803f 05", "x[0]=2 x[1]=1 z=5: float32", 2},
  {LE "00000000 05", "z=5: int8", 3},
  /* a fault costs the message alone */
  {LE "01000000 0000", NULL, 3},
  {LE "00000000 06", "z=6: int8", 3},
  {LE "00000000", NULL, 3},
  {BE "00000001 3f800000 05", "x[0]=1 z=5: float32", 4},
  {LE "02000000 0000803f 00000040", NULL, 5},
  {LE "02000000 0000803f 00000040 05", "x[0]=1 x[1]=2 z=5: float32", 6},
};

GST_START_TEST (test_changes)
{
  RobocacheRosSchema *schema = schema_of ("float32[] x\nint8 z");
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (schema, NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (messages); i++) {
    gchar *row = decode (decoder, messages[i].hex, NULL);

    fail_unless_equals_string (row, messages[i].row);
    fail_unless_equals_int (robocache_row_decoder_channels (decoder)->generation, messages[i].generation);
    g_free (row);
  }
  robocache_row_decoder_free (decoder);
  robocache_ros_schema_free (schema);
}

GST_END_TEST;

/* ---- limits ---- */

/* A schema that unfolds to 2^40 fields. */
static gchar *
unfolding_schema (guint levels)
{
  GString *text = g_string_new ("T1 a\nT1 b");

  for (guint i = 1; i < levels; i++)
    g_string_append_printf (text, BREAK "a/T%u\nT%u a\nT%u b", i, i + 1, i + 1);
  g_string_append_printf (text, BREAK "a/T%u\nint8 a", levels);
  return g_string_free (text, FALSE);
}

static const struct
{
  guint levels;
  const gchar *fields;
  gboolean is_possible;
} unfoldings[] = { {10, NULL, TRUE}, {40, NULL, FALSE}, {40, "*", FALSE}, {40, "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."
        "a.a.a.a.a.a.a.a.a.a.a.a.a", TRUE} };

GST_START_TEST (test_unfolding)
{
  gchar *text = unfolding_schema (unfoldings[__i__].levels);
  RobocacheRosSchema *schema = schema_of (text);
  GError *error = NULL;
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (schema, unfoldings[__i__].fields, &error);

  fail_unless_equals_int (decoder != NULL, unfoldings[__i__].is_possible);
  if (error)
    fail_unless (strstr (error->message, "more than 65535 fields") != NULL, "%s", error->message);
  g_clear_error (&error);
  robocache_row_decoder_free (decoder);
  robocache_ros_schema_free (schema);
  g_free (text);
}

GST_END_TEST;

static const struct
{
  guint32 n;
  gsize name_length;
  gboolean fits;
} many[] = { {65536, 1, TRUE}, {65537, 1, FALSE}, {10000000, 1, FALSE}, {60000, 100000, FALSE} };

GST_START_TEST (test_many_channels)
{
  gchar *name = g_strnfill (many[__i__].name_length, 'n'), *text = g_strdup_printf ("int16[] %s", name);
  RobocacheRosSchema *schema = schema_of (text);
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (schema, NULL, NULL);
  RobocacheCdrWriter writer = { 0 };
  RobocacheCdrReader reader;
  GError *error = NULL;
  gint16 *numbers = g_new0 (gint16, many[__i__].n);
  rlim_t before = has_memory_limit () ? limit_memory (64 << 20) : 0;

  robocache_cdr_writer_begin (&writer);
  robocache_cdr_write_sequence (&writer, numbers, 2, many[__i__].n);
  robocache_cdr_reader_init (&reader, writer.data, writer.size);
  fail_unless_equals_int (robocache_row_decoder_run (decoder, &reader, &error) != NULL, many[__i__].fits);
  if (has_memory_limit ())
    restore_memory (before);
  if (error)
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY) && strstr (error->message, "fields") != NULL);
  g_clear_error (&error);
  robocache_cdr_writer_clear (&writer);
  robocache_row_decoder_free (decoder);
  robocache_ros_schema_free (schema);
  g_free (numbers);
  g_free (text);
  g_free (name);
}

GST_END_TEST;

CHECK_MAIN (rowdecoder, NULL, NULL, EACH (rows, test_rows), ONCE (test_changes), EACH (unfoldings, test_unfolding),
    EACH (many, test_many_channels))
