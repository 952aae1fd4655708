/* robocache: how a replayed sample differs from the recorded one
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "replay.h"

#include <string.h>

#include "common/tensors/tensorcaps.h"
#include "examples/tools/sampletensor.h"

#define META "RobocacheSampleMeta"

enum
{ INFO_TICK, INFO_BEFORE, INFO_AFTER, INFO_STATUS, N_INFO };

/* The meta of the replayed sample. */
typedef struct
{
  gint64 tick_ns;
  gchar **streams;
  guint n_streams, window;
  const gint64 *info;           /* [window][n_streams][N_INFO] */
} Meta;

typedef struct
{
  const SessionSample *recorded;
  GstSample *replayed;
  Meta meta;
  DescribeRow describe;
  gpointer user_data;
  GString *text;
} Comparison;

/* ---- what samples say ---- */

static gboolean
read_meta (Meta *meta, GstSample *sample)
{
  GstCustomMeta *custom = gst_buffer_get_custom_meta (gst_sample_get_buffer (sample), META);
  const GstStructure *structure = custom ? gst_custom_meta_get_structure (custom) : NULL;
  const GValue *value = structure ? gst_structure_get_value (structure, "info") : NULL;
  const gchar *streams = structure ? gst_structure_get_string (structure, "streams") : NULL;
  gsize size;

  if (!value || !streams || !gst_structure_get_int64 (structure, "tick", &meta->tick_ns))
    return FALSE;
  meta->info = g_bytes_get_data (g_value_get_boxed (value), &size);
  meta->streams = g_strsplit (streams, ",", -1);
  meta->n_streams = g_strv_length (meta->streams);
  meta->window = meta->n_streams > 0 ? (guint) (size / sizeof (gint64) / N_INFO / meta->n_streams) : 0;
  return TRUE;
}

static const gint64 *
info_of (const Comparison *comparison, guint row, guint stream)
{
  return comparison->meta.info + (row * comparison->meta.n_streams + stream) * N_INFO;
}

static const SessionTickStream *
stream_of (const Comparison *comparison, guint row, guint stream)
{
  return &g_array_index (comparison->recorded->info->streams, SessionTickStream, row * comparison->meta.n_streams + stream);
}

/* ---- in words ---- */

static void
append_time (const Comparison *comparison, const gchar *pad, gint64 time_ns)
{
  if (time_ns == SESSION_NO_TIME) {
    g_string_append (comparison->text, "none");
    return;
  }
  g_string_append_printf (comparison->text, "%.9f s", (gdouble) time_ns / 1e9);
  comparison->describe (comparison->user_data, comparison->text, pad, time_ns);
}

static void
append_rows (const Comparison *comparison, const gchar *which, const gchar *pad, guint status, gint64 before_ns, gint64 after_ns)
{
  static const gchar *const statuses[] = { "aligned", "held", "missing" };

  g_string_append_printf (comparison->text, "    %s: %s%s, row before at ", which, (status & 3) < G_N_ELEMENTS (statuses)
      ? statuses[status & 3] : "unknown", status & 4 ? " and corrupted" : "");
  append_time (comparison, pad, before_ns);
  g_string_append (comparison->text, ", row after at ");
  append_time (comparison, pad, after_ns);
  g_string_append_c (comparison->text, '\n');
}

/* What the row of a stream was made of, on both sides. */
static void
append_sources (const Comparison *comparison, guint row, guint stream)
{
  const SessionTickStream *recorded = stream_of (comparison, row, stream);
  const gint64 *replayed = info_of (comparison, row, stream);

  append_rows (comparison, "recorded", recorded->name, recorded->status, recorded->before_ns, recorded->after_ns);
  append_rows (comparison, "replayed", recorded->name, (guint) replayed[INFO_STATUS], replayed[INFO_BEFORE], replayed[INFO_AFTER]);
}

static void
append_number (GString *text, RcDtype dtype, const guint8 *bytes)
{
  const gsize size = rc_dtype_size (dtype);
  gdouble number64;
  gfloat number32;

  memcpy (&number32, bytes, MIN (size, sizeof number32));
  if (dtype == RC_FLOAT32)
    g_string_append_printf (text, "%.9g ", number32);
  if (dtype == RC_FLOAT64) {
    memcpy (&number64, bytes, sizeof number64);
    g_string_append_printf (text, "%.17g ", number64);
  }
  g_string_append (text, dtype == RC_FLOAT32 || dtype == RC_FLOAT64 ? "(0x" : "0x");
  for (gsize i = 0; i < size; i++)
    g_string_append_printf (text, "%02x", bytes[G_BYTE_ORDER == G_LITTLE_ENDIAN ? size - 1 - i : i]);
  if (dtype == RC_FLOAT32 || dtype == RC_FLOAT64)
    g_string_append_c (text, ')');
}

/* ---- ticks, streams, statuses and times ---- */

/* TRUE: the same, as in what follows. */
static gboolean
compare_tick (const Comparison *comparison)
{
  const SessionTickInfo *info = comparison->recorded->info;

  if (info->tick_ns == comparison->meta.tick_ns)
    return TRUE;
  g_string_append_printf (comparison->text, "  the replay has a sample at %.9f s\n", (gdouble) comparison->meta.tick_ns / 1e9);
  return FALSE;
}

static gboolean
compare_streams (const Comparison *comparison)
{
  const SessionTickInfo *info = comparison->recorded->info;
  gboolean same = info->n_streams == comparison->meta.n_streams && info->window == comparison->meta.window
      && info->streams->len == info->n_streams * info->window;

  for (guint i = 0; same && i < info->n_streams; i++)
    same = g_str_equal (stream_of (comparison, 0, i)->name, comparison->meta.streams[i]);
  if (!same)
    g_string_append_printf (comparison->text, "  recorded: %u streams in %u rows; replayed: %u streams in %u rows\n", info->n_streams,
        info->window, comparison->meta.n_streams, comparison->meta.window);
  return same;
}

static gboolean
compare_rows (const Comparison *comparison)
{
  for (guint i = 0; i < comparison->recorded->info->streams->len; i++) {
    const guint row = i / comparison->meta.n_streams, stream = i % comparison->meta.n_streams;
    const SessionTickStream *recorded = stream_of (comparison, row, stream);
    const gint64 *replayed = info_of (comparison, row, stream);

    if (recorded->before_ns == replayed[INFO_BEFORE] && recorded->after_ns == replayed[INFO_AFTER]
        && recorded->status == (guint) replayed[INFO_STATUS])
      continue;
    g_string_append_printf (comparison->text, "  %s: it was made of other rows\n", recorded->name);
    append_sources (comparison, row, stream);
    return FALSE;
  }
  return TRUE;
}

/* ---- bits ---- */

/* The stream of a tensor; n_streams: it has none of its own. */
static guint
stream_of_tensor (const Comparison *comparison, const gchar *topic)
{
  const gchar *slash = strrchr (topic, '/');
  guint i = 0;

  while (slash && i < comparison->meta.n_streams && !g_str_equal (slash + 1, comparison->meta.streams[i]))
    i++;
  return slash ? i : comparison->meta.n_streams;
}

static void
describe_bits (const Comparison *comparison, const SessionTensor *recorded, const guint8 *was, const guint8 *is, gsize offset)
{
  const guint n_streams = comparison->meta.n_streams;
  const guint stream = n_streams == 1 ? 0 : stream_of_tensor (comparison, recorded->topic);
  const gchar *name = stream < n_streams ? comparison->meta.streams[stream] : recorded->topic;
  RobocacheTensorsInfo info;
  gsize element, bytes;

  if (!robocache_tensors_info_from_caps (&info, recorded->caps, NULL)) {
    g_string_append_printf (comparison->text, "  %s: byte %" G_GSIZE_FORMAT " differs\n", name, offset);
    return;
  }
  bytes = rc_dtype_size (info.tensors[0].dtype);
  element = offset / bytes;
  g_string_append_printf (comparison->text, "  %s: channel %" G_GUINT64_FORMAT, name, element % info.tensors[0].dims[0]);
  if (info.tensors[0].rank > 1)
    g_string_append_printf (comparison->text, " of element %" G_GUINT64_FORMAT, element / info.tensors[0].dims[0]);
  g_string_append (comparison->text, ": recorded ");
  append_number (comparison->text, info.tensors[0].dtype, was + element * bytes);
  g_string_append (comparison->text, ", replayed ");
  append_number (comparison->text, info.tensors[0].dtype, is + element * bytes);
  g_string_append_c (comparison->text, '\n');
  for (guint i = 0; i < n_streams; i++)
    if (i == stream || stream == n_streams) {
      if (stream == n_streams)
        g_string_append_printf (comparison->text, "   %s\n", comparison->meta.streams[i]);
      append_sources (comparison, comparison->meta.window - 1, i);
    }
}

static gboolean
compare_bytes (const Comparison *comparison, const SessionTensor *recorded, const GstMapInfo *was, const SampleTensor *is)
{
  gsize offset = 0;

  if (was->size != is->size) {
    g_string_append_printf (comparison->text, "  %s: %" G_GSIZE_FORMAT " bytes were recorded, %" G_GSIZE_FORMAT " are replayed\n",
        recorded->topic, was->size, is->size);
    return FALSE;
  }
  if (memcmp (was->data, is->data, was->size) == 0)
    return TRUE;
  while (was->data[offset] == is->data[offset])
    offset++;
  describe_bits (comparison, recorded, was->data, is->data, offset);
  return FALSE;
}

static gboolean
compare_tensor (const Comparison *comparison, guint i)
{
  const SessionTensor *recorded = comparison->recorded->tensors->pdata[i];
  SampleTensor replayed;
  gboolean same = FALSE;
  GstMapInfo map;

  if (!sample_tensor_map (&replayed, comparison->replayed, i)) {
    g_string_append_printf (comparison->text, "  %s: the replayed sample has no tensor %u\n", recorded->topic, i);
    return FALSE;
  }
  if (gst_buffer_map (recorded->buffer, &map, GST_MAP_READ)) {
    same = compare_bytes (comparison, recorded, &map, &replayed);
    gst_buffer_unmap (recorded->buffer, &map);
  }
  sample_tensor_unmap (&replayed);
  return same;
}

static gboolean
compare_tensors (const Comparison *comparison)
{
  const guint n = sample_n_tensors (comparison->replayed), n_recorded = comparison->recorded->tensors->len;

  if (n != n_recorded) {
    g_string_append_printf (comparison->text, "  %u tensors were recorded, %u are replayed\n", n_recorded, n);
    return FALSE;
  }
  for (guint i = 0; i < n; i++)
    if (!compare_tensor (comparison, i))
      return FALSE;
  return TRUE;
}

gchar *
sample_diff (const SessionSample *recorded, GstSample *replayed, DescribeRow describe, gpointer user_data)
{
  Comparison comparison = { recorded, replayed, {0}, describe, user_data, g_string_new (NULL) };
  gboolean same = read_meta (&comparison.meta, replayed);

  if (!same)
    g_string_append (comparison.text, "  the replayed sample has no meta\n");
  same = same && compare_tick (&comparison) && compare_streams (&comparison) && compare_rows (&comparison)
      && compare_tensors (&comparison);
  g_strfreev (comparison.meta.streams);
  return g_string_free (comparison.text, same);
}
