/* robocache: messages and publishers of DDS as data, which need no library of DDS
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "message.h"

void
robocache_dds_message_free (RobocacheDdsMessage *message)
{
  if (message->bytes)
    message->release (message->bytes);
  g_free (message);
}

void
robocache_dds_endpoint_free (RobocacheDdsEndpoint *endpoint)
{
  g_free (endpoint->topic);
  g_free (endpoint->type);
  g_free (endpoint->type_hash);
  g_free (endpoint);
}
