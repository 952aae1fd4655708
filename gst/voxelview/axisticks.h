/* robocache: the ticks of an axis, and their texts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_MAX_TICKS 32

/* Ticks are multiples of a step that is 1, 2 or 5 times a power of ten. The text of a tick is (at - offset) / 10^exponent: long numbers
 * in a narrow range have an offset, very large and very small numbers an exponent. */
typedef struct
{
  guint n;
  gdouble at[ROBOCACHE_MAX_TICKS];
  gdouble step;
  gdouble offset;               /* 0: none */
  gint exponent;                /* 0: none */
} RobocacheAxisTicks;

/* Makes ticks from least to greatest, ends included, with at most `wanted` steps (1 … ROBOCACHE_MAX_TICKS - 1) of at least least_step (0:
 * any). Makes no ticks if least is not below greatest. */
void robocache_axis_ticks (RobocacheAxisTicks * ticks, gdouble least, gdouble greatest, gdouble wanted, gdouble least_step);

/* The text of a tick, with the decimals that the step needs, and a decimal point in every locale. */
#define ROBOCACHE_TICK_TEXT 32
void robocache_axis_tick_text (const RobocacheAxisTicks * ticks, guint i, gchar text[ROBOCACHE_TICK_TEXT]);

/* The text beside the axis: the exponent as ×1e-7, the offset as +400000 or +1.7e9; "": none. */
void robocache_axis_factor_text (const RobocacheAxisTicks * ticks, gchar text[ROBOCACHE_TICK_TEXT]);
void robocache_axis_offset_text (const RobocacheAxisTicks * ticks, gchar text[ROBOCACHE_TICK_TEXT]);
