/* robocache: the quality of service of a topic for Cyclone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "qos.h"

#include <dds/dds.h>
#include <string.h>

/* A writer never waits for a reliable reader that is slow. */
#define MAX_BLOCKING 0

dds_qos_t *
robocache_dds_qos_new (const RobocacheDdsTopic *topic)
{
  const gint32 depth = (gint32) CLAMP (topic->depth, 1, G_MAXINT32);
  dds_qos_t *qos = dds_create_qos ();

  dds_qset_reliability (qos, topic->is_reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, MAX_BLOCKING);
  dds_qset_durability (qos, topic->is_transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  dds_qset_history (qos, DDS_HISTORY_KEEP_LAST, depth);
  if (topic->is_transient_local)
    dds_qset_durability_service (qos, 0, DDS_HISTORY_KEEP_LAST, depth, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  dds_qset_writer_data_lifecycle (qos, false);
  if (topic->type_hash) {
    gchar *user_data = g_strdup_printf ("typehash=%s;", topic->type_hash);

    dds_qset_userdata (qos, user_data, strlen (user_data));
    g_free (user_data);
  }
  return qos;
}
