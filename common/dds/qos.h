/* robocache: the quality of service of a topic for Cyclone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DDS_QOS_H
#define ROBOCACHE_DDS_QOS_H

#include <glib.h>

G_BEGIN_DECLS

/* A topic, and how it is read or written. */
typedef struct
{
  const gchar *topic;           /* "/joint_states" */
  const gchar *type;            /* "sensor_msgs/msg/JointState" */
  gboolean is_reliable, is_transient_local;
  guint depth;                  /* messages that are kept for each other side */
  const gchar *type_hash;       /* of a writer: "RIHS01_…"; NULL: none */
} RobocacheDdsTopic;

struct dds_qos;

/* Delete with dds_delete_qos. */
struct dds_qos *robocache_dds_qos_new (const RobocacheDdsTopic * topic);

G_END_DECLS
#endif
