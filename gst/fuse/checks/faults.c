/* robocache: faulty sensors of robocachefuse: buffers and caps that cannot be used
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include "common/element/errors.h"
#include "gst/fuse/debug.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/sources.h"

#define STATISTIC robocache_drop_reason_field (ROBOCACHE_DROPPED_MALFORMED)

/* Whether another sensor may still send rows. Called with the lock. */
static gboolean
is_another_left (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *other = gst_robocache_fuse_nth_pad (fuse, i);

    if (other != pad && !other->faults.has_bad_caps && !other->stream->eos)
      return TRUE;
  }
  return FALSE;
}

/* error (taken): the rows of the pad alone are lost. warning (taken): of the first one. */
static GstFlowReturn
go_on (GstRobocacheFuse *fuse, GError *error, gchar *warning)
{
  robocache_pad_faults_warn (GST_ELEMENT (fuse), warning);
  g_error_free (error);
  return GST_FLOW_OK;
}

GstFlowReturn
gst_robocache_fuse_answer_bad_buffer (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstFlowReturn flow, GError *error)
{
  gchar *warning = NULL;
  gboolean is_dropped;

  FUSE_LOCK (fuse);
  is_dropped = robocache_pad_faults_drop (fuse_core_is_live (fuse->core), error);
  if (is_dropped)
    warning = robocache_pad_faults_note_buffer (&pad->faults, GST_PAD (pad), error, STATISTIC);
  FUSE_UNLOCK (fuse);
  if (is_dropped)
    return go_on (fuse, error, warning);
  gst_robocache_fuse_fail (fuse, pad, flow, error);
  return flow;
}

GstFlowReturn
gst_robocache_fuse_answer_bad_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GError *error)
{
  gchar *warning = NULL;
  gboolean is_tolerated;

  gst_robocache_fuse_query_sources (fuse, pad); /* whether they are live */
  FUSE_LOCK (fuse);
  is_tolerated = fuse_core_is_live (fuse->core) && is_another_left (fuse, pad);
  GST_INFO_OBJECT (pad, "caps cannot be used, which %s: %s", is_tolerated ? "costs the rows of this pad" : "ends the streams, since "
      "the sources are not live or no other pad is left", error->message);
  pad->faults.has_bad_caps = FALSE;
  if (is_tolerated)
    warning = robocache_pad_faults_note_caps (&pad->faults, GST_PAD (pad), error, STATISTIC);
  FUSE_UNLOCK (fuse);
  if (is_tolerated)
    return go_on (fuse, error, warning);
  gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
  return GST_FLOW_NOT_NEGOTIATED;
}
