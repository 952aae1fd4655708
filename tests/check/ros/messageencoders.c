/* robocache: encoded messages, read back by their own definitions
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/messageencoders.h"

#include <string.h>

#include "common/ros/definitions.h"
#include "common/ros/fieldlocator.h"
#include "common/ros/packages/packages.h"
#include "tests/check/lib/messageexamples.h"
#include "tests/check/lib/checks.h"

/* ---- a message as text ---- */

static void
describe_message (const RobocacheRosSchema *schema, guint index, RobocacheCdrReader *reader, GString *text);

static void
describe_number (RobocacheRosKind kind, RobocacheCdrReader *reader, GString *text)
{
  const guint bytes = robocache_ros_kind_bytes (kind);
  guint64 number = 0;
  gdouble real;
  gfloat single;

  robocache_cdr_read_number (reader, bytes, &number);
  memcpy (&real, &number, sizeof (real));
  memcpy (&single, &number, sizeof (single));
  if (kind == ROBOCACHE_ROS_FLOAT64)
    g_string_append_printf (text, "%g", real);
  else if (kind == ROBOCACHE_ROS_FLOAT32)
    g_string_append_printf (text, "%g", single);
  else if (kind == ROBOCACHE_ROS_INT32 || kind == ROBOCACHE_ROS_INT64)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, (gint64) (number << (64 - 8 * bytes)) >> (64 - 8 * bytes));
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, number);
}

static void
describe_item (const RobocacheRosSchema *schema, const RobocacheRosField *field, RobocacheCdrReader *reader, GString *text)
{
  guint32 length;

  if (field->kind == ROBOCACHE_ROS_MESSAGE)
    describe_message (schema, field->message, reader, text);
  else if (field->kind == ROBOCACHE_ROS_STRING)
    g_string_append_printf (text, "'%s'", robocache_cdr_read_string (reader, &length));
  else
    describe_number (field->kind, reader, text);
}

/* "(1 'a' [2 3])": fields in their order. */
static void
describe_message (const RobocacheRosSchema *schema, guint index, RobocacheCdrReader *reader, GString *text)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);

  g_string_append_c (text, '(');
  for (guint i = 0; i < type->fields->len; i++) {
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, i);
    const guint32 count = robocache_ros_read_count (schema, field, reader);

    g_string_append (text, i ? " " : "");
    g_string_append (text, field->repeat ? "[" : "");
    for (guint32 k = 0; k < count && !reader->fault; k++) {
      g_string_append (text, k ? " " : "");
      describe_item (schema, field, reader, text);
    }
    g_string_append (text, field->repeat ? "]" : "");
  }
  g_string_append_c (text, ')');
}

GST_START_TEST (test_examples)
{
  const MessageExample *example = &message_examples[__i__];
  gchar *definition = robocache_ros_schema_text (example->type);
  RobocacheRosSchema *schema = robocache_ros_schema_parse (example->type, definition, strlen (definition), NULL);
  RobocacheCdrWriter writer = { 0 };
  RobocacheCdrReader reader;
  GString *text = g_string_new (NULL);
  GError *error = NULL;

  example->write (&writer);
  fail_if (writer.has_failed);
  robocache_cdr_reader_init (&reader, writer.data, writer.size);
  describe_message (schema, 0, &reader, text);
  fail_unless (robocache_cdr_reader_check (&reader, &error), "%s", error ? error->message : "");
  fail_unless_equals_string (text->str, example->text);
  fail_unless_equals_int (reader.offset, reader.size);
  g_string_free (text, TRUE);
  robocache_cdr_writer_clear (&writer);
  robocache_ros_schema_free (schema);
  g_free (definition);
}

GST_END_TEST;

/* Every type of ours that is a message by itself has an example. */
GST_START_TEST (test_all_have_examples)
{
  guint n = 0;

  for (const RobocacheRosDefinition * definition = robocache_ros_ours; definition->name; definition++) {
    gboolean has_example = g_str_equal (definition->name, "robocache_msgs/TickStream");

    if (!g_str_has_prefix (definition->name, "robocache_msgs/"))
      continue;
    n++;
    for (guint k = 0; k < G_N_ELEMENTS (message_examples); k++)
      has_example |= g_str_equal (message_examples[k].type, definition->name);
    fail_unless (has_example, "%s has no example", definition->name);
  }
  assert_equals_int (n, 5);
}

GST_END_TEST;

/* ---- stamps, and what fits no message ---- */

static const struct
{
  gint64 ns;
  gint32 sec;
  guint32 nanosec;
  gboolean fits;
} stamps[] = {
  {0, 0, 0, TRUE}, {1, 0, 1, TRUE}, {-1, -1, 999999999, TRUE}, {-1000000000, -1, 0, TRUE}, {1500000000, 1, 500000000, TRUE},
  {G_GINT64_CONSTANT (2147483647999999999), G_MAXINT32, 999999999, TRUE}, {G_GINT64_CONSTANT (2147483648000000000), 0, 0, FALSE},
  {G_GINT64_CONSTANT (-2147483648000000000), G_MININT32, 0, TRUE}, {G_GINT64_CONSTANT (-2147483648000000001), 0, 0, FALSE},
  {G_MININT64, 0, 0, FALSE}, {G_MAXINT64, 0, 0, FALSE},
};

GST_START_TEST (test_stamps)
{
  const RobocacheRosHeader header = { stamps[__i__].ns, "f" };
  RobocacheCdrWriter writer = { 0 };
  RobocacheCdrReader reader;
  guint32 length;

  fail_unless_equals_int (robocache_ros_stamp_fits (stamps[__i__].ns), stamps[__i__].fits);
  if (!stamps[__i__].fits)
    return;
  robocache_ros_write_compressed_image (&writer, &header, "png", NULL, 0);
  robocache_cdr_reader_init (&reader, writer.data, writer.size);
  fail_unless_equals_int (robocache_cdr_read_int32 (&reader), stamps[__i__].sec);
  fail_unless_equals_int (robocache_cdr_read_uint32 (&reader), stamps[__i__].nanosec);
  fail_unless_equals_string (robocache_cdr_read_string (&reader, &length), "f");
  robocache_cdr_writer_clear (&writer);
}

GST_END_TEST;

GST_START_TEST (test_too_large)
{
  const RobocacheRosHeader header = { 0 };
  const guint64 dims[] = { G_MAXUINT32 };
  RobocacheCdrWriter writer = { 0 };

  robocache_ros_write_point_cloud (&writer, &header, 1, G_MAXUINT32, NULL, 0, 2, NULL, FALSE);
  fail_unless (writer.has_failed);
  robocache_ros_write_point_cloud (&writer, &header, 2, G_MAXUINT32, NULL, 0, 1, NULL, FALSE);
  fail_unless (writer.has_failed);
  robocache_ros_write_image (&writer, &header, 2, 1, "mono8", FALSE, G_MAXUINT32, NULL);
  fail_unless (writer.has_failed);
  robocache_ros_write_tensor (&writer, &header, "t", RC_FLOAT64, dims, 1, 0, -1, NULL, G_MAXUINT32);
  fail_unless (writer.has_failed);
  robocache_cdr_writer_clear (&writer);
}

GST_END_TEST;

GST_START_TEST (test_point_datatypes)
{
  guint n = 0;

  for (guint i = 0; i < 256; i++) {
    const RcDtype dtype = robocache_ros_point_dtype ((guint8) i);

    if (dtype == RC_N_DTYPES)
      continue;
    n++;
    fail_unless_equals_int (robocache_ros_point_datatype (dtype), i);
  }
  fail_unless_equals_int (n, 8);
  fail_unless_equals_int (robocache_ros_point_datatype (RC_INT64), 0);
  fail_unless_equals_int (robocache_ros_point_datatype (RC_FLOAT16), 0);
}

GST_END_TEST;

/* The files that users build are the definitions that the encoders write. */
GST_START_TEST (test_package)
{
  const gchar *const folder = ROBOCACHE_EXAMPLES "/../common/ros/robocache_msgs";
  gchar *path = g_build_filename (folder, "CMakeLists.txt", NULL), *list;
  guint n = 0;

  fail_unless (g_file_get_contents (path, &list, NULL, NULL));
  g_free (path);
  for (const RobocacheRosDefinition *definition = robocache_ros_ours; definition->name; definition++) {
    gchar *name, *text, *item;

    if (!g_str_has_prefix (definition->name, "robocache_msgs/"))
      continue;
    n++;
    name = g_strconcat (strchr (definition->name, '/') + 1, ".msg", NULL);
    path = g_build_filename (folder, "msg", name, NULL);
    fail_unless (g_file_get_contents (path, &text, NULL, NULL), "no file %s", path);
    fail_unless_equals_string (text, definition->text);
    item = g_strdup_printf ("\"msg/%s\"", name);
    fail_unless (strstr (list, item) != NULL, "%s", item);
    g_free (item);
    g_free (text);
    g_free (path);
    g_free (name);
  }
  fail_unless_equals_int (n, 5);
  g_free (list);
}

GST_END_TEST;

CHECK_MAIN (messageencoders, NULL, NULL, EACH (message_examples, test_examples), ONCE (test_all_have_examples), EACH (stamps, test_stamps),
    ONCE (test_too_large), ONCE (test_point_datatypes), ONCE (test_package))
