/* robocache: counts of messages that Cyclone drops as they are larger than its limit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "oversize.h"

#include <string.h>

/* "dropping oversize (70000 > 65536) sample 7 from remote writer 110:1:2:3 rt/imu/sensor_msgs::msg::dds_::Imu_". Source: drop_oversize in
 * Cyclone DDS 0.10 and 11.0. */
#define BEGIN "dropping oversize ("
#define WRITER " from remote writer "

struct _RobocacheDdsOversize
{
  gchar *topic;
  guint64 n;                    /* lock */
};

static GMutex lock;
static GSList *all;             /* lock: RobocacheDdsOversize items */

RobocacheDdsOversize *
robocache_dds_oversize_new (const gchar *topic)
{
  RobocacheDdsOversize *oversize = g_new0 (RobocacheDdsOversize, 1);

  oversize->topic = g_strdup (topic);
  g_mutex_lock (&lock);
  all = g_slist_prepend (all, oversize);
  g_mutex_unlock (&lock);
  return oversize;
}

void
robocache_dds_oversize_free (RobocacheDdsOversize *oversize)
{
  g_mutex_lock (&lock);
  all = g_slist_remove (all, oversize);
  g_mutex_unlock (&lock);
  g_free (oversize->topic);
  g_free (oversize);
}

guint64
robocache_dds_oversize_count (const RobocacheDdsOversize *oversize)
{
  guint64 n;

  g_mutex_lock (&lock);
  n = oversize->n;
  g_mutex_unlock (&lock);
  return n;
}

void
robocache_dds_oversize_read_log (const gchar *line)
{
  const gchar *begin = strstr (line, BEGIN), *writer = begin ? strstr (begin, WRITER) : NULL;
  const gchar *topic = writer ? strchr (writer + strlen (WRITER), ' ') : NULL, *type = topic ? strrchr (topic, '/') : NULL;
  gsize length;

  if (!type)
    return;
  length = (gsize) (type - ++topic);
  g_mutex_lock (&lock);
  for (const GSList *each = all; each; each = each->next) {
    RobocacheDdsOversize *oversize = each->data;

    oversize->n += strlen (oversize->topic) == length && strncmp (oversize->topic, topic, length) == 0;
  }
  g_mutex_unlock (&lock);
}
