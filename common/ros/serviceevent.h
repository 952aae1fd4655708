/* robocache: definitions of the events of services, if a recording has only the definition of the service
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Makes the definition of "pkg/srv/Name_Event". text optionally begins with a line of = and "SRV: pkg/srv/Name", then has the request, a
 * line of - and the response. Free with g_free; NULL: text has another form. */
gchar *robocache_ros_service_event_text (const gchar * name, const gchar * text);
