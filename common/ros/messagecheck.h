/* robocache: messages that can be read, but not rightly: longer than their definition, or without a time in their stamp
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "schema.h"

typedef struct _RobocacheMessageCheck RobocacheMessageCheck;

/* Checks messages of the schema's type. The schema must outlive the check. */
RobocacheMessageCheck *robocache_message_check_new (const RobocacheRosSchema * schema);
void robocache_message_check_free (RobocacheMessageCheck * check);

/* FALSE and a ROBOCACHE_ERROR_DATA: bytes follow the last field, so another definition was in force when the message was written, and its
 * fields may be elsewhere. Writers pad messages to 4 bytes. A type with a wstring, whose length writers do not agree on, is not checked. */
gboolean robocache_message_check_length (RobocacheMessageCheck * check, gconstpointer message, gsize size, GError ** error);

/* Counts a message and its faults. */
void robocache_message_check_count (RobocacheMessageCheck * check, gconstpointer message, gsize size);
/* Returns one line with the counts of the topic; free with g_free. NULL: nothing is wrong. */
gchar *robocache_message_check_describe (const RobocacheMessageCheck * check, const gchar * topic);
