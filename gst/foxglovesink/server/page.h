/* robocache: the page that a view server shows to a browser
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <libsoup/soup.h>

typedef struct _RobocacheViewPage RobocacheViewPage;

/* Puts the page together. It needs no other file, and gets its data as a viewer of this server. */
RobocacheViewPage *robocache_view_page_new (void);
void robocache_view_page_free (RobocacheViewPage * page);

/* Answers a GET or HEAD. host: the checked header Host, the only address that the page may connect to. The page may be used until the
 * message is finished. */
void robocache_view_page_answer (const RobocacheViewPage * page, SoupServerMessage * message, const gchar * host);
