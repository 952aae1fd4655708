/* robocache: the scenarios of robocachefuse on its core, without GStreamer, threads, clocks or timeouts
 *
 *     fusecore TABLE
 *
 * Each is played twice: with rows that the core copies, looked at one by one, and with buffers of which it takes references, looked at when
 * a word is over. Prints PASS or FAIL for each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <string.h>

#include "player.h"
#include "tables/smoke.h"
#include "tables/tables.h"

static const Table smoke_table = { "smoke", smoke_scenarios, G_N_ELEMENTS (smoke_scenarios) };

static const Table *const tables[] = { &smoke_table, &scenarios_table, &live_table, &disturbed_table, &origins_table, &sensorfaults_table,
  &jumping_table, &spans_table, &silence_table
};

/* What +JUMP and -JUMP stand for. */
static const gchar *const jumps[][2] = { {"+1d", "-1d"}, {"-1d", "+1d"}, {"+1h", "-1h"}, {"-1h", "+1h"} };

typedef struct
{
  const Scenario *scenario;
  const gchar *words;
  RigMode mode;
} Case;

static guint n_failed;

static void
report (const gchar *table, const gchar *name, gchar *failure)
{
  printf ("%s %s: %s%s%s\n", failure ? "FAIL" : "PASS", table, name, failure ? ": " : "", failure ? failure : "");
  fflush (stdout);
  n_failed += failure != NULL;
  g_free (failure);
}

static void
play_case (gpointer data)
{
  const Case *one = data;
  Play *play = core_play_new (one->mode, one->scenario->settings, one->scenario->pads);

  play_words (play, one->words);
  core_play_free (play);
}

static void
play_both (const gchar *table, const Scenario *scenario, const gchar *words)
{
  Case one = { scenario, words, RIG_EAGER };
  gchar *name = g_strdup_printf ("%s, with buffers", scenario->name);

  report (table, scenario->name, core_try (play_case, &one));
  one.mode = RIG_LAZY;
  report (table, name, core_try (play_case, &one));
  g_free (name);
}

static gchar *
replace (const gchar *text, const gchar *what, const gchar *with)
{
  gchar **parts = g_strsplit (text, what, -1), *replaced = g_strjoinv (with, parts);

  g_strfreev (parts);
  return replaced;
}

static void
play_jumps (const gchar *table, const Scenario *scenario)
{
  for (guint i = 0; i < G_N_ELEMENTS (jumps); i++) {
    gchar *forth = replace (scenario->words, "+JUMP", jumps[i][0]), *words = replace (forth, "-JUMP", jumps[i][1]);

    play_both (table, scenario, words);
    g_free (words);
    g_free (forth);
  }
}

static void
play_table (const Table *table)
{
  for (guint i = 0; i < table->n; i++) {
    const Scenario *scenario = &table->scenarios[i];

    if (strstr (scenario->words, "+JUMP"))
      play_jumps (table->name, scenario);
    else
      play_both (table->name, scenario, scenario->words);
  }
}

int
main (int argc, char **argv)
{
  for (gint arg = 1; arg < argc; arg++) {
    for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
      if (g_str_equal (argv[arg], tables[i]->name))
        play_table (tables[i]);
    }
    if (g_str_equal (argv[arg], "anytimes"))
      play_any_times (report);
  }
  return n_failed > 0;
}
