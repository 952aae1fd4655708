/* robocache: what may happen to a live pipeline, and how it is taken back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "rig.h"

typedef struct _Disturbance Disturbance;

typedef enum
{
  MOVES_TIME = 1 << 0,          /* running time jumps */
  MAY_FAIL = 1 << 1,            /* an error is an answer */
  RESTARTS = 1 << 2             /* the element starts anew */
} DisturbanceFlags;

typedef struct
{
  const gchar *name;
  void (*begin) (Rig * rig, Disturbance * disturbance);
  void (*end) (Rig * rig, Disturbance * disturbance);   /* NULL: it is over at once */
  DisturbanceFlags flags;
} DisturbanceKind;

struct _Disturbance
{
  const DisturbanceKind *kind;
  guint32 seed;
  GRand *rand;                  /* from the seed, each time that it begins */
  gchar detail[160];            /* in words, when it has begun */
  Sensor *sensor;
  GObject *object;
  GParamSpec *pspec;
  GValue before;
  GstClockTime time;
  gulong probe;
};

/* One that suits the rig; free with disturbance_free. */
Disturbance *disturbance_new (GRand * rand, const Rig * rig);
void disturbance_free (Disturbance * disturbance);
void disturbance_begin (Disturbance * disturbance, Rig * rig);
void disturbance_end (Disturbance * disturbance, Rig * rig);
