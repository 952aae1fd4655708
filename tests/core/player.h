/* robocache: plays scenarios of robocachefuse on a core by itself
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "rig.h"

/* A started core with these settings and pads. */
Play *core_play_new (RigMode mode, const gchar * settings, const gchar * pads);
/* All rows are accounted for at the end, no error is left unread, and no buffer is kept. */
void core_play_free (Play * play);

/* Runs a test of plays, one at a time. Returns what is wrong, free with g_free; NULL: nothing. */
gchar *core_try (void (*test) (gpointer data), gpointer data);
