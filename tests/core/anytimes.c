/* robocache: a core of robocachefuse by itself, and settings and times of any size: ticks go on, in order, and rows are accounted for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "player.h"
#include "tables/tables.h"

#define MS G_GINT64_CONSTANT (1000000)
#define PERIOD (10 * MS)
#define MAX_OFFSET (3600000 * MS)
#define N_SEEDS 50
#define N_STEPS 2000

static const gchar *const shapes[][2] = {
  {"rate=100/1", "a,live b,live"}, {"reference-pad=proprio_0", "a,live b,live"}, {"reference-pad=proprio_0", "a,live"}
};

/* Forgets the samples that are out, and adds how many of them are after from and not after to. */
static void
count_samples (Rig *rig, gint64 from, gint64 to, guint *n)
{
  PlayedSample *sample;

  while ((sample = g_queue_pop_head (&rig->samples))) {
    *n += sample->time > from && sample->time <= to;
    g_free (sample);
  }
}

/* A row of each pad, and the clock at its time. */
static void
step (Play *play, gint64 t)
{
  const PlayedRows rows = {.time = t,.duration = NONE,.values = {1} };

  play->rig->clock = t;
  for (guint p = 0; p < play->n_pads; p++)
    feed_push (play->pads[p].feed, &rows);
  rig_run (play->rig);
}

/* ---- settings there and back ---- */

static const gchar *const of_all[] = { "rate=1/1000", "rate=20000/1", "rate=1000/7", "latency=9223372036854775807",
  "min-upstream-latency=9223372036854775807", "qos-messages=false", "qos-interval=18446744073709551615"
};

static const gchar *const of_pad[] = { "interpolation=previous", "interpolation=cubic", "interpolation=mean", "interpolation=lowpass", "max-gap=0", "max-gap=-1",
  "hold-limit=0", "hold-limit=9223372036854775807", "required=true", "reorder-window=3600000000000", "max-lead=0",
  "max-lead=9223372036854775807", "timestamp-source=reference", "clock-mode=track", "offset=9223372036854775807",
  "offset=-9223372036854775808", "offset=10000000000", "offset=-10000000000", "offset=3000000000000", "offset=-3000000000000", "offset=1",
  "offset=500000000", "offset=-500000000"
};

typedef struct
{
  const gchar *const *shape;
  const gchar *setting;
  gboolean is_of_pad;
} Change;

static gint64
run_steps (Play *play, gint64 t, guint n, gint64 from, guint *n_out)
{
  for (guint i = 0; i < n; i++) {
    step (play, t += PERIOD);
    count_samples (play->rig, from, from + 100 * PERIOD, n_out);
  }
  return t;
}

/* A second after a setting is back, ticks are at the rate: of a grid, and where they are rows. */
static void
test_there_and_back (gpointer data)
{
  const Change *change = data;
  Play *play = core_play_new (RIG_EAGER, change->shape[0], change->shape[1]);
  PlayedPad *pad = change->is_of_pad ? &play->pads[0] : NULL;
  const FuseSettings settings = play->rig->settings;
  const Feed feed = *play->pads[0].feed;
  gint64 t = 50000 * MS;
  const gint64 from = t + 300 * PERIOD;
  guint n = 0;

  t = run_steps (play, t, 50, from, &n);
  play->player->set (play, pad, change->setting);
  t = run_steps (play, t, 150, from, &n);
  if (pad) {
    pad->feed->settings = feed.settings;
    pad->feed->timestamps = feed.timestamps;
  } else {
    play->rig->settings = settings;
  }
  play->player->set (play, pad, pad ? "required=false" : "latency=5ms");        /* as they are */
  run_steps (play, t, 200, from, &n);
  play_expect (play, n >= 97 && n <= 100, "%u ticks a second, not 100", n);
  core_play_free (play);
}

static void
change_all (Report report, const gchar *const *settings, guint n_settings, gboolean is_of_pad)
{
  for (guint i = 0; i < n_settings; i++) {
    for (guint k = 0; k < G_N_ELEMENTS (shapes); k++) {
      Change change = { shapes[k], settings[i], is_of_pad };
      gchar *name = g_strdup_printf ("%s, and back, %s", settings[i], shapes[k][k == 2]);

      if (k == 0 || !g_str_has_prefix (settings[i], "rate="))
        report ("anytimes", name, core_try (test_there_and_back, &change));
      g_free (name);
    }
  }
}

/* ---- times from everywhere ---- */

/* Something comes, at a time that may be any. */
static void
disturb (Play *play, GRand *rand)
{
  Rig *rig = play->rig;
  Feed *feed = play->pads[g_rand_int_range (rand, 0, 2)].feed;
  const gint64 t = random_time (rand, rig->clock);
  const PlayedRows rows = {.time = t & G_MAXINT64,.duration = NONE,.values = {1} };

  switch (g_rand_int_range (rand, 0, 40)) {
    case 0:
      feed->settings.offset = CLAMP (t, -MAX_OFFSET, MAX_OFFSET);
      feed_send_settings (feed);
      break;
    case 1:
      step (play, MAX (rig->clock, t / 4));
      break;
    case 2:
      rig->base_time = CLAMP (t, 0, rig->clock);
      break;
    case 3:
      feed_gap (feed, t & G_MAXINT64, MAX (random_time (rand, rig->clock), 0));
      break;
    default:
      feed_push (feed, &rows);
      step (play, rig->clock + g_rand_int_range (rand, 0, 20 * MS));
      break;
  }
}

/* Rows, GAPs, offsets, clocks and base times of any int64: rows are accounted for, and there are no more samples than time for them. */
static void
test_any_times (gpointer data)
{
  const guint seed = GPOINTER_TO_UINT (data);
  GRand *rand = g_rand_new_with_seed (seed);
  Play *play = core_play_new (seed % 4 < 2 ? RIG_EAGER : RIG_LAZY, seed % 2 ? "reference-pad=proprio_0 window=3" : "rate=100/1",
      "a,live b,live");
  guint n = 0;

  for (guint i = 0; i < N_STEPS; i++) {
    disturb (play, rand);
    count_samples (play->rig, NONE, G_MAXINT64, &n);
  }
  play_expect (play, n < 10 * N_STEPS, "it spins");
  g_rand_free (rand);
  core_play_free (play);
}

void
play_any_times (Report report)
{
  change_all (report, of_all, G_N_ELEMENTS (of_all), FALSE);
  change_all (report, of_pad, G_N_ELEMENTS (of_pad), TRUE);
  for (guint seed = 1; seed <= N_SEEDS; seed++) {
    gchar *name = g_strdup_printf ("any times, seed %u", seed);

    report ("anytimes", name, core_try (test_any_times, GUINT_TO_POINTER (seed)));
    g_free (name);
  }
}
