/* robocache: what a core by itself plays
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/core/words.h"

typedef struct
{
  const gchar *name;
  const Scenario *scenarios;
  guint n;
} Table;

/* NAME_table */
#define TABLE(name) const Table name##_table = { #name, scenarios, G_N_ELEMENTS (scenarios) }

extern const Table scenarios_table, live_table, disturbed_table, origins_table, sensorfaults_table, jumping_table, spans_table, silence_table;

/* A case that is reported as TABLE: NAME; failure is taken, NULL: it passed. */
typedef void (*Report) (const gchar * table, const gchar * name, gchar * failure);
/* Settings there and back, and times from everywhere. */
void play_any_times (Report report);
