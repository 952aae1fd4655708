/* robocache: topics for viewers whose messages are made of those of another topic
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "derived.h"

#include "common/points/gridcaps.h"
#include "common/ros/definitions.h"
#include "common/ros/messageencoders.h"
#include "kernels/dtype.h"

#define DEFAULT_FRAME "base"
#define MAX_TRANSFORMS 64
#define MAX_VOXELS (64 << 20)

typedef gboolean (*Make) (RobocacheDerived * derived, RobocacheCdrReader * reader, const RobocacheRosHeader * header);

struct _RobocacheDerived
{
  RobocacheDerivedSettings settings;
  RobocacheViewTopic topic;     /* its strings are owned */
  Make make;
  gint64 interval_us, next_us;  /* monotonic time; interval 0: all messages */
  gchar *child;                 /* of a pose: its frame */
  RobocacheRosVoxelGrid grid;
  gboolean has_bits;            /* of grid: 32 voxels a word */
  RobocacheCdrWriter writer;
};

static RobocacheRosHeader
read_header (RobocacheCdrReader *reader)
{
  const gint32 seconds = robocache_cdr_read_int32 (reader);
  const guint32 ns = robocache_cdr_read_uint32 (reader);
  guint32 length;

  return (RobocacheRosHeader) { seconds * G_GINT64_CONSTANT (1000000000) + ns, robocache_cdr_read_string (reader, &length) };
}

/* ---- pictures ---- */

static gboolean
make_jpeg (RobocacheDerived *self, RobocacheCdrReader *reader, const RobocacheRosHeader *header)
{
  RobocacheViewPicture picture = { 0 };
  guint32 length, n;
  GBytes *jpeg;
  gsize size;

  picture.height = robocache_cdr_read_uint32 (reader);
  picture.width = robocache_cdr_read_uint32 (reader);
  picture.encoding = robocache_cdr_read_string (reader, &length);
  robocache_cdr_read_uint8 (reader);
  picture.step = robocache_cdr_read_uint32 (reader);
  n = robocache_cdr_read_count (reader, 1, 0);
  picture.lines = robocache_cdr_read_array (reader, 1, n);
  if (reader->fault || (guint64) picture.step * picture.height != n)
    return FALSE;
  jpeg = self->settings.functions->compress (&picture, self->settings.image_quality);
  if (!jpeg)
    return FALSE;
  robocache_ros_write_compressed_image (&self->writer, header, "jpeg", g_bytes_get_data (jpeg, &size), g_bytes_get_size (jpeg));
  g_bytes_unref (jpeg);
  return TRUE;
}

static gboolean
use_pictures (RobocacheDerived *self, const gchar *topic, GstCaps *caps)
{
  static const gchar *const formats[] = { "RGB", "BGR", "RGBA", "BGRA", "GRAY8", NULL };
  const gchar *format = gst_structure_get_string (gst_caps_get_structure (caps, 0), "format");

  if (!self->settings.functions->compress || self->settings.image_rate == 0 || !format || !g_strv_contains (formats, format))
    return FALSE;
  self->topic = (RobocacheViewTopic) { g_strconcat (topic, "/compressed", NULL), "sensor_msgs/msg/CompressedImage", NULL, ROBOCACHE_VIEW_NEWEST };
  self->make = make_jpeg;
  self->interval_us = G_USEC_PER_SEC / self->settings.image_rate;
  return TRUE;
}

/* ---- poses ---- */

static gboolean
write_transforms (RobocacheDerived *self, const RobocacheRosHeader *header, const RobocacheRosTransform *transforms, guint n)
{
  const RobocacheRosHeader in_base = { header->stamp_ns, *header->frame_id ? header->frame_id : DEFAULT_FRAME };

  robocache_ros_write_transforms (&self->writer, &in_base, transforms, n);
  return n > 0;
}

static gboolean
make_transform (RobocacheDerived *self, RobocacheCdrReader *reader, const RobocacheRosHeader *header)
{
  RobocacheRosTransform transform = { self->child, {0} };
  const guint8 *numbers = robocache_cdr_read_array (reader, sizeof (gdouble), G_N_ELEMENTS (transform.numbers));

  if (!numbers)
    return FALSE;
  robocache_cdr_copy_numbers (reader, transform.numbers, numbers, sizeof (gdouble), G_N_ELEMENTS (transform.numbers));
  return write_transforms (self, header, &transform, 1);
}

static gint
find_name (const GPtrArray *names, const gchar *prefix, const gchar *suffix)
{
  const gsize size = strlen (prefix);

  for (guint i = 0; i < names->len; i++) {
    const gchar *name = g_ptr_array_index (names, i);

    if (strncmp (name, prefix, size) == 0 && g_str_equal (name + size, suffix))
      return (gint) i;
  }
  return -1;
}

/* The pose whose channels are called "PREFIX.x" and so on. FALSE: one of them is absent, or no number. */
static gboolean
read_pose (const GPtrArray *names, const gdouble *values, const gchar *prefix, RobocacheRosTransform *transform)
{
  static const gchar *const suffixes[] = { ".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw" };
  gboolean is_whole = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    const gint at = find_name (names, prefix, suffixes[i]);

    transform->numbers[i] = at >= 0 ? values[at] : 0;
    is_whole &= at >= 0 && transform->numbers[i] - transform->numbers[i] == 0;
  }
  return is_whole;
}

/* Skips the arrays of other types; the number of values. They are read as doubles; free with g_free. */
static gdouble *
read_values (RobocacheCdrReader *reader, gsize n)
{
  gdouble *values = NULL;

  for (RcDtype dtype = 0; dtype < RC_N_DTYPES; dtype++) {
    const guint bytes = (guint) rc_dtype_size (dtype);
    const guint32 count = robocache_cdr_read_count (reader, bytes, 0);
    const guint8 *array = robocache_cdr_read_array (reader, bytes, count);

    if (!array || count < n || n == 0 || (dtype != RC_FLOAT32 && dtype != RC_FLOAT64))
      continue;
    values = g_renew (gdouble, values, n);
    for (gsize i = 0; i < n; i++) {
      gfloat number;

      robocache_cdr_copy_numbers (reader, dtype == RC_FLOAT64 ? (gpointer) & values[i] : (gpointer) & number, array + i * bytes, bytes, 1);
      if (dtype == RC_FLOAT32)
        values[i] = (gdouble) number;
    }
  }
  return values;
}

static guint
find_poses (const GPtrArray *names, const gdouble *values, GPtrArray *prefixes, RobocacheRosTransform *transforms)
{
  guint n = 0;

  for (guint i = 0; i < names->len && n < MAX_TRANSFORMS; i++) {
    const gchar *name = g_ptr_array_index (names, i);
    gchar *prefix = g_str_has_suffix (name, ".qw") ? g_strndup (name, strlen (name) - 3) : NULL;

    if (!prefix)
      continue;
    g_ptr_array_add (prefixes, prefix);
    transforms[n].child = prefix;
    n += read_pose (names, values, prefix, &transforms[n]);
  }
  return n;
}

/* A robocache_msgs/Row, whose channels have names like those of robocachekinematics. */
static gboolean
make_transforms (RobocacheDerived *self, RobocacheCdrReader *reader, const RobocacheRosHeader *header)
{
  GPtrArray *names = g_ptr_array_new (), *prefixes = g_ptr_array_new_with_free_func (g_free);
  RobocacheRosTransform transforms[MAX_TRANSFORMS];
  guint32 n = robocache_cdr_read_count (reader, 5, 0), length;
  gboolean is_made = FALSE;
  gdouble *values;

  for (guint32 i = 0; i < n; i++)
    g_ptr_array_add (names, (gpointer) robocache_cdr_read_string (reader, &length));
  robocache_cdr_read_uint8 (reader);
  robocache_cdr_read_array (reader, sizeof (gint64), 1);
  n = robocache_cdr_read_count (reader, sizeof (gint64), 0);
  robocache_cdr_read_array (reader, sizeof (gint64), n);
  values = read_values (reader, names->len);
  if (values && !reader->fault)
    is_made = write_transforms (self, header, transforms, find_poses (names, values, prefixes, transforms));
  g_free (values);
  g_ptr_array_unref (names);
  g_ptr_array_unref (prefixes);
  return is_made;
}

static void
use_transforms (RobocacheDerived *self, Make make)
{
  self->topic = (RobocacheViewTopic) { g_strdup (ROBOCACHE_TF_TOPIC), "tf2_msgs/msg/TFMessage", NULL, ROBOCACHE_VIEW_ROWS };
  self->make = make;
}

static gboolean
use_pose (RobocacheDerived *self, const gchar *topic, GstCaps *caps)
{
  const gchar *slash = strrchr (topic, '/');

  self->child = g_strdup (slash ? slash + 1 : topic);
  use_transforms (self, make_transform);
  return TRUE;
}

static gboolean
use_row (RobocacheDerived *self, const gchar *topic, GstCaps *caps)
{
  const gchar *channels = gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels");

  if (!channels || !strstr (channels, ".qw"))
    return FALSE;
  use_transforms (self, make_transforms);
  return TRUE;
}

/* ---- voxel grids ---- */

/* One byte a voxel; free with g_free. */
static guint8 *
unpack_bits (const RobocacheDerived *self, const guint8 *words, gsize size)
{
  const gsize words_of_row = (self->grid.n[0] + 31) / 32, n_rows = (gsize) self->grid.n[1] * self->grid.n[2];
  guint8 *voxels = size == words_of_row * n_rows * 4 ? g_try_malloc (n_rows * self->grid.n[0]) : NULL;

  for (gsize row = 0; voxels && row < n_rows; row++)
    for (guint32 x = 0; x < self->grid.n[0]; x++) {
      guint32 word;

      memcpy (&word, words + (row * words_of_row + x / 32) * 4, sizeof word);
      voxels[row * self->grid.n[0] + x] = (word >> (x % 32)) & 1;
    }
  return voxels;
}

static gsize
grid_bytes (const RobocacheRosVoxelGrid *grid)
{
  return (gsize) grid->n[0] * grid->n[1] * grid->n[2] * grid->n_channels * rc_dtype_size (grid->dtype);
}

/* A robocache_msgs/Tensor. */
static gboolean
make_grid (RobocacheDerived *self, RobocacheCdrReader *reader, const RobocacheRosHeader *header)
{
  guint8 *unpacked = NULL;
  const guint8 *cells;
  guint32 length, n;

  robocache_cdr_read_string (reader, &length);
  robocache_cdr_read_string (reader, &length);
  n = robocache_cdr_read_count (reader, sizeof (guint64), 0);
  robocache_cdr_read_array (reader, sizeof (guint64), n);
  robocache_cdr_read_uint8 (reader);
  robocache_cdr_read_array (reader, sizeof (gint64), 1);
  n = robocache_cdr_read_count (reader, 1, 0);
  cells = robocache_cdr_read_array (reader, 1, n);
  if (!reader->fault && self->has_bits)
    cells = unpacked = unpack_bits (self, cells, n);
  else if (n != grid_bytes (&self->grid))
    cells = NULL;
  if (cells && !reader->fault)
    robocache_ros_write_voxel_grid (&self->writer, header, &self->grid, cells);
  g_free (unpacked);
  return cells && !reader->fault;
}

static gboolean
describe_grid (RobocacheRosVoxelGrid *grid, const RobocacheVoxelFrame *frame, const RobocacheTensorInfo *tensor)
{
  gdouble n = 1, n_elements = 1;

  for (guint i = 0; i < 4; i++)
    n_elements *= (gdouble) robocache_tensor_info_dim (tensor, i);
  for (guint i = 0; i < 3; i++) {
    n *= (gdouble) frame->grid[i];
    grid->n[i] = (guint32) MIN (frame->grid[i], G_MAXUINT32);
    grid->origin[i] = frame->origin[i];
    grid->cell_size[i] = frame->voxel_size[i];
  }
  grid->dtype = frame->output == RC_VOXEL_BITS ? RC_UINT8 : tensor->dtype;
  grid->n_channels = frame->output == RC_VOXEL_BITS ? 1 : (guint32) CLAMP (n_elements / MAX (n, 1), 1, G_MAXUINT32);
  return n <= MAX_VOXELS && robocache_ros_element_type (grid->dtype) > 0;
}

static gboolean
use_grid (RobocacheDerived *self, const gchar *topic, GstCaps *caps)
{
  const RobocacheVoxelFrameHints hints = {.output = -1 };
  RobocacheTensorsInfo info;
  RobocacheVoxelFrame frame;

  if (!gst_structure_has_field (gst_caps_get_structure (caps, 0), "voxel-output") || !robocache_tensors_info_from_caps (&info, caps, NULL)
      || info.n_tensors != 1 || !robocache_voxel_frame_from_caps (&frame, caps, &info, &hints, NULL)
      || !describe_grid (&self->grid, &frame, &info.tensors[0]))
    return FALSE;
  self->has_bits = frame.output == RC_VOXEL_BITS;
  self->topic = (RobocacheViewTopic) { g_strconcat (topic, "/voxels", NULL), "foxglove_msgs/msg/VoxelGrid", NULL, ROBOCACHE_VIEW_NEWEST };
  self->make = make_grid;
  return TRUE;
}

/* ---- all ---- */

static const struct
{
  const gchar *type;
  gboolean (*use) (RobocacheDerived * self, const gchar * topic, GstCaps * caps);
} kinds[] = {
  {"sensor_msgs/msg/Image", use_pictures},
  {"geometry_msgs/msg/PoseStamped", use_pose},
  {"robocache_msgs/msg/Row", use_row},
  {"robocache_msgs/msg/Tensor", use_grid},
};

RobocacheDerived *
robocache_derived_new (const RobocacheDerivedSettings *settings, const gchar *topic, const gchar *type, GstCaps *caps)
{
  RobocacheDerived *self = g_new0 (RobocacheDerived, 1);

  self->settings = *settings;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (!g_str_equal (kinds[i].type, type) || !kinds[i].use (self, topic, caps))
      continue;
    self->topic.definition = robocache_ros_schema_text (self->topic.type);
    return self;
  }
  g_free (self);
  return NULL;
}

void
robocache_derived_free (RobocacheDerived *self)
{
  robocache_cdr_writer_clear (&self->writer);
  g_free ((gchar *) self->topic.topic);
  g_free ((gchar *) self->topic.definition);
  g_free (self->child);
  g_free (self);
}

const RobocacheViewTopic *
robocache_derived_topic (const RobocacheDerived *self)
{
  return &self->topic;
}

gboolean
robocache_derived_is_due (RobocacheDerived *self)
{
  return self->interval_us == 0 || g_get_monotonic_time () >= self->next_us;
}

/* A picture that comes a little late does not move those after it. */
static void
advance (RobocacheDerived *self)
{
  const gint64 now_us = g_get_monotonic_time ();

  self->next_us = MAX (self->next_us + self->interval_us, now_us - self->interval_us);
}

const RobocacheCdrWriter *
robocache_derived_make (RobocacheDerived *self, const RobocacheCdrWriter *message)
{
  RobocacheRosHeader header;
  RobocacheCdrReader reader;

  if (self->interval_us > 0)
    advance (self);
  robocache_cdr_reader_init (&reader, message->data, message->size);
  header = read_header (&reader);
  return self->make (self, &reader, &header) && !self->writer.has_failed ? &self->writer : NULL;
}
