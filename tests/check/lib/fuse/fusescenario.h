/* robocache: plays scenarios on robocachefuse. Their words are told in tests/core/words.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/check/lib/fuse/fuseplay.h"

/* ---- samples out ---- */

GstEvent *next_event (Rig *rig, GstEventType type);

GstEvent *wait_event (Rig *rig, GstEventType type);

void drop_samples (Rig *rig);

/* ---- numbers and messages ---- */

/* The value of a statistic. For a statistic that is a structure: the number of its fields. */
gint64 number_in (const GstStructure *stats, const gchar *name);

/* ---- scenarios ---- */

/* Sets the element to NULL, and forgets what sources have sent. */
void stop (Rig *rig);

/* START[..STOP][!] */
void seek (Play *play, const gchar *text, GstSeekFlags flags);

/* Set by tests that know how the element waits. */
extern void (*rig_assert_awake) (Rig * rig);

/* A running element with these settings and pads. */
Play *play_new (const gchar *settings, const gchar *pads);

/* All rows are accounted for at the end, and no error is left unread. */
void play_free (Play *play);

/* A thread that feeds the pad until its rows are refused; it has fed that many, and may wait. */
GThread *start_source (Play *play, gchar letter, guint64 n_rows);

/* Each scenario is a test case of its own name, and runs once more while the element never sleeps for long, if awake_too. */
void add_scenarios (Suite *s, const Scenario *scenarios, gint n, gboolean awake_too);
