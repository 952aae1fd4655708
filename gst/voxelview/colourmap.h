/* robocache: a colour for a number from 0 to 1
 *
 * Equal steps of the number are equal steps of lightness, from a dark blue to a light yellow, so the order of colours is visible at once,
 * also in grey, and to people who cannot distinguish red from green. The idea is that of viridis (S. van der Walt
 * and N. Smith, 2015) and cividis (J. Nuñez, C. Anderton and R. Renslow, "Optimizing colormaps with consideration for
 * color vision deficiency", 2018); the colours are a straight line in lightness and hue of Oklab (B. Ottosson, "A
 * perceptual color space for image processing", 2020).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_COLOUR_STEPS 256

/* The colour of NaN, which is neither grey nor in the map. */
#define ROBOCACHE_COLOUR_NAN 0xd8369bu

/* The colours 0xRRGGBB of the map in order. */
const guint32 *robocache_colour_map (void);

/* Index in the map of a value that is not NaN; values beyond the range have the colour of its end. */
guint robocache_colour_step (gdouble value, const gdouble range[2]);

/* A colour 0xRRGGBB with its light multiplied by a factor. */
guint32 robocache_colour_shade (guint32 colour, gdouble factor);

/* Relative luminance of a colour as in Rec. 709, 0 to 1. */
gdouble robocache_colour_luminance (guint32 colour);
