/* robocache: bytes of a recording or a serial port to a stream of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "tests/check/lib/points/parseharness.h"
#include "tests/recordings.h"

/* ---- text in, rows out ---- */

/* Caps, rows and statistics as "dimensions names | time:values time:values … | malformed=2 …", with D before the time of a row
 * after a loss. Caps, durations and sizes are checked. */
static gchar *
describe_output (const Output *out)
{
  static const gchar *const counts[] = { "malformed", "before-origin", "backwards", "empty-fields", "comments" };
  GString *text = g_string_new (NULL);
  gint n_channels = 0;

  if (out->caps) {
    const GstStructure *s = gst_caps_get_structure (out->caps, 0);
    const GValue *dimensions = gst_structure_get_value (s, "dimensions");
    GstCaps *fixed = gst_caps_from_string ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
        "framerate=(fraction)0/1");

    fail_unless (gst_caps_can_intersect (out->caps, fixed), "%" GST_PTR_FORMAT, out->caps);
    gst_caps_unref (fixed);
    if (G_VALUE_HOLDS_INT (dimensions))
      g_string_append_printf (text, "(int)%d ", n_channels = g_value_get_int (dimensions));
    else
      g_string_append_printf (text, "%s ", g_value_get_string (dimensions));
    n_channels = n_channels ? n_channels : atoi (g_value_get_string (dimensions));
    if (gst_structure_has_field (s, "channels"))
      g_string_append_printf (text, "%s ", gst_structure_get_string (s, "channels"));
  }
  g_string_append_c (text, '|');
  for (guint i = 0; i < out->buffers->len; i++) {
    GstBuffer *buffer = output_buffer (out, i);

    fail_unless_equals_int (gst_buffer_get_size (buffer), n_channels * sizeof (gfloat));
    fail_unless (!GST_BUFFER_DURATION_IS_VALID (buffer));
    g_string_append_printf (text, " %s%" G_GUINT64_FORMAT, GST_BUFFER_IS_DISCONT (buffer) ? "D" : "", GST_BUFFER_PTS (buffer));
    for (gint c = 0; c < n_channels; c++)
      g_string_append_printf (text, "%c%g", c ? ',' : ':', output_value (out, i, (guint) c));
  }
  g_string_append (text, " |");
  fail_unless_equals_uint64 (output_count (out, "rows"), out->buffers->len);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (output_count (out, counts[i]) > 0)
      g_string_append_printf (text, " %s=%" G_GUINT64_FORMAT, counts[i], output_count (out, counts[i]));
  return g_string_free (text, FALSE);
}

GST_START_TEST (text_to_rows)
{
  static const struct
  {
    const gchar *properties, *text;
    const gchar *output;        /* NULL: does not matter */
    const gchar *error, *warning;       /* NULL: none */
  } cases[] = {
    {"", "t,q0,q1\n0,1,2\n0.004,3,4\n", "2 q0,q1 | D0:1,2 4000000:3,4 |"},
    {"", "0,1,2,3\n", "3 | D0:1,2,3 |"},
    {"channels=q1", "t,q0,q1\n0,1,2\n", "1 q1 | D0:2 |"},
    {"time-column=1 channels=2-3,0", "a,t,q0,q1\n9,0,1,2\n", "3 q0,q1,a | D0:1,2,9 |"},
    /* downstream's spelling is kept */
    {"! other/tensors,dimensions=(string)2:1", "0,1,2\n", "2:1 | D0:1,2 |"},
    {"! other/tensors,dimensions=2", "0,1,2\n", "(int)2 | D0:1,2 |"},
    {"! other/tensors,dimensions=(string)3", "0,1,2\n", "| |", "downstream accepts only"},
    {"! other/tensors,dimensions=(string)3", "t,a\n0,1\n", "| |", "dimensions=(string)1"},
    /* origins and units */
    {"", "100.5,1\n100.75,2\n", "1 | D0:1 250000000:2 |"},
    {"start=keep", "100.5,1\n100.75,2\n", "1 | D100500000000:1 100750000000:2 |"},
    {"time-origin=100000000000", "100.5,1\n100.75,2\n", "1 | D500000000:1 750000000:2 |"},
    {"time-origin=100000000000 start=keep", "100.5,1\n100.75,2\n", "1 | D500000000:1 750000000:2 |"},
    {"time-origin=-2000000000", "-1,1\n1,2\n", "1 | D1000000000:1 3000000000:2 |"},
    {"time-unit=us start=keep", "20327133,1\n20490883,2\n", "1 | D20327133000:1 20490883000:2 |"},
    {"time-unit=ns start=keep", "1326899528468056009,1\n", "1 | D1326899528468056009:1 |"},
    {"time-unit=s start=keep", "1326899528.468056009,1\n", "1 | D1326899528468056009:1 |"},
    {"time-unit=ms start=keep", "1.5e-3,1\n", "1 | D1500:1 |"},
    {"", "5,1\n4,2\n3,3\n6,4\n", "1 | D0:1 D1000000000:4 | before-origin=2", NULL, "Dropped record 2: it is 1000000000 ns before "
          "running time 0, which is 5000000000 on the file's clock; an earlier time-origin keeps it"},
    {"", "0,1\n3,2\n2,3\n2,4\n4,5\n", "1 | D0:1 3000000000:2 2000000000:3 2000000000:4 4000000000:5 | backwards=1"},
    {"time-unit=ns time-origin=-5", "9223372036854775807,1\n1,2\n", "1 | D6:2 | malformed=1", NULL, "record 1 is further"},
    {"time-unit=ns time-origin=0", "-9223372036854775808,1\n0,2\n9223372036854775807,3\n",
        "1 | D0:2 9223372036854775807:3 | before-origin=1", NULL, "9223372036854775808 ns before running time 0"},
    /* malformed records: the first one is reported */
    {"", "t,q\n0,1\n1,x\n2,3\n3,y\n4,5\n", "1 q | D0:1 D2000000000:3 D4000000000:5 | malformed=2", NULL, "line 3, column 1: \"x\""},
    {"max-errors=2", "0,1\nx\nx\n1,1\nx\nx\n2,1\n", "1 | D0:1 D1000000000:1 D2000000000:1 | malformed=4", NULL, "line 2"},
    {"max-errors=2", "0,1\nx\nx\nx\n1,1\n", "1 | D0:1 | malformed=3",
        "3 consecutive malformed records, more than max-errors=2; the last: line 4 has 1 column, expected 2", "line 2"},
    {"max-errors=0", "0,1\nx\n", "1 | D0:1 | malformed=1", "more than max-errors=0"},
    {"max-errors=-1", "0,1\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\n1,1\n", "1 | D0:1 D1000000000:1 | malformed=12", NULL, "line 2"},
    {"", "0,1,2\n1,2", "2 | D0:1,2 | malformed=1", NULL, "line 2 has 2 columns, expected 3"},
    {"", "", "| |", NULL, "The input ended without a record"},
    {"", "t,q\nno,table\nat all\n", NULL, "No record of 2 could be read; the first: line 2", "line 2"},
    /* empty cells of a file are no value */
    {"", "t,a,b\n0,1,\n1,2,\n2,3,4\n", "2 a,b | D0:3,4 | empty-fields=2", NULL, "2 of 3 records are left out, because a channel has no value in them: "
          "b (2, 66.7 %). To keep the values of the other channels, read each group of columns as its own stream: channels=1; channels=2"},
    {"channels=a", "t,a,b\n0,1,\n1,2,\n2,3,4\n", "1 a | D0:1 1000000000:2 2000000000:3 |"},
    {"channels=b", "t,a,b\n0,1,\n1,2,\n2,3,4\n", "1 b | D0:4 | empty-fields=2"},
    {"", "t,a,b,c\n0,1,,5\n1,2,NA,6\n2,3,null,7\n", "2 a,c | D0:1,5 1000000000:2,6 2000000000:3,7 |", NULL, "Columns without a value in the whole file "
          "are left out: b"},
    {"", "0,1,\n1,2,N/A\n", "1 | D0:1 1000000000:2 |", NULL, "left out: column 2"},
    {"", "t,\n0,1\n1,2\n", "1  | D0:1 1000000000:2 |"},
    {"", ",time\n5,0.1\n", "1  | D0:5 |"},
    {"start=keep", "t,a\n0,1\n1,nan\n2,\n3,-NaN\n4,5\n", "1 a | D0:1 4000000000:5 | empty-fields=3"},
    {"", "t,a,b\n0,,\n1,NaN,\n", "| | empty-fields=4", NULL, "No row was sent: none of the 2 records has a value in each channel"},
    {"", "t,a\n0,nano\n1,2\n", "1 a | D0:2 | malformed=1", NULL, "\"nano\" is not a number"},
    /* settings that make no sense */
    {"delimiter=ab", "0,1\n", "| |", "delimiter=\"ab\""},
    {"format=binary", "0,1\n", "| |", "layout=\"\" contains no number"},
    {"format=binary layout=<q4s", "0,1\n", "| |", "'s'"},
    {"layout=<qf", "0,1\n", "| |", "is for format=binary"},
    {"format=binary layout=<qf time-column=2", "0,1\n", "| |", "time-column=2"},
    {"channels=q7", "t,q\n0,1\n", "| |", "the file has no column \"q7\"; it has t,q"},
    {"channels=1-4", "t,q\n0,1\n", "| |", "\"1-4\": expected columns 0-1"},
    {"channels=q0", "0,1\n", "| | malformed=1", "the file has no header with names", "the file has no header with names"},
    {"clock-mode=track time-origin=5", "0,1\n", "| |", "arrival-column"},
    {"format=pcd arrival-column=1", "", "| |", "arrival-column is set"},
    {"format=kitti clock-mode=track", "", "| |", "clock-mode is set"},
    {"format=kitti points-per-cloud=1 cloud-end=buffer", "", "| |", "set one of the two"},
    {"format=kitti layout=<f", "", "| |", "layout=\"<f\" is only for format=points"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    /* the unit of few rows is not to be guessed here */
    gchar *properties = strstr (cases[i].properties, "time-unit") ? g_strdup (cases[i].properties) : g_strconcat ("time-unit=s ", cases[i].properties, NULL);
    Output out = parse (cases[i].text, properties);
    gchar *output = describe_output (&out);

    g_free (properties);
    if (cases[i].output)
      fail_unless (g_str_has_prefix (output, cases[i].output), "case %u: \"%s\", expected \"%s\"", i, output, cases[i].output);
    expect_complaints (&out, cases[i].error, cases[i].warning, cases[i].text);
    g_free (output);
    output_clear (&out);
  }
}

GST_END_TEST;

/* A week at 1000/3 Hz, written as times of 9 digits: nothing drifts. */
GST_START_TEST (a_week_of_rows_has_exact_times)
{
  const guint64 week_rows = G_GUINT64_CONSTANT (7) * 24 * 3600 * 1000 / 3;
  GString *text = g_string_new ("t,q\n0,0\n");
  Output out;

  for (guint64 k = week_rows - 300; k <= week_rows; k++) {
    const guint64 t = k * 3000000;

    g_string_append_printf (text, "%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT ",1\n", t / GST_SECOND, t % GST_SECOND);
  }
  out = parse (text->str, "");
  fail_unless_equals_int (out.buffers->len, 302);
  for (guint i = 1; i < 302; i++)
    fail_unless_equals_uint64 (output_pts (&out, i), (week_rows - 301 + i) * 3000000);
  output_clear (&out);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* ---- the same however it is cut ---- */

static const gchar mixed[] = "\xEF\xBB\xBF"
                             "t,q0,\"q 1\"\r\n0,1,2\r\n\r\n0.1,3,4\n# note\n0.2,x,5\n0.3,6\n0.4,,7\n0.5,\"8\",9";
static const gchar binary[] = "\0\0\0\0\0\0\0\x3f\1\0\0\0\0\0\x80\x3f\2\0\0\0\0\0\0\x40";

GST_START_TEST (any_cut_gives_the_same_rows)
{
  static const struct
  {
    const gchar *bytes;
    gsize n;
    const gchar *properties, *output;
  } cases[] = {
    {mixed, sizeof mixed - 1, "", "2 q0,q 1 | D0:1,2 100000000:3,4 D500000000:8,9 | malformed=1 empty-fields=2 "
          "comments=1"},
    {binary, sizeof binary - 1, "format=binary layout=<if time-unit=us", "1 | D0:0.5 1000:1 2000:2 |"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *warning = NULL;

    for (guint block = 1; block < 40; block++) {
      Run run = file_run_begin (cases[i].bytes, (gssize) cases[i].n, cases[i].properties, block);

      /* and however often one pipeline runs */
      for (guint k = 0; k < 2; k++) {
        Output out = play_to_end (run.pipeline);
        gchar *output = describe_output (&out);

        fail_unless_equals_string (output, cases[i].output);
        if (block > 1)
          fail_unless_equals_string (out.warning, warning);
        g_free (warning);
        warning = g_strdup (out.warning);
        g_free (output);
        output_clear (&out);
      }
      run_end (&run);
    }
    g_free (warning);
  }
}

GST_END_TEST;

/* ---- real recordings ---- */

#define PX4 "time-unit=us time-origin=20310847000"

GST_START_TEST (recordings)
{
  static const struct
  {
    const gchar *file, *properties;
    guint rows, channels;
    GstClockTime last;
  } files[] = {
    {"arm_joints_250hz.csv", "", 936, 12, 3740000000},
    {"arm_torque_250hz.csv", "", 936, 6, 3740000000},
    /* files that share an origin */
    {"px4_attitude_quat_wxyz.csv", PX4, 1298, 4, 6512021000},
    {"px4_imu.csv", PX4, 1298, 10, 6512021000},
    {"px4_mag.csv", PX4, 319, 3, 6499999000},
    {"px4_baro.csv", PX4, 120, 6, 6502967000},
    {"px4_actuator_controls.csv", PX4, 1812, 9, 6514883000},
    {"rover_imu_20hz.csv", "time-column=1 time-unit=ns channels=qx,qy,qz,qw", 356, 4, 17748843403},
    {"rover_twist_40hz.csv", "time-column=1 time-unit=ns channels=2-7", 712, 6, 17748843443},
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    const gchar *path = recording_path ("recordings", files[i].file);
    Output out;
    Run run;

    if (!path)
      return;
    run = run_begin (describe (path, files[i].properties, 1000));
    out = play_to_end (run.pipeline);
    expect_complaints (&out, NULL, NULL, files[i].file);
    fail_unless_equals_int (out.buffers->len, files[i].rows);
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), files[i].channels * sizeof (gfloat));
    fail_unless_equals_uint64 (output_pts (&out, files[i].rows - 1), files[i].last);
    output_clear (&out);
    run_end (&run);
  }
}

GST_END_TEST;

CHECK_MAIN (robocacheparse, NULL, NULL, ONCE (text_to_rows), ONCE (a_week_of_rows_has_exact_times), ONCE (any_cut_gives_the_same_rows),
  ONCE (recordings))
