/* robocache: std_msgs/Float64MultiArray and its like, robocache_msgs/Row and robocache_msgs/Tensor as tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TENSORMESSAGES_H
#define ROBOCACHE_TENSORMESSAGES_H

#include "streamreader.h"

G_BEGIN_DECLS

gboolean robocache_tensor_messages_have (const gchar * type);
/* NULL and an error: the definition of the type is another one. */
RobocacheStreamReader *robocache_tensor_messages_new (const RobocacheRosSource * source, GError ** error);

G_END_DECLS
#endif
