/* robocache: CustomMsg of the drivers of Livox as clouds
 *
 * Source: github.com/Livox-SDK/livox_ros_driver2 (MIT), msg/CustomMsg.msg and CustomPoint.msg: names and types of the fields.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include <string.h>

#include "common/points/pointfields.h"

/* Fields of a point, in the order of the cloud. */
static const struct
{
  const gchar *name;
  RcDtype dtype;
} point_fields[] = {
  {"x", RC_FLOAT32}, {"y", RC_FLOAT32}, {"z", RC_FLOAT32}, {"offset_time", RC_UINT32}, {"reflectivity", RC_UINT8}, {"tag", RC_UINT8},
  {"line", RC_UINT8},
};

#define N_POINT_FIELDS G_N_ELEMENTS (point_fields)
#define POINT_BYTES (4 * 4 + 3)

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheMessageFields *fields, *point;
  GstCaps *caps;
} LivoxReader;

gboolean
robocache_livox_messages_have (const gchar *type)
{
  static const gchar *const types[] = { "livox_ros_driver/CustomMsg", "livox_ros_driver2/CustomMsg", "livox_interfaces/CustomMsg", NULL };

  return g_strv_contains (types, type);
}

static guint8 *
write_point (const RobocacheMessageFields *point, guint8 *to)
{
  for (guint i = 0; i < N_POINT_FIELDS; i++) {
    const gint64 integer = robocache_message_fields_integer (point, i);
    const gfloat number = (gfloat) robocache_message_fields_number (point, i);
    const guint32 word = (guint32) integer;

    if (point_fields[i].dtype == RC_FLOAT32)
      memcpy (to, &number, sizeof (number));
    else if (point_fields[i].dtype == RC_UINT32)
      memcpy (to, &word, sizeof (word));
    else
      *to = (guint8) integer;
    to += rc_dtype_size (point_fields[i].dtype);
  }
  return to;
}

static gboolean
read_livox (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  LivoxReader *self = (LivoxReader *) reader;
  RobocacheCdrReader items;
  guint8 *points, *to;
  guint32 n;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  n = robocache_message_fields_count (self->fields, 0);
  items = robocache_message_fields_reader (self->fields, 0);
  points = to = robocache_sample_alloc ((gsize) n * POINT_BYTES, error);
  for (guint32 i = 0; points && i < n; i++) {
    if (!robocache_message_fields_find (self->point, &items, TRUE)) {
      g_free (points);
      return robocache_cdr_reader_check (&items, error);
    }
    to = write_point (self->point, to);
  }
  if (!points)
    return FALSE;
  robocache_stream_reader_add (reader, "", self->caps, gst_buffer_new_wrapped_full (0, points, MAX (1, (gsize) n * POINT_BYTES), 0,
          (gsize) n * POINT_BYTES, points, g_free));
  return TRUE;
}

static void
free_livox (RobocacheStreamReader *reader)
{
  LivoxReader *self = (LivoxReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->fields);
  robocache_message_fields_free (self->point);
  gst_clear_caps (&self->caps);
  g_free (self);
}

static GstCaps *
new_caps (void)
{
  RobocachePointFields fields;
  GstCaps *caps;

  robocache_point_fields_init (&fields);
  for (guint i = 0; i < N_POINT_FIELDS; i++)
    robocache_point_fields_append (&fields, point_fields[i].name, point_fields[i].dtype);
  caps = robocache_point_fields_to_caps (&fields);
  robocache_point_fields_clear (&fields);
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  return caps;
}

RobocacheStreamReader *
robocache_livox_messages_new (const RobocacheRosSource *source, GError **error)
{
  static const RobocacheFieldSpec list = { "points", ROBOCACHE_FIELD_MESSAGES };
  LivoxReader *self = g_new0 (LivoxReader, 1);
  RobocacheFieldSpec specs[N_POINT_FIELDS];

  for (guint i = 0; i < N_POINT_FIELDS; i++)
    specs[i] = (RobocacheFieldSpec) {point_fields[i].name, ROBOCACHE_FIELD_NUMBER};
  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = read_livox;
  self->parent.free = free_livox;
  self->caps = new_caps ();
  self->fields = robocache_message_fields_new (source->schema, 0, &list, 1, error);
  if (self->fields)
    self->point = robocache_message_fields_new (source->schema, robocache_message_fields_type (self->fields, 0), specs, N_POINT_FIELDS,
        error);
  if (self->point)
    return &self->parent;
  free_livox (&self->parent);
  return NULL;
}
