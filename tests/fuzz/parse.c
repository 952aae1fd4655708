/* robocache: a fuzzer of robocacheparse
 *
 * The first bytes choose settings, and how the rest, the recording, is cut into buffers and disturbed. Undisturbed,
 * what comes out must be the same however it is cut.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "entry.h"
#include "operations.h"

/* ---- a clock on which waiting takes no time, for live replays ---- */

#define INSTANT_TYPE_CLOCK (instant_clock_get_type ())
G_DECLARE_FINAL_TYPE (InstantClock, instant_clock, INSTANT, CLOCK, GstClock)

struct _InstantClock
{
  GstClock parent;
  GstClockTime now;
};

G_DEFINE_FINAL_TYPE (InstantClock, instant_clock, GST_TYPE_CLOCK)

static GstClockTime
instant_clock_get_internal_time (GstClock *clock)
{
  return INSTANT_CLOCK (clock)->now;
}

static GstClockReturn
instant_clock_wait (GstClock *clock, GstClockEntry *entry, GstClockTimeDiff *jitter)
{
  InstantClock *self = INSTANT_CLOCK (clock);

  if (jitter)
    *jitter = 0;
  self->now = MAX (self->now, GST_CLOCK_ENTRY_TIME (entry));
  return GST_CLOCK_OK;
}

static void
instant_clock_class_init (InstantClockClass *klass)
{
  GST_CLOCK_CLASS (klass)->get_internal_time = instant_clock_get_internal_time;
  GST_CLOCK_CLASS (klass)->wait = instant_clock_wait;
}

static void
instant_clock_init (InstantClock *self)
{
}

/* ---- settings ---- */

/* As the element's enum has them. */
enum
{ CSV, BINARY, PCD, KITTI, NUSCENES, POINTS };

typedef struct
{
  guint format;
  const gchar *delimiter, *layout, *channels;
  guint time_column, time_unit;
  gint arrival_column, max_errors;
  gboolean keep;
  gint64 time_origin;
  guint64 stats_interval;
  GstCaps *accepted;
  guint8 cut;                   /* length of buffers, 0: all in one */
  guint8 disturbance, where;    /* what happens after buffer `where` */
  /* of clouds */
  gint rate;                    /* Hz; 0: none */
  guint cloud_end;
  guint64 points_per_cloud;
  const gchar *caps;            /* of the input; NULL: none */
} Settings;

/* Whether what comes out depends on the bytes alone, and not on the buffers they are in. */
static gboolean
is_cut_anywhere (const Settings *settings)
{
  if (settings->format <= BINARY || settings->cloud_end == 2)
    return TRUE;
  return settings->cloud_end == 0 && settings->caps == NULL && (settings->format == PCD || settings->points_per_cloud > 0);
}

static void
choose_cloud_settings (Settings *settings, Input *input)
{
  static const struct
  {
    const gchar *layout, *channels;
  } points[] = { {"=3f", "x,y,z"}, {"=BxHBxxb", "z,x,y,i"}, {"=3f", "x,y"}, {"", ""}, {">3f", "x,y,z"}, {"=3fd", "x,y,z,t"},
  {"<999999f", "x,y,z"}, {"", "x"} };
  static const gchar *const caps[] = { NULL, NULL, "application/octet-stream,framerate=10/1",
    "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32", "application/x-lidar",
    "application/x-pointcloud,fields=(string)\"x,y\",type=(string)float32"
  };
  static const guint64 counts[] = { 0, 0, 0, 1, 2, 100, G_MAXINT64 };
  guint pair = input_below (input, G_N_ELEMENTS (points));

  settings->layout = settings->format == POINTS ? points[pair].layout : "";
  settings->channels = settings->format == POINTS ? points[pair].channels : "";
  settings->arrival_column = -1;
  settings->rate = input_one_in (input, 2) ? (gint) input_below (input, 30) : 0;
  settings->cloud_end = input_below (input, 3);
  settings->points_per_cloud = input_pick (input, counts);
  settings->caps = input_pick (input, caps);
}

static void
choose_settings (Settings *settings, Input *input)
{
  static const guint formats[] = { CSV, CSV, BINARY, CSV, PCD, BINARY, KITTI, CSV, BINARY, PCD, NUSCENES, POINTS };
  static const gchar *const delimiters[] = { ",", ",", ",", ";", "tab", "space", " ", "", ",,", "\"", "\n", "#" };
  static const gchar *const layouts[] = { "<q2f", "<q6f", ">dhb", "!If", "@qx3f", "=Q?e", "qf", "<bBhHiIlLqQefd?x", "",
    "<", "<q0f", "<999999999999f", "z", "<q1f2", "<e", "@bq", "<x", "<64d"
  };
  static const gchar *const channels[] = { "", "", "", "1", "1-2", "2,1", "q0", "q0,q1", "0", "1-", "-1", "a-b",
    "99999999999", "1,1", "x y", "1-100000000", ","
  };
  static const gint64 origins[] = { G_MININT64, G_MININT64, 0, 1, -1, 1000000000, G_MAXINT64, G_MININT64 + 1 };
  static const gint limits[] = { -1, 0, 1, 10, G_MAXINT };
  Bench no_bench = { NULL };

  settings->format = input_pick (input, formats);
  settings->delimiter = input_pick (input, delimiters);
  settings->layout = input_pick (input, layouts);
  settings->channels = input_pick (input, channels);
  settings->time_column = input_one_in (input, 2) ? input_below (input, 6) : 0;
  settings->time_unit = input_below (input, 4);
  settings->arrival_column = input_one_in (input, 4) ? (gint) input_below (input, 6) : -1;
  settings->max_errors = input_pick (input, limits);
  settings->keep = input_one_in (input, 2);
  settings->time_origin = input_pick (input, origins);
  settings->stats_interval = input_one_in (input, 4) ? 1000000 : 0;
  settings->cut = input_byte (input);
  settings->disturbance = input_byte (input);
  settings->where = input_byte (input);
  if (settings->format > BINARY)
    choose_cloud_settings (settings, input);
  if (input_one_in (input, 16))
    choose_downstream (&no_bench, input);
  settings->accepted = no_bench.accepted;
}

static void
apply (const Settings *settings, Bench *bench)
{
  g_object_set (bench->element, "format", settings->format, "delimiter", settings->delimiter,
      "layout", settings->layout, "channels", settings->channels, "time-column", settings->time_column,
      "time-unit", settings->time_unit, "arrival-column", settings->arrival_column, "max-errors", settings->max_errors,
      "start", settings->keep,
      "time-origin", settings->time_origin, "stats-interval", settings->stats_interval,
      "rate", settings->rate, 1, "cloud-end", settings->cloud_end, "points-per-cloud", settings->points_per_cloud, NULL);
  /* by itself a pad would take no other caps than the first */
  bench->accepted = settings->accepted ? gst_caps_ref (settings->accepted) : gst_caps_new_any ();
}

/* ---- a recording ---- */

static guint64
count_of (const Bench *bench, const gchar *name)
{
  GstStructure *stats;
  guint64 n;

  g_object_get (bench->element, "stats", &stats, NULL);
  if (!gst_structure_get_uint64 (stats, name, &n))
    fuzz_fail ("stats have no %s", name);
  gst_structure_free (stats);
  return n;
}

static void
disturb (Feed *feed, guint8 disturbance)
{
  const Input of_disturbance = { &disturbance, 1 };
  Input input = of_disturbance;

  switch (disturbance % 8) {
    case 1:
      feed_flush (feed, TRUE);
      break;
    case 2:
      send_segment (feed, &input);
      break;
    case 3:
      feed_send (feed, gst_event_new_eos ());
      break;
    case 4:
      send_upstream_event (feed->bench, &input);
      break;
    case 5:
      send_other_event (feed, &input);
      break;
    case 6:
      ask (feed->bench, &input);
      break;
    case 7:
      gst_pad_push_event (feed->bench->sink, gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, disturbance, GST_SEEK_TYPE_NONE, 0));
      break;
    default:
      break;
  }
}

static void
send_recording (Feed *feed, const Settings *settings, const Input *recording, guint8 cut)
{
  gsize n, at = 0;

  for (guint i = 0; at < recording->n; i++, at += n) {
    n = cut == 0 ? recording->n : MIN (cut, recording->n - at);
    feed_push (feed, gst_buffer_new_memdup (recording->bytes + at, n));
    if (cut > 0 && i == settings->where)
      disturb (feed, settings->disturbance);
  }
  feed_send (feed, gst_event_new_eos ());
}

/* What came of it. */
typedef struct
{
  guint64 digest, n_buffers, malformed;
  gboolean error;
} Outcome;

static Outcome
run (const Settings *settings, const Input *recording, guint8 cut)
{
  GstClock *clock = gst_object_ref_sink (g_object_new (INSTANT_TYPE_CLOCK, NULL));
  Outcome outcome = { 0 };
  GstSegment segment;
  guint64 sent;
  Bench bench;
  Feed *feed;

  bench_init (&bench, "robocacheparse");
  bench.max_buffers = G_MAXUINT64;
  apply (settings, &bench);
  gst_element_set_clock (bench.element, clock);
  if (bench_set_state (&bench, GST_STATE_PLAYING)) {
    feed = bench_add_feed (&bench, gst_element_get_static_pad (bench.element, "sink"), FALSE);
    feed_send (feed, gst_event_new_stream_start ("fuzz"));
    if (settings->caps) {
      GstCaps *caps = gst_caps_from_string (settings->caps);

      feed_send (feed, gst_event_new_caps (caps));
      gst_caps_unref (caps);
    }
    gst_segment_init (&segment, GST_FORMAT_BYTES);
    feed_send (feed, gst_event_new_segment (&segment));
    send_recording (feed, settings, recording, cut);
    outcome = (Outcome) {bench.digest, bench.n_buffers, count_of (&bench, "malformed"), bench.n_errors > 0};
    sent = count_of (&bench, "rows") + count_of (&bench, "clouds");
    /* a row that downstream did not take is counted as sent */
    if (outcome.n_buffers > sent
        || (outcome.n_buffers < sent && settings->disturbance % 8 == 0 && !settings->accepted))
      fuzz_fail ("%" G_GUINT64_FORMAT " rows and clouds left, %" G_GUINT64_FORMAT " are counted", outcome.n_buffers, sent);
  }
  bench_clear (&bench);
  gst_object_unref (clock);
  return outcome;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  bench_prepare ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  Input input = { bytes, n };
  Settings settings = { 0 };
  Outcome whole, cut;

  choose_settings (&settings, &input);
  cut = run (&settings, &input, settings.cut);
  /* where downstream refuses, a source that has more to send gives up */
  if (settings.cut > 0 && settings.disturbance % 8 == 0 && !settings.accepted && is_cut_anywhere (&settings)) {
    whole = run (&settings, &input, 0);
    if (memcmp (&whole, &cut, sizeof (whole)) != 0)
      fuzz_fail ("in one buffer %" G_GUINT64_FORMAT " rows and %" G_GUINT64_FORMAT " malformed ones, in buffers of %u "
          "bytes %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, whole.n_buffers, whole.malformed, settings.cut,
          cut.n_buffers, cut.malformed);
  }
  gst_clear_caps (&settings.accepted);
  return 0;
}
