/* robocache: definitions of messages in folders of .msg files
 *
 * A file PACKAGE/msg/TYPE.msg or PACKAGE/TYPE.msg anywhere in a folder defines PACKAGE/TYPE, as in a workspace or its share folder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct _RobocacheMsgFolders RobocacheMsgFolders;

/* Reads the folders of a list like "/opt/a:/opt/b"; NULL or "" is an empty list. If several folders define a type, the first one is used.
 * NULL and an error: a folder or file cannot be read. */
RobocacheMsgFolders *robocache_msg_folders_new (const gchar * paths, GError ** error);
void robocache_msg_folders_free (RobocacheMsgFolders * folders);

/* The complete text of a message, from definitions in the folders or else built-in ones; NULL: unknown. Free with g_free. */
gchar *robocache_msg_folders_schema_text (const RobocacheMsgFolders * folders, const gchar * name);
