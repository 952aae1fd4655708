/* robocache: the topic of events: what happened to streams beside their rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_EVENTS_H
#define MUX_EVENTS_H

#include <gst/gst.h>

#include "common/ros/cdr.h"
#include "gst/mcapmux/file/recording.h"

G_BEGIN_DECLS

#define MUX_EVENTS_TOPIC "/robocache/events"

/* The times of a row or an event on the recording's clock. */
typedef struct
{
  gint64 stamp_ns;              /* of capture */
  guint64 log_ns;               /* of arrival */
} MuxTimes;

/* Zero is before the first event. */
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
  const gchar *topic;           /* of the stream; "" of the recorder */
  guint32 sequence;             /* messages of that topic before it */
  gint64 duration_ns;           /* -1: none */
  const gchar *text;
} MuxEvent;

/* Records an event. Called with what guards the recording. */
void mux_events_write (MuxEvents * events, MuxRecording * recording, const MuxTimes * times, const MuxEvent * event);

G_END_DECLS
#endif
