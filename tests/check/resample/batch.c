/* robocache: robocacheresample on recorded episodes: rows, times and target times in, rows at the targets out, by any threads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/resampleharness.h"

#define D 2
#define S 4
#define T 5
#define B 3
#define EPISODES TENSORS ("3", "float32,int64,int64", "2:4:3,4:3,5:3", "10/1")

typedef struct
{
  gfloat rows[B][S][D];
  gint64 times[B][S];
  gint64 targets[B][T];
} Episodes;

/* Channel 0 is the time in ms, channel 1 minus that; episode b begins at 100 b. Targets: before, on, between, on, after. */
static Episodes
make_episodes (void)
{
  const gint64 ms[S] = { 0, 10, 20, 60 }, targets[T] = { -5, 0, 15, 40, 61 };
  Episodes e;

  for (guint b = 0; b < B; b++) {
    for (guint s = 0; s < S; s++) {
      e.times[b][s] = (100 * b + ms[s]) * 1000000;
      e.rows[b][s][0] = (gfloat) (100 * b + ms[s]);
      e.rows[b][s][1] = -e.rows[b][s][0];
    }
    for (guint t = 0; t < T; t++)
      e.targets[b][t] = (100 * (gint64) b + targets[t]) * 1000000;
  }
  return e;
}

/* wanted: channel 0 of an episode, counted from its begin; channel 1 is minus it. */
static void
expect_episode (GstBuffer *buffer, guint b, const gfloat *wanted)
{
  gfloat got[T][D];

  gst_buffer_extract (buffer, b * sizeof got, got, sizeof got);
  for (guint t = 0; t < T; t++) {
    const gfloat value = wanted[t] + 100.0f * b;

    if (isnan (wanted[t]))
      fail_unless (isnan (got[t][0]) && isnan (got[t][1]), "episode %u, target %u: %g", b, t, got[t][0]);
    else
      fail_unless (got[t][0] == value && got[t][1] == -value, "episode %u, target %u: %g, not %g", b, t, got[t][0], value);
  }
}

static const struct
{
  const gchar *properties;
  gfloat wanted[T];             /* before, on a row, between, between rows 40 ms apart, after */
} cases[] = {
  {"gap-policy=nan", {NAN, 0, 15, 40, NAN}},
  {"gap-policy=hold", {NAN, 0, 15, 40, 60}},
  {"gap-policy=nan max-gap=20000000", {NAN, 0, 15, NAN, NAN}},
  {"gap-policy=hold max-gap=20000000", {NAN, 0, 15, 20, 60}},
  {"gap-policy=nan interpolation=nearest", {NAN, 0, 10, 20, NAN}},
  {"gap-policy=nan interpolation=previous", {NAN, 0, 10, 20, 60}},
  {"gap-policy=nan interpolation=previous max-gap=5000000", {NAN, 0, 10, NAN, 60}},
  {"gap-policy=nan interpolation=mean rate=50/1", {0, 0, 15, 40, 60}},
  {"gap-policy=nan reorder-window=1000000000", {NAN, 0, 15, 40, NAN}},
};

static const guint threads[] = { 1, 2, 3, 16, 0 };

/* __i__ is threads * cases + case. */
GST_START_TEST (test_values)
{
  const gint i = __i__ % (gint) G_N_ELEMENTS (cases);
  gchar *properties = g_strdup_printf ("%s n-threads=%u", cases[i].properties, threads[__i__ / (gint) G_N_ELEMENTS (cases)]);
  GstHarness *h = resample_harness (LIVE, properties, EPISODES);
  const Episodes e = make_episodes ();
  GstBuffer *buffer = buffer_of (e.rows, sizeof e.rows, NS (700));

  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (e.times, sizeof e.times));
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (e.targets, sizeof e.targets));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_try_pull (h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), B * T * D * sizeof (gfloat));
  fail_unless (gst_harness_try_pull (h) == NULL);
  expect_caps_field (h, "dimensions", "2:5:3");
  expect_caps_field (h, "framerate", "10/1");
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (700));
  for (guint b = 0; b < B; b++)
    expect_episode (buffer, b, cases[i].wanted);
  fail_unless_equals_uint64 (count_of (h, "disordered-episodes"), 0);
  fail_unless_equals_uint64 (count_of (h, "ticks-out"), B * T);
  gst_buffer_unref (buffer);
  harness_close (h);
  g_free (properties);
}

GST_END_TEST;

CHECK_MAIN (resample_batch, NULL, NULL, TIMES (G_N_ELEMENTS (cases) * G_N_ELEMENTS (threads), test_values))
