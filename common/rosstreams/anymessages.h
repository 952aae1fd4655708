/* robocache: messages of any type as rows of their numbers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ANYMESSAGES_H
#define ROBOCACHE_ANYMESSAGES_H

#include "streamreader.h"

G_BEGIN_DECLS

/* By source->fields. NULL and an error: the type has no number, or none is chosen. */
RobocacheStreamReader *robocache_any_messages_new (const RobocacheRosSource * source, GError ** error);
/* Names of fields of such a reader that never become channels, as of robocache_row_decoder_skipped. */
const gchar *const *robocache_any_messages_skipped (const RobocacheStreamReader * reader);

G_END_DECLS
#endif
