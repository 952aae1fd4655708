/* robocache: the topic of events: everything that happens to streams except rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/ros/cdr.h"
#include "gst/mcapmux/file/recording.h"

#define MUX_EVENTS_TOPIC "/robocache/events"

/* The times of a row or an event on the recording's clock. */
typedef struct
{
  gint64 stamp_ns;              /* time of capture */
  guint64 log_ns;               /* time of arrival */
} MuxTimes;

/* The state of the topic. A zeroed struct is the state before the first event. */
typedef struct
{
  gboolean has_channel;
  guint channel;
  RobocacheCdrWriter writer;
} MuxEvents;

void mux_events_clear (MuxEvents * events);

typedef struct
{
  const gchar *kind;            /* "gap" */
  const gchar *topic;           /* topic of the stream; "": the recorder */
  guint32 sequence;             /* number of earlier messages of that topic */
  gint64 duration_ns;           /* -1: none */
  const gchar *text;
} MuxEvent;

/* Records an event. Called with the lock of the recording. */
void mux_events_write (MuxEvents * events, MuxRecording * recording, const MuxTimes * times, const MuxEvent * event);
