/* robocache: definitions of events of services, where a recording has that of the service alone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROS_SERVICEEVENT_H
#define ROBOCACHE_ROS_SERVICEEVENT_H

#include <glib.h>

G_BEGIN_DECLS

/* The definition of "pkg/srv/Name_Event" from a text that begins with a line of = and "SRV: pkg/srv/Name", or has no such heading, then
 * the request, a line of - and the response. Free with g_free; NULL: the text is another. */
gchar *robocache_ros_service_event_text (const gchar * name, const gchar * text);

G_END_DECLS
#endif
