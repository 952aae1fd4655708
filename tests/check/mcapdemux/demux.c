/* robocache: recordings through robocachemcapdemux
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/recordings/demuxrun.h"
#include "tests/check/lib/recordings/recording.h"
#include "tests/check/lib/checks.h"

/* ---- runs ---- */

typedef struct
{
  const gchar *properties;
  guint block_size;             /* bytes a buffer, in push mode; 0: pull mode */
  gboolean has_events, is_flat; /* as in DemuxOutput */
} Run;

static gchar *
write_file (const GByteArray *bytes)
{
  gchar *path = NULL;
  const gint fd = g_file_open_tmp ("demux-XXXXXX.mcap", &path, NULL);

  fail_unless (fd >= 0);
  close (fd);
  fail_unless (g_file_set_contents (path, (const gchar *) bytes->data, (gssize) bytes->len, NULL));
  return path;
}

/* What comes out of a recording, as demuxrun.h has it. */
static gchar *
run (const GByteArray *bytes, const Run *how)
{
  gchar *path = write_file (bytes);
  /* a queue gives no random access */
  gchar *between = how->block_size ? g_strdup_printf ("blocksize=%u ! queue !", how->block_size) : g_strdup ("!");
  gchar *launch = g_strdup_printf ("filesrc location=%s %s robocachemcapdemux name=d %s", path, between, how->properties);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GString *text = g_string_new (NULL);
  DemuxOutput output;

  demux_output_init (&output, demux, how->has_events);
  output.is_flat = how->is_flat;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, text);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  append_pads (text, &output);
  demux_output_clear (&output);
  gst_object_unref (demux);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (launch);
  g_free (between);
  g_free (path);
  return g_string_free (text, FALSE);
}

/* ---- comparisons ---- */

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* The parts of a text in alphabetical order: messages come from two threads. */
static gchar *
sorted_text (const gchar *text)
{
  gchar **parts = g_strsplit (text, "; ", -1), *sorted;

  qsort (parts, g_strv_length (parts), sizeof (*parts), compare_lines);
  sorted = g_strjoinv ("\n", parts);
  g_strfreev (parts);
  return sorted;
}

static void
expect_same_parts (const gchar *text, const gchar *expected)
{
  gchar *sorted = sorted_text (text), *wanted = sorted_text (expected);

  fail_unless_equals_string (sorted, wanted);
  g_free (sorted);
  g_free (wanted);
}

/* Rows, times and events are the same, however many rows are in a buffer. */
static void
expect_same_rows (const GByteArray *file, const Run *how)
{
  static const guint numbers[] = { 2, 3, 256 };
  const Run one_by_one = { how->properties, how->block_size, TRUE, TRUE };
  gchar *rows = run (file, &one_by_one);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    gchar *properties = g_strdup_printf ("%s block-rows=%u", how->properties, numbers[i]);
    const Run in_blocks = { properties, how->block_size, TRUE, TRUE };
    gchar *text = run (file, &in_blocks);

    expect_same_parts (text, rows);
    g_free (text);
    g_free (properties);
  }
  g_free (rows);
}

/* ---- forms of one recording ---- */

#define STAMP(ms) "((0 " #ms "000000) 'f')"
#define ROWS "other/tensors float64"
#define WRENCH(ms, x) "(" STAMP (ms) " ((" #x " 2 3) (4 5 6)))"

/* The second topic begins later, and arrives later than it is captured. */
static const RecordedMessage messages[] = {
  {"/joints", "sensor_msgs/JointState", "(" STAMP (10) " ['a' 'b'] [1 2] [] [])", 11},
  {"/joints", "sensor_msgs/JointState", "(" STAMP (20) " ['b' 'a'] [4 3] [] [])", 21},
  {"/wrench", "geometry_msgs/WrenchStamped", WRENCH (15, 1), 35},
  {"/joints", "sensor_msgs/JointState", "(" STAMP (30) " ['a' 'b'] [5 6] [] [])", 36},
  {"/wrench", "geometry_msgs/WrenchStamped", WRENCH (25, 7), 45},
};

#define JOINTS_OUT "src_0 /joints@f: caps[" ROWS " 2 a.position,b.position] 0=1,2 10=3,4 20=5,6 eos; "
#define WRENCH_OUT "src_1 /wrench@f: caps[" ROWS " 6 fx,fy,fz,tx,ty,tz] 5=1,2,3,4,5,6 15=7,2,3,4,5,6 eos; "

static const RecordingOptions forms[] = {
  {ROBOCACHE_MCAP_UNCOMPRESSED}, {ROBOCACHE_MCAP_ZSTD}, {ROBOCACHE_MCAP_LZ4}, {ROBOCACHE_MCAP_UNCOMPRESSED, RECORDED_PLAIN},
  {ROBOCACHE_MCAP_UNCOMPRESSED, RECORDED_CUT}, {ROBOCACHE_MCAP_ZSTD, RECORDED_CUT, 2}, {ROBOCACHE_MCAP_LZ4, RECORDED_IN_CHUNKS, 1},
};

static const guint block_sizes[] = { 0, 1, 7, 100, 4096 };

GST_START_TEST (test_forms)
{
  GByteArray *file = make_recording (&forms[__i__], messages, G_N_ELEMENTS (messages));
  gchar *expected = forms[__i__].form != RECORDED_CUT ? g_strdup (JOINTS_OUT WRENCH_OUT)
      : g_strdup_printf ("warning the recording is cut: no whole record is left from byte %u on; " JOINTS_OUT WRENCH_OUT, file->len);

  for (guint i = 0; i < G_N_ELEMENTS (block_sizes); i++) {
    const Run how = { "", block_sizes[i] };
    gchar *text = run (file, &how);

    fail_unless_equals_string (text, expected);
    expect_same_rows (file, &how);
    g_free (text);
  }
  g_free (expected);
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- settings ---- */

#define GRIPPER "float32 width\nfloat32[2] force"

static const RecordedMessage others[] = {
  {"/grip", "a_msgs/Gripper", "(1 [2 3])", 100, 90},
  {"/text", "a_msgs/Gripper", "(1 [2 3])", 101},
  {"/joints", "sensor_msgs/JointState", "(((0 110000000) '') ['a' 'b'] [1 2] [3 4] [])", 120},
  {"/joints", "sensor_msgs/JointState", "(((0 130000000) '') ['c'] [5] [] [])", 140},
  {"/grip", "a_msgs/Gripper", "(4 [5 6])", 150, 145},
};

static const struct
{
  const gchar *properties, *out;        /* messages and pads */
} settings[] = {
  {"topics=/joints", "src_0 /joints: caps[" ROWS " 4 a.position,b.position,a.velocity,b.velocity] 0=1,2,3,4 eos; "
        "src_1 /joints:c: caps[" ROWS " 1 c.position] 20=5 eos; "},
  {"topics=/joints joints=\"c,b;a\"", "src_0 /joints:c,b: caps[" ROWS " 4 c.position,b.position,c.velocity,b.velocity] "
        "0=nan,2,nan,4 20=5,nan,nan,nan eos; src_1 /joints:a: caps[" ROWS " 2 a.position,a.velocity] 0=1,3 eos; "},
  {"topics=/joints fields=/joints:velocity joints=b", "src_0 /joints:b: caps[" ROWS " 1 b.velocity] 0=4 eos; "},
  {"topics=/grip", "info messages of /grip have no stamp: their times are publish times; src_0 /grip: caps[other/tensors float32 3 "
        "width,force[0],force[1]] 0=1,2,3 55=4,5,6 eos; "},
  {"topics=/grip time-source=log", "src_0 /grip: caps[other/tensors float32 3 width,force[0],force[1]] 0=1,2,3 50=4,5,6 eos; "},
  {"topics=/text,/grip fields=force", "info messages of /grip have no stamp: their times are publish times; info messages of /text "
        "have no stamp: their times are log times; src_0 /text: caps[other/tensors float32 2 force[0],force[1]] 11=2,3 eos; "
        "src_1 /grip: caps[other/tensors float32 2 force[0],force[1]] 0=2,3 55=5,6 eos; "},
  {"topics=/te*,/joints joints=c start=keep", "info messages of /text have no stamp: their times are log times; "
        "src_0 /text: caps[other/tensors float32 3 width,force[0],force[1]] 101=1,2,3 eos; "
        "src_1 /joints:c: caps[" ROWS " 1 c.position] 130=5 eos; "},
  {"topics=/joints joints=c,a time-origin=120000000", "warning a message of /joints is dropped: its time 110000000 is 10000000 ns before "
        "running time 0; src_0 /joints:c,a: caps[" ROWS " 4 c.position,a.position,c.velocity,a.velocity] 10=5,nan,nan,nan eos; "},
  {"topics=/grip,/grip2,/no*", "info messages of /grip have no stamp: their times are publish times; warning the recording has no topic "
        "/grip2; src_0 /grip: caps[other/tensors float32 3 width,force[0],force[1]] 0=1,2,3 55=4,5,6 eos; "},
  {"topics=/none", "error no topic of the recording matches topics=\"/none\"; "},
};

GST_START_TEST (test_settings)
{
  const RecordingOptions options = {.definition = GRIPPER };
  GByteArray *file = make_recording (&options, others, G_N_ELEMENTS (others));
  const Run how = { settings[__i__].properties };
  gchar *text = run (file, &how);

  expect_same_parts (text, settings[__i__].out);
  expect_same_rows (file, &how);
  g_free (text);
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- faults ---- */

#define READ_ENCODINGS "cdr of ros2msg, cdr of ros2idl, ros1 of ros1msg, protobuf of protobuf, json of jsonschema"
#define NOT_READ "src_0 /wrench@f: caps[" ROWS " 6 fx,fy,fz,tx,ty,tz] 0=1,2,3,4,5,6 eos; "

static const struct
{
  RecordingOptions options;
  RecordedMessage messages[4];
  const gchar *properties, *out;
} faults[] = {
  /* of one message, in one topic */
  {{0}, {{"/w", "geometry_msgs/WrenchStamped", WRENCH (10, 1), 10}, {"/w", "geometry_msgs/WrenchStamped", "hex:0001000001000000", 20},
          {"/j", "sensor_msgs/JointState", "(" STAMP (30) " ['a'] [1] [] [])", 30},
          {"/w", "geometry_msgs/WrenchStamped", WRENCH (40, 2), 40}}, "",
      "warning message 2 of /w, type geometry_msgs/msg/WrenchStamped, log time 20000000, is lost: at byte 8 of the message: the message "
        "ends within a field; src_0 /w@f: caps[" ROWS " 6 fx,fy,fz,tx,ty,tz] 0=1,2,3,4,5,6 30=2,2,3,4,5,6 eos; "
        "src_1 /j@f: caps[" ROWS " 1 a.position] 20=1 eos; "},
  /* of the first message */
  {{0}, {{"/w", "geometry_msgs/WrenchStamped", "hex:00010000", 10}, {"/w", "geometry_msgs/WrenchStamped", "hex:00010000", 20},
          {"/w", "geometry_msgs/WrenchStamped", WRENCH (40, 2), 40}}, "",
      "warning message 1 of /w, type geometry_msgs/msg/WrenchStamped, log time 10000000, is lost: at byte 4 of the message: the message "
        "ends within a field; src_0 /w@f: caps[" ROWS " 6 fx,fy,fz,tx,ty,tz] 0=2,2,3,4,5,6 eos; "},
  {{0}, {{"/w", "geometry_msgs/WrenchStamped", "hex:00010000", 10}}, "", "warning message 1 of /w, type "
        "geometry_msgs/msg/WrenchStamped, log time 10000000, is lost: at byte 4 of the message: the message ends within a field; "
        "error the recording has no readable message of /w: at byte 4 of the message: the message ends within a field; "},
  {{.definition = "int8 a"}, {{"/a", "a_msgs/A", "hex:0001000005", 5}, {"/a", "a_msgs/A", "hex:0001000006000000000000", 6}}, "",
      "info messages of /a have no stamp: their times are log times; warning message 2 of /a, type a_msgs/msg/A, log time 6000000, is lost: "
        "the message has 11 bytes, but by its definition of a_msgs/A it ends after 5: it was written with another version of the definition; "
        "src_0 /a: caps[other/tensors int8 1 a] 0=5 eos; "},
  {{0}, {{"/w", "geometry_msgs/WrenchStamped", WRENCH (0, 1), 10}, {"/w", "geometry_msgs/WrenchStamped", WRENCH (0, 2), 20},
          {"/w", "geometry_msgs/WrenchStamped", WRENCH (4000, 3), 30}}, "", "warning 2 of 3 messages of /w have the stamp 0: their times are "
        "publish or log times; src_0 /w@f: caps[" ROWS " 6 fx,fy,fz,tx,ty,tz] 0=1,2,3,4,5,6 10=2,2,3,4,5,6 3990=3,2,3,4,5,6 eos; "},
  /* of a topic */
  {{.definition = "strin a"}, {{"/bad", "a_msgs/A", "hex:00010000", 5}, {"/wrench", "geometry_msgs/WrenchStamped", WRENCH (10, 1), 10}},
      "topics=*", "warning /bad of type a_msgs/msg/A cannot be read: a_msgs/A has the field a of type strin, whose definition is missing; "
        NOT_READ},
  {{.definition = "string a"}, {{"/bad", "a_msgs/A", "hex:00010000", 5}, {"/wrench", "geometry_msgs/WrenchStamped", WRENCH (10, 1), 10}},
      "", "info /bad of type a_msgs/msg/A cannot be read: a_msgs/A has no numeric field; " NOT_READ},
  {{.definition = "int8 force",.redefined = "geometry_msgs/Twist"}, {{"/bad", "geometry_msgs/Twist", "hex:0001000000", 5},
          {"/wrench", "geometry_msgs/WrenchStamped", WRENCH (10, 1), 10}}, "",
      "info /bad of type geometry_msgs/msg/Twist cannot be read: its definition of geometry_msgs/Twist has no field linear.x; " NOT_READ},
  {{.schema_encoding = "ros9idl"}, {{"/a", "a_msgs/A", "hex:0001000005", 5}}, "",
      "info /a of type a_msgs/msg/A cannot be read: its messages are \"cdr\" with a schema in \"ros9idl\", and only " READ_ENCODINGS " can be read; "
        "error the recording has no readable message of /a: its messages are \"cdr\" with a schema in \"ros9idl\", and only " READ_ENCODINGS
        " can be read; "},
  {{.message_encoding = "protobuf"}, {{"/a", "a_msgs/A", "hex:05", 5}}, "topics=/a",
      "warning /a of type a_msgs/msg/A cannot be read: its messages are \"protobuf\" with a schema in \"ros2msg\", and only "
        READ_ENCODINGS " can be read; error the recording has no readable message of /a: its messages are \"protobuf\" with a schema in "
        "\"ros2msg\", and only " READ_ENCODINGS " can be read; "},
};

GST_START_TEST (test_faults)
{
  guint n = 0;
  GByteArray *file;

  while (n < G_N_ELEMENTS (faults[0].messages) && faults[__i__].messages[n].topic)
    n++;
  file = make_recording (&faults[__i__].options, faults[__i__].messages, n);
  for (guint i = 0; i < 2; i++) {
    const Run how = { faults[__i__].properties, i ? 64 : 0 };
    gchar *text = run (file, &how);

    expect_same_parts (text, faults[__i__].out);
    expect_same_rows (file, &how);
    g_free (text);
  }
  g_byte_array_unref (file);
}

GST_END_TEST;

static const struct
{
  const gchar *bytes, *pull, *push;     /* words of the error */
} no_recordings[] = {
  {"", "error", "error"},
  {"this is no recording at all", "not an MCAP file", "MCAP"},
  {ROBOCACHE_MCAP_MAGIC, "no topic", "no topic"},
};

GST_START_TEST (test_no_recording)
{
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) no_recordings[__i__].bytes, (guint) strlen (no_recordings[__i__].bytes));
  for (guint i = 0; i < 2; i++) {
    const Run how = { "", i ? 64 : 0 };
    const gchar *words = i ? no_recordings[__i__].push : no_recordings[__i__].pull;
    gchar *text = run (file, &how);

    fail_unless (g_str_has_prefix (text, "error ") && strstr (text, words) != NULL, "\"%s\" lacks \"%s\"", text, words);
    g_free (text);
  }
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- caps, cameras, silence ---- */

#define IMAGE(ms) "(" STAMP (ms) " 1 1 'mono8' 0 1 [7])"
#define INFO(ms, fx) "(" STAMP (ms) " 1 1 'plumb_bob' [] [" #fx " 0 3 0 600 4 0 0 1] [0 0 0 0 0 0 0 0 0] [0 0 0 0 0 0 0 0 0 0 0 0] 0 0 " \
  "(0 0 0 0 0))"
#define UNNAMED_ROW(values) "(((0 10000000) '') [] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [] [" values "])"
#define UNNAMED_INT64_ROW(values) "(((0 10000000) '') [] 0 -1 [] [] [] [] [] [] [] [" values "] [] [] [] [] [])"
#define SAMPLE(n, types, dimensions) "other/tensors, format=static, num_tensors=" n ", types=(string)\"" types "\", " \
  "dimensions=(string)\"" dimensions "\", framerate=100/1"
#define GRAY "caps[video/x-raw GRAY8 < "

static const struct
{
  RecordedMessage messages[6];
  const gchar *caps, *properties, *out;
  gboolean has_events;
} streams[] = {
  {{{"/c/image", "sensor_msgs/Image", IMAGE (10), 10}, {"/c/camera_info", "sensor_msgs/CameraInfo", INFO (11, 500), 11},
          {"/c/image", "sensor_msgs/Image", IMAGE (20), 20}}, NULL, "",
      "src_0 /c/image@f: " GRAY "(double)500, (double)600, (double)3, (double)4 >] 0=#4 10=#4 eos; "},
  {{{"/c/image", "sensor_msgs/Image", IMAGE (10), 10}, {"/d/camera_info", "sensor_msgs/CameraInfo", INFO (11, 500), 11}}, NULL, "",
      "src_0 /c/image@f: caps[video/x-raw GRAY8] 0=#4 eos; "},
  {{{"/c/camera_info", "sensor_msgs/CameraInfo", INFO (9, 500), 9}, {"/c/image", "sensor_msgs/Image", IMAGE (10), 10},
          {"/c/camera_info", "sensor_msgs/CameraInfo", INFO (11, 501), 11}, {"/c/image", "sensor_msgs/Image", IMAGE (20), 20}}, NULL, "",
      "src_0 /c/image@f: " GRAY "(double)500, (double)600, (double)3, (double)4 >] 0=#4 " GRAY "(double)501, (double)600, (double)3, (double)4 >] 10=#4 eos; "},
  {{{"/q", "sensor_msgs/JointState", "(" STAMP (10) " ['q1' 'q0'] [1 2] [] [])", 10}},
        "other/tensors, format=static, num_tensors=1, types=(string)int16, dimensions=(string)2, framerate=100/1, channels=(string)\"q0,q1\", "
        "role=(string)proprio", "", "src_0 /q@f: caps[other/tensors int16 2 q0,q1] 0=2,1 eos; "},
  /* a type of libgstvideo, which registers it on first use */
  {{{"/c/image", "sensor_msgs/Image", IMAGE (10), 10}},
        "video/x-raw, format=GRAY8, width=1, height=1, framerate=30/1, multiview-mode=mono, "
        "multiview-flags=(GstVideoMultiviewFlagsSet)0:ffffffff:/right-view-first/left-flipped, intrinsics=(double)<1,2,3,4>", "",
      "src_0 /c/image@f: " GRAY "(double)1, (double)2, (double)3, (double)4 >] 0=#4 eos; "},
  {{{"/c/image", "sensor_msgs/Image", IMAGE (10), 10}}, "video/x-raw, format=GRAY8, view=(NoSuchType)1", "",
      "warning the recorded caps of /c/image cannot be read, so its stream has the caps of its messages; "
      "src_0 /c/image@f: caps[video/x-raw GRAY8] 0=#4 eos; "},
  /* each topic of a sample of several tensors has the caps of all */
  {{{"/s/a", "robocache_msgs/Row", UNNAMED_ROW ("1 2"), 10}, {"/s/b", "robocache_msgs/Row", UNNAMED_ROW ("3 4 5 6"), 10},
          {"/s/c", "robocache_msgs/Row", UNNAMED_ROW ("7"), 10}}, SAMPLE ("3", "float64,float64,float64", "2,4,1"), "",
      "src_0 /s/a: caps[" ROWS " 2] 0=1,2 eos; src_1 /s/b: caps[" ROWS " 4] 0=3,4,5,6 eos; src_2 /s/c: caps[" ROWS " 1] 0=7 eos; "},
  /* the second tensor is no times of the first */
  {{{"/s/a", "robocache_msgs/Row", UNNAMED_ROW ("1 2"), 10}, {"/s/b", "robocache_msgs/Row", UNNAMED_INT64_ROW ("3"), 10}},
        SAMPLE ("2", "float64,int64", "2,1"), "",
      "src_0 /s/a: caps[" ROWS " 2] 0=1,2 eos; src_1 /s/b: caps[other/tensors int64 1] 0=3 eos; "},
  /* a time that is none */
  {{{"/w", "geometry_msgs/WrenchStamped", WRENCH (10, 1), 10}, {"/w", "geometry_msgs/WrenchStamped", WRENCH (20, 2), -1}}, NULL, "",
      "src_0 /w@f: caps[" ROWS " 6 fx,fy,fz,tx,ty,tz] seg:0-none 0=1,2,3,4,5,6! 10=2,2,3,4,5,6 eos; ", TRUE},
  /* a stream that says nothing for long is announced, and another one in order of arrival */
  {{{"/a", "robocache_msgs/Row", "(((1 0) '') ['x'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [] [1])", 1000},
          {"/b", "robocache_msgs/Row", "(((1 0) '') ['x'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [] [2])", 1000},
          {"/a", "robocache_msgs/Row", "(((5 0) '') ['x'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [] [3])", 5000},
          {"/a", "robocache_msgs/Row", "(((4 0) '') ['x'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [] [4])", 5020},
          {"/b", "robocache_msgs/Row", "(((5 0) '') ['x'] 0 20000000 [0 7000000] [] [] [] [] [] [] [] [] [] [] [] [5 6])", 5040}}, NULL,
        "max-transport=1000000000", "src_0 /a: caps[" ROWS " 1 x] seg:0-none 0=1! 4000=3 3000=4 eos; "
        "src_1 /b: caps[" ROWS " 1 x] seg:0-none 0=2! gap:0,3000 caps[other/tensors float64,int64 1:2,2 x] 4000=5,6|4000000000,4007000000 "
        "eos; ", TRUE},
};

GST_START_TEST (test_streams)
{
  const RecordingOptions options = {.caps = streams[__i__].caps };
  const Run how = { streams[__i__].properties, 0, streams[__i__].has_events };
  guint n = 0;
  GByteArray *file;
  gchar *text;

  while (n < G_N_ELEMENTS (streams[0].messages) && streams[__i__].messages[n].topic)
    n++;
  file = make_recording (&options, streams[__i__].messages, n);
  text = run (file, &how);
  expect_same_parts (text, streams[__i__].out);
  expect_same_rows (file, &how);
  g_free (text);
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- blocks of rows ---- */

#define WRENCHES(n) "caps[other/tensors float64,int64 6:" #n "," #n " fx,fy,fz,tx,ty,tz] "
#define W(topic, ms, x) {topic, "geometry_msgs/WrenchStamped", WRENCH (ms, x), ms}
#define V(x) #x ",2,3,4,5,6"
#define J(ms, more) {"/j", "sensor_msgs/JointState", "(" STAMP (ms) " ['a'] " more ")", ms}
#define JOINTS(n, channels, names) "caps[other/tensors float64,int64 " channels "," n " " names "] "

static const struct
{
  RecordedMessage messages[6];
  const gchar *properties, *out;
} blocks[] = {
  /* full ones, and the rest at the end */
  {{W ("/w", 10, 1), W ("/w", 20, 2), W ("/w", 30, 3), W ("/w", 40, 4), W ("/w", 50, 5)}, "block-rows=2",
      "src_0 /w@f: " WRENCHES (2) "seg:0-none 0=" V (1) "," V (2) "|0,10000000! 20=" V (3) "," V (4) "|20000000,30000000 "
        "caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] 40=" V (5) "|40000000 eos; "},
  /* full ones again behind a short one, which is older than a second */
  {{W ("/w", 10, 1), W ("/v", 900, 7), W ("/w", 1020, 2), W ("/w", 1030, 3), W ("/w", 1040, 4)}, "block-rows=2 max-transport=5000000000",
      "src_0 /w@f: " WRENCHES (2) "seg:0-none caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] 0=" V (1) "|0! "
        WRENCHES (2) "1010=" V (2) "," V (3) "|1010000000,1020000000 caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] "
        "1030=" V (4) "|1030000000 eos; src_1 /v@f: " WRENCHES (2) "seg:0-none caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] "
        "890=" V (7) "|890000000! eos; "},
  /* before other caps */
  {{J (10, "[1] [] []"), J (20, "[2] [] []"), J (30, "[3] [4] []"), J (40, "[5] [6] []")}, "block-rows=3 max-transport=1000000",
      "src_0 /j@f: " JOINTS ("3", "1:3", "a.position") "seg:0-none " JOINTS ("2", "1:2", "a.position") "0=1,2|0,10000000! "
        JOINTS ("3", "2:3", "a.position,a.velocity") JOINTS ("2", "2:2", "a.position,a.velocity") "20=3,4,5,6|20000000,30000000 eos; "},
  /* before another frame */
  {{W ("/w", 10, 1), W ("/w", 20, 2), {"/w", "geometry_msgs/WrenchStamped", "(((0 30000000) 'g') ((3 2 3) (4 5 6)))", 30}},
      "block-rows=8", "src_0 /w@f: " WRENCHES (8) "seg:0-none " WRENCHES (2) "0=" V (1) "," V (2) "|0,10000000! "
        "caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] 20=" V (3) "|20000000 eos; "},
  /* before a GAP */
  {{W ("/w", 10, 1), W ("/v", 20, 2), W ("/v", 700, 3), W ("/v", 800, 4)}, "block-rows=8 max-transport=100000000",
      "src_0 /w@f: " WRENCHES (8) "seg:0-none caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] 0=" V (1) "|0! gap:0,590 eos; "
        "src_1 /v@f: " WRENCHES (8) "seg:0-none " WRENCHES (3) "10=" V (2) "," V (3) "," V (4) "|10000000,690000000,790000000! eos; "},
  /* a row is lost between two */
  {{W ("/w", 30, 1), {"/w", "geometry_msgs/WrenchStamped", WRENCH (5, 9), 35}, W ("/w", 40, 2)}, "block-rows=8 time-origin=10000000",
      "warning a message of /w is dropped: its time 5000000 is 5000000 ns before running time 0; "
        "src_0 /w@f: " WRENCHES (8) "seg:0-none caps[other/tensors float64,int64 6,1 fx,fy,fz,tx,ty,tz] 20=" V (1) "|20000000! "
        "30=" V (2) "|30000000! eos; "},
  /* others are not collected */
  {{{"/c/image", "sensor_msgs/Image", IMAGE (10), 10}, W ("/w", 15, 1), {"/c/image", "sensor_msgs/Image", IMAGE (20), 20}, W ("/w", 25, 2),
          {"/b", "robocache_msgs/Row", "(((0 30000000) '') ['x'] 0 20000000 [0 7000000] [] [] [] [] [] [] [] [] [] [] [] [5 6])", 30}},
      "block-rows=8", "src_0 /c/image@f: caps[video/x-raw GRAY8] seg:0-none 0=#4! 10=#4 eos; "
        "src_1 /w@f: " WRENCHES (8) "seg:0-none " WRENCHES (2) "5=" V (1) "," V (2) "|5000000,15000000! eos; "
        "src_2 /b: caps[other/tensors float64,int64 1:2,2 x] seg:0-none 20=5,6|20000000,27000000! eos; "},
};

GST_START_TEST (test_blocks)
{
  const RecordingOptions options = { 0 };
  const Run how = {.properties = blocks[__i__].properties,.has_events = TRUE };
  guint n = 0;
  GByteArray *file;
  gchar *text;

  while (n < G_N_ELEMENTS (blocks[0].messages) && blocks[__i__].messages[n].topic)
    n++;
  file = make_recording (&options, blocks[__i__].messages, n);
  text = run (file, &how);
  expect_same_parts (text, blocks[__i__].out);
  g_free (text);
  g_byte_array_unref (file);
}

GST_END_TEST;

CHECK_MAIN (demux, NULL, NULL, EACH (forms, test_forms), EACH (settings, test_settings), EACH (faults, test_faults),
    EACH (no_recordings, test_no_recording), EACH (streams, test_streams), EACH (blocks, test_blocks))
