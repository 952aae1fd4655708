/* robocache: scenarios of elements of voxels as lines of words: those of scenario.h, and more
 *
 *     +[MS:]DATA   a buffer, of 100 ms where it has a time      =[OUTCOME]   the output, as the test compares it
 *     is:NAME=VALUE   of a property      out:CAPS   of which the output's are a subset      debug:WORDS   of the next error's
 * debug text
 *     messages:N[,FIELD=N]   element messages since the last such word, and a field of the last one
 *     segment:FORMAT,START,BASE,POSITION   in seconds, which must be passed on as it is
 *     meta:FORMAT,WIDTH,OFFSET,STRIDE      a video meta for the next buffer, two lines of that
 *
 * DATA is numbers, float32 until a TYPE stands before them: i or u and a width, f32 or f64. Or tensors, divided by |, each as
 * TYPE[NUMBERS] and values; @N goes on at index N, what is not listed is 0, and ... repeats the last value to the end. A & in
 * place of a | begins another memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

#include "tests/check/lib/scenario.h"
#include "tests/check/lib/points/voxelizeharness.h"

typedef struct
{
  Scenario s;
  void (*expect_output) (GstHarness *, GstBuffer * output, const gchar *outcome);
  GstClockTime pts;             /* of the last buffer */
  gchar *meta;                  /* of the next buffer; NULL: none */
} VoxelScenario;

/* ---- text to bytes ---- */

/* TYPE[NUMBERS] VALUE… */
GByteArray *parse_tensor (const gchar *text);

/* In one memory, as a file has it, but for &. */
GstBuffer *parse_buffer (const gchar *text);

/* ---- words ---- */

void voxel_scenario_run (GstHarness *h, const gchar *line, void (*expect_output) (GstHarness *, GstBuffer *, const gchar *));
