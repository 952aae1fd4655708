/* robocache: which clocks stamped the topics of a recording, and how to put them on one timeline
 *
 * A message arrives after its capture, so log time minus stamp is the difference of two clocks plus a delay that is never negative. Its lower
 * envelope over time (delaybound.h) is the difference plus the least delay. Topics whose envelopes agree within half a second have one clock:
 * their differences are delays. The recorder's clock is also a clock; it stamps messages that have no stamp of their own. Stamps that are ahead of
 * most others of their topic, before and after them, do not count: a node stamps ahead, or a stamp is wrong. If all
 * later stamps are ahead, the clock stepped.
 *
 * The timeline is the clock of the topics that agree with the recorder; without such topics, the clock of most messages. The envelopes of both
 * clocks put another clock on the timeline. The least delay of a clock's messages cannot be distinguished from an offset of the clock. The
 * uncertainty of a shift has two standard deviations of both envelopes, and, because least delays may differ, the mean delays above the envelopes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef enum
{
  ROBOCACHE_TIMELINE_AUTO,      /* as above */
  ROBOCACHE_TIMELINE_RECORDER,  /* the recorder's clock */
  ROBOCACHE_TIMELINE_STAMPS     /* as auto, but all stamps stay as they are */
} RobocacheTimeline;

typedef struct _RobocacheClockSurvey RobocacheClockSurvey;

RobocacheClockSurvey *robocache_clock_survey_new (void);
void robocache_clock_survey_free (RobocacheClockSurvey * survey);

/* Adds a message, or a stamp of a message. Log times of a topic must not decrease. has_stamp: FALSE for a message whose time is its log time;
 * whether a stamp of 0 is a stamp is decided by the stamps after it. */
void robocache_clock_survey_add (RobocacheClockSurvey * survey, const gchar * topic, gboolean has_stamp, gint64 stamp_ns, gint64 log_ns);
/* Forgets the messages of a topic, before it is read again; NULL: of all topics. */
void robocache_clock_survey_forget (RobocacheClockSurvey * survey, const gchar * topic);

/* Whether a stamp of 0 is a time, as at the start of a simulation, and not a missing stamp: then the next stamp other than 0 continues from 0. */
gboolean robocache_clock_continues_from_zero (gint64 zero_log_ns, gint64 stamp_ns, gint64 log_ns);

/* Number of messages of a topic without a stamp, plus its messages with stamps, of which at most one per eighth of a second counts. */
guint robocache_clock_survey_count (const RobocacheClockSurvey * survey, const gchar * topic);
/* Whether all messages of the recording are needed, because stamps of a topic step, or their difference from log times changes by more than
 * a delay. */
gboolean robocache_clock_survey_is_irregular (const RobocacheClockSurvey * survey);

/* The result, an a{sv}:
 *   map     ROBOCACHE_CLOCK_MAP_TYPE, see clockmap.h
 *   lines   as: sentences for people
 *   clocks  a(asxxdbb): for each clock, its topics, shift and uncertainty at its first stamp (ns), drift (ppm), whether it is the timeline, and
 *           whether it is the recorder's
 *   topics  a(sxxx): for each topic, its first and last time on the timeline, and its least delay (ns) by the recorder's clock
 *   breaks  a(sxxxx): for each step, the topic, the log time, by how much its stamps step back (ns; negative: forward), and on the timeline
 *           the last time before the step and the first one after it */
GVariant *robocache_clock_survey_finish (RobocacheClockSurvey * survey, RobocacheTimeline timeline);
