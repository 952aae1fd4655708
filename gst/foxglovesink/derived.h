/* robocache: topics for viewers whose messages are made of those of another topic
 *
 * Pictures become JPEG, poses become transforms, voxel grids become those that viewers draw.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/ros/cdr.h"
#include "server/viewserver.h"

#define ROBOCACHE_TF_TOPIC "/tf"

typedef struct _RobocacheDerived RobocacheDerived;

typedef struct
{
  const RobocacheViewServerFunctions *functions;
  guint image_rate;             /* pictures per second; 0: none */
  guint image_quality;
} RobocacheDerivedSettings;

/* For messages of this type and topic; caps: those of the stream. NULL: nothing is made of them. */
RobocacheDerived *robocache_derived_new (const RobocacheDerivedSettings * settings, const gchar * topic, const gchar * type, GstCaps * caps);
void robocache_derived_free (RobocacheDerived * derived);

/* The topic to advertise. Derived topics with the same name are one topic. */
const RobocacheViewTopic *robocache_derived_topic (const RobocacheDerived * derived);
/* Whether a message is made now; some are at most so many a second. */
gboolean robocache_derived_is_due (RobocacheDerived * derived);
/* Makes one of a message. The writer belongs to derived. NULL: this message has nothing for the topic. */
const RobocacheCdrWriter *robocache_derived_make (RobocacheDerived * derived, const RobocacheCdrWriter * message);
