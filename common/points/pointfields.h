/* robocache: the fields of a point in data and in caps
 *
 *   fields=(string)"x,y,z,intensity", type=(string)float32
 * if all fields have one float type without gaps, else
 *   fields=(string)"x,y,z,ring", types=(string)"float32,float32,float32,uint16", offsets=(string)"0,4,8,16",
 *   point-step=(int)32
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "kernels/dtype.h"

typedef struct
{
  gchar *name;                  /* UTF-8, without a comma */
  RcDtype dtype;
  gsize offset;                 /* bytes from the beginning of the point */
} RobocachePointField;

typedef struct
{
  GArray *fields;               /* RobocachePointField, in the order of their offsets */
  gsize point_step;             /* bytes from one point to the next */
} RobocachePointFields;

void robocache_point_fields_init (RobocachePointFields * fields);
void robocache_point_fields_clear (RobocachePointFields * fields);

/* Appends a field after all others, at point_step, which is then increased. A name may be any bytes. */
void robocache_point_fields_append (RobocachePointFields * fields, const gchar * name, RcDtype dtype);

/* FALSE and an error: x, y or z is missing, or two fields have the same name. */
gboolean robocache_point_fields_check (const RobocachePointFields * fields, GError ** error);

/* Makes application/x-pointcloud caps without a framerate. */
GstCaps *robocache_point_fields_to_caps (const RobocachePointFields * fields);
