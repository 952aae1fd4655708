/* robocache: robocachefuse, which instant is the next tick and who is ready for it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

/* A pad that is not live may be this many rows ahead of the next tick; then its source waits until there is room for several
 * more, since each wait costs as much as many rows. */
#define MAX_ROWS_AHEAD 32
#define ROWS_AHEAD_TO_GO_ON 16
/* Few enough frames for any camera's pool. */
#define MIN_ROWS_WORTH_PRUNING 4

/* ---- instants ---- */

RobocacheTickGrid
gst_robocache_fuse_grid (GstRobocacheFuse *fuse)
{
  return fuse->grid;
}

gint64
gst_robocache_fuse_tick_period (GstRobocacheFuse *fuse)
{
  const RobocacheTickGrid grid = gst_robocache_fuse_grid (fuse);

  if (grid.num > 0)
    return robocache_tick_period (&grid);
  return fuse->reference ? gst_robocache_fuse_pad_nominal_period (fuse->reference, MAX (fuse->last_tick, -1)) : 0;
}

void
gst_robocache_fuse_sync_period (GstRobocacheFuse *fuse)
{
  const gint64 period = gst_robocache_fuse_tick_period (fuse);

  for (guint i = 0; i < fuse->pads->len; i++)
    ((GstRobocacheFusePad *) g_ptr_array_index (fuse->pads, i))->active.search.period_ns = period;
}

/* The first row of the earliest stream. Not live: known once no stream can still bring an earlier one. */
static gboolean
earliest_row (GstRobocacheFuse *fuse, gint64 *earliest)
{
  gint64 first = G_MAXINT64;

  for (guint i = 0; i < fuse->pads->len; i++) {
    const gint64 t = gst_robocache_fuse_pad_first_time (g_ptr_array_index (fuse->pads, i));

    if (t != ROBOCACHE_NO_TIME)
      first = MIN (first, t);
  }
  if (first == G_MAXINT64)
    return FALSE;
  for (guint i = 0; !fuse->live && i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    if (!pad->eos && gst_robocache_fuse_pad_frontier (pad) < first)
      return FALSE;
  }
  *earliest = first;
  return TRUE;
}

/* The last row of the latest stream so far. */
static gint64
latest_row (const GstRobocacheFuse *fuse)
{
  gint64 latest = ROBOCACHE_NO_TIME;

  for (guint i = 0; i < fuse->pads->len; i++)
    latest = MAX (latest, gst_robocache_fuse_pad_last_time (g_ptr_array_index (fuse->pads, i)));
  return latest;
}

static gboolean
all_eos (const GstRobocacheFuse *fuse)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    if (!((GstRobocacheFusePad *) g_ptr_array_index (fuse->pads, i))->eos)
      return FALSE;
  }
  return fuse->pads->len > 0;
}

/* The next tick of the grid, once the ticks have a beginning. */
static gboolean
next_grid_tick (GstRobocacheFuse *fuse, const RobocacheTickGrid *grid, gint64 *tick)
{
  gint64 earliest;

  if (!fuse->ticking) {
    if (!earliest_row (fuse, &earliest))
      return FALSE;
    earliest = MAX (earliest, rc_add_saturating (fuse->last_tick, 1));
    if (fuse->live)
      earliest = MAX (earliest, fuse->earliest_start);
    fuse->next_index = robocache_tick_at_or_after (grid, earliest);
  }
  *tick = robocache_tick_time (grid, fuse->next_index);
  return *tick > fuse->last_tick;       /* the end of time, where the grid stands still, is a tick once */
}

/* The instant that is next, whether or not it is certain to become a tick. */
static gboolean
candidate_tick (GstRobocacheFuse *fuse, gint64 *tick)
{
  const RobocacheTickGrid grid = gst_robocache_fuse_grid (fuse);

  if (grid.num > 0)
    return next_grid_tick (fuse, &grid, tick);
  if (fuse->reference == NULL)
    return FALSE;
  *tick = gst_robocache_fuse_pad_next_row_after (fuse->reference, MAX (fuse->last_tick, -1));
  return *tick != ROBOCACHE_NO_TIME;
}

gboolean
gst_robocache_fuse_next_tick (GstRobocacheFuse *fuse, gint64 *tick)
{
  if (fuse->failed || !candidate_tick (fuse, tick))
    return FALSE;
  if (fuse->reference)          /* when not live, an earlier row may still come */
    return fuse->live || fuse->reference->eos || gst_robocache_fuse_pad_frontier (fuse->reference) >= *tick;
  /* the grid ends with the last row of the latest stream; live, that is of no interest before EOS */
  return (fuse->live && !all_eos (fuse)) || *tick <= latest_row (fuse);
}

void
gst_robocache_fuse_note_start (GstRobocacheFuse *fuse, GstClockTime now)
{
  if (fuse->ticking || fuse->earliest_start != ROBOCACHE_NO_TIME || !GST_CLOCK_TIME_IS_VALID (now)
      || !GST_CLOCK_TIME_IS_VALID (fuse->total_latency))
    return;
  fuse->earliest_start = GST_CLOCK_DIFF (fuse->total_latency, now);
}

gboolean
gst_robocache_fuse_tick_moved_back (GstRobocacheFuse *fuse)
{
  gint64 tick;

  return fuse->live && fuse->tick_known && (fuse->reference || !fuse->ticking)
      && fuse->deadline_tick != ROBOCACHE_NO_TIME && gst_robocache_fuse_next_tick (fuse, &tick)
      && tick < fuse->deadline_tick;
}

gboolean
gst_robocache_fuse_ticks_are_over (GstRobocacheFuse *fuse)
{
  gint64 tick;

  return (all_eos (fuse) || (fuse->reference && fuse->reference->eos)) && !gst_robocache_fuse_next_tick (fuse, &tick);
}

gboolean
gst_robocache_fuse_tick_is_complete (GstRobocacheFuse *fuse, gint64 tick)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    if (!gst_robocache_fuse_pad_ready (g_ptr_array_index (fuse->pads, i), tick, !fuse->live))
      return FALSE;
  }
  return TRUE;
}

static GstRobocacheFusePad *
find_reference (GstRobocacheFuse *fuse, const gchar *name)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    if (name ? g_str_equal (GST_OBJECT_NAME (pad), name) : pad->role == GST_ROBOCACHE_FUSE_CAMERA)
      return pad;
  }
  return NULL;
}

gboolean
gst_robocache_fuse_choose_reference (GstRobocacheFuse *fuse, GError **error)
{
  gchar *name;
  gboolean by_rate;

  if (fuse->reference)
    return TRUE;
  GST_OBJECT_LOCK (fuse);
  by_rate = fuse->grid.num > 0;
  name = g_strdup (fuse->reference_name);
  GST_OBJECT_UNLOCK (fuse);

  if (!by_rate && (fuse->reference = find_reference (fuse, name)))
    gst_robocache_fuse_sync_period (fuse);
  if (!by_rate && fuse->reference == NULL && !fuse->reference_lost) {
    if (name)
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "reference-pad is \"%s\", and no sink pad has that name",
          name);
    else
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "nothing says when the ticks are: set rate (like "
          "rate=50/1) or reference-pad, or link a camera pad");
  }
  g_free (name);
  return by_rate || fuse->reference || fuse->reference_lost;
}

gboolean
gst_robocache_fuse_is_too_far_ahead (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad)
{
  const gsize too_many = pad->waiting ? ROWS_AHEAD_TO_GO_ON : MAX_ROWS_AHEAD;
  gint64 tick;

  if ((fuse->live && pad->live) || pad->flow != GST_FLOW_OK || pad->flushing)
    return FALSE;
  if (candidate_tick (fuse, &tick))
    return gst_robocache_fuse_pad_rows_after (pad, tick) >= too_many
        && gst_robocache_fuse_pad_ready (pad, tick, TRUE) && gst_robocache_fuse_pad_frontier (pad) >= tick;
  if (pad == fuse->reference)
    return FALSE;
  return gst_robocache_fuse_pad_rows_after (pad, fuse->last_tick) >= too_many
      && gst_robocache_fuse_pad_frontier (pad) >= gst_robocache_fuse_pad_first_time (pad);
}

static gboolean
any_pad_may_go_on (GstRobocacheFuse *fuse)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    if (pad->waiting && !gst_robocache_fuse_is_too_far_ahead (fuse, pad))
      return TRUE;
  }
  return FALSE;
}

/* An instant that no later tick can come before. */
static gboolean
earliest_next_tick (GstRobocacheFuse *fuse, gint64 *tick)
{
  if (!candidate_tick (fuse, tick))
    return FALSE;
  if (fuse->reference && !fuse->reference->eos)
    *tick = MIN (*tick, gst_robocache_fuse_pad_frontier (fuse->reference));
  if (fuse->reference && fuse->reference->epochs.length > 1)    /* its rate may change, and with it what a mean needs */
    return FALSE;
  /* live, the first tick moves forward to an earlier first row of another stream */
  return fuse->reference || fuse->ticking || !fuse->live;
}

void
gst_robocache_fuse_let_go_of_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  const GstRobocacheFuseEpoch *epoch = gst_robocache_fuse_pad_epoch (pad);
  gint64 tick;

  if (epoch && epoch->history.n > MIN_ROWS_WORTH_PRUNING && earliest_next_tick (fuse, &tick))
    gst_robocache_fuse_pad_prune (pad, tick);
}

/* ---- tokens: how the base class learns that pads are ready ----
 *
 * Rows never pass through the queues of the base class. A pad that has what the next tick needs puts one empty buffer into
 * its queue, and the base class calls aggregate when every pad has one or is at EOS, or when the tick's deadline has come.
 * Tokens may be wrong for a moment (a tick went by, a pad was added); aggregate looks for itself.
 *
 * There is never a second one: with no latency the queue is full then, whoever pushes it waits with the pad's flush lock, and a
 * flush, which keeps the src thread from taking the first, waits for that lock. So a flush, which empties the queue, begins when
 * no token is on its way, and until its end none is chosen; those that the source itself chooses hold its stream lock. */

/* Chooses the pads that are ready for the next tick and have no token; `tokens` gets a reference to each, for push_tokens. */
static void
update_tokens (GstRobocacheFuse *fuse, gboolean from_src_thread, GPtrArray *tokens)
{
  gint64 tick = 0;
  const gboolean known = gst_robocache_fuse_next_tick (fuse, &tick);
  const gboolean over = !known && gst_robocache_fuse_ticks_are_over (fuse);
  /* live, a token from any pad makes the base class look at the clock */
  gboolean wake = known && !fuse->tick_known && fuse->live;

  fuse->tick_known = known;
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);
    const gboolean ready = over || (known && gst_robocache_fuse_pad_ready (pad, tick, !fuse->live));

    if (!pad->added)
      continue;
    if (from_src_thread && (!ready || pad->eos) && gst_aggregator_pad_drop_buffer (GST_AGGREGATOR_PAD (pad)))
      pad->token_out = FALSE;
    if (!pad->token_out && (ready || wake) && !pad->eos && !pad->flushing) {
      pad->token_out = TRUE;
      pad->tokens_on_way++;
      g_ptr_array_add (tokens, gst_object_ref (pad));
      wake = FALSE;
    }
  }
  if (any_pad_may_go_on (fuse))
    g_cond_broadcast (&fuse->progress);
}

GstFlowReturn
gst_robocache_fuse_push_token (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GstFlowReturn flow;

  GST_TRACE_OBJECT (pad, "ready");
  flow = pad->base_chain (GST_PAD (pad), GST_OBJECT (fuse), gst_buffer_new ());
  if (flow != GST_FLOW_OK) {
    FUSE_LOCK (fuse);
    pad->token_out = FALSE;
    FUSE_UNLOCK (fuse);
  }
  return flow;
}

/* Called without the lock. Empties tokens. */
static void
push_tokens (GstRobocacheFuse *fuse, GPtrArray *tokens)
{
  for (guint i = 0; i < tokens->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (tokens, i);

    gst_robocache_fuse_push_token (fuse, pad);
    FUSE_LOCK (fuse);
    if (--pad->tokens_on_way == 0 && pad->flushing)
      g_cond_broadcast (&fuse->progress);
    FUSE_UNLOCK (fuse);
    gst_object_unref (pad);
  }
  g_ptr_array_set_size (tokens, 0);
}

void
gst_robocache_fuse_choose_src_tokens (GstRobocacheFuse *fuse)
{
  update_tokens (fuse, TRUE, fuse->src_tokens);
}

void
gst_robocache_fuse_push_src_tokens (GstRobocacheFuse *fuse)
{
  push_tokens (fuse, fuse->src_tokens);
}

void
gst_robocache_fuse_await_tokens (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FUSE_LOCK (fuse);
  /* the end of a flush before this one may have taken the flag back since, and tells everyone when it does */
  for (pad->flushing = TRUE; pad->tokens_on_way > 0; pad->flushing = TRUE)
    g_cond_wait (&fuse->progress, &fuse->lock);
  FUSE_UNLOCK (fuse);
}

void
gst_robocache_fuse_refresh_tokens (GstRobocacheFuse *fuse)
{
  GPtrArray *tokens = g_ptr_array_new ();

  FUSE_LOCK (fuse);
  update_tokens (fuse, FALSE, tokens);
  FUSE_UNLOCK (fuse);
  g_atomic_int_inc (&fuse->looks);
  push_tokens (fuse, tokens);
  g_ptr_array_free (tokens, TRUE);
}

