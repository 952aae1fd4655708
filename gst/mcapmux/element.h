/* robocache: the class of the recorders: pads, properties and states
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

#define GST_TYPE_ROBOCACHE_MCAP_RECORDER (gst_robocache_mcap_recorder_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRobocacheMcapRecorder, gst_robocache_mcap_recorder, GST, ROBOCACHE_MCAP_RECORDER, GstElement)

struct _GstRobocacheMcapRecorderClass
{
  GstElementClass parent_class;

  MuxOutputFunctions output;
  /* Called before the task starts, from READY to PAUSED. May be NULL. */
  gboolean (*start) (GstElement * element, GError ** error);
  /* Called after the task has ended. May be NULL. */
  void (*stop) (GstElement * element);
};

/* The recorder of such an element. */
MuxRecorder *mux_element_get_recorder (gpointer element);
