/* robocache: the quality of service of a topic for Cyclone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DDS_QOS_H
#define ROBOCACHE_DDS_QOS_H

#include <dds/dds.h>

#include "reader.h"

G_BEGIN_DECLS

/* Delete with dds_delete_qos. */
dds_qos_t *robocache_dds_qos_new (const RobocacheDdsTopic * topic);

G_END_DECLS
#endif
