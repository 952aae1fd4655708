/* robocache: the pads that the first tick of recordings waits for, and the rows that wait for it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "firsttickwait.h"

#include "debug.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/pads/padsettings.h"

/* One thread may feed several pads, one after the other, so a full memory is an error, but only after this time (us), since a source may
 * open slowly. */
#define PATIENCE (10 * G_TIME_SPAN_SECOND)

/* ---- elements that may link a pad ---- */

void
gst_robocache_fuse_count_expected_pads (GstRobocacheFuse *fuse)
{
  const guint n_elements = fuse->expected_pads ? fuse_expected_pads_pending (fuse->expected_pads) : 0;

  GST_LOG_OBJECT (fuse, "%u elements may add pads, and the property pads has settings for %u pads that do not exist", n_elements,
      gst_robocache_fuse_n_unused_pad_settings (fuse));
  fuse_core_expect_streams (fuse->core, n_elements + gst_robocache_fuse_n_unused_pad_settings (fuse));
}

static void
count_again (gpointer data)
{
  GstRobocacheFuse *fuse = data;

  FUSE_LOCK (fuse);
  if (fuse->expected_pads)
    gst_robocache_fuse_count_expected_pads (fuse);
  FUSE_UNLOCK (fuse);
}

static FuseExpectedPads *
swap_expected_pads (GstRobocacheFuse *fuse, FuseExpectedPads *pads)
{
  FuseExpectedPads *before;

  FUSE_LOCK (fuse);
  before = fuse->expected_pads;
  fuse->expected_pads = pads;
  if (pads)
    gst_robocache_fuse_count_expected_pads (fuse);
  FUSE_UNLOCK (fuse);
  return before;
}

void
gst_robocache_fuse_expect_pads (GstRobocacheFuse *fuse)
{
  fuse_expected_pads_free (swap_expected_pads (fuse, fuse_expected_pads_new (GST_ELEMENT (fuse), count_again, fuse)));
}

void
gst_robocache_fuse_expect_no_pads (GstRobocacheFuse *fuse)
{
  fuse_expected_pads_free (swap_expected_pads (fuse, NULL));
}

void
gst_robocache_fuse_check_late_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gboolean lacks_seek;

  FUSE_LOCK (fuse);
  lacks_seek = fuse->expected_pads && fuse_expected_pads_lack_seek (fuse->expected_pads) && fuse_core_awaits_new_streams (fuse->core);
  FUSE_UNLOCK (fuse);
  if (lacks_seek)
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_ERROR, g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the pad was added "
        "after a seek and missed it: seek after all elements have signalled no-more-pads"));
}

gchar *
gst_robocache_fuse_awaited_elements (GstRobocacheFuse *fuse)
{
  return fuse->expected_pads && fuse_core_awaits_streams (fuse->core) ? fuse_expected_pads_describe (fuse->expected_pads) : NULL;
}

/* ---- rows that wait for it; called with the lock ---- */

/* Takes names; NULL: none. */
static void
append_names (GString *text, const gchar *before, gchar *names)
{
  if (names)
    g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", before, names);
  g_free (names);
}

/* "caps of proprio_1, caps of proprio_2, the named pads force_0, no-more-pads of demux0"; free with g_free. */
static gchar *
describe (GstRobocacheFuse *fuse)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < fuse->pads->len; i++) {
    const FuseStream *stream = gst_robocache_fuse_nth_pad (fuse, i)->stream;

    if (stream->is_declared && !stream->eos)
      append_names (text, "caps of", g_strdup (stream->name));
  }
  append_names (text, "the named pads", gst_robocache_fuse_unused_pad_settings (fuse));
  append_names (text, "no-more-pads of", gst_robocache_fuse_awaited_elements (fuse));
  return g_string_free (text, FALSE);
}

gboolean
gst_robocache_fuse_must_wait (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad)
{
  /* a seek without a flush waits for the end of this push */
  return pad->flow == GST_FLOW_OK && !pad->flushing && pad->stream->awaited_segment == 0 && !pad->stream->is_removed
      && fuse_core_is_ahead (fuse->core, pad->stream, pad->waiting);
}

static void
set_full (GstRobocacheFuse *fuse, GError **error)
{
  gchar *awaited = describe (fuse);

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "rows before the first tick fill %u MiB, and the tick "
      "still waits for %s: put a queue with higher limits before each pad if one element feeds several pads, remove from the property pads the names of pads "
      "that are never requested, or disconnect from pad-added of an element that never signals no-more-pads",
      FUSE_MAX_EARLY_MIB, awaited);
  g_free (awaited);
}

gboolean
gst_robocache_fuse_wait_for_turn (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GError **error)
{
  gint64 deadline = 0;          /* 0: the memory is not full */
  gboolean is_late = FALSE;

  while (!is_late && gst_robocache_fuse_must_wait (fuse, pad)) {
    if (!pad->waiting)
      GST_LOG_OBJECT (pad, "its source waits: %s", fuse_core_awaits_streams (fuse->core) ? "rows before the first tick fill the memory for them"
          : "its rows are far ahead of the next tick");
    pad->waiting = TRUE;
    if (!fuse_core_awaits_streams (fuse->core)) {
      deadline = 0;
      g_cond_wait (&fuse->progress, &fuse->lock);
    } else {
      deadline = deadline > 0 ? deadline : g_get_monotonic_time () + PATIENCE;
      is_late = !g_cond_wait_until (&fuse->progress, &fuse->lock, deadline) && fuse_core_awaits_streams (fuse->core);
    }
  }
  pad->waiting = FALSE;
  if (is_late)
    set_full (fuse, error);
  return !is_late;
}
