/* robocache: alignment against the oracle, in all dtypes, modes and shapes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scene.h"

static const RcInterpolation interpolations[] = { RC_LINEAR, RC_NEAREST, RC_PREVIOUS, RC_CUBIC, RC_HERMITE, RC_MEAN };

/* ---- random scenes; a loop test: __i__ is in * RC_N_DTYPES + out ---- */

GST_START_TEST (test_dtypes)
{
  SceneWish wish = { (RcDtype) (__i__ / RC_N_DTYPES), (RcDtype) (__i__ % RC_N_DTYPES) };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (interpolations); i++) {
    wish.interpolation = interpolations[i];
    scenes_agree (&wish, 1000 * (guint32) __i__ + 100 * i, 6);
  }
}

GST_END_TEST;

GST_START_TEST (test_dtypes_special)
{
  SceneWish wish = { (RcDtype) (__i__ / RC_N_DTYPES), (RcDtype) (__i__ % RC_N_DTYPES),.special = TRUE };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (interpolations); i++) {
    wish.interpolation = interpolations[i];
    scenes_agree (&wish, 200000 + 1000 * (guint32) __i__ + 100 * i, 6);
  }
}

GST_END_TEST;

/* __i__ is the interpolation. */
GST_START_TEST (test_equal_times)
{
  const SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.special = TRUE,.equal_times = TRUE };

  scenes_agree (&wish, 1, 300);
}

GST_END_TEST;

GST_START_TEST (test_float64)
{
  const SceneWish wish = { RC_FLOAT64, RC_FLOAT64, interpolations[__i__],.special = TRUE };

  scenes_agree (&wish, 1, 300);
}

GST_END_TEST;

/* Wider than the blocks that other dtypes pass through. */
GST_START_TEST (test_wide_rows)
{
  static const gint64 widths[] = { 255, 256, 257, 511, 1031 };
  static const RcDtype dtypes[] = { RC_FLOAT32, RC_FLOAT16, RC_FLOAT64, RC_UINT8, RC_INT64 };
  guint w, d;

  for (w = 0; w < G_N_ELEMENTS (widths); w++) {
    for (d = 0; d < G_N_ELEMENTS (dtypes); d++) {
      SceneWish wish = { dtypes[d], dtypes[(d + w) % G_N_ELEMENTS (dtypes)], interpolations[__i__],.special = TRUE };

      wish.channels = widths[w];
      wish.batch = 1;
      scenes_agree (&wish, 10 * w + d, 1);
    }
  }
}

GST_END_TEST;

/* Every width from 1, so that every remainder of a vector occurs. */
GST_START_TEST (test_every_width)
{
  SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__] };

  for (wish.channels = 1; wish.channels <= 70; wish.channels++)
    scenes_agree (&wish, (guint32) wish.channels, 2);
}

GST_END_TEST;

GST_START_TEST (test_one_row)
{
  SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.special = TRUE,.rows = 1 };

  scenes_agree (&wish, 1, 50);
}

GST_END_TEST;

GST_START_TEST (test_no_rows)
{
  SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.rows = -1 };

  scenes_agree (&wish, 1, 20);
}

GST_END_TEST;

GST_START_TEST (test_no_ticks)
{
  SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.ticks = -1 };

  scenes_agree (&wish, 1, 20);
}

GST_END_TEST;

GST_START_TEST (test_no_episodes)
{
  SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.batch = -1 };

  scenes_agree (&wish, 1, 20);
}

GST_END_TEST;

/* Bytes between and behind rows stay as they were. */
GST_START_TEST (test_padding_is_untouched)
{
  RcBackend *backend = open_level (RC_CPU_BEST);
  guint32 seed;

  for (seed = 0; seed < 50; seed++) {
    const SceneWish wish = { RC_FLOAT32, (RcDtype) (seed % RC_N_DTYPES), interpolations[seed % 6] };
    Scene *scene = scene_new (&wish, seed);
    const gint64 row_bytes = scene->spec.channels * (gint64) rc_dtype_size (scene->spec.out);
    guint8 *is_row = g_malloc0 ((gsize) scene->out_bytes);
    SceneResult result;
    gint64 e, k, i;

    scene_result_init (&result, scene);
    scene_run (scene, backend, &result);
    for (e = 0; e < scene->batch; e++) {
      for (k = 0; k < scene->ticks; k++)
        memset (is_row + (scene->seed & 1) + e * scene->args.out_batch_stride + k * scene->args.out_row_stride, 1,
            (gsize) row_bytes);
    }
    for (i = 0; i < scene->out_bytes; i++)
      expect (is_row[i] || result.out[i] == 0xA5, "seed %u: byte %" G_GINT64_FORMAT " was written", seed, i);
    g_free (is_row);
    scene_result_clear (&result);
    scene_free (scene);
  }
  rc_backend_close (backend);
}

GST_END_TEST;

/* Rows of [rows, batch, channels] and outputs of [ticks, batch, channels]: the batch axis inside. */
GST_START_TEST (test_interleaved_episodes)
{
  const SceneWish wish = { RC_FLOAT32, RC_FLOAT32, RC_CUBIC,.batch = 3 };
  RcBackend *backend = open_level (RC_CPU_BEST);
  Scene *scene = scene_new (&wish, 7);
  const gint64 row_bytes = scene->spec.channels * 4;
  guint8 *rows = g_malloc ((gsize) (scene->args.n_rows * 3 * row_bytes)), *old_out;
  SceneResult result, interleaved;
  gint64 e, i;

  scene_result_init (&result, scene);
  scene_run (scene, backend, &result);
  old_out = scene_first_out (scene, &result);
  for (e = 0; e < 3; e++) {
    for (i = 0; i < scene->args.n_rows; i++)
      memcpy (rows + (i * 3 + e) * row_bytes, (const guint8 *) scene->args.rows + e * scene->args.batch_stride
          + i * scene->args.row_stride, (gsize) row_bytes);
  }
  {
    const RcAlignStreamArgs old = scene->args;

    scene->args.rows = rows;
    scene->args.row_stride = scene->args.out_row_stride = 3 * row_bytes;
    scene->args.batch_stride = scene->args.out_batch_stride = row_bytes;
    scene->out_bytes = 3 * row_bytes * scene->ticks + 16;
    scene_result_init (&interleaved, scene);
    scene_run (scene, backend, &interleaved);
    for (e = 0; e < 3; e++) {
      for (i = 0; i < scene->ticks; i++)
        fail_unless (memcmp (old_out + e * old.out_batch_stride + i * old.out_row_stride,
                scene_first_out (scene, &interleaved) + (i * 3 + e) * row_bytes, (gsize) row_bytes) == 0);
    }
  }
  scene_result_clear (&result);
  scene_result_clear (&interleaved);
  g_free (rows);
  scene_free (scene);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
align_suite (void)
{
  const gint modes = G_N_ELEMENTS (interpolations), pairs = RC_N_DTYPES * RC_N_DTYPES;
  Suite *s = suite_create ("align");
  TCase *random = tcase_create ("random");

  suite_add_tcase (s, random);
  tcase_set_timeout (random, 60);
  tcase_add_loop_test (random, test_dtypes, 0, pairs);
  tcase_add_loop_test (random, test_dtypes_special, 0, pairs);
  tcase_add_loop_test (random, test_equal_times, 0, modes);
  tcase_add_loop_test (random, test_float64, 0, modes);
  tcase_add_loop_test (random, test_wide_rows, 0, modes);
  tcase_add_loop_test (random, test_every_width, 0, modes);
  tcase_add_loop_test (random, test_one_row, 0, modes);
  tcase_add_loop_test (random, test_no_rows, 0, modes);
  tcase_add_loop_test (random, test_no_ticks, 0, modes);
  tcase_add_loop_test (random, test_no_episodes, 0, modes);
  tcase_add_test (random, test_padding_is_untouched);
  tcase_add_test (random, test_interleaved_episodes);
  return s;
}

GST_CHECK_MAIN (align);
