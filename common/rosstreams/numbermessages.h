/* robocache: messages of fixed numbers, like Imu and Odometry, as rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_NUMBERMESSAGES_H
#define ROBOCACHE_NUMBERMESSAGES_H

#include "streamreader.h"

G_BEGIN_DECLS

/* Whether the source's type is one of these. */
gboolean robocache_number_messages_have (const gchar * type);
/* NULL and an error: the definition of the type is another one. */
RobocacheStreamReader *robocache_number_messages_new (const RobocacheRosSource * source, GError ** error);

G_END_DECLS
#endif
