/* robocache: the running time of a record
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordstamp.h"

#include "common/element/propertytypes.h"
#include "common/tensors/tensorcaps.h"

ROBOCACHE_DEFINE_ENUM (robocache_start_get_type, "RobocacheStart",
    {ROBOCACHE_START_ZERO, "The first row is at running time 0; robocachefuse restores the time differences between such streams",
        "zero"},
    {ROBOCACHE_START_KEEP, "Running time is the time of the file's clock", "keep"},
    {ROBOCACHE_START_OWN, "The first row is at running time 0, independently of other streams", "own"})

gboolean
robocache_record_stamp_init (RobocacheRecordStamp *stamp, RobocacheStart start, gint64 time_origin,
    RobocacheClockMode mode, gboolean has_arrivals, GError **error)
{
  robocache_record_stamp_clear (stamp);
  *stamp = (RobocacheRecordStamp) {.start = start,.time_origin = time_origin };
  if (mode == ROBOCACHE_CLOCK_NONE)
    return TRUE;
  stamp->arrives_now = !has_arrivals;
  if (stamp->arrives_now && time_origin != ROBOCACHE_NO_ORIGIN) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "time-origin=%" G_GINT64_FORMAT " with clock-mode=track "
        "needs arrival-column, because live arrivals are in the pipeline's running time: unset time-origin, or set "
        "arrival-column", time_origin);
    return FALSE;
  }
  stamp->track = robocache_clock_track_new ();
  return TRUE;
}

void
robocache_record_stamp_clear (RobocacheRecordStamp *stamp)
{
  g_clear_pointer (&stamp->track, robocache_clock_track_free);
  gst_clear_object (&stamp->clock);
}

/* Arrivals are times of the clock, and not running times: those stand still while the pipeline is paused. */
gboolean
robocache_record_stamp_arrive (RobocacheRecordStamp *stamp, GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);

  if (clock == NULL)
    return FALSE;
  if (clock != stamp->clock && stamp->clock)
    robocache_clock_track_reset (stamp->track);
  gst_object_replace ((GstObject **) &stamp->clock, GST_OBJECT (clock));
  stamp->arrival = (gint64) gst_clock_get_time (clock);
  stamp->origin_ns = (gint64) gst_element_get_base_time (element);
  stamp->has_origin = TRUE;
  gst_object_unref (clock);
  return TRUE;
}

static void
find_origin (RobocacheRecordStamp *stamp, gint64 first)
{
  stamp->origin_ns = stamp->start == ROBOCACHE_START_KEEP ? 0 : first;
  if (stamp->time_origin != ROBOCACHE_NO_ORIGIN)
    stamp->origin_ns = stamp->time_origin;
  stamp->has_origin = TRUE;
}

gboolean
robocache_record_stamp_is_from_first_row (const RobocacheRecordStamp *stamp)
{
  return stamp->time_origin == ROBOCACHE_NO_ORIGIN && stamp->start == ROBOCACHE_START_ZERO;
}

gboolean
robocache_record_stamp_is_own (const RobocacheRecordStamp *stamp)
{
  return stamp->arrives_now || (stamp->time_origin == ROBOCACHE_NO_ORIGIN && stamp->start == ROBOCACHE_START_OWN);
}

gboolean
robocache_record_stamp_row (RobocacheRecordStamp *stamp, const RobocacheRecord *record, RobocacheRecordTimes *times)
{
  const gint64 arrival = stamp->arrives_now ? stamp->arrival : record->arrival_ns;
  gint64 captured = record->time_ns;

  if (!stamp->has_origin)
    find_origin (stamp, stamp->track ? arrival : record->time_ns);
  if (stamp->track)
    captured = robocache_clock_track_add (stamp->track, record->time_ns, arrival);
  return robocache_time_difference (captured, stamp->origin_ns, &times->pts)
      && robocache_time_difference (arrival, stamp->origin_ns, &times->release);
}
