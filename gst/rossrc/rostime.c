/* robocache: times of capture of live messages, and running times of the clock of their stamps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rostime.h"

#include <string.h>

#include "common/ros/messageencoders.h"
#include "common/rospads/outputstream.h"

/* Smaller steps are the slewing of a clock. */
#define MIN_STEP GST_MSECOND

/* a - b; a user may set an origin that is far from all times. */
static gint64
difference (gint64 a, gint64 b)
{
  gint64 result;

  return __builtin_sub_overflow (a, b, &result) ? (a > b ? G_MAXINT64 : G_MININT64 + 1) : result;
}

/* ---- spans ---- */

void
robocache_ros_mapping_init (RobocacheRosMapping *mapping, const RobocacheRosSrcSettings *settings)
{
  *mapping = (RobocacheRosMapping) {.set_origin_ns = settings->time_origin,.is_simulated = settings->use_sim_time };
  mapping->follows = settings->clock_mode == ROBOCACHE_ROS_CLOCK_FOLLOW && !settings->use_sim_time
      && settings->time_origin == ROBOCACHE_ROS_NO_ORIGIN;
}

/* NULL: playing has not started yet. */
static RobocacheRosSpan *
last_span (const RobocacheRosMapping *mapping)
{
  return mapping->n_spans > 0 ? (RobocacheRosSpan *) & mapping->spans[mapping->n_spans - 1] : NULL;
}

static RobocacheRosSpan *
add_span (RobocacheRosMapping *mapping, RobocacheRosSpan span)
{
  if (mapping->n_spans == ROBOCACHE_ROS_MAX_SPANS) {
    memmove (mapping->spans, mapping->spans + 1, sizeof (mapping->spans) - sizeof (mapping->spans[0]));
    mapping->n_spans--;
  }
  mapping->spans[mapping->n_spans++] = span;
  mapping->n_changes++;
  return last_span (mapping);
}

/* ---- playing ---- */

/* Of a clock that is not this host's the time at running time 0 is set, or comes with /clock; a pause adds to it. */
static gint64
origin_of_start (const RobocacheRosMapping *mapping, gint64 system_ns, gint64 monotonic_ns)
{
  const RobocacheRosSpan *last = last_span (mapping);

  if (mapping->set_origin_ns != ROBOCACHE_ROS_NO_ORIGIN)
    return last ? difference (last->origin_ns, last->monotonic_ns - monotonic_ns) : mapping->set_origin_ns;
  return mapping->is_simulated ? ROBOCACHE_ROS_NO_ORIGIN : system_ns;
}

void
robocache_ros_mapping_start (RobocacheRosMapping *mapping, const RobocacheClockReading *clocks)
{
  gint64 uncertainty_ns;
  const gint64 system_ns = robocache_clock_reading_origin (clocks, &uncertainty_ns), monotonic_ns = clocks->monotonic_ns - clocks->running_ns;
  const RobocacheRosSpan *last = last_span (mapping);

  add_span (mapping, (RobocacheRosSpan) {
        .origin_ns = origin_of_start (mapping, system_ns, monotonic_ns),.monotonic_ns = monotonic_ns,
        .start_ns = last ? last->end_ns : 0,.end_ns = G_MAXINT64});
  mapping->uncertainty_ns = mapping->set_origin_ns == ROBOCACHE_ROS_NO_ORIGIN ? uncertainty_ns : 0;
  mapping->lead_ns = clocks->system_after_ns - clocks->monotonic_ns;
  mapping->agreed_ns = clocks->running_ns;
  mapping->boot_ns = clocks->system_after_ns - clocks->boot_ns;
  mapping->boot_running_ns = clocks->running_ns - clocks->boot_ns;
}

void
robocache_ros_mapping_stop (RobocacheRosMapping *mapping, const RobocacheClockReading *clocks)
{
  RobocacheRosSpan *last = last_span (mapping);

  if (last)
    last->end_ns = MAX (clocks->running_ns, last->start_ns);
}

/* ---- steps of clocks ---- */

/* The step happened after the last reading that agreed, so times since then may be on either span. */
static void
follow (RobocacheRosMapping *mapping, gint64 step, gint64 running_ns)
{
  RobocacheRosSpan *last = last_span (mapping), next = *last;

  next.origin_ns += step;
  next.start_ns = CLAMP (mapping->agreed_ns, last->start_ns, running_ns);
  last->end_ns = running_ns;
  add_span (mapping, next);
}

gint64
robocache_ros_mapping_check (RobocacheRosMapping *mapping, gint64 system_ns, gint64 monotonic_ns)
{
  const gint64 step = system_ns - monotonic_ns - mapping->lead_ns, running_ns = monotonic_ns - last_span (mapping)->monotonic_ns;
  const gboolean is_step = ABS (step) > (gint64) MIN_STEP;

  if (is_step) {
    mapping->lead_ns += step;
    mapping->boot_ns += step;
    if (mapping->follows)
      follow (mapping, step, running_ns);
  }
  mapping->agreed_ns = running_ns;
  return is_step ? step : 0;
}

gint64
robocache_ros_mapping_set_sim_time (RobocacheRosMapping *mapping, gint64 last_ns, gint64 sim_ns, gint64 monotonic_ns)
{
  RobocacheRosSpan *last = last_span (mapping), next;

  if (!last)
    return 0;
  if (last->origin_ns == ROBOCACHE_ROS_NO_ORIGIN) {
    last->origin_ns = sim_ns - (monotonic_ns - last->monotonic_ns);
    return 0;
  }
  if (last_ns == ROBOCACHE_ROS_NO_ORIGIN || sim_ns >= last_ns)
    return 0;
  next = *last;
  last->end_ns = next.start_ns = MAX (last_ns - last->origin_ns, last->start_ns);
  next.origin_ns = sim_ns - next.start_ns;
  add_span (mapping, next);
  return last_ns - sim_ns;
}

/* ---- conversion ---- */

gint64
robocache_ros_mapping_origin (const RobocacheRosMapping *mapping)
{
  const RobocacheRosSpan *last = last_span (mapping);

  return last ? last->origin_ns : ROBOCACHE_ROS_NO_ORIGIN;
}

/* The span of a time of this host. */
static const RobocacheRosSpan *
span_at (const RobocacheRosMapping *mapping, gint64 monotonic_ns)
{
  guint i = mapping->n_spans - 1;

  while (i > 0 && monotonic_ns - mapping->spans[i].monotonic_ns < mapping->spans[i].start_ns)
    i--;
  return &mapping->spans[i];
}

gint64
robocache_ros_mapping_now (const RobocacheRosMapping *mapping, gint64 system_ns, gint64 monotonic_ns, gint64 sim_ns, gint64 *running_ns)
{
  const RobocacheRosSpan *span = mapping->is_simulated ? last_span (mapping) : span_at (mapping, monotonic_ns);

  if (mapping->is_simulated) {
    *running_ns = difference (sim_ns, span->origin_ns);
    return sim_ns;
  }
  *running_ns = MIN (monotonic_ns - span->monotonic_ns, span->end_ns);
  if (mapping->set_origin_ns != ROBOCACHE_ROS_NO_ORIGIN)
    return difference (span->origin_ns, span->monotonic_ns - monotonic_ns);
  /* stamps that do not follow a step are shifted by it, so the present is, too */
  if (!mapping->follows)
    *running_ns = MIN (system_ns - span->origin_ns, span->end_ns);
  return system_ns;
}

gint64
robocache_ros_mapping_boot (const RobocacheRosMapping *mapping)
{
  if (mapping->is_simulated)
    return 1;
  return mapping->set_origin_ns == ROBOCACHE_ROS_NO_ORIGIN ? mapping->boot_ns
      : difference (last_span (mapping)->origin_ns, -mapping->boot_running_ns);
}

/* Whether a is the better one of two running times, either of which would be right without the other. */
static gboolean
is_better (gint64 a, gint64 b, gint64 arrival_ns)
{
  if ((a <= arrival_ns) != (b <= arrival_ns))
    return a <= arrival_ns;
  return a <= arrival_ns ? a > b : a < b;
}

RobocacheRosPlacement
robocache_ros_mapping_place (const RobocacheRosMapping *mapping, gint64 time_ns, gint64 arrival_running_ns, gint64 *running_ns)
{
  RobocacheRosPlacement place = ROBOCACHE_ROS_BEFORE_ORIGIN;

  *running_ns = mapping->spans[0].start_ns;
  for (guint i = 0; i < mapping->n_spans; i++) {
    const RobocacheRosSpan *span = &mapping->spans[i];
    const gint64 running = difference (time_ns, span->origin_ns);

    if (span->origin_ns == ROBOCACHE_ROS_NO_ORIGIN || running < span->start_ns)
      continue;
    if (running <= span->end_ns && (place != ROBOCACHE_ROS_PLACED || is_better (running, *running_ns, arrival_running_ns))) {
      place = ROBOCACHE_ROS_PLACED;
      *running_ns = running;
    }
    if (place == ROBOCACHE_ROS_PLACED)
      continue;
    place = ROBOCACHE_ROS_IN_PAUSE;
    *running_ns = span->end_ns;
  }
  return place;
}

gint64
robocache_ros_mapping_time (const RobocacheRosMapping *mapping, gint64 running_ns)
{
  const RobocacheRosSpan *found = last_span (mapping);

  for (guint i = mapping->n_spans; i-- > 0;) {
    const RobocacheRosSpan *span = &mapping->spans[i];

    if (span->origin_ns == ROBOCACHE_ROS_NO_ORIGIN)
      break;
    found = span;
    if (span->start_ns <= running_ns)
      break;
  }
  return difference (found->origin_ns, -running_ns);
}

/* ---- the time of a message ---- */

/* NULL: the time is valid. */
static const gchar *
fault_of (gint64 time_ns, gint64 now_ns, gint64 boot_ns, guint64 max_future)
{
  if (time_ns == 0 || time_ns == ROBOCACHE_ROS_NO_TIME)
    return "its time is 0";
  if (time_ns < boot_ns)
    return "its time is before the start of this host";
  if (time_ns > now_ns && (guint64) time_ns - (guint64) now_ns > max_future)
    return "its time is more than max-future after its arrival";
  return NULL;
}

static gint64
time_by (gint source, const RobocacheRosTimes *times)
{
  if (source == ROBOCACHE_ROS_TIME_ARRIVAL)
    return times->now_ns;
  return source == ROBOCACHE_ROS_TIME_STAMP && times->has_stamp ? times->stamp_ns : times->source_ns;
}

const gchar *
robocache_ros_time_of_capture (const RobocacheRosSrcSettings *settings, const RobocacheRosTimes *times, gint64 boot_ns, gint64 *time_ns)
{
  const gchar *fault;

  *time_ns = time_by (settings->time_source, times);
  fault = fault_of (*time_ns, times->now_ns, boot_ns, settings->max_future);
  if (!fault || settings->time_fallback == ROBOCACHE_ROS_TIME_NONE)
    return fault;
  *time_ns = time_by (settings->time_fallback, times);
  return fault_of (*time_ns, times->now_ns, boot_ns, settings->max_future);
}
