/* robocache: rows of live pads give way to ticks of robocachefuse while CPU time is short
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/debug.h"

/* A tick that is later begins starvation. It ends when no tick was later than IN_TIME for CALM. */
#define TOO_LATE (250 * GST_MSECOND)
#define IN_TIME (10 * GST_MSECOND)
#define CALM (2 * GST_SECOND)

/* ---- starvation; called with the lock ---- */

void
gst_robocache_fuse_follow_lateness (GstRobocacheFuse *fuse, const FuseDeparture *departure, gint64 free_since, gint64 *late_at)
{
  /* running time may have jumped, and downstream may have held the task */
  const gint64 waited = (g_get_monotonic_time () - free_since) * (gint64) GST_USECOND;
  const gint64 lateness = MIN (fuse_core_lateness (fuse->core, departure), waited), now = departure->decided;

  if (now == ROBOCACHE_NO_TIME)
    return;
  if (lateness > (gint64) TOO_LATE && !g_atomic_int_get (&fuse->is_starving)) {
    GST_INFO_OBJECT (fuse, "a tick is %.3f s late: rows give way to ticks", FUSE_SECONDS (lateness));
    g_atomic_int_set (&fuse->is_starving, TRUE);
  }
  if (lateness > (gint64) IN_TIME || now < *late_at) {
    *late_at = now;
  } else if (now - *late_at > (gint64) CALM && g_atomic_int_get (&fuse->is_starving)) {
    GST_INFO_OBJECT (fuse, "ticks are in time again");
    gst_robocache_fuse_end_starvation (fuse);
  }
}

void
gst_robocache_fuse_end_starvation (GstRobocacheFuse *fuse)
{
  g_atomic_int_set (&fuse->is_starving, FALSE);
}

/* ---- rows ---- */

/* A buffer without PTS is never dropped: the time of the next one depends on it. */
gboolean
gst_robocache_fuse_thins (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const GstBuffer *buffer)
{
  if (G_LIKELY (!g_atomic_int_get (&fuse->is_starving)) || pad->thin_until == 0 || !GST_BUFFER_PTS_IS_VALID (buffer)
      || g_get_monotonic_time () >= pad->thin_until)
    return FALSE;
  g_atomic_int_inc (&pad->n_thinned);
  return TRUE;
}

void
gst_robocache_fuse_note_inserted (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstFlowReturn flow)
{
  const gint64 spacing = g_atomic_int_get (&fuse->is_starving) && flow == GST_FLOW_OK ? fuse_core_thinned_spacing (fuse->core, pad->stream) : 0;

  pad->thin_until = spacing > 0 ? g_get_monotonic_time () + spacing / (gint64) GST_USECOND : 0;
}

void
gst_robocache_fuse_count_thinned (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  guint n_thinned;

  if (G_LIKELY (g_atomic_int_get (&pad->n_thinned) == 0))
    return;
  n_thinned = g_atomic_int_and ((guint *) &pad->n_thinned, 0);
  GST_DEBUG_OBJECT (pad, "%u buffers were dropped unread, since ticks are late", n_thinned);
  fuse_core_drop_unread (fuse->core, pad->stream, n_thinned);
}

void
gst_robocache_fuse_end_thinning (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  pad->thin_until = 0;
  if (g_atomic_int_get (&pad->n_thinned) == 0)
    return;
  FUSE_LOCK (fuse);
  gst_robocache_fuse_count_thinned (fuse, pad);
  FUSE_UNLOCK (fuse);
}
