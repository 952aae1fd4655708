/* robocache: sensor_msgs/LaserScan and foxglove_msgs/LaserScan as clouds in the scanner's frame
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include <math.h>

#include "common/points/pointcloudcaps.h"
#include "kernels/arithmetic.h"

enum
{ ANGLE_MIN, ANGLE_INCREMENT, RANGE_MIN, RANGE_MAX, RANGES, INTENSITIES, N_SCAN_FIELDS };

static const RobocacheFieldSpec scan_fields[N_SCAN_FIELDS] = {
  {"angle_min", ROBOCACHE_FIELD_NUMBER}, {"angle_increment", ROBOCACHE_FIELD_NUMBER}, {"range_min", ROBOCACHE_FIELD_NUMBER},
  {"range_max", ROBOCACHE_FIELD_NUMBER}, {"ranges", ROBOCACHE_FIELD_NUMBERS}, {"intensities", ROBOCACHE_FIELD_NUMBERS, TRUE},
};

/* Messages of Foxglove have the angles of the first and the last ray, and no limits of ranges. */
static const RobocacheFieldSpec foxglove_fields[N_SCAN_FIELDS] = {
  {"start_angle", ROBOCACHE_FIELD_NUMBER}, {"end_angle", ROBOCACHE_FIELD_NUMBER}, {"range_min", ROBOCACHE_FIELD_NUMBER, TRUE},
  {"range_max", ROBOCACHE_FIELD_NUMBER, TRUE}, {"ranges", ROBOCACHE_FIELD_NUMBERS}, {"intensities", ROBOCACHE_FIELD_NUMBERS, TRUE},
};

static const struct
{
  const gchar *type;
  const RobocacheFieldSpec *fields;
} scan_types[] = { {"sensor_msgs/LaserScan", scan_fields}, {"foxglove_msgs/LaserScan", foxglove_fields} };

/* A point has x, y, z and intensity. */
#define POINT_FLOATS 4

typedef struct
{
  gdouble cosine, sine;
} Direction;

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheMessageFields *fields;
  gboolean has_end_angle;       /* in place of the increment */
  GstCaps *caps[2];             /* without and with intensity */
  Direction *directions;        /* [n] of the rays of the last message */
  guint32 n;
  gdouble angle_min, angle_increment;
} LaserReader;

/* Of an angle in radians; the same bits on every machine. NaN unless it is below 2^20. */
static Direction
direction_of (gdouble angle)
{
  const gdouble quarters = rint (angle * (2.0 / RC_PI));
  /* pi / 2 in two parts, so that their products with quarters are exact */
  const gdouble rest = (angle - quarters * (RC_TWO_PI_HIGH / 4.0)) - quarters * (RC_TWO_PI_LOW / 4.0);
  gdouble sine, cosine;

  if (!(fabs (angle) < 1048576.0))
    return (Direction) { NAN, NAN };
  sine = copysign (rc_sine (fabs (rest)), rest);
  cosine = rc_sine (RC_PI / 2.0 - fabs (rest));
  switch ((gint64) quarters & 3) {
    case 0:
      return (Direction) { cosine, sine };
    case 1:
      return (Direction) { -sine, cosine };
    case 2:
      return (Direction) { -cosine, -sine };
    default:
      return (Direction) { sine, -cosine };
  }
}

static gboolean
update_directions (LaserReader *self, guint32 n, GError **error)
{
  const gdouble first = robocache_message_fields_number (self->fields, ANGLE_MIN);
  const gdouble second = robocache_message_fields_number (self->fields, ANGLE_INCREMENT);
  const gdouble increment = !self->has_end_angle ? second : n > 1 ? (second - first) / (n - 1) : 0.0;

  if (self->n == n && self->angle_min == first && self->angle_increment == increment)
    return TRUE;
  self->n = 0;
  g_free (self->directions);
  self->directions = robocache_sample_alloc (n * sizeof (Direction), error);
  if (!self->directions)
    return FALSE;
  self->n = n;
  self->angle_min = first;
  self->angle_increment = increment;
  for (guint32 i = 0; i < n; i++)
    self->directions[i] = direction_of (first + i * increment);
  return TRUE;
}

static gboolean
read_scan (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  LaserReader *self = (LaserReader *) reader;
  gdouble least, greatest;
  gboolean has_intensity;
  gfloat *points, *to;
  guint32 n;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  n = robocache_message_fields_count (self->fields, RANGES);
  has_intensity = n > 0 && robocache_message_fields_count (self->fields, INTENSITIES) == n;
  least = robocache_message_fields_number (self->fields, RANGE_MIN);
  greatest = robocache_message_fields_has (self->fields, RANGE_MAX) ? robocache_message_fields_number (self->fields, RANGE_MAX) : G_MAXDOUBLE;
  points = to = update_directions (self, n, error) ? robocache_sample_alloc (POINT_FLOATS * (gsize) n * sizeof (gfloat), error) : NULL;
  if (!points)
    return FALSE;
  for (guint32 i = 0; i < n; i++) {
    const gdouble range = robocache_message_fields_item (self->fields, RANGES, i);
    const gdouble valid = range >= least && range <= greatest ? range : NAN;

    *to++ = (gfloat) (valid * self->directions[i].cosine);
    *to++ = (gfloat) (valid * self->directions[i].sine);
    *to++ = (gfloat) (valid * 0.0);
    if (has_intensity)
      *to++ = (gfloat) robocache_message_fields_item (self->fields, INTENSITIES, i);
  }
  robocache_stream_reader_add (reader, "", self->caps[has_intensity], gst_buffer_new_wrapped_full (0, points,
          MAX (1, POINT_FLOATS * (gsize) n * sizeof (gfloat)), 0, (gsize) (to - points) * sizeof (gfloat), points, g_free));
  return TRUE;
}

static void
free_laser (RobocacheStreamReader *reader)
{
  LaserReader *self = (LaserReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->fields);
  gst_clear_caps (&self->caps[0]);
  gst_clear_caps (&self->caps[1]);
  g_free (self->directions);
  g_free (self);
}

/* G_N_ELEMENTS (scan_types): none. */
static guint
find_type (const gchar *type)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (scan_types) && !g_str_equal (type, scan_types[i].type))
    i++;
  return i;
}

gboolean
robocache_laser_messages_have (const gchar *type)
{
  return find_type (type) < G_N_ELEMENTS (scan_types);
}

RobocacheStreamReader *
robocache_laser_messages_new (const RobocacheRosSource *source, GError **error)
{
  const RobocacheFieldSpec *fields = scan_types[find_type (source->type)].fields;
  LaserReader *self = g_new0 (LaserReader, 1);

  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = read_scan;
  self->parent.free = free_laser;
  self->caps[0] = robocache_pointcloud_caps_new ("x,y,z", RC_FLOAT32, 0, 1);
  self->caps[1] = robocache_pointcloud_caps_new ("x,y,z,intensity", RC_FLOAT32, 0, 1);
  self->has_end_angle = fields == foxglove_fields;
  self->fields = robocache_message_fields_new (source->schema, 0, fields, N_SCAN_FIELDS, error);
  if (self->fields)
    return &self->parent;
  free_laser (&self->parent);
  return NULL;
}
