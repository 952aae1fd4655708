/* robocache: the quality of service of a topic for Cyclone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A topic, and how it is read or written. */
typedef struct
{
  const gchar *topic;           /* "/joint_states" */
  const gchar *type;            /* "sensor_msgs/msg/JointState" */
  gboolean is_reliable, is_transient_local;
  guint depth;                  /* messages that are kept for each other side */
  const gchar *type_hash;       /* hash of a writer's type, "RIHS01_…"; NULL: none */
} RobocacheDdsTopic;

struct dds_qos;

/* Delete with dds_delete_qos. */
struct dds_qos *robocache_dds_qos_new (const RobocacheDdsTopic * topic);
