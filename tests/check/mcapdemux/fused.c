/* robocache: samples of robocachefuse from a recording, which are the same bytes however many rows are in a buffer, and recorded samples;
 * with TEST_BAGSRC from robocachebagsrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/recordings/demuxrun.h"
#include "tests/check/lib/recordings/recording.h"
#include "tests/check/lib/checks.h"

#define SECONDS 6
/* 250 Hz, 40 Hz that pauses for two seconds, and 2 Hz. */
#define MAX_MESSAGES (SECONDS * 300)

static gchar *
row_text (gint us, GRand *random)
{
  return g_strdup_printf ("(((%d %d000) 'f') ((%.9g %.9g 3) (4 5 6)))", us / 1000000, us % 1000000, g_rand_double (random),
      g_rand_double (random));
}

static gboolean
has_row (guint stream, gint ms)
{
  if (stream == 0)
    return ms % 4 == 0;
  return stream == 1 ? ms % 25 == 0 && (ms < 2000 || ms > 4000) : ms % 500 == 300;
}

/* Rows are captured up to 9 ms before they arrive, and not in order. */
static GByteArray *
make_rows (void)
{
  static const gchar *const topics[] = { "/fast", "/slow", "/rare" };
  const RecordingOptions options = { ROBOCACHE_MCAP_LZ4, RECORDED_IN_CHUNKS, 50 };
  RecordedMessage *messages = g_new0 (RecordedMessage, MAX_MESSAGES);
  GRand *random = g_rand_new_with_seed (7);
  GByteArray *file;
  guint n = 0;

  for (gint ms = 0; ms < 1000 * SECONDS; ms++) {
    for (guint i = 0; i < G_N_ELEMENTS (topics); i++) {
      if (has_row (i, ms))
        messages[n++] = (RecordedMessage) {topics[i], "geometry_msgs/WrenchStamped",
              row_text (1000 * (ms + 1000) - g_rand_int_range (random, 0, 9000), random), ms + 1000};
    }
  }
  g_assert (n <= MAX_MESSAGES);
  file = make_recording (&options, messages, n);
  for (guint i = 0; i < n; i++)
    g_free ((gpointer) messages[i].message);
  g_free (messages);
  g_rand_free (random);
  return file;
}

static GstPadProbeReturn
note_sample (GstPad *pad, GstPadProbeInfo *info, gpointer samples)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const guint64 pts = GST_BUFFER_PTS (buffer);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_byte_array_append (samples, (const guint8 *) &pts, sizeof (pts));
  g_byte_array_append (samples, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
  return GST_PAD_PROBE_OK;
}

/* PTS and bytes of each sample. Messages before the origin are dropped on purpose. */
static GByteArray *
fuse (const gchar *path, const gchar *properties, const gchar *settings)
{
  gchar *branches = g_strdup_printf ("topics=/fast,/slow,/rare %s multiqueue name=q max-size-buffers=0 max-size-bytes=0 max-size-time=0 "
      "d.src_0 ! q.sink_0 d.src_1 ! q.sink_1 d.src_2 ! q.sink_2 q.src_0 ! f.sink_0 q.src_1 ! f.sink_1 q.src_2 ! f.sink_2 "
      "robocachefuse name=f rate=30/1 info=tensor type=float32 %s ! fakesink name=s sync=false", properties, settings);
#ifdef TEST_BAGSRC
  gchar *launch = g_strdup_printf ("robocachebagsrc location=%s name=d %s", path, branches);
#else
  gchar *launch = g_strdup_printf ("filesrc location=%s ! robocachemcapdemux name=d %s", path, branches);
#endif
  GstElement *pipeline = gst_parse_launch (launch, NULL), *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  GByteArray *samples = g_byte_array_new ();
  GString *messages = g_string_new (NULL);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_sample, samples, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, messages);
  fail_if (strstr (messages->str, "error") != NULL, "%s", messages->str);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_string_free (messages, TRUE);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (launch);
  g_free (branches);
  return samples;
}

static const struct
{
  const gchar *properties, *settings;
} settings[] = {
  {"", ""}, {"max-transport=100000000", "pads=\"sink_0,reorder-window=10ms; sink_1,reorder-window=10ms\""},
  {"time-origin=3000000000", "window=3"}, {"", "pads=\"sink_0,interpolation=mean; sink_1,interpolation=previous,hold-limit=5s\" layout=concat"},
};

GST_START_TEST (test_samples)
{
  static const guint numbers[] = { 2, 37, 256, 65536 };
  GByteArray *file = make_rows (), *samples;
  gchar *path = NULL;

  fail_unless (g_close (g_file_open_tmp ("fused-XXXXXX.mcap", &path, NULL), NULL));
  fail_unless (g_file_set_contents (path, (const gchar *) file->data, file->len, NULL));
  samples = fuse (path, settings[__i__].properties, settings[__i__].settings);
  fail_unless (samples->len > 50 * 3 * 6 * sizeof (gfloat));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    gchar *properties = g_strdup_printf ("%s block-rows=%u", settings[__i__].properties, numbers[i]);
    GByteArray *of_blocks = fuse (path, properties, settings[__i__].settings);

    fail_unless_equals_int (of_blocks->len, samples->len);
    fail_unless (memcmp (of_blocks->data, samples->data, samples->len) == 0);
    g_byte_array_unref (of_blocks);
    g_free (properties);
  }
  g_byte_array_unref (samples);
  g_byte_array_unref (file);
  g_unlink (path);
  g_free (path);
}

GST_END_TEST;

/* ---- samples that are recorded ---- */

/* The topics of a sample's tensors, and the beginning of their text. */
static const gchar *const topics[] = {
  "src_0 /aligned/proprio_0: caps[other/tensors float32 14 q0,q1,q2,q3,q4,q5,q6,q7,q8,q9,q10,q11,q12,q13] 0=",
  "src_1 /aligned/force_0: caps[other/tensors float32 6 fx,fy,fz,tx,ty,tz] 0="
};

/* Of caps of each topic, and of samples. */
static const gchar *const kinds[] = { "real*4,angle,hold,velocity:q4,real*7", "angle,real*5" };
#define SAMPLE_KINDS "real*4,angle,hold,velocity:q4,real*7;angle,real*5"

typedef struct
{
  gchar *kinds[G_N_ELEMENTS (topics)];
  GByteArray *tensors[G_N_ELEMENTS (topics)];   /* PTS and bytes of each sample */
} Tensors;

static void
tensors_init (Tensors *tensors)
{
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++)
    tensors->tensors[i] = g_byte_array_new ();
}

static void
tensors_clear (Tensors *tensors)
{
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++)
    g_byte_array_unref (tensors->tensors[i]);
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++)
    g_free (tensors->kinds[i]);
}

static GstPadProbeReturn
note_tensors (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const guint64 pts = GST_BUFFER_PTS (buffer);

  fail_unless_equals_int (gst_buffer_n_memory (buffer), G_N_ELEMENTS (topics));
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++) {
    GstMapInfo map;

    gst_memory_map (gst_buffer_peek_memory (buffer, i), &map, GST_MAP_READ);
    g_byte_array_append (((Tensors *) user_data)->tensors[i], (const guint8 *) &pts, sizeof (pts));
    g_byte_array_append (((Tensors *) user_data)->tensors[i], map.data, (guint) map.size);
    gst_memory_unmap (gst_buffer_peek_memory (buffer, i), &map);
  }
  return GST_PAD_PROBE_OK;
}

static gchar *
kinds_of_caps (const GstCaps *caps)
{
  return g_strdup (gst_structure_get_string (gst_caps_get_structure (caps, 0), "kinds"));
}

static GstPadProbeReturn
note_kinds (GstPad *pad, GstPadProbeInfo *info, gpointer text)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    g_free (*(gchar **) text);
    *(gchar **) text = kinds_of_caps (caps);
  }
  return GST_PAD_PROBE_OK;
}

static void
note_topic (GstElement *demux, GstPad *pad, gpointer tensors)
{
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++) {
    if (!g_str_has_prefix (topics[i], GST_PAD_NAME (pad)))
      continue;
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_sample, ((Tensors *) tensors)->tensors[i], NULL);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_kinds, &((Tensors *) tensors)->kinds[i], NULL);
  }
}

static void
run_to_end (GstElement *pipeline)
{
  GString *messages = g_string_new (NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, messages);
  fail_if (strstr (messages->str, "error") || strstr (messages->str, "warning"), "%s", messages->str);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_string_free (messages, TRUE);
}

static void
record (const gchar *path, Tensors *tensors)
{
  gchar *launch = g_strdup_printf ("robocachemcapsink name=r location=%s sync-interval=0 sink_0::topic=/aligned "
      "robocachefuse name=f rate=50/1 proprio_0::kinds=real*4,angle,hold,velocity:q4,real*7 force_0::kinds=angle,real*5 ! r.sink_0 robocachetestsrc kind=proprio channels=14 num-buffers=200 ! f.proprio_0 "
      "robocachetestsrc kind=force num-buffers=2000 ! f.force_0", path);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *fuse = gst_bin_get_by_name (GST_BIN (pipeline), "f");
  GstPad *pad = gst_element_get_static_pad (fuse, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_tensors, tensors, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_kinds, &tensors->kinds[0], NULL);
  run_to_end (pipeline);
  gst_object_unref (pad);
  gst_object_unref (fuse);
  gst_object_unref (pipeline);
  g_free (launch);
}

/* All channels of a sample note its caps, those of two tensors and 20 names. Each topic is the tensor that was written to it, with
 * its names and kinds. */
GST_START_TEST (test_recorded)
{
  Tensors recorded = { 0 }, played = { 0 };
  GstElement *pipeline, *demux;
  DemuxOutput output;
  gchar *path = NULL;

  tensors_init (&recorded);
  tensors_init (&played);
  fail_unless (g_close (g_file_open_tmp ("fused-XXXXXX.mcap", &path, NULL), NULL));
  record (path, &recorded);
  fail_unless_equals_string (recorded.kinds[0], SAMPLE_KINDS);
  pipeline = launch_recording (path, "", "");
  demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  demux_output_init (&output, demux, FALSE);
  g_signal_connect (demux, "pad-added", G_CALLBACK (note_topic), &played);
  run_to_end (pipeline);
  for (guint i = 0; i < G_N_ELEMENTS (topics); i++) {
    const gchar *text = ((GString *) g_ptr_array_index (output.texts, i))->str;

    fail_unless (g_str_has_prefix (text, topics[i]), "%.80s", text);
    fail_unless (recorded.tensors[i]->len > 90 * (8 + 6 * sizeof (gfloat)));
    fail_unless_equals_string (played.kinds[i], kinds[i]);
    fail_unless_equals_int (played.tensors[i]->len, recorded.tensors[i]->len);
    fail_unless (memcmp (played.tensors[i]->data, recorded.tensors[i]->data, recorded.tensors[i]->len) == 0);
  }
  demux_output_clear (&output);
  gst_object_unref (demux);
  gst_object_unref (pipeline);
  tensors_clear (&played);
  tensors_clear (&recorded);
  g_unlink (path);
  g_free (path);
}

GST_END_TEST;

CHECK_MAIN (fused, NULL, NULL, EACH (settings, test_samples), ONCE (test_recorded))
