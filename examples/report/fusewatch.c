/* robocache: fills a report from a robocachefuse that runs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusewatch.h"

#include <string.h>

#include "numbers.h"
#include "rows.h"

#define META_NAME "RobocacheSampleMeta"

/* Ticks between two questions for the latency. */
#define LATENCY_TICKS 32

/* Numbers of a stream in the meta's info. */
enum
{ INFO_TICK, INFO_BEFORE, INFO_AFTER, INFO_STATUS, N_INFO };

/* Bits of a status that are not flags. */
#define STATUS_MASK 3

struct _ReportFuseWatch
{
  Report *report;
  ReportRobot *robot;           /* NULL: none */
  GMutex lock;                  /* of the report and of all below */
  GstElement *fuse;
  GPtrArray *pads;              /* of WatchedPad, once each */
  GstPad *src;
  gulong added, probe;

  /* what leaves */
  RobocacheTensorsInfo info;
  gboolean has_info, is_live;
  GstClockTime latency;
  guint64 n_samples;
};

/* A sink pad. Lives as long as the watch. */
typedef struct
{
  ReportFuseWatch *watch;
  GstPad *pad;
  gulong probe;
  ReportStream *stream;
  ReportRows rows;
  RobocacheRowTimes clock;
  gboolean has_asked, is_live;

  /* the buffer that is read */
  RobocacheBufferTimes times;
  gboolean has_time;
  gint64 offset_ns, now_ns;     /* now: REPORT_NO_TIME if not live */
} WatchedPad;

/* ---- time ---- */

static gint64
running_time_now (GstElement *fuse)
{
  GstClock *clock = gst_element_get_clock (fuse);
  gint64 now;

  if (!clock)
    return REPORT_NO_TIME;
  now = GST_CLOCK_DIFF (gst_element_get_base_time (fuse), gst_clock_get_time (clock));
  gst_object_unref (clock);
  return now;
}

static gboolean
query_live (GstPad *pad, gboolean (*query_pad) (GstPad *, GstQuery *), GstClockTime *latency)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean is_live = FALSE;

  if (query_pad (pad, query))
    gst_query_parse_latency (query, &is_live, latency, NULL);
  gst_query_unref (query);
  return is_live;
}

/* ---- rows that arrive ---- */

static gint64
time_of_row (gpointer data, guint64 i, const gint64 *row_times)
{
  WatchedPad *watched = data;
  gint64 time_ns;

  watched->times.row_times = row_times;
  if ((!watched->has_time && !row_times) || !robocache_row_times_nth (&watched->clock, &watched->times, i, &time_ns))
    return REPORT_NO_TIME;
  return __builtin_add_overflow (time_ns, watched->offset_ns, &time_ns) ? REPORT_NO_TIME : time_ns;
}

static void
add_to_robot (ReportFuseWatch *watch, const ReportStream *stream, gboolean is_tick, gint64 time_ns, const gdouble *values)
{
  if (watch->robot && time_ns != REPORT_NO_TIME)
    report_robot_add (watch->robot, watch->report, stream, is_tick, time_ns, values);
}

static void
handle_row (gpointer data, gint64 time_ns, const gdouble *values)
{
  WatchedPad *watched = data;

  report_stream_add_row (watched->stream, time_ns, values);
  add_to_robot (watched->watch, watched->stream, FALSE, time_ns, values);
  if (watched->now_ns != REPORT_NO_TIME && time_ns != REPORT_NO_TIME)
    report_stream_add_lateness (watched->stream, watched->now_ns - (time_ns - watched->offset_ns));
}

/* Without the lock: both go through the pipeline. */
static void
ask_pipeline (WatchedPad *watched)
{
  GstClockTime latency;

  if (!watched->has_asked)
    watched->is_live = query_live (watched->pad, gst_pad_peer_query, &latency);
  watched->has_asked = TRUE;
  watched->now_ns = watched->is_live ? running_time_now (watched->watch->fuse) : REPORT_NO_TIME;
  g_object_get (watched->pad, "offset", &watched->offset_ns, NULL);
}

static gboolean
read_buffer (GstBuffer **buffer, guint i, gpointer data)
{
  WatchedPad *watched = data;
  ReportFuseWatch *watch = watched->watch;

  ask_pipeline (watched);
  g_mutex_lock (&watch->lock);
  watched->has_time = robocache_row_times_begin (&watched->clock, *buffer, report_rows_count (&watched->rows), NULL,
      &watched->times) == ROBOCACHE_BUFFER_TIMED;
  report_rows_read (&watched->rows, watched->stream, *buffer, time_of_row, handle_row, watched);
  g_mutex_unlock (&watch->lock);
  return TRUE;
}

static void
read_event (WatchedPad *watched, GstEvent *event)
{
  const GstSegment *segment;
  GstCaps *caps;

  g_mutex_lock (&watched->watch->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    report_rows_set_caps (&watched->rows, watched->stream, caps);
    robocache_row_times_set_rate (&watched->clock, watched->rows.info.rate_num, MAX (watched->rows.info.rate_den, 1));
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    robocache_row_times_set_segment (&watched->clock, segment);
  }
  g_mutex_unlock (&watched->watch->lock);
}

static GstPadProbeReturn
see_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    read_buffer (&buffer, 0, data);
  } else if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

    for (guint i = 0; i < gst_buffer_list_length (list); i++) {
      GstBuffer *buffer = gst_buffer_list_get (list, i);

      read_buffer (&buffer, i, data);
    }
  } else {
    read_event (data, GST_PAD_PROBE_INFO_EVENT (info));
  }
  return GST_PAD_PROBE_OK;
}

static void
free_watched (gpointer data)
{
  WatchedPad *watched = data;

  gst_pad_remove_probe (watched->pad, watched->probe);
  report_rows_clear (&watched->rows);
  gst_object_unref (watched->pad);
  g_free (watched);
}

static void
watch_sink_pad (ReportFuseWatch *watch, GstPad *pad)
{
  WatchedPad *watched = g_new0 (WatchedPad, 1);

  g_mutex_lock (&watch->lock);
  watched->watch = watch;
  watched->pad = gst_object_ref (pad);
  watched->stream = report_get_stream (watch->report, GST_PAD_NAME (pad));
  robocache_row_times_init (&watched->clock);
  g_ptr_array_add (watch->pads, watched);
  g_mutex_unlock (&watch->lock);
  watched->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_arrival, watched, NULL);
}

static void
see_pad (GstElement *fuse, GstPad *pad, gpointer data)
{
  if (GST_PAD_IS_SINK (pad))
    watch_sink_pad (data, pad);
}

/* ---- samples that leave ---- */

/* The tensor of stream i of n, and where its values begin in it. */
typedef struct
{
  guint tensor;
  guint64 skipped;              /* channels of other streams in front */
} Place;

/* With one tensor for several streams, cameras have no place in it, and the streams follow each other. */
static gboolean
find_place (const ReportFuseWatch *watch, gchar **names, guint i, guint n, Place *place)
{
  *place = (Place) { i, 0 };
  if (watch->info.n_tensors >= n)
    return TRUE;
  place->tensor = 0;
  for (guint k = 0; k < i; k++)
    place->skipped += report_get_stream (watch->report, names[k])->n_channels;
  return watch->info.n_tensors > 0;
}

/* The last row of the window. FALSE: the tensor is no list of rows. */
static gboolean
read_sample_values (const ReportFuseWatch *watch, const RobocacheTensorsMap *map, const Place *place, const ReportStream *stream,
    gdouble *values)
{
  const RobocacheTensorInfo *tensor = &watch->info.tensors[place->tensor];
  const guint64 n_channels = robocache_tensor_info_dim (tensor, 0), n_rows = robocache_tensor_info_dim (tensor, 1);

  if (stream->n_drawn == 0 || tensor->rank > 2 || place->skipped + stream->n_channels > n_channels)
    return FALSE;
  report_numbers_to_doubles (tensor->dtype, (const guint8 *) map->data[place->tensor]
      + ((n_rows - 1) * n_channels + place->skipped) * rc_dtype_size (tensor->dtype), values, stream->n_drawn);
  return TRUE;
}

static void
read_stream_of_sample (ReportFuseWatch *watch, gchar **names, guint i, guint n, const gint64 *info, const RobocacheTensorsMap *map)
{
  ReportStream *stream = report_get_stream (watch->report, names[i]);
  gdouble values[REPORT_MAX_CHANNELS];
  Place place;
  const gboolean has_values = find_place (watch, names, i, n, &place) && read_sample_values (watch, map, &place, stream, values);

  report_stream_add_tick (stream, info[INFO_TICK], (guint) info[INFO_STATUS] & STATUS_MASK,
      info[INFO_BEFORE] == REPORT_NO_TIME ? REPORT_NO_TIME : info[INFO_TICK] - info[INFO_BEFORE], has_values ? values : NULL);
  add_to_robot (watch, stream, TRUE, info[INFO_TICK], has_values ? values : NULL);
}

static const GstStructure *
meta_of (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_meta_get_info (META_NAME) ? gst_buffer_get_custom_meta (buffer, META_NAME) : NULL;

  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

/* Samples of streams that are there so far. */
static void
read_streams_of_sample (ReportFuseWatch *watch, const GstStructure *meta, const RobocacheTensorsMap *map)
{
  gchar **names = g_strsplit (gst_structure_get_string (meta, "streams"), ",", -1);
  const GValue *field = gst_structure_get_value (meta, "info");
  const guint n = g_strv_length (names);
  gsize size = 0;
  const gint64 *info = field ? g_bytes_get_data (g_value_get_boxed (field), &size) : NULL;
  const gsize n_info = size / sizeof (gint64);

  for (guint i = 0; i < n; i++)
    g_strstrip (names[i]);
  if (n > 0 && n_info >= (gsize) n * N_INFO) {
    info += n_info - (gsize) n * N_INFO;        /* the last row of the window */
    for (guint i = 0; i < n; i++)
      read_stream_of_sample (watch, names, i, n, info + i * N_INFO, map);
  }
  g_strfreev (names);
}

static void
add_tick (ReportFuseWatch *watch, gint64 tick_ns, gint64 now_ns)
{
  const gint64 lag_ns = watch->is_live && now_ns != REPORT_NO_TIME ? now_ns - tick_ns : REPORT_NO_TIME;

  report_add_tick (watch->report, tick_ns, lag_ns, lag_ns == REPORT_NO_TIME ? REPORT_NO_TIME
      : MAX (0, lag_ns - (gint64) watch->latency));
}

static void
read_sample (ReportFuseWatch *watch, GstPad *pad, GstBuffer *buffer)
{
  const gint64 now_ns = running_time_now (watch->fuse);
  const GstStructure *meta = meta_of (buffer);
  RobocacheTensorsMap map;
  gint64 tick_ns;

  if (watch->n_samples++ % LATENCY_TICKS == 0)
    watch->is_live = query_live (pad, gst_pad_query, &watch->latency);
  if (!meta || !watch->has_info || !gst_structure_get_int64 (meta, "tick", &tick_ns)
      || !robocache_tensors_map (&map, buffer, &watch->info, GST_MAP_READ, NULL))
    return;
  g_mutex_lock (&watch->lock);
  add_tick (watch, tick_ns, now_ns);
  read_streams_of_sample (watch, meta, &map);
  g_mutex_unlock (&watch->lock);
  robocache_tensors_unmap (&map);
}

static GstPadProbeReturn
see_sample (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ReportFuseWatch *watch = data;
  GstCaps *caps;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    read_sample (watch, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    watch->has_info = robocache_tensors_info_from_caps (&watch->info, caps, NULL);
  }
  return GST_PAD_PROBE_OK;
}

/* ---- the account ---- */

/* Every row is in exactly one of these. */
static const struct
{
  const gchar *field, *label;
  gboolean always;
} parts[] = {
  {"rows-used", "used", TRUE},
  {"rows-superseded", "unused", TRUE},
  {"rows-late", "late", TRUE},
  {"rows-duplicate", "duplicate", FALSE},
  {"rows-dropped-no-time", "dropped without a time", FALSE},
  {"rows-dropped-no-reference", "dropped without a reference time", FALSE},
  {"rows-dropped-outside-segment", "dropped outside the segment", FALSE},
  {"rows-dropped-clock-jump", "dropped at a clock jump", FALSE},
  {"rows-dropped-ahead", "dropped as too far ahead", FALSE},
  {"rows-dropped-overflow", "dropped by overflow", FALSE},
  {"rows-dropped-flush", "dropped by a flush", FALSE},
  {"rows-dropped-removed", "dropped with the pad", FALSE},
  {"rows-dropped-refused", "refused", FALSE},
  {"rows-kept", "waiting for a tick", FALSE},
};

static guint64
get_count (const GstStructure *stats, const gchar *field)
{
  guint64 n = 0;

  gst_structure_get_uint64 (stats, field, &n);
  return n;
}

static void
add_account (WatchedPad *watched)
{
  GstStructure *stats;

  g_object_get (watched->pad, "stats", &stats, NULL);
  report_stream_set_total (watched->stream, "rows in", get_count (stats, "rows-in"));
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    report_stream_add_count (watched->stream, parts[i].label, get_count (stats, parts[i].field), parts[i].always);
  gst_structure_free (stats);
}

/* ---- life ---- */

static gboolean
watch_present_pad (GstElement *fuse, GstPad *pad, gpointer watch)
{
  watch_sink_pad (watch, pad);
  return TRUE;
}

static void
watch_present_pads (ReportFuseWatch *watch)
{
  gst_element_foreach_sink_pad (watch->fuse, watch_present_pad, watch);
  watch->src = gst_element_get_static_pad (watch->fuse, "src");
  watch->probe = gst_pad_add_probe (watch->src, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_sample, watch,
      NULL);
}

ReportFuseWatch *
report_fuse_watch_new (Report *report, GstElement *fuse, ReportRobot *robot)
{
  ReportFuseWatch *watch = g_new0 (ReportFuseWatch, 1);

  watch->report = report;
  watch->robot = robot;
  watch->fuse = gst_object_ref (fuse);
  watch->pads = g_ptr_array_new_with_free_func (free_watched);
  g_mutex_init (&watch->lock);
  report->lateness_meaning = "beyond the latency";
  watch_present_pads (watch);
  watch->added = g_signal_connect (fuse, "pad-added", G_CALLBACK (see_pad), watch);
  return watch;
}

void
report_fuse_watch_finish (ReportFuseWatch *watch)
{
  GstStructure *stats;

  g_signal_handler_disconnect (watch->fuse, watch->added);
  gst_pad_remove_probe (watch->src, watch->probe);
  g_object_get (watch->fuse, "stats", &stats, NULL);
  watch->report->n_dropped_ticks = get_count (stats, "ticks-dropped");
  gst_structure_free (stats);
  for (guint i = 0; i < watch->pads->len; i++)
    add_account (g_ptr_array_index (watch->pads, i));
  for (guint i = 0; i < watch->report->streams->len; i++)
    report_stream_finish (g_ptr_array_index (watch->report->streams, i));
  if (watch->robot)
    report_robot_finish (watch->robot, watch->report);
  g_mutex_clear (&watch->lock);
  g_ptr_array_unref (watch->pads);
  gst_object_unref (watch->src);
  gst_object_unref (watch->fuse);
  g_free (watch);
}
