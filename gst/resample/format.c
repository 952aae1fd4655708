/* robocache: robocacheresample, the format of input and output, from settings and the caps of both sides
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "format.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/tensors/memorycaps.h"

static gboolean
is_batch (const RobocacheTensorsInfo *in)
{
  return in->n_tensors == GST_ROBOCACHE_BATCH_N_TENSORS;
}

static RcDtype
output_dtype (const GstRobocacheResampleSettings *settings, const RobocacheTensorsInfo *in)
{
  return robocache_dtype_resolve (settings->dtype, in->tensors[0].dtype);
}

/* D of a stream, D:T:B of a batch. */
static void
output_tensor (const RobocacheTensorsInfo *in, RcDtype dtype, RobocacheTensorInfo *out)
{
  guint64 dims[3] = { robocache_tensor_info_dim (&in->tensors[0], 0), 1, 1 };

  if (is_batch (in)) {
    dims[1] = robocache_tensor_info_dim (&in->tensors[GST_ROBOCACHE_BATCH_TARGETS], 0);
    dims[2] = robocache_tensor_info_dim (&in->tensors[GST_ROBOCACHE_BATCH_TARGETS], 1);
  }
  robocache_tensor_info_set (out, dtype, dims, 3);
}

/* ---- caps out ---- */

static void
set_output_fields (const GstRobocacheResampleSettings *settings, GstStructure *structure,
    const RobocacheTensorsInfo *in)
{
  gst_structure_remove_fields (structure, "dimensions", "framerate", NULL);
  gst_structure_set (structure, "num_tensors", G_TYPE_INT, 1, "types", G_TYPE_STRING,
      rc_dtype_name (output_dtype (settings, in)), NULL);
  if (is_batch (in))
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION, in->rate_num, in->rate_den, NULL);
  else if (settings->rate[0] > 0)
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION, settings->rate[0], settings->rate[1], NULL);
  else
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
}

/* The input's rate comes first, then any. */
static GstCaps *
any_rate_but_rather (GstCaps *caps, const RobocacheTensorsInfo *in)
{
  GstCaps *preferred = gst_caps_copy (caps);

  gst_caps_set_simple (preferred, "framerate", GST_TYPE_FRACTION, in->rate_num, in->rate_den, NULL);
  return gst_caps_merge (preferred, caps);
}

GstCaps *
gst_robocache_resample_output_caps (const GstRobocacheResampleSettings *settings, const GstCaps *in_caps)
{
  RobocacheTensorsInfo in;
  GstCaps *caps;

  if (gst_caps_is_fixed (in_caps) && robocache_tensors_info_from_caps (&in, in_caps, NULL)) {
    caps = gst_caps_new_full (gst_structure_copy (gst_caps_get_structure (in_caps, 0)), NULL);
    set_output_fields (settings, gst_caps_get_structure (caps, 0), &in);
    return is_batch (&in) || settings->rate[0] > 0 || in.rate_num == 0 ? caps : any_rate_but_rather (caps, &in);
  }
  if (gst_caps_is_empty (in_caps))
    return gst_caps_new_empty ();
  return gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "format", G_TYPE_STRING, "static", NULL);
}

GstCaps *
gst_robocache_resample_fixate_output (const GstRobocacheResampleSettings *settings, const GstCaps *in_caps,
    GstCaps *caps)
{
  RobocacheTensorsInfo in;
  RobocacheTensorInfo out;
  GstStructure *structure;
  gchar *dimensions;

  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  if (!robocache_tensors_info_from_caps (&in, in_caps, NULL))
    return gst_caps_fixate (caps);
  structure = gst_caps_get_structure (caps, 0);
  if (!gst_structure_has_field (structure, "dimensions")) {
    output_tensor (&in, output_dtype (settings, &in), &out);
    dimensions = robocache_dimensions_to_string (&out);
    gst_structure_set (structure, "dimensions", G_TYPE_STRING, dimensions, NULL);
    g_free (dimensions);
  }
  if (gst_structure_has_field (structure, "framerate"))
    gst_structure_fixate_field_nearest_fraction (structure, "framerate", in.rate_num, in.rate_den);
  return gst_caps_fixate (caps);
}

/* ---- formats ---- */

static void
set_batch_shape_error (const RobocacheTensorsInfo *in, GError **error)
{
  gchar *shapes[GST_ROBOCACHE_BATCH_N_TENSORS];

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    shapes[i] = robocache_dimensions_to_string (&in->tensors[i]);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the dimensions of recorded episodes (%s), %s times (%s) and %s "
      "target times (%s) do not match: expected rows channels:rows:batch, int64 times rows:batch and int64 target times "
      "ticks:batch, with equal rows and batch", shapes[0],
      rc_dtype_name (in->tensors[1].dtype), shapes[1], rc_dtype_name (in->tensors[2].dtype), shapes[2]);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    g_free (shapes[i]);
}

static gboolean
check_batch_shapes (const RobocacheTensorsInfo *in, GError **error)
{
  const RobocacheTensorInfo *rows = &in->tensors[GST_ROBOCACHE_BATCH_ROWS],
      *times = &in->tensors[GST_ROBOCACHE_BATCH_TIMES], *targets = &in->tensors[GST_ROBOCACHE_BATCH_TARGETS];
  const guint64 n_rows = robocache_tensor_info_dim (rows, 1), batch = robocache_tensor_info_dim (rows, 2);

  if (rows->rank <= 3 && times->rank <= 2 && targets->rank <= 2
      && times->dtype == RC_INT64 && targets->dtype == RC_INT64
      && robocache_tensor_info_dim (times, 0) == n_rows && robocache_tensor_info_dim (times, 1) == batch
      && robocache_tensor_info_dim (targets, 1) == batch)
    return TRUE;
  set_batch_shape_error (in, error);
  return FALSE;
}

static gboolean
check_batch (const RobocacheTensorsInfo *in, const GstRobocacheResampleSettings *settings, GError **error)
{
  if (!check_batch_shapes (in, error))
    return FALSE;
  if (settings->gap_policy == GST_ROBOCACHE_GAP_DROP) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "gap-policy=drop cannot omit rows of a batch: set "
        "gap-policy=nan or gap-policy=hold");
    return FALSE;
  }
  if (settings->interpolation == RC_MEAN && settings->rate[0] == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "interpolation=mean averages over one tick, whose length "
        "target times do not define: set rate");
    return FALSE;
  }
  if (settings->interpolation == RC_LOWPASS && settings->rate[0] == 0 && settings->cutoff == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the default cutoff of interpolation=lowpass is 0.4 times the "
        "rate of ticks, which target times do not define: set cutoff (Hz) or rate");
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_stream (GstRobocacheResampleFormat *format, const RobocacheTensorsInfo *out, GError **error)
{
  if (!robocache_row_layout_from_info (&format->layout, &format->in, error))
    return FALSE;
  if (out->rate_num > (gint64) GST_ROBOCACHE_MAX_TICK_RATE * out->rate_den) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the rate is %d/%d, the framerate of downstream or, if it "
        "has none, of the input: expected at most %d/1, one tick per nanosecond", out->rate_num, out->rate_den,
        GST_ROBOCACHE_MAX_TICK_RATE);
    return FALSE;
  }
  if (out->rate_num > 0)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "no rate: neither the input nor downstream has a framerate; set "
      "rate, like rate=100/1");
  return FALSE;
}

static gboolean
same_tensor (const RobocacheTensorInfo *a, const RobocacheTensorInfo *b)
{
  return a->dtype == b->dtype && a->rank == b->rank && memcmp (a->dims, b->dims, a->rank * sizeof (guint64)) == 0;
}

/* A few bytes of episodes can ask for an output of any size: channels of one, targets of the other. */
static gboolean
check_output_size (const GstRobocacheResampleFormat *format, GError **error)
{
  gchar *shape = robocache_dimensions_to_string (&format->out);
  gchar *what = g_strdup_printf ("an output of %s of dimensions %s", rc_dtype_name (format->out.dtype), shape);
  const gchar *advice = format->batch ? "send fewer episodes or target times per buffer"
      : "send fewer channels, or set a smaller type";
  const gboolean fits = robocache_check_memory (format->out_bytes, what, advice, error);

  g_free (what);
  g_free (shape);
  return fits;
}

static gboolean
check_output (const GstRobocacheResampleFormat *format, const RobocacheTensorsInfo *out, GError **error)
{
  gchar *ours, *theirs;

  if (out->n_tensors == 1 && same_tensor (&format->out, &out->tensors[0]))
    return TRUE;
  ours = robocache_dimensions_to_string (&format->out);
  theirs = robocache_dimensions_to_string (&out->tensors[0]);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream accepts only %s of dimensions %s, but the input "
      "gives %s of dimensions %s", rc_dtype_name (out->tensors[0].dtype), theirs,
      rc_dtype_name (format->out.dtype), ours);
  g_free (ours);
  g_free (theirs);
  return FALSE;
}

gboolean
gst_robocache_resample_same_input (const GstRobocacheResampleFormat *a, const GstRobocacheResampleFormat *b)
{
  gboolean same = a->in.n_tensors == b->in.n_tensors && a->in_on_device == b->in_on_device
      && a->in.rate_num == b->in.rate_num && a->in.rate_den == b->in.rate_den;

  for (guint i = 0; i < a->in.n_tensors && same; i++)
    same = same_tensor (&a->in.tensors[i], &b->in.tensors[i]);
  return same;
}

gboolean
gst_robocache_resample_format_from_caps (GstRobocacheResampleFormat *format,
    const GstRobocacheResampleSettings *settings, const GstCaps *in_caps, const GstCaps *out_caps, GError **error)
{
  RobocacheTensorsInfo out;

  if (!robocache_tensors_info_from_caps (&format->in, in_caps, error))
    return FALSE;
  if (gst_structure_has_field (gst_caps_get_structure (in_caps, 0), ROBOCACHE_PICTURE_FIELD)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the input is a picture, whose pixels are not channels of rows: "
        "align it with robocachefuse");
    return FALSE;
  }
  format->batch = is_batch (&format->in);
  output_tensor (&format->in, output_dtype (settings, &format->in), &format->out);
  format->out_bytes = robocache_tensor_info_size (&format->out);
  if (!check_output_size (format, error) || !robocache_tensors_info_from_caps (&out, out_caps, error))
    return FALSE;
  if (!(format->batch ? check_batch (&format->in, settings, error) : check_stream (format, &out, error)))
    return FALSE;
  if (!check_output (format, &out, error))
    return FALSE;
  format->in_on_device = robocache_caps_on_device (in_caps);
  format->out_memory = robocache_caps_memory (out_caps);
  format->grid.num = format->batch ? settings->rate[0] : out.rate_num;
  format->grid.den = format->batch ? settings->rate[1] : out.rate_den;
  return TRUE;
}

RcSearch
gst_robocache_resample_search (const GstRobocacheResampleSettings *settings, const GstRobocacheResampleFormat *format,
    const RobocacheChannelRoles *roles)
{
  const gboolean is_held = robocache_channel_roles_are_held (roles);
  RcSearch search = {
    .interpolation = settings->interpolation,
    .max_gap_ns = settings->max_gap,
    .hold_limit_ns = is_held ? ROBOCACHE_HOLD_LIMIT_AUTO : settings->gap_policy == GST_ROBOCACHE_GAP_HOLD ? -1 : 0,
    .period_ns = format->grid.num > 0 ? robocache_tick_period (&format->grid) : 0,
    .cutoff_hz = settings->cutoff,
    .lobes = settings->lobes,
  };

  robocache_search_set_holds (&search, roles->holds.n > 0, is_held);
  return search;
}
