/* robocache: a colour for a number from 0 to 1
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "colourmap.h"

#include <math.h>

#define DARKEST 0.30            /* lightness of Oklab */
#define LIGHTEST 0.92
#define FIRST_HUE 4.85          /* radians: blue */
#define LAST_HUE 1.85           /* yellow */
#define CHROMA 0.14
#define CHROMA_STEP 0.002

/* ---- sRGB ---- */

static gdouble
encode (gdouble linear)
{
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow (linear, 1.0 / 2.4) - 0.055;
}

static gdouble
decode (gdouble encoded)
{
  return encoded <= 0.04045 ? encoded / 12.92 : pow ((encoded + 0.055) / 1.055, 2.4);
}

static gdouble
component (guint32 colour, guint shift)
{
  return (gdouble) (colour >> shift & 0xff) / 255.0;
}

static guint32
pack (const gdouble rgb[3])
{
  guint32 colour = 0;

  for (guint i = 0; i < 3; i++)
    colour = colour << 8 | (guint32) (255.0 * CLAMP (encode (rgb[i]), 0.0, 1.0) + 0.5);
  return colour;
}

/* ---- Oklab ---- */

/* Linear RGB; FALSE when a display cannot show it. The matrices are those of the definition. */
static gboolean
oklab_to_rgb (gdouble lightness, gdouble chroma, gdouble hue, gdouble rgb[3])
{
  const gdouble a = chroma * cos (hue), b = chroma * sin (hue);
  const gdouble l = pow (lightness + 0.3963377774 * a + 0.2158037573 * b, 3.0);
  const gdouble m = pow (lightness - 0.1055613458 * a - 0.0638541728 * b, 3.0);
  const gdouble s = pow (lightness - 0.0894841775 * a - 1.2914855480 * b, 3.0);
  gboolean shown = TRUE;

  rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
  for (guint i = 0; i < 3; i++)
    shown &= rgb[i] >= 0.0 && rgb[i] <= 1.0;
  return shown;
}

/* As much colour as there can be at a lightness; grey always can. */
static guint32
map_colour (gdouble position)
{
  const gdouble lightness = DARKEST + (LIGHTEST - DARKEST) * position;
  const gdouble hue = FIRST_HUE + (LAST_HUE - FIRST_HUE) * position;
  gdouble rgb[3];

  for (gdouble chroma = CHROMA; chroma > 0.0 && !oklab_to_rgb (lightness, chroma, hue, rgb);)
    chroma -= CHROMA_STEP;
  return pack (rgb);
}

/* ---- the map ---- */

const guint32 *
robocache_colour_map (void)
{
  static gsize made = 0;
  static guint32 map[ROBOCACHE_COLOUR_STEPS];

  if (g_once_init_enter (&made)) {
    for (guint i = 0; i < ROBOCACHE_COLOUR_STEPS; i++)
      map[i] = map_colour ((gdouble) i / (ROBOCACHE_COLOUR_STEPS - 1));
    g_once_init_leave (&made, 1);
  }
  return map;
}

guint
robocache_colour_step (gdouble value, const gdouble range[2])
{
  if (value <= range[0])
    return 0;
  if (value >= range[1])
    return ROBOCACHE_COLOUR_STEPS - 1;
  return (guint) ((value - range[0]) / (range[1] - range[0]) * (ROBOCACHE_COLOUR_STEPS - 1) + 0.5);
}

guint32
robocache_colour_shade (guint32 colour, gdouble factor)
{
  const gdouble rgb[3] = { factor * decode (component (colour, 16)), factor * decode (component (colour, 8)),
    factor * decode (component (colour, 0))
  };

  return pack (rgb);
}

gdouble
robocache_colour_luminance (guint32 colour)
{
  return 0.2126 * decode (component (colour, 16)) + 0.7152 * decode (component (colour, 8))
      + 0.0722 * decode (component (colour, 0));
}
