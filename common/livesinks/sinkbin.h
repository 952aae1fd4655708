/* robocache: an element with a request pad for each stream that it publishes
 *
 * Each pad is that of a stream, a sink in this bin, so the bin has the states, the end and the latency of several sinks. Subclasses add a pad
 * template sink_%u, whose pads are ghost pads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "streamsink.h"

/* time-origin: not set */
#define ROBOCACHE_SINK_BIN_NO_ORIGIN G_MININT64

#define GST_TYPE_ROBOCACHE_SINK_BIN (gst_robocache_sink_bin_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRobocacheSinkBin, gst_robocache_sink_bin, GST, ROBOCACHE_SINK_BIN, GstBin)

struct _GstRobocacheSinkBinClass
{
  GstBinClass parent_class;

  GType stream_type;            /* subclass of GstRobocacheStreamSink: each pad has one */
  /* READY to PAUSED. origin_ns: UTC at running time 0, ROBOCACHE_SINK_BIN_NO_ORIGIN: that of the system clock when playing starts. FALSE: an
   * error was posted. */
  gboolean (*start) (GstRobocacheSinkBin * bin, gint64 * origin_ns);
  /* All streams are stopped. */
  void (*stop) (GstRobocacheSinkBin * bin);
  /* Between start and stop, while no data flow in the stream: starts it with the settings of its pad, and stops it. */
  void (*start_stream) (GstRobocacheSinkBin * bin, GstPad * pad, GstRobocacheStreamSink * stream);
  void (*stop_stream) (GstRobocacheSinkBin * bin, GstRobocacheStreamSink * stream);
};

/* "time-origin", and for each pad what statistics returns for its stream. */
GstStructure *gst_robocache_sink_bin_statistics (GstRobocacheSinkBin * bin, GstStructure * (*statistics) (GstRobocacheStreamSink * stream));
