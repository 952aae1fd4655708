/* robocache: robocachefuse, what it tells of itself: statistics, and QoS messages about what was lost
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

#include "common/rows/qos.h"

#define REMOVED_PADS "removed-pads"

/* ---- statistics ---- */

static void
merge_account (GstRobocacheFuseAccount *sum, const GstRobocacheFuseAccount *account)
{
  robocache_row_counts_add (&sum->rows, &account->rows);
  sum->n_kept += account->n_kept;
  sum->ticks_aligned += account->ticks_aligned;
  sum->ticks_held += account->ticks_held;
  sum->ticks_missing += account->ticks_missing;
  sum->clock_jumps += account->clock_jumps;
  robocache_histogram_merge (&sum->age, &account->age);
  robocache_histogram_merge (&sum->lateness, &account->lateness);
}

static GstStructure *
account_to_structure (const GstRobocacheFuseAccount *account, const gchar *name)
{
  GstStructure *stats = gst_structure_new_empty (name);

  robocache_row_counts_to_structure (&account->rows, account->n_kept, stats);
  gst_structure_set (stats, "ticks-aligned", G_TYPE_UINT64, account->ticks_aligned, "ticks-held", G_TYPE_UINT64,
      account->ticks_held, "ticks-missing", G_TYPE_UINT64, account->ticks_missing,
      "clock-jumps", G_TYPE_UINT64, account->clock_jumps, NULL);
  robocache_histogram_to_structure (&account->age, stats, "age");
  robocache_histogram_to_structure (&account->lateness, stats, "lateness");
  return stats;
}

static void
add_structure (GstStructure *stats, GstStructure *part)
{
  gst_structure_set (stats, gst_structure_get_name (part), GST_TYPE_STRUCTURE, part, NULL);
  gst_structure_free (part);
}

static GstStructure *
stats_of_pad (const GstRobocacheFusePad *pad)
{
  GstRobocacheFuseAccount *account = g_new0 (GstRobocacheFuseAccount, 1);
  GstStructure *stats;

  gst_robocache_fuse_pad_add_account (pad, account);
  stats = account_to_structure (account, GST_OBJECT_NAME (pad));
  gst_structure_set (stats, "clock-shift", G_TYPE_INT64, pad->jump.shift, NULL);
  gst_robocache_fuse_timing_to_structure (pad, stats);
  g_free (account);
  return stats;
}

/* Rows of all pads, those that are gone included. */
static void
add_totals (GstRobocacheFuse *fuse, GstStructure *stats)
{
  GstRobocacheFuseAccount *sum = g_new0 (GstRobocacheFuseAccount, 1);

  merge_account (sum, &fuse->removed);
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_pad_add_account (g_ptr_array_index (fuse->pads, i), sum);
  robocache_row_counts_to_structure (&sum->rows, sum->n_kept, stats);
  gst_structure_set (stats, "clock-jumps", G_TYPE_UINT64, sum->clock_jumps, NULL);
  robocache_histogram_to_structure (&sum->age, stats, "age");
  robocache_histogram_to_structure (&sum->lateness, stats, "row-lateness");
  g_free (sum);
}

GstStructure *
gst_robocache_fuse_make_stats (GstRobocacheFuse *fuse)
{
  GstStructure *stats = gst_structure_new ("robocachefuse", "ticks-out", G_TYPE_UINT64, fuse->ticks_out, "ticks-dropped",
      G_TYPE_UINT64, fuse->ticks_dropped, "live", G_TYPE_BOOLEAN, fuse->live, NULL);

  robocache_histogram_to_structure (&fuse->lag, stats, "lag");
  robocache_histogram_to_structure (&fuse->lateness, stats, "lateness");
  GST_OBJECT_LOCK (fuse);
  robocache_device_to_structure (&fuse->device, stats);
  GST_OBJECT_UNLOCK (fuse);
  add_totals (fuse, stats);
  for (guint i = 0; i < fuse->pads->len; i++)
    add_structure (stats, stats_of_pad (g_ptr_array_index (fuse->pads, i)));
  add_structure (stats, account_to_structure (&fuse->removed, REMOVED_PADS));
  return stats;
}

GstStructure *
gst_robocache_fuse_stats_of_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GstStructure *stats;

  FUSE_LOCK (fuse);
  stats = stats_of_pad (pad);
  FUSE_UNLOCK (fuse);
  return stats;
}

void
gst_robocache_fuse_close_account (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gst_robocache_fuse_pad_discard (pad, ROBOCACHE_DROPPED_REMOVED);
  gst_robocache_fuse_pad_add_account (pad, &fuse->removed);
  pad->removed = TRUE;
}

/* ---- QoS ---- */

static gboolean
qos_is_on (GstRobocacheFuse *fuse)
{
  gboolean on;

  GST_OBJECT_LOCK (fuse);
  on = fuse->qos_messages;
  GST_OBJECT_UNLOCK (fuse);
  return on;
}

void
gst_robocache_fuse_collect_qos (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GQueue *messages)
{
  const RobocacheQosPlace place = { GST_OBJECT (pad), &pad->clock.segment, fuse->live };
  GstRobocacheFuseAccount *account;
  RobocacheLoss loss;

  if (!robocache_losses_take (&pad->losses, 0, 0, &loss) || !qos_is_on (fuse))
    return;
  account = g_new0 (GstRobocacheFuseAccount, 1);
  gst_robocache_fuse_pad_add_account (pad, account);
  g_queue_push_tail (messages, robocache_qos_of_rows (&place, &loss, pad->clock.nominal_duration, &account->rows));
  g_free (account);
}

void
gst_robocache_fuse_collect_clock_event (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GQueue *messages)
{
  GstMessage *message = NULL;

  if (pad->track)
    message = robocache_clock_event_message (pad->track, GST_ELEMENT (fuse), GST_PAD (pad));
  if (message)
    g_queue_push_tail (messages, message);
}

void
gst_robocache_fuse_collect_qos_of_tick (GstRobocacheFuse *fuse, gint64 tick, GstClockTime duration, gint64 lag,
    GQueue *messages)
{
  GstAggregator *agg = GST_AGGREGATOR (fuse);
  GstSegment segment;
  const RobocacheQosPlace place = { GST_OBJECT (fuse), &segment, fuse->live };

  if (!qos_is_on (fuse))
    return;
  GST_OBJECT_LOCK (fuse);
  segment = GST_AGGREGATOR_PAD (agg->srcpad)->segment;
  GST_OBJECT_UNLOCK (fuse);
  g_queue_push_tail (messages, robocache_qos_of_tick (&place, tick, duration, lag, fuse->ticks_out, fuse->ticks_dropped));
}

void
gst_robocache_fuse_post_messages (GstRobocacheFuse *fuse, GQueue *messages)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (messages)))
    gst_element_post_message (GST_ELEMENT (fuse), message);
}
