/* robocache: samples of a core by itself: rows of its snapshots, blended by the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "common/tensors/tensorelements.h"
#include "rig.h"

#define SCRATCH_ALIGNMENT 256
#define MAX_ROWS 1024           /* of a mean */

static void
free_blend (Blend *blend)
{
  fuse_row_format_unref (&blend->format->rows);
  rc_align_plan_free (blend->plan);
  free (blend->scratch);
  g_free (blend);
}

void
rig_clear_composition (Rig *rig)
{
  for (guint i = 0; i < rig->blends->len; i++)
    free_blend (g_ptr_array_index (rig->blends, i));
  g_ptr_array_set_size (rig->blends, 0);
}

/* The channels of a role; *n 0: none. */
static const gint32 *
channels_of (const Feed *feed, guint role, gint64 *n, gint32 channels[MAX_VALUES])
{
  gchar **items = g_strsplit (feed->roles[role] ? feed->roles[role] : "", ",", -1);

  *n = g_strv_length (items);
  for (gint64 i = 0; i < *n; i++)
    channels[i] = atoi (items[i]);
  g_strfreev (items);
  return channels;
}

static Blend *
blend_new (Rig *rig, FuseStream *stream)
{
  const Feed *feed = rig_feed_of (rig, stream);
  Format *format = (Format *) fuse_stream_epoch (stream)->format;
  gint32 channels[N_ROLES][MAX_VALUES];
  RcAlignStreamSpec spec = {
    .in = format->rows.dtype,.out = format->rows.dtype,.channels = (gint64) format->rows.channels,.search = stream->settings.search
  };
  const RcAlignSpec all = { &spec, 1 };
  Blend *blend = g_new0 (Blend, 1);
  RcFootprint footprint;
  RcError error;

  spec.quaternions = channels_of (feed, ROLE_QUATERNIONS, &spec.n_quaternions, channels[ROLE_QUATERNIONS]);
  spec.angles = channels_of (feed, ROLE_ANGLES, &spec.n_angles, channels[ROLE_ANGLES]);
  spec.velocities = channels_of (feed, ROLE_VELOCITIES, &spec.n_velocities, channels[ROLE_VELOCITIES]);
  blend->stream = stream;
  blend->format = fuse_row_format_ref (&format->rows);
  play_expect (rig->play, rc_align_plan (rig->backend, &all, &blend->plan, &footprint, &error) == RC_OK, "%s", error.message);
  if (footprint.scratch_bytes > 0 && posix_memalign (&blend->scratch, SCRATCH_ALIGNMENT, footprint.scratch_bytes) != 0)
    g_error ("no memory");
  return blend;
}

void
rig_compose (Rig *rig)
{
  const GPtrArray *streams = fuse_core_composed (rig->core, &rig->rate);

  rig_clear_composition (rig);
  for (guint i = 0; i < streams->len; i++)
    g_ptr_array_add (rig->blends, blend_new (rig, g_ptr_array_index (streams, i)));
}

static void
run_plan (const Rig *rig, const Blend *blend, const FuseSnapshot *snapshot, gpointer out)
{
  const FuseRowFormat *format = &blend->format->rows;
  const gsize row_bytes = fuse_row_format_bytes (format);
  guint8 *rows = g_malloc (MAX (snapshot->n_rows * row_bytes, 1));
  const RcAlignStreamArgs stream = {
    .rows = snapshot->n_rows > 0 ? rows : NULL,.n_rows = (gint64) snapshot->n_rows,.row_stride = (gint64) row_bytes,
    .brackets = &snapshot->bracket,.times = snapshot->times,.out = out,.out_row_stride = (gint64) row_bytes
  };
  const RcAlignArgs args = {.streams = &stream,.batch = 1,.ticks = 1,.scratch = blend->scratch };
  RcError error;

  for (guint64 i = 0; i < snapshot->n_rows; i++)
    memcpy (rows + i * row_bytes, kept_row (format, snapshot->rows + i * format->kept_bytes), row_bytes);
  play_expect (rig->play, rc_align_run (blend->plan, &args, NULL, &error) == RC_OK, "%s", error.message);
  g_free (rows);
}

static void
make_stream (const Rig *rig, const Blend *blend, const FuseSnapshot *snapshot, PlayedStream *to)
{
  const FuseRowFormat *format = &blend->format->rows;
  guint8 out[MAX_VALUES * sizeof (gdouble)];

  run_plan (rig, blend, snapshot, out);
  *to = (PlayedStream) {.name = blend->stream->name,.status = snapshot->bracket.status,.n = (guint) format->channels };
  for (guint i = 0; i < to->n; i++)
    to->values[i] = robocache_element_read (format->dtype, out + i * rc_dtype_size (format->dtype));
}

PlayedSample *
rig_make_sample (Rig *rig)
{
  const FuseDeparture *departure = &rig->departure;
  PlayedSample *sample = g_new0 (PlayedSample, 1);

  sample->time = departure->tick.time;
  sample->duration = departure->tick.duration;
  sample->n_streams = departure->n_snapshots;
  for (guint i = 0; i < departure->n_snapshots; i++)
    make_stream (rig, g_ptr_array_index (rig->blends, i), &departure->snapshots[i], &sample->streams[i]);
  return sample;
}

/* ---- what samples are made of ---- */

static void
append_field (GString *list, const Blend *blend, const gchar *field)
{
  const gboolean is_camera = blend->format->rows.is_camera;

  if (list->len > 0)
    g_string_append_c (list, ',');
  if (g_str_equal (field, "streams"))
    g_string_append (list, blend->stream->name);
  else if (g_str_equal (field, "types"))
    g_string_append (list, rc_dtype_name (blend->format->rows.dtype));
  else
    g_string_append_printf (list, is_camera ? "1:4:2" : "%u", (guint) blend->format->rows.channels);
}

gchar *
rig_caps_field (const Rig *rig, const gchar *field)
{
  GString *list;

  if (g_str_equal (field, "num_tensors"))
    return g_strdup_printf ("%u", rig->blends->len);
  if (g_str_equal (field, "framerate"))
    return g_strdup_printf ("%d/%d", rig->rate.num, rig->rate.den);
  play_expect (rig->play, g_str_equal (field, "streams") || g_str_equal (field, "types") || g_str_equal (field, "dimensions"),
      "the core has no %s", field);
  list = g_string_new (NULL);
  for (guint i = 0; i < rig->blends->len; i++)
    append_field (list, g_ptr_array_index (rig->blends, i), field);
  return g_string_free (list, FALSE);
}
