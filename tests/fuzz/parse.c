/* robocache: a fuzzer of robocacheparse
 *
 * The first bytes choose settings, and how the rest, the recording, is cut into buffers and disturbed. Undisturbed,
 * what comes out must be the same however it is cut.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "operations.h"

/* ---- a clock on which waiting takes no time, for live replays ---- */

#define INSTANT_TYPE_CLOCK (instant_clock_get_type ())
G_DECLARE_FINAL_TYPE (InstantClock, instant_clock, INSTANT, CLOCK, GstClock)

struct _InstantClock
{
  GstClock parent;
  GstClockTime now;
};

G_DEFINE_TYPE (InstantClock, instant_clock, GST_TYPE_CLOCK)

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

/* What is not a property. */
typedef struct
{
  guint format, cloud_end;
  guint64 points_per_cloud;
  guint8 cut;                   /* length of buffers, 0: all in one */
  guint8 disturbance, where;    /* what happens after buffer `where` */
  gboolean is_picky;            /* downstream accepts some caps alone */
  const gchar *caps;            /* of a file of clouds; NULL: none */
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
choose_cloud_settings (Settings *settings, GstElement *element, Input *input)
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

  g_object_set (element, "layout", settings->format == POINTS ? points[pair].layout : "", "channels",
      settings->format == POINTS ? points[pair].channels : "", "arrival-column", -1, NULL);
  g_object_set (element, "rate", input_one_in (input, 2) ? (gint) input_below (input, 30) : 0, 1, NULL);
  settings->cloud_end = input_below (input, 3);
  settings->points_per_cloud = input_pick (input, counts);
  settings->caps = input_pick (input, caps);
  g_object_set (element, "cloud-end", settings->cloud_end, "points-per-cloud", settings->points_per_cloud, NULL);
}

static void
choose_settings (Settings *settings, Bench *bench, Input *input)
{
  static const guint formats[] = { CSV, CSV, BINARY, CSV, PCD, BINARY, KITTI, CSV, BINARY, PCD, NUSCENES, POINTS };
  static const gchar *const delimiters[] = { ",", ",", ",", ";", "tab", "space", " ", "", ",,", "\"", "\n", "#" };
  static const gchar *const layouts[] = { "<q2f", "<q6f", ">dhb", "!If", "@qx3f", "=Q?e", "qf", "<bBhHiIlLqQefd?x", "",
    "<", "<q0f", "<999999999999f", "z", "<q1f2", "<e", "@bq", "<x", "<64d"
  };
  static const gchar *const channels[] = { "", "", "", "1", "1-2", "2,1", "q0", "q0,q1", "0", "1-", "-1", "a-b",
    "99999999999", "1,1", "x y", "1-100000000", ","
  };
  static const gchar *const columns[] = { "0", "1", "2", "3", "4", "5", "", "0,1", "1,0", "sec,nanosec", "t" };
  static const gint64 origins[] = { G_MININT64, G_MININT64, 0, 1, -1, 1000000000, G_MAXINT64, G_MININT64 + 1 };
  static const gint limits[] = { -1, 0, 1, 10, G_MAXINT };
  GstElement *element = bench->element;

  /* one call a property, since arguments have no order */
  settings->format = input_pick (input, formats);
  g_object_set (element, "format", settings->format, "rate", 0, 1, NULL);
  g_object_set (element, "delimiter", input_pick (input, delimiters), NULL);
  g_object_set (element, "layout", input_pick (input, layouts), NULL);
  g_object_set (element, "channels", input_pick (input, channels), NULL);
  g_object_set (element, "time-column", columns[input_one_in (input, 2) ? input_below (input, G_N_ELEMENTS (columns)) : 0], NULL);
  g_object_set (element, "time-unit", input_below (input, 4), NULL);
  g_object_set (element, "arrival-column", input_one_in (input, 4) ? (gint) input_below (input, 6) : -1, NULL);
  g_object_set (element, "max-errors", input_pick (input, limits), NULL);
  g_object_set (element, "start", input_one_in (input, 2), NULL);
  g_object_set (element, "time-origin", input_pick (input, origins), NULL);
  g_object_set (element, "stats-interval", (guint64) (input_one_in (input, 4) ? 1000000 : 0), NULL);
  settings->cut = input_byte (input);
  settings->disturbance = input_byte (input);
  settings->where = input_byte (input);
  if (settings->format > BINARY)
    choose_cloud_settings (settings, element, input);
  if (input_one_in (input, 16))
    choose_downstream (bench, input);
  settings->is_picky = bench->accepted != NULL;
  /* by itself a pad would take no other caps than the first */
  if (!settings->is_picky)
    bench->accepted = gst_caps_new_any ();
}

/* ---- a recording ---- */

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
send_recording (Feed *feed, const Settings *settings, const Input *recording, gboolean in_one)
{
  const guint8 cut = in_one ? 0 : settings->cut;
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
  guint64 digest, n_buffers, malformed, has_error;
} Outcome;

/* An input, whose settings are read first. */
static Outcome
run (Input input, gboolean in_one, Settings *settings)
{
  GstClock *clock = gst_object_ref_sink (g_object_new (INSTANT_TYPE_CLOCK, NULL));
  Outcome outcome = { 0 };
  GstSegment segment;
  guint64 sent;
  Bench bench;
  Feed *feed;

  bench_init (&bench, "robocacheparse");
  bench.max_buffers = G_MAXUINT64;
  *settings = (Settings) { 0 };
  choose_settings (settings, &bench, &input);
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
    send_recording (feed, settings, &input, in_one);
    outcome = (Outcome) {bench.digest, bench.n_buffers, bench_stat (bench.element, "malformed"), bench.n_errors > 0};
    sent = bench_stat (bench.element, "rows") + bench_stat (bench.element, "clouds");
    /* a row that downstream did not take is counted as sent */
    if (outcome.n_buffers > sent
        || (outcome.n_buffers < sent && settings->disturbance % 8 == 0 && !settings->is_picky))
      fuzz_fail ("%" G_GUINT64_FORMAT " rows and clouds left, %" G_GUINT64_FORMAT " are counted", outcome.n_buffers, sent);
  }
  bench_clear (&bench);
  gst_object_unref (clock);
  return outcome;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  const Input input = { bytes, n };
  Settings settings;
  const Outcome cut = run (input, FALSE, &settings);

  /* where downstream refuses, a source that has more to send gives up */
  if (settings.cut > 0 && settings.disturbance % 8 == 0 && !settings.is_picky && is_cut_anywhere (&settings)) {
    const Outcome whole = run (input, TRUE, &settings);

    if (memcmp (&whole, &cut, sizeof (whole)) != 0)
      fuzz_fail ("in one buffer %" G_GUINT64_FORMAT " rows and %" G_GUINT64_FORMAT " malformed ones, in buffers of %u "
          "bytes %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, whole.n_buffers, whole.malformed, settings.cut,
          cut.n_buffers, cut.malformed);
  }
  return 0;
}
