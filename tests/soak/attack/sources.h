/* robocache: sources that feed an element's sink pads, each from a thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "attackers.h"

/* Operations of sources, which are the first ones. */
#define N_SOURCE_OPERATIONS 7

/* pad is taken. From the application's thread alone. */
void source_add (Attack * attack, GstPad * pad, gboolean requested, Input * input);
/* While it pushes. */
void source_remove (Attack * attack, Feed * feed);
