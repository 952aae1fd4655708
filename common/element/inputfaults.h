/* robocache: faulty buffers and caps of a live source: only its own rows are dropped, with counts and one warning
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* ---- a sink pad ---- */

/* A zeroed struct is valid and empty, for the start of the element. The owner's lock guards it. */
typedef struct
{
  gboolean has_bad_caps;        /* buffers are dropped until usable caps arrive */
  gboolean has_warned_of_buffer, has_warned_of_caps;
} RobocachePadFaults;

/* Whether a buffer with such an error is dropped: a ROBOCACHE_ERROR_DATA of a live source. FALSE: the error ends the stream. */
gboolean robocache_pad_faults_drop (gboolean is_live, const GError * error);

/* Notes a buffer that is dropped because of error, or caps that cannot be used, so that buffers are dropped until other caps arrive. Returns a
 * warning for the first fault of the pad, for robocache_pad_faults_warn; else NULL. statistic: the name of the count in stats; NULL: not
 * counted. */
gchar *robocache_pad_faults_note_buffer (RobocachePadFaults * faults, GstPad * pad, const GError * error, const gchar * statistic);
gchar *robocache_pad_faults_note_caps (RobocachePadFaults * faults, GstPad * pad, const GError * error, const gchar * statistic);
/* Posts a warning (taken), or nothing for NULL. Called without locks. */
void robocache_pad_faults_warn (GstElement * element, gchar * warning);

/* ---- an element with one sink pad ---- */

/* Used under the stream lock of the sink pad. */
typedef struct
{
  GstPad *sink;
  const gchar *statistic;       /* NULL: the element has no statistic */
  RobocachePadFaults pad;
  guint64 n_dropped;            /* number of dropped buffers; written with the element's object lock */
  gboolean has_had_caps;        /* the element has accepted caps since its start */
  gboolean is_in_caps;          /* a CAPS event is being handled, so errors in caps are caused by upstream */
} RobocacheInputFaults;

void robocache_input_faults_init (RobocacheInputFaults * faults, GstPad * sink, const gchar * statistic);
/* Resets the struct. Called with the object lock held, when the element starts. */
void robocache_input_faults_start (RobocacheInputFaults * faults);

/* Whether a buffer with such an error is dropped, like robocache_pad_faults_drop; counts it, and posts a warning for the first one. Called
 * without
 * locks of the element. */
gboolean robocache_input_faults_drop (RobocacheInputFaults * faults, const GError * error);
/* Like robocache_input_faults_drop, for a buffer that exceeds a limit, with any error. */
gboolean robocache_input_faults_drop_oversized (RobocacheInputFaults * faults, const GError * error);

/* Call these around the handling of a CAPS event. The end returns TRUE if the event was handled: the caps are used, or the element waits
 * for other caps. */
void robocache_input_faults_begin_caps (RobocacheInputFaults * faults);
gboolean robocache_input_faults_end_caps (RobocacheInputFaults * faults, gboolean is_handled);
/* Between begin and end: whether the element waits for other caps after this error. The element waits if the error is a
 * ROBOCACHE_ERROR_CAPS, upstream is live, and earlier caps were usable. Posts a warning for the first such error. FALSE: the error ends the
 * stream. Called without locks of the element. */
gboolean robocache_input_faults_await_caps (RobocacheInputFaults * faults, const GError * error);
/* Whether a buffer is dropped because the element waits for caps; counts it. */
gboolean robocache_input_faults_skip (RobocacheInputFaults * faults);

/* Adds the count to structure. Called with the object lock held. */
void robocache_input_faults_to_structure (const RobocacheInputFaults * faults, GstStructure * structure);
