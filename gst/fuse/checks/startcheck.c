/* robocache: a look at robocachefuse two seconds after it starts: pads without rows, settings without pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/debug.h"
#include "gst/fuse/pads/padsettings.h"
#include "gst/fuse/reports.h"
#include "gst/fuse/sources.h"

#define TIME_TO_COME (2 * GST_SECOND)

static void
warn_unused_settings (GstRobocacheFuse *fuse, gchar *names, gboolean are_awaited)
{
  if (names)
    GST_ELEMENT_WARNING (fuse, LIBRARY, SETTINGS, ("the property pads names %s, but no such pad exists%s: correct the name, or "
        "link a stream to it", names, are_awaited ? ", so no sample leaves" : ""), (NULL));
  g_free (names);
}

static GstClockID
next_look (void)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_single_shot_id (clock, gst_clock_get_time (clock) + TIME_TO_COME);

  gst_object_unref (clock);
  return id;
}

/* Live sources bring nothing in PAUSED, and no source does before the base time, which may be in the future. Called with the lock. */
static gboolean
rows_are_due (GstRobocacheFuse *fuse, gboolean is_live)
{
  GstClockTime now;

  if (!fuse_core_is_playing (fuse->core))
    return !is_live;
  now = gst_robocache_fuse_clock_now (fuse);
  return GST_CLOCK_TIME_IS_VALID (now) && now >= TIME_TO_COME;
}

static void wait_for_look (GstRobocacheFuse * fuse, GstClockID id);

/* Names, once from one start to the next; NULL: none is to be reported. In PAUSED, only a pad that is awaited is reported: others may come
 * in PLAYING. */
static gchar *
find_unused_settings (GstRobocacheFuse *fuse, gboolean is_live)
{
  const gboolean is_due = fuse_core_is_playing (fuse->core) ? !fuse->watch_is_over : !is_live && fuse_core_awaits_streams (fuse->core);
  gchar *names = is_due && !fuse->unused_settings_are_reported ? gst_robocache_fuse_unused_pad_settings (fuse) : NULL;

  fuse->unused_settings_are_reported |= names != NULL;
  return names;
}

/* Called with the lock. TRUE: another look follows. */
static gboolean
collect_findings (GstRobocacheFuse *fuse, gboolean is_live, gchar **unused, gboolean *are_awaited, GQueue *messages)
{
  const gboolean are_due = rows_are_due (fuse, is_live);

  GST_DEBUG_OBJECT (fuse, "looks for pads without rows: they are %s", are_due ? "due" : "not due yet");
  *unused = find_unused_settings (fuse, is_live);
  *are_awaited = fuse_core_awaits_streams (fuse->core);
  fuse->watch_is_over |= fuse_core_is_playing (fuse->core);
  if (are_due)
    gst_robocache_fuse_collect_silent_pads (fuse, messages);
  return fuse_core_is_playing (fuse->core) && !are_due;
}

/* In a thread of the clock. */
static gboolean
look (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  GstRobocacheFuse *fuse = g_weak_ref_get (data);
  gboolean is_live, are_awaited = FALSE;
  GQueue messages = G_QUEUE_INIT;
  gchar *unused = NULL;
  GstClockID next = NULL;

  if (fuse == NULL)
    return TRUE;
  is_live = gst_robocache_fuse_has_live_source (fuse);
  FUSE_LOCK (fuse);
  if (fuse->watch_id == id && collect_findings (fuse, is_live, &unused, &are_awaited, &messages)) {
    next = fuse->watch_id = next_look ();
    gst_clock_id_ref (next);
    gst_clock_id_unref (id);
  }
  FUSE_UNLOCK (fuse);
  warn_unused_settings (fuse, unused, are_awaited);
  gst_robocache_fuse_post_messages (fuse, &messages);
  if (next)
    wait_for_look (fuse, next);
  gst_object_unref (fuse);
  return TRUE;
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* Takes the id. A clock releases an unscheduled id only later, and this must not keep the element alive. */
static void
wait_for_look (GstRobocacheFuse *fuse, GstClockID id)
{
  GWeakRef *ref = g_new (GWeakRef, 1);

  g_weak_ref_init (ref, fuse);
  gst_clock_id_wait_async (id, look, ref, free_weak_ref);
  gst_clock_id_unref (id);
}

/* Stores the id, and returns the previous one, to be unscheduled without the lock. Called with the lock. */
static GstClockID
swap_watch (GstRobocacheFuse *fuse, GstClockID id)
{
  GstClockID before = fuse->watch_id;

  fuse->watch_id = id;
  return before;
}

static void
cancel (GstClockID id)
{
  if (id == NULL)
    return;
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
}

/* A look at a start is due once from one start to the next; a look at a new pad in PLAYING. A core that is stepped plays in NULL. */
static void
schedule_look (GstRobocacheFuse *fuse, gboolean is_of_new_pad)
{
  GstClockID id = next_look (), before = NULL;
  gboolean is_due;

  FUSE_LOCK (fuse);
  is_due = is_of_new_pad ? GST_STATE (fuse) > GST_STATE_READY && fuse_core_is_playing (fuse->core) : !fuse->watch_is_over;
  if (is_due)
    before = swap_watch (fuse, gst_clock_id_ref (id));
  FUSE_UNLOCK (fuse);
  cancel (before);
  if (is_due)
    wait_for_look (fuse, id);
  else
    gst_clock_id_unref (id);
}

void
gst_robocache_fuse_begin_watch (GstRobocacheFuse *fuse)
{
  schedule_look (fuse, FALSE);
}

void
gst_robocache_fuse_watch_new_pad (GstRobocacheFuse *fuse)
{
  schedule_look (fuse, TRUE);
}

void
gst_robocache_fuse_end_watch (GstRobocacheFuse *fuse)
{
  GstClockID before;

  FUSE_LOCK (fuse);
  before = swap_watch (fuse, NULL);
  FUSE_UNLOCK (fuse);
  cancel (before);
}
