/* robocache: a look at robocachefuse two seconds after it starts: pads without rows, settings without pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "watch.h"

#include "gst/fuse/liveness.h"
#include "gst/fuse/messages.h"
#include "gst/fuse/pads/padsettings.h"
#include "gst/fuse/stream/debug.h"
#include "silence.h"

#define TIME_TO_COME (2 * GST_SECOND)

static void
warn_unused_settings (GstRobocacheFuse *fuse, gchar *names)
{
  if (names)
    GST_ELEMENT_WARNING (fuse, LIBRARY, SETTINGS, ("pads has settings of %s, and there is no such pad: correct the name, or link a stream "
            "to it", names), (NULL));
  g_free (names);
}

/* In a thread of the clock. In PAUSED live sources bring nothing, and pads may still be linked: only recordings are looked at. */
static gboolean
look (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  GstRobocacheFuse *fuse = data;
  const gboolean is_live = gst_robocache_fuse_has_live_source (fuse);
  GQueue messages = G_QUEUE_INIT;
  gchar *unused = NULL;

  FUSE_LOCK (fuse);
  if (fuse->watch_id == id) {
    fuse->watch_is_over = fuse->playing;
    if (fuse->playing)
      unused = gst_robocache_fuse_unused_pad_settings (fuse);
    if (fuse->playing || !is_live)
      gst_robocache_fuse_collect_silent_pads (fuse, &messages);
  }
  FUSE_UNLOCK (fuse);
  warn_unused_settings (fuse, unused);
  gst_robocache_fuse_post_messages (fuse, &messages);
  return TRUE;
}

/* Takes the id over. FALSE: the element has been looked at since it started. */
static gboolean
replace_watch (GstRobocacheFuse *fuse, GstClockID id)
{
  GstClockID before;
  gboolean is_due;

  FUSE_LOCK (fuse);
  before = fuse->watch_id;
  is_due = !fuse->watch_is_over;
  fuse->watch_id = id;
  FUSE_UNLOCK (fuse);
  if (before) {
    gst_clock_id_unschedule (before);
    gst_clock_id_unref (before);
  }
  return is_due;
}

void
gst_robocache_fuse_begin_watch (GstRobocacheFuse *fuse)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_single_shot_id (clock, gst_clock_get_time (clock) + TIME_TO_COME);

  if (replace_watch (fuse, gst_clock_id_ref (id)))
    gst_clock_id_wait_async (id, look, gst_object_ref (fuse), gst_object_unref);
  gst_clock_id_unref (id);
  gst_object_unref (clock);
}

void
gst_robocache_fuse_end_watch (GstRobocacheFuse *fuse)
{
  replace_watch (fuse, NULL);
}
