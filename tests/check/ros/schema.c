/* robocache: message definitions as text
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/schema.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/ros/definitions.h"
#include "common/ros/packages/packages.h"
#include "tests/check/lib/checks.h"

#define BREAK "\n================================================================================\nMSG: "

/* A parsed message as text: its fields, types in braces. */
static void
describe_type (const RobocacheRosSchema *schema, guint index, GString *text)
{
  static const gchar *const kinds[] = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "string",
    "wstring", NULL
  };
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);

  for (guint i = 0; i < type->fields->len; i++) {
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, i);

    g_string_append (text, i ? " " : "");
    if (field->kind == ROBOCACHE_ROS_MESSAGE) {
      g_string_append_c (text, '{');
      describe_type (schema, field->message, text);
      g_string_append_c (text, '}');
    } else {
      g_string_append (text, kinds[field->kind]);
    }
    if (field->max_length)
      g_string_append_printf (text, "<=%u", field->max_length);
    if (field->repeat == ROBOCACHE_ROS_ARRAY)
      g_string_append_printf (text, "[%u]", field->count);
    else if (field->repeat == ROBOCACHE_ROS_SEQUENCE && field->count)
      g_string_append_printf (text, "[<=%u]", field->count);
    else if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
      g_string_append (text, "[]");
    g_string_append_printf (text, " %s", field->name);
  }
}

static const struct
{
  const gchar *text, *fields, *error;
} schemas[] = {
  {"", ""},
  {"# nothing\n\n   # but comments\n", ""},
  {"float64 x\r\nint32 y\r\n", "f64 x i32 y"},
  {"\tfloat64\tx # metres", "f64 x"},
  {"byte a\nchar b\nbool c\nuint8 d\nint8 e", "u8 a u8 b bool c u8 d i8 e"},
  {"int16 a\nuint16 b\nuint32 c\nint64 d\nuint64 e\nfloat32 f", "i16 a u16 b u32 c i64 d u64 e f32 f"},
  {"string a\nstring<=10 b\nwstring c\nwstring<=3 d", "string a string<=10 b wstring c wstring<=3 d"},
  {"int8[3] a\nint8[] b\nint8[<=3] c\nstring<=4[<=5] d\nstring[2] e", "i8[3] a i8[] b i8[<=3] c string<=4[<=5] d string[2] e"},
  /* constants take no bytes, and defaults change none */
  {"int8 A=1\nint8 B = 2\nint8 C =3 # c\nstring D=a # b = c\nfloat32 x", "f32 x"},
  {"int8 a 1\nint8 b -2 # c\nstring s \"a # b\"\nint8[] d [1, 2, 3]\nstring t 'x=y'\nbool u true", "i8 a i8 b string s i8[] d "
        "string t bool u"},
  {"float64 x0=1\nfloat64 x0", "f64 x0"},
  /* types */
  {"Point p" BREAK "test_msgs/Point\nfloat64 x", "{f64 x} p"},
  {"a_msgs/Point p" BREAK "a_msgs/Point\nfloat64 x", "{f64 x} p"},
  {"a_msgs/msg/Point[2] p" BREAK "a_msgs/msg/Point\nfloat64 x", "{f64 x}[2] p"},
  {"a_msgs/srv/Add_Request[<=1] p" BREAK "a_msgs/action/Add_Request\nfloat64 x", "{f64 x}[<=1] p"},
  {"a_msgs/Pose[] p" BREAK "a_msgs/Pose\nPoint p" BREAK "a_msgs/Point\nfloat64 x", "{{f64 x} p}[] p"},
  {"a_msgs/A a\nb_msgs/A b" BREAK "a_msgs/A\nint8 x" BREAK "b_msgs/A\nint16 x", "{i8 x} a {i16 x} b"},
  {"A a\n===\nMSG: test_msgs/A\nint8 x\n===  \nMSG:test_msgs/B\nint8 x\n", "{i8 x} a"},
  {"A a" BREAK "test_msgs/A\nint8 x" BREAK "test_msgs/A\nint16 y", "{i8 x} a"},
  {"A a\nA b" BREAK "test_msgs/A\n# empty", "{} a {} b"},
  /* types that texts leave out */
  {"builtin_interfaces/Time t\nbuiltin_interfaces/Duration d", "{i32 sec u32 nanosec} t {i32 sec u32 nanosec} d"},
  {"std_msgs/Header header", "{{i32 sec u32 nanosec} stamp string frame_id} header"},
  {"Header header", "{{i32 sec u32 nanosec} stamp string frame_id} header"},
  {"Header header" BREAK "std_msgs/Header\nuint32 seq", "{u32 seq} header"},
  /* faults */
  {"float64", NULL, "line 1 of test_msgs/Test: \"\" is not a valid name of a field"},
  {"float64 x\nfloat64 2x", NULL, "line 2 of test_msgs/Test: \"2x\" is not a valid name of a field"},
  {"float64 x\nint8 x", NULL, "line 2 of test_msgs/Test: \"x\" is not a valid name of a field, or is used twice"},
  {"float64 x-y", NULL, "\"x-y\" is not a valid name of a field"},
  {"int64 a\n---\nint64 b", NULL, "line 2 of test_msgs/Test: it defines a service, not a message"},
  {"float64[ x", NULL, "line 1 of test_msgs/Test: the type of a field is invalid"},
  {"float64] x", NULL, "the type of a field is invalid"},
  {"float64[-1] x", NULL, "the type of a field is invalid"},
  {"float64[0] x", NULL, "the type of a field is invalid"},
  {"float64[<=0] x", NULL, "the type of a field is invalid"},
  {"float64[4294967296] x", NULL, "the type of a field is invalid"},
  {"float64[99999999999999999999999] x", NULL, "the type of a field is invalid"},
  {"float64[3]x y", NULL, "the type of a field is invalid"},
  {"float64[3][3] x", NULL, "the type of a field is invalid"},
  {"float64<=3 x", NULL, "the type of a field is invalid"},
  {"string<= x", NULL, "the type of a field is invalid"},
  {"a/b/c x", NULL, "the type of a field is invalid"},
  {"/A x", NULL, "the type of a field is invalid"},
  {"float46 x", NULL, "test_msgs/Test has the field x of type float46, whose definition is missing"},
  {"a_msgs/A x", NULL, "of type a_msgs/A, whose definition is missing"},
  {"float64[] X=1", NULL, "a constant must be a number or a string"},
  {"A X=1", NULL, "a constant must be a number or a string"},
  {"A a" BREAK "test_msgs/A\n\nfloat64 [", NULL, "line 2 of test_msgs/A"},
  {"A a\n===\nfloat64 x", NULL, "not followed by MSG:"},
  {"A a\n===\nMSG: \nfloat64 x", NULL, "the name of a type is invalid"},
  {"Test a", NULL, "test_msgs/Test contains itself"},
  {"A a" BREAK "test_msgs/A\nB b" BREAK "test_msgs/B\nA[] a", NULL, "test_msgs/Test contains itself"},
};

static RobocacheRosSchema *
parse (const gchar *name, const gchar *text, GError **error)
{
  /* nothing behind the text is touched */
  gchar *exact = g_memdup (text, (guint) strlen (text));
  RobocacheRosSchema *schema = robocache_ros_schema_parse (name, exact, strlen (text), error);

  g_free (exact);
  return schema;
}

GST_START_TEST (test_schemas)
{
  GError *error = NULL;
  RobocacheRosSchema *schema = parse ("test_msgs/msg/Test", schemas[__i__].text, &error);
  GString *text = g_string_new (NULL);

  fail_unless_equals_int (schema != NULL, schemas[__i__].fields != NULL);
  if (schema) {
    fail_unless (error == NULL);
    describe_type (schema, 0, text);
    fail_unless_equals_string (text->str, schemas[__i__].fields);
    fail_unless_equals_string (robocache_ros_schema_type (schema, 0)->name, "test_msgs/Test");
  } else {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS));
    fail_unless (strstr (error->message, schemas[__i__].error) != NULL, "\"%s\" lacks \"%s\"", error->message,
        schemas[__i__].error);
    g_error_free (error);
  }
  g_string_free (text, TRUE);
  robocache_ros_schema_free (schema);
}

GST_END_TEST;

/* ---- services ---- */

#define INFO "{u8 event_type {i32 sec u32 nanosec} stamp u8[16] client_gid i64 sequence_number} info "
#define SRV "================================================================================\nSRV: "

/* As rosbag2 writes definitions of service events. */
static const struct
{
  const gchar *name, *text, *fields, *error;
} services[] = {
  {"a_msgs/srv/Add_Event", SRV "a_msgs/srv/Add\nint64 a\nint64 b\n---\nint64 sum\n", INFO "{i64 a i64 b}[<=1] request {i64 sum}[<=1] response"},
  {"a_msgs/srv/Add_Event", "\n" SRV "a_msgs/Add\r\nint64 a\r\n---\r\nint64 sum", INFO "{i64 a}[<=1] request {i64 sum}[<=1] response"},
  {"a_msgs/srv/Add_Event", "int64 a\n---\nint64 sum\n", INFO "{i64 a}[<=1] request {i64 sum}[<=1] response"},
  {"a_msgs/srv/Add_Event", "---\nPoint at" BREAK "a_msgs/Point\nint8 x", INFO "{}[<=1] request {{i8 x} at}[<=1] response"},
  {"a_msgs/srv/Set_Event", SRV "a_msgs/srv/Set\n# none\n---\n", INFO "{}[<=1] request {}[<=1] response"},
  {"a_msgs/srv/Move_Event", SRV "a_msgs/srv/Move\nPoint[] to\n---\nb_msgs/Point at" BREAK "a_msgs/Point\nint8 x" BREAK "b_msgs/msg/Point\nint16 y",
        INFO "{{i8 x}[] to}[<=1] request {{i16 y} at}[<=1] response"},
  {"a_msgs/srv/Add_Event", "service_msgs/msg/ServiceEventInfo info\nAdd_Request[<=1] request\na_msgs/srv/Add_Response[<=1] response" BREAK
        "service_msgs/msg/ServiceEventInfo\nuint8 REQUEST_SENT=0\nuint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\n"
        "int64 sequence_number" BREAK "a_msgs/srv/Add_Request\nint64 a" BREAK "a_msgs/srv/Add_Response\nint64 sum",
        INFO "{i64 a}[<=1] request {i64 sum}[<=1] response"},
  {"a_msgs/srv/Add_Event", SRV "a_msgs/srv/Add\nint64 a\nint65 b\n---\nint64 sum", NULL, "a_msgs/Add_Request has the field b of type int65"},
  {"a_msgs/srv/Add_Event", SRV "a_msgs/srv/Add\nint64 a\n---\nint64 sum\nint64 [", NULL, "line 2 of a_msgs/Add_Response"},
  {"a_msgs/srv/Add_Event", SRV "a_msgs/srv/Add\nint64 a\n", NULL, "not followed by MSG:"},
  {"a_msgs/srv/Add_Request", SRV "a_msgs/srv/Add\nint64 a\n---\nint64 sum\n", NULL, "not followed by MSG:"},
  {"a_msgs/srv/Add", "int64 a\n---\nint64 sum\n", NULL, "it defines a service, not a message"},
  {"a_msgs/srv/Sub_Event", SRV "a_msgs/srv/Add\nint64 a\n---\nint64 sum\n", NULL, "not followed by MSG:"},
  {"a_msgs/action/Go_Event", "===\nACTION: a_msgs/action/Go\nint64 a\n---\nint64 sum\n---\n", NULL, "not followed by MSG:"},
};

GST_START_TEST (test_services)
{
  GError *error = NULL;
  RobocacheRosSchema *schema = parse (services[__i__].name, services[__i__].text, &error);
  GString *text = g_string_new (NULL);

  if (schema) {
    describe_type (schema, 0, text);
    fail_unless_equals_string (text->str, services[__i__].fields);
  } else {
    fail_unless (services[__i__].error != NULL, "%s", error->message);
    fail_unless (strstr (error->message, services[__i__].error) != NULL, "\"%s\" lacks \"%s\"", error->message, services[__i__].error);
  }
  g_clear_error (&error);
  g_string_free (text, TRUE);
  robocache_ros_schema_free (schema);
}

GST_END_TEST;

/* A chain of types within types, each of which has the next one twice. */
static const struct
{
  guint levels;
  gboolean is_valid;
} chains[] = { {1, TRUE}, {10, TRUE}, {63, TRUE}, {64, FALSE}, {1000, FALSE} };

GST_START_TEST (test_depth)
{
  GString *text = g_string_new ("T1 a\nT1 b");
  RobocacheRosSchema *schema;
  GError *error = NULL;

  for (guint i = 1; i < chains[__i__].levels; i++)
    g_string_append_printf (text, BREAK "test_msgs/T%u\nT%u a\nT%u b", i, i + 1, i + 1);
  g_string_append_printf (text, BREAK "test_msgs/T%u\nint8 a", chains[__i__].levels);
  schema = parse ("test_msgs/Test", text->str, &error);
  fail_unless_equals_int (schema != NULL, chains[__i__].is_valid);
  g_clear_error (&error);
  robocache_ros_schema_free (schema);
  g_string_free (text, TRUE);
}

GST_END_TEST;

GST_START_TEST (test_nul)
{
  GError *error = NULL;

  fail_unless (robocache_ros_schema_parse ("a/A", "int8 a\0int8 b", 13, &error) == NULL);
  fail_unless (strstr (error->message, "contains a zero byte") != NULL, "%s", error->message);
  g_error_free (error);
}

GST_END_TEST;

/* ---- definitions ---- */

/* A definition is complete: no type of its text is missing, and each is in it once. */
static void
check_definition (const gchar *message)
{
  gchar *text = robocache_ros_schema_text (message);
  GError *error = NULL;
  RobocacheRosSchema *schema = parse (message, text, &error);

  fail_unless (schema != NULL, "%s: %s", message, error ? error->message : "");
  for (guint t = 1; t < schema->types->len; t++) {
    const gchar *name = robocache_ros_schema_type (schema, t)->name;
    gchar *heading = g_strdup_printf ("MSG: %s\n", name), *first = strstr (text, heading);

    if (g_str_has_prefix (name, "builtin_interfaces/") || g_str_equal (name, "std_msgs/Header"))
      fail_unless (first == NULL || strstr (first + 1, heading) == NULL, "%s has %s twice", message, name);
    else
      fail_unless (first != NULL && strstr (first + 1, heading) == NULL, "%s has %s twice, or not", message, name);
    g_free (heading);
  }
  robocache_ros_schema_free (schema);
  g_free (text);
}

GST_START_TEST (test_definitions)
{
  for (guint i = 0; robocache_ros_packages[i]; i++) {
    for (const RobocacheRosDefinition * definition = robocache_ros_packages[i]; definition->name; definition++)
      check_definition (definition->name);
  }
}

GST_END_TEST;

GST_START_TEST (test_text)
{
  gchar *text = robocache_ros_schema_text ("geometry_msgs/msg/PoseStamped");
  gchar *again = robocache_ros_schema_text ("geometry_msgs/PoseStamped");
  static const gchar *const headings[] = { "MSG: std_msgs/Header\n", "MSG: builtin_interfaces/Time\n", "MSG: geometry_msgs/Pose\n",
    "MSG: geometry_msgs/Point\n", "MSG: geometry_msgs/Quaternion\n"
  };

  fail_unless_equals_string (text, again);
  fail_unless (g_str_has_prefix (text, "std_msgs/Header header\ngeometry_msgs/Pose pose\n====="));
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++)
    fail_unless (strstr (text, headings[i]) != NULL, "%s is missing", headings[i]);
  fail_unless (robocache_ros_schema_text ("geometry_msgs/msg/Other") == NULL);
  g_free (again);
  g_free (text);
}

GST_END_TEST;

CHECK_MAIN (schema, NULL, NULL, EACH (schemas, test_schemas), EACH (services, test_services), EACH (chains, test_depth), ONCE (test_nul), ONCE (test_definitions),
    ONCE (test_text))
