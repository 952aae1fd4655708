/* robocache: definitions of events of services, where a recording has that of the service alone
 *
 * Since ROS 2 Jazzy, rosbag2 records the events of service introspection with the text of the .srv file (rosbag2, issue 2365).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "serviceevent.h"

#include <string.h>

#include "definitions.h"

#define SUFFIX "_Event"
#define BREAK "================================================================================\nMSG: "
/* Source: github.com/ros2/rcl_interfaces, service_msgs (Apache-2.0), branch jazzy: fields, types and their order. */
#define EVENT_INFO BREAK "service_msgs/ServiceEventInfo\nuint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\n" \
    "int64 sequence_number\n"

/* Behind the line; its end where it is the last. */
static const gchar *
next_line (const gchar *line)
{
  const gchar *end = strchr (line, '\n');

  return end ? end + 1 : line + strlen (line);
}

/* Behind the heading of a service, whose name is set. NULL: the text has none. */
static const gchar *
read_heading (const gchar *text, gchar **service)
{
  static const gchar prefix[] = "SRV:";
  const gchar *line = text + strspn (text, " \t\r\n");
  gchar *name;

  if (!g_str_has_prefix (line, "==="))
    return NULL;
  line = next_line (line);
  if (!g_str_has_prefix (line, prefix))
    return NULL;
  line += strlen (prefix);
  name = g_strstrip (g_strndup (line, (gsize) (next_line (line) - line)));
  *service = robocache_ros_short_name (name);
  g_free (name);
  return next_line (line);
}

/* The name of the service that an event is of; NULL: the name is another. Free with g_free. */
static gchar *
service_of_event (const gchar *name)
{
  return g_str_has_suffix (name, SUFFIX) ? g_strndup (name, strlen (name) - strlen (SUFFIX)) : NULL;
}

/* The line that ends a request; NULL: no such line before the next definition. */
static const gchar *
find_response (const gchar *request)
{
  for (const gchar * line = request; *line && !g_str_has_prefix (line, "==="); line = next_line (line))
    if (g_str_has_prefix (line, "---"))
      return line;
  return NULL;
}

static gchar *
make_text (const gchar *service, const gchar *request, const gchar *end_of_request)
{
  return g_strdup_printf ("service_msgs/ServiceEventInfo info\n%s_Request[<=1] request\n%s_Response[<=1] response\n" EVENT_INFO
      BREAK "%s_Request\n%.*s\n" BREAK "%s_Response\n%s", service, service, service, (gint) (end_of_request - request), request, service,
      next_line (end_of_request));
}

gchar *
robocache_ros_service_event_text (const gchar *name, const gchar *text)
{
  gchar *heading = NULL, *short_name = robocache_ros_short_name (name), *service = service_of_event (short_name), *made = NULL;
  const gchar *behind = read_heading (text, &heading), *request = behind ? behind : text, *end_of_request = find_response (request);

  if (service && end_of_request && (!heading || g_str_equal (heading, service)))
    made = make_text (service, request, end_of_request);
  g_free (service);
  g_free (short_name);
  g_free (heading);
  return made;
}
