/* robocache: the class of the recorders: pads, properties and states
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_ELEMENT_H
#define MUX_ELEMENT_H

#include "recorder.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_MCAP_ELEMENT (gst_robocache_mcap_element_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRobocacheMcapElement, gst_robocache_mcap_element, GST, ROBOCACHE_MCAP_ELEMENT, GstRobocacheMcapRecorder)

struct _GstRobocacheMcapElementClass
{
  GstRobocacheMcapRecorderClass parent_class;
};

G_END_DECLS
#endif
