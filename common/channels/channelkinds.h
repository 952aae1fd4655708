/* robocache: kinds of channels, and the field kinds in caps
 *
 *   kinds=(string)"real*3,quaternion,angle,hold*2,velocity:wrist"
 *
 * The text has a word for each channel, or quaternion for four channels; *n repeats a word n times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_KINDS_FIELD "kinds"
#define ROBOCACHE_KINDS_IGNORE "ignore"        /* value of the property kinds: all channels are real */
#define ROBOCACHE_MAX_KINDS (1 << 24)

typedef enum
{
  ROBOCACHE_KIND_REAL,
  ROBOCACHE_KIND_ANGLE,         /* rad */
  ROBOCACHE_KIND_QUATERNION,    /* the first of its four channels */
  ROBOCACHE_KIND_REST,          /* the other three */
  ROBOCACHE_KIND_HOLD,          /* switches, modes, counters: never blended */
  ROBOCACHE_KIND_VELOCITY       /* the rate per second of another channel */
} RobocacheKind;

/* A zeroed one is of no channels. */
typedef struct
{
  guint64 n;                    /* channels */
  guint8 *of;                   /* [n] RobocacheKind */
  gint32 *rate_of;              /* [n] of a velocity, the channel whose rate it is */
} RobocacheKinds;

/* All real; n is at most ROBOCACHE_MAX_KINDS. Frees the previous list. */
void robocache_kinds_init (RobocacheKinds * kinds, guint64 n);
void robocache_kinds_clear (RobocacheKinds * kinds);

/* Reads the kinds of n channels with these names, separated by commas (NULL: none). FALSE: the list is empty, and a ROBOCACHE_ERROR_CAPS
 * names the fault. */
gboolean robocache_kinds_parse (RobocacheKinds * kinds, const gchar * text, guint64 n, const gchar * names, GError ** error);
/* Like robocache_kinds_parse, but only returns whether the text is valid. */
gboolean robocache_kinds_check (const gchar * text, guint64 n, const gchar * names, GError ** error);
/* The shortest text; a velocity is of a number where there are no names. NULL: all are real. */
gchar *robocache_kinds_to_string (const RobocacheKinds * kinds, const gchar * names);

/* Bit c, for the first 32 channels: channel c is held or part of a quaternion, so it has no frequencies. */
guint32 robocache_kinds_unfiltered (const RobocacheKinds * kinds);
/* First channels of quaternions, "0,10"; NULL: no quaternion. */
gchar *robocache_kinds_list_quaternions (const RobocacheKinds * kinds);

/* Makes channels `first` to `first` + 3 a quaternion. None of them may be part of another quaternion. */
void robocache_kinds_set_quaternion (RobocacheKinds * kinds, guint64 first);
/* Holds a channel; the others of a quaternion that it is part of are real then. */
void robocache_kinds_set_hold (RobocacheKinds * kinds, guint64 channel);
/* Makes a channel the velocity of another one. */
void robocache_kinds_set_velocity (RobocacheKinds * kinds, guint64 channel, guint64 of);
/* Makes channels real, and the others of quaternions that they are part of. */
void robocache_kinds_set_real (RobocacheKinds * kinds, guint64 first, guint64 n);
