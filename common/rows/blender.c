/* robocache: the bracketed rows of a tick, blended by a plan on an engine
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "blender.h"

#include <string.h>

#include "common/device/devicememory.h"
#include "common/tensors/tensorbuffer.h"

#define ALIGNMENT 256           /* of a stream's rows: as wide as any access of a kernel */
#define READ_BYTES 16384        /* of the largest block that a GPU reads in place; a larger one is copied */

RobocacheDeviceRow
robocache_device_row (GstBuffer *buffer, const RobocacheTensorsInfo *info, guint tensor, guint64 i)
{
  RobocacheDeviceRow row = { gst_buffer_ref (buffer) };
  const RobocacheTensorInfo *of = &info->tensors[tensor];

  row.memory = robocache_tensors_peek_memory (buffer, info, tensor, &row.offset);
  row.offset += i * robocache_tensor_info_dim (of, 0) * rc_dtype_size (of->dtype);
  return row;
}

void
robocache_device_row_release (gpointer row, gpointer data)
{
  g_clear_pointer (&((RobocacheDeviceRow *) row)->buffer, gst_buffer_unref);
}

gboolean
robocache_device_row_read (gconstpointer row, gsize offset, gsize bytes, gpointer to)
{
  const RobocacheDeviceRow *from = row;
  GstMapInfo map;

  if (!gst_memory_map (from->memory, &map, GST_MAP_READ))
    return FALSE;
  memcpy (to, map.data + from->offset + offset, bytes);
  gst_memory_unmap (from->memory, &map);
  return TRUE;
}

/* ---- rows where they are ---- */

static void
set_args (RcAlignStreamArgs *args, const RobocacheBlendStream *stream, gconstpointer rows, gint64 n_rows,
    const RcBracket *bracket)
{
  *args = (RcAlignStreamArgs) {
  .rows = rows,.n_rows = n_rows,.row_stride = (gint64) stream->row_bytes,.brackets = bracket,.out = stream->out,
        .out_row_stride = (gint64) stream->out_row_bytes};
}

static gboolean
has_times (const RobocacheBlendStream *stream)
{
  return stream->bracket->blend == RC_BLEND_LOWPASS;
}

static void
point_to_rows (RobocacheBlender *blender, const RobocacheBlendStream *streams, guint n_streams)
{
  for (guint i = 0; i < n_streams; i++) {
    set_args (&blender->args[i], &streams[i], streams[i].n_rows > 0 ? streams[i].rows : NULL, (gint64) streams[i].n_rows,
        streams[i].bracket);
    if (has_times (&streams[i]))
      blender->args[i].times = streams[i].times;
  }
}

/* ---- gathered ---- */

/* Index of the i-th gathered row; rows are those of robocache_bracket_rows. */
static gint64
gathered_row (const RcBracket *bracket, const gint64 *rows, guint64 i)
{
  return rc_bracket_is_sum (bracket) ? robocache_bracket_first (bracket) + (gint64) i : rows[i];
}

static guint64
aligned (guint64 bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The layout of the uploaded block: all brackets, for each stream the times of a lowpass and the rows in system memory, and after the
 * copied part space for the rows that are on the device. */
typedef struct
{
  guint64 copied, total;
} Layout;

static guint64
gathered_bytes (const RobocacheBlendStream *stream)
{
  gint64 rows[4];

  return aligned (robocache_bracket_rows (stream->bracket, rows) * stream->row_bytes);
}

/* Of the times of a lowpass, one for each of its rows; otherwise 0. */
static guint64
times_bytes (const RobocacheBlendStream *stream)
{
  gint64 rows[4];

  return has_times (stream) ? aligned (robocache_bracket_rows (stream->bracket, rows) * sizeof (gint64)) : 0;
}

static Layout
lay_out (const RobocacheBlendStream *streams, guint n_streams)
{
  Layout layout = { aligned (n_streams * sizeof (RcBracket)) };

  for (guint i = 0; i < n_streams; i++) {
    layout.copied += times_bytes (&streams[i]);
    if (!streams[i].rows_on_device)
      layout.copied += gathered_bytes (&streams[i]);
  }
  layout.total = layout.copied;
  for (guint i = 0; i < n_streams; i++) {
    if (streams[i].rows_on_device)
      layout.total += gathered_bytes (&streams[i]);
  }
  return layout;
}

/* Fills the host's side of the block, and sets the pointers of the plan into device, which the block is copied to, or into host. */
static void
fill (RobocacheBlender *blender, const RobocacheBlendStream *streams, guint n_streams, const Layout *layout, guint8 *host,
    guint8 *device)
{
  guint64 on_host = aligned (n_streams * sizeof (RcBracket)), on_device = layout->copied;

  for (guint i = 0; i < n_streams; i++) {
    const RobocacheBlendStream *stream = &streams[i];
    guint64 *at = stream->rows_on_device ? &on_device : &on_host;
    gint64 rows[4];
    const guint64 n = robocache_bracket_rows (stream->bracket, rows);
    const RcBracket bracket = robocache_bracket_of_gathered (stream->bracket);
    const guint64 times_at = on_host;

    memcpy (host + i * sizeof (bracket), &bracket, sizeof (bracket));
    on_host += times_bytes (stream);
    set_args (&blender->args[i], stream, n > 0 ? device + *at : NULL, (gint64) n,
        (const RcBracket *) (device + i * sizeof (bracket)));
    if (has_times (stream)) {
      memcpy (host + times_at, stream->times + robocache_bracket_first (stream->bracket), n * sizeof (gint64));
      blender->args[i].times = (const int64_t *) (device + times_at);
    }
    for (guint64 k = 0; k < n && !stream->rows_on_device; k++)
      memcpy (host + *at + k * stream->row_bytes, (const guint8 *) stream->rows
          + gathered_row (stream->bracket, rows, k) * stream->row_bytes, stream->row_bytes);
    *at += gathered_bytes (stream);
  }
}

static gboolean
gather_on_device (RobocacheBlender *blender, const RobocacheBlendStream *stream, const RcAlignStreamArgs *args,
    GError **error)
{
  gint64 rows[4];
  const guint64 n = robocache_bracket_rows (stream->bracket, rows);

  for (guint64 k = 0; k < n; k++) {
    const RobocacheDeviceRow *row = (const RobocacheDeviceRow *) stream->rows + gathered_row (stream->bracket, rows, k);

    if (!robocache_memory_copy_out (row->memory, row->offset, stream->row_bytes, (guint8 *) args->rows + k
            * stream->row_bytes, blender->engine, error))
      return FALSE;
  }
  return TRUE;
}

/* Whether the plan reads the block where the CPU wrote it: a few rows, none of them on the device. */
static gboolean
is_read_in_place (const Layout *layout)
{
  return layout->total == layout->copied && layout->copied <= READ_BYTES;
}

static gboolean
gather (RobocacheBlender *blender, const RobocacheBlendStream *streams, guint n_streams, const Layout *layout, GError **error)
{
  guint8 *host = robocache_staging_next (&blender->staging, blender->engine, layout->copied, error);

  if (host == NULL)
    return FALSE;
  if (is_read_in_place (layout)) {
    fill (blender, streams, n_streams, layout, host, host);
    return TRUE;
  }
  if (!robocache_scratch_reserve (&blender->rows, blender->engine, layout->total, error))
    return FALSE;
  fill (blender, streams, n_streams, layout, host, blender->rows.data);
  if (!robocache_staging_copy (&blender->staging, blender->rows.data, layout->copied, error))
    return FALSE;
  for (guint i = 0; i < n_streams; i++) {
    if (streams[i].rows_on_device && !gather_on_device (blender, &streams[i], &blender->args[i], error))
      return FALSE;
  }
  return TRUE;
}

/* ---- both ---- */

gboolean
robocache_blender_init (RobocacheBlender *blender, RobocacheEngine *engine, guint n_streams, guint64 scratch_bytes,
    GError **error)
{
  robocache_blender_clear (blender);
  blender->engine = robocache_engine_ref (engine);
  blender->args = g_new0 (RcAlignStreamArgs, n_streams);
  return robocache_scratch_reserve (&blender->plan_scratch, engine, scratch_bytes, error);
}

void
robocache_blender_clear (RobocacheBlender *blender)
{
  robocache_scratch_clear (&blender->plan_scratch);
  robocache_scratch_clear (&blender->rows);
  robocache_staging_clear (&blender->staging);
  g_clear_pointer (&blender->args, g_free);
  g_clear_pointer (&blender->engine, robocache_engine_unref);
}

static gboolean
must_gather (const RobocacheBlender *blender, const RobocacheBlendStream *streams, guint n_streams)
{
  gboolean must = robocache_engine_is_gpu (blender->engine);

  for (guint i = 0; i < n_streams; i++)
    must |= streams[i].rows_on_device;
  return must;
}

static gboolean
run_plan (RobocacheBlender *blender, RcAlignPlan *plan, GError **error)
{
  const RcAlignArgs args = {.streams = blender->args,.batch = 1,.ticks = 1,.scratch = blender->plan_scratch.data };
  RcError failure;

  return robocache_engine_check (rc_align_run (plan, &args, robocache_engine_stream (blender->engine), &failure), &failure,
      error);
}

gboolean
robocache_blender_run (RobocacheBlender *blender, RcAlignPlan *plan, const RobocacheBlendStream *streams,
    guint n_streams, GError **error)
{
  Layout layout;
  gboolean ok;

  if (!must_gather (blender, streams, n_streams)) {
    point_to_rows (blender, streams, n_streams);
    return run_plan (blender, plan, error);
  }
  layout = lay_out (streams, n_streams);
  if (!gather (blender, streams, n_streams, &layout, error))
    return FALSE;
  ok = run_plan (blender, plan, error);
  /* after a failure, too: part of the run may be enqueued */
  if (is_read_in_place (&layout))
    ok = robocache_staging_mark_read (&blender->staging, ok ? error : NULL) && ok;
  return ok;
}
