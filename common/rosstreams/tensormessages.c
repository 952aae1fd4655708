/* robocache: std_msgs/Float64MultiArray and its like, robocache_msgs/Row and robocache_msgs/Tensor as tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include <string.h>

#include "common/channels/channelkinds.h"
#include "common/element/errors.h"
#include "common/ros/rownumbers.h"
#include "rowcaps.h"

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheMessageFields *fields;
  RobocacheMessageFields *dim;  /* an axis of a MultiArray */
  GstCaps *noted;               /* by the writer; NULL: none */
  RobocacheTensorsInfo noted_info;
  gchar *kinds;                 /* noted for a tensor of a sample; NULL: none */
  GstCaps *caps;                /* of the last message */
  RobocacheTensorsInfo info;
  gchar *names;                 /* in caps, as the message has them; NULL: none */
} TensorReader;

/* ---- caps ---- */

static gboolean
are_tensors_equal (const RobocacheTensorsInfo *a, const RobocacheTensorsInfo *b)
{
  gboolean are_equal = a->n_tensors == b->n_tensors;

  for (guint i = 0; i < a->n_tensors && are_equal; i++) {
    const RobocacheTensorInfo *s = &a->tensors[i], *t = &b->tensors[i];

    are_equal = s->dtype == t->dtype && s->rank == t->rank && memcmp (s->dims, t->dims, s->rank * sizeof (*s->dims)) == 0;
  }
  return are_equal;
}

/* A tensor, or rows and their times. Caps of a sample describe the tensors of other topics, too. */
static gboolean
is_one_stream (const RobocacheTensorsInfo *info)
{
  const RobocacheTensorInfo *rows = &info->tensors[0], *times = &info->tensors[1];

  return info->n_tensors == 1 || (info->n_tensors == 2 && times->dtype == RC_INT64 && times->rank == 1
      && robocache_tensor_info_dim (times, 0) == robocache_tensor_info_dim (rows, 1));
}

/* Caps that the writer noted, of such tensors in system memory; NULL: it noted none, or others. */
static GstCaps *
noted_caps (const TensorReader *self, const RobocacheTensorsInfo *info)
{
  RobocacheTensorInfo row;
  GstCaps *caps;

  if (!self->noted)
    return NULL;
  if (!are_tensors_equal (&self->noted_info, info))
    return info->n_tensors == 1 && info->tensors[0].rank == 1 && info->tensors[0].dtype == self->noted_info.tensors[0].dtype
        ? robocache_row_caps_of_one_row (self->noted, (guint) info->tensors[0].dims[0], &row) : NULL;
  caps = gst_caps_copy (self->noted);
  gst_caps_set_features (caps, 0, NULL);
  return caps;
}

/* Kinds of other channels are left out. */
static GstCaps *
new_caps (const TensorReader *self, const RobocacheTensorsInfo *info, const gchar *names)
{
  GstCaps *caps = robocache_tensors_info_to_caps (info);

  if (self->kinds && robocache_kinds_check (self->kinds, info->tensors[0].dims[0], names, NULL))
    gst_caps_set_simple (caps, ROBOCACHE_KINDS_FIELD, G_TYPE_STRING, self->kinds, NULL);
  if (names && *names)
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, names, NULL);
  return caps;
}

/* Caps of tensors, the same while they do not change. */
static GstCaps *
caps_of (TensorReader *self, const RobocacheTensorsInfo *info, const gchar *names)
{
  if (self->caps && are_tensors_equal (&self->info, info) && g_strcmp0 (self->names, names) == 0)
    return self->caps;
  gst_clear_caps (&self->caps);
  g_free (self->names);
  self->names = g_strdup (names);
  self->info = *info;
  self->caps = noted_caps (self, info);
  if (!self->caps)
    self->caps = new_caps (self, info, names);
  return self->caps;
}

/* Appends the numbers of a field in a memory of their own. NULL, where the buffer was unreffed, and an error: no memory for it. */
static GstBuffer *
append_numbers (GstBuffer *buffer, const TensorReader *self, guint field, guint32 first, guint32 n, GError **error)
{
  const RobocacheCdrReader message = robocache_message_fields_reader (self->fields, field);
  const guint bytes = robocache_ros_kind_bytes (robocache_message_fields_kind (self->fields, field));
  const guint8 *numbers = robocache_message_fields_bytes (self->fields, field);
  const gsize size = (gsize) n * bytes;
  guint8 *copy = buffer ? robocache_sample_alloc (size, error) : NULL;

  if (!copy) {
    gst_clear_buffer (&buffer);
    return NULL;
  }
  if (n > 0)
    robocache_cdr_copy_numbers (&message, copy, numbers + (gsize) first * bytes, bytes, n);
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, copy, MAX (1, size), 0, size, copy, g_free));
  return buffer;
}

/* ---- MultiArray ---- */

enum
{ DATA, DIM, DATA_OFFSET, N_MULTI_ARRAY_FIELDS };

static const RobocacheFieldSpec multi_array_fields[N_MULTI_ARRAY_FIELDS] = {
  {"data", ROBOCACHE_FIELD_NUMBERS}, {"layout.dim", ROBOCACHE_FIELD_MESSAGES, TRUE},
  {"layout.data_offset", ROBOCACHE_FIELD_NUMBER, TRUE},
};

/* The axes of the layout, the first of which is the slowest, if they hold n numbers; else one axis. */
static void
read_axes (TensorReader *self, guint32 n, RobocacheTensorInfo *tensor)
{
  const guint32 rank = self->dim ? robocache_message_fields_count (self->fields, DIM) : 0;
  guint64 dims[ROBOCACHE_MAX_RANK], product = 1;
  const RcDtype dtype = robocache_row_dtype_of_kind (robocache_message_fields_kind (self->fields, DATA));
  RobocacheCdrReader axes;

  if (rank > 0 && rank <= ROBOCACHE_MAX_RANK) {
    axes = robocache_message_fields_reader (self->fields, DIM);
    for (guint32 i = 0; i < rank && product > 0 && product <= n; i++) {
      gint64 size;

      robocache_message_fields_find (self->dim, &axes, TRUE);
      size = robocache_message_fields_integer (self->dim, 0);
      dims[rank - 1 - i] = (guint64) CLAMP (size, 0, G_MAXUINT32);
      product *= dims[rank - 1 - i];
    }
  }
  if (rank > 0 && rank <= ROBOCACHE_MAX_RANK && product == n) {
    robocache_tensor_info_set (tensor, dtype, dims, rank);
  } else {
    dims[0] = n;
    robocache_tensor_info_set (tensor, dtype, dims, 1);
  }
}

static gboolean
read_multi_array (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  TensorReader *self = (TensorReader *) reader;
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_den = 1 };
  GstBuffer *buffer;
  gint64 offset;
  guint32 n;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  n = robocache_message_fields_count (self->fields, DATA);
  offset = robocache_message_fields_integer (self->fields, DATA_OFFSET);
  if (offset < 0 || offset > n) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "layout.data_offset is %" G_GINT64_FORMAT ", but data has %u numbers",
        offset, n);
    return FALSE;
  }
  n -= (guint32) offset;
  if (n == 0)
    return TRUE;
  read_axes (self, n, &info.tensors[0]);
  buffer = append_numbers (gst_buffer_new (), self, DATA, (guint32) offset, n, error);
  if (!buffer)
    return FALSE;
  robocache_stream_reader_add (reader, "", caps_of (self, &info, NULL), buffer);
  return TRUE;
}

/* ---- Row ---- */

enum
{ NAMES, DURATION, TIMES, VALUES, N_ROW_FIELDS = VALUES + RC_N_DTYPES };

static const RobocacheFieldSpec row_fields[N_ROW_FIELDS] = {
  {"names", ROBOCACHE_FIELD_STRINGS}, {"duration", ROBOCACHE_FIELD_NUMBER, TRUE}, {"times", ROBOCACHE_FIELD_NUMBERS, TRUE},
  {"values_int8", ROBOCACHE_FIELD_NUMBERS, TRUE}, {"values_uint8", ROBOCACHE_FIELD_NUMBERS, TRUE},
  {"values_int16", ROBOCACHE_FIELD_NUMBERS, TRUE}, {"values_uint16", ROBOCACHE_FIELD_NUMBERS, TRUE},
  {"values_int32", ROBOCACHE_FIELD_NUMBERS, TRUE}, {"values_uint32", ROBOCACHE_FIELD_NUMBERS, TRUE},
  {"values_int64", ROBOCACHE_FIELD_NUMBERS, TRUE}, {"values_uint64", ROBOCACHE_FIELD_NUMBERS, TRUE},
  {"values_float16", ROBOCACHE_FIELD_NUMBERS, TRUE}, {"values_bfloat16", ROBOCACHE_FIELD_NUMBERS, TRUE},
  {"values_float32", ROBOCACHE_FIELD_NUMBERS, TRUE}, {"values_float64", ROBOCACHE_FIELD_NUMBERS, TRUE},
};

/* The names of a row as caps have them. */
static gchar *
read_row_names (const TensorReader *self)
{
  RobocacheCdrReader reader = robocache_message_fields_reader (self->fields, NAMES);
  const guint32 n = robocache_message_fields_count (self->fields, NAMES);
  GString *list = g_string_new (NULL);

  for (guint32 i = 0; i < n; i++) {
    guint32 length;
    gchar *name = g_strdelimit (g_utf8_make_valid (robocache_cdr_read_string (&reader, &length), -1), ",", '_');

    g_string_append_printf (list, i > 0 ? ",%s" : "%s", name);
    g_free (name);
  }
  return g_string_free (list, FALSE);
}

/* The dtype whose array is not empty; RC_N_DTYPES: all are. */
static RcDtype
dtype_of_row (const TensorReader *self)
{
  RcDtype dtype = 0;

  while (dtype < RC_N_DTYPES && robocache_message_fields_count (self->fields, VALUES + dtype) == 0)
    dtype++;
  return dtype;
}

/* The channels of a row: as many as names; without names as many as the writer noted, or as the times leave. */
static guint64
count_channels (const TensorReader *self, RcDtype dtype, guint32 n_values)
{
  const guint32 n_names = robocache_message_fields_count (self->fields, NAMES);
  const guint32 n_times = robocache_message_fields_count (self->fields, TIMES);

  if (n_names > 0)
    return n_names;
  if (self->noted && self->noted_info.tensors[0].dtype == dtype)
    return self->noted_info.tensors[0].dims[0];
  return n_values / MAX (n_times, 1);
}

/* The number of channels per row; 0 and an error: n_values are not a whole number of rows. */
static guint32
channels_of_row (const TensorReader *self, RcDtype dtype, guint32 n_values, GError **error)
{
  const guint bytes = robocache_ros_kind_bytes (robocache_message_fields_kind (self->fields, VALUES + dtype));
  const guint32 n_times = robocache_message_fields_count (self->fields, TIMES);
  const guint64 n_channels = count_channels (self, dtype, n_values);

  if (bytes == rc_dtype_size (dtype) && n_channels > 0 && n_values % n_channels == 0
      && (n_times == 0 || n_values / n_channels == n_times))
    return (guint32) n_channels;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the row has %u values of %u bytes and %u times for %" G_GUINT64_FORMAT
      " channels of %s", n_values, bytes, n_times, n_channels, rc_dtype_name (dtype));
  return 0;
}

static RobocacheTensorsInfo
info_of_row (RcDtype dtype, guint32 n_channels, guint32 n_rows, gboolean has_times)
{
  RobocacheTensorsInfo info = {.n_tensors = has_times ? 2 : 1,.rate_den = 1 };
  const guint64 dims[] = { n_channels, n_rows };

  robocache_tensor_info_set (&info.tensors[0], dtype, dims, 2);
  if (has_times)
    robocache_tensor_info_set (&info.tensors[1], RC_INT64, dims + 1, 1);
  return info;
}

static gboolean
read_row (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  TensorReader *self = (TensorReader *) reader;
  RobocacheTensorsInfo info;
  RobocacheRosSample *sample;
  GstBuffer *buffer;
  gboolean has_times;
  guint32 n, n_channels;
  gint64 duration;
  RcDtype dtype;
  gchar *names;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  dtype = dtype_of_row (self);
  if (dtype == RC_N_DTYPES)
    return TRUE;
  n = robocache_message_fields_count (self->fields, VALUES + dtype);
  n_channels = channels_of_row (self, dtype, n, error);
  if (n_channels == 0)
    return FALSE;
  has_times = robocache_message_fields_count (self->fields, TIMES) > 0
      && robocache_message_fields_kind (self->fields, TIMES) == ROBOCACHE_ROS_INT64;
  info = info_of_row (dtype, n_channels, n / n_channels, has_times);
  buffer = append_numbers (gst_buffer_new (), self, VALUES + dtype, 0, n, error);
  if (has_times)
    buffer = append_numbers (buffer, self, TIMES, 0, n / n_channels, error);
  if (!buffer)
    return FALSE;
  duration = robocache_message_fields_has (self->fields, DURATION) ? robocache_message_fields_integer (self->fields, DURATION) : -1;
  if (duration >= 0)
    GST_BUFFER_DURATION (buffer) = (GstClockTime) duration;
  names = read_row_names (self);
  sample = robocache_stream_reader_add (reader, "", caps_of (self, &info, names), buffer);
  sample->has_row_times = has_times;
  g_free (names);
  return TRUE;
}

/* ---- Tensor ---- */

enum
{ DTYPE, DIMS, TENSOR_DURATION, ELEMENTS, N_TENSOR_FIELDS };

static const RobocacheFieldSpec tensor_fields[N_TENSOR_FIELDS] = {
  {"dtype", ROBOCACHE_FIELD_STRING}, {"dims", ROBOCACHE_FIELD_NUMBERS}, {"duration", ROBOCACHE_FIELD_NUMBER, TRUE},
  {"data", ROBOCACHE_FIELD_BYTES},
};

/* FALSE and an error: no tensor, or not one of the bytes in data. */
static gboolean
read_shape (const TensorReader *self, RobocacheTensorInfo *tensor, GError **error)
{
  const gchar *name = robocache_message_fields_string (self->fields, DTYPE);
  const guint32 rank = robocache_message_fields_count (self->fields, DIMS);
  const guint32 size = robocache_message_fields_count (self->fields, ELEMENTS);
  const RcDtype dtype = robocache_dtype_from_name (name);
  guint64 dims[ROBOCACHE_MAX_RANK] = { 1 }, elements = dtype == RC_N_DTYPES ? 0 : 1;

  for (guint32 i = 0; i < rank && rank <= ROBOCACHE_MAX_RANK && elements <= size; i++) {
    /* sizes beyond 32 bits have no bytes here */
    const gdouble dim = robocache_message_fields_item (self->fields, DIMS, i);

    dims[i] = dim >= 1.0 && dim <= G_MAXUINT32 ? (guint64) dim : 0;
    elements *= dims[i];
  }
  if (rank > ROBOCACHE_MAX_RANK || elements == 0 || elements > size || elements * rc_dtype_size (dtype) != size) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a tensor of type \"%.20s\" and %u axes does not fit its %u bytes", name,
        rank, size);
    return FALSE;
  }
  robocache_tensor_info_set (tensor, dtype, dims, MAX (rank, 1));
  return TRUE;
}

/* The elements are little endian in messages of any byte order. */
static GstBuffer *
copy_elements (const TensorReader *self, RcDtype dtype, GError **error)
{
  const gsize bytes = rc_dtype_size (dtype), size = robocache_message_fields_count (self->fields, ELEMENTS);
  GstBuffer *buffer = robocache_sample_copy (robocache_message_fields_bytes (self->fields, ELEMENTS), size, error);
  const RobocacheCdrReader little = {.is_swapped = G_BYTE_ORDER == G_BIG_ENDIAN };
  GstMapInfo map;

  if (buffer && little.is_swapped && gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    robocache_cdr_copy_numbers (&little, map.data, robocache_message_fields_bytes (self->fields, ELEMENTS), (guint) bytes, size / bytes);
    gst_buffer_unmap (buffer, &map);
  }
  return buffer;
}

static gboolean
read_tensor (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  TensorReader *self = (TensorReader *) reader;
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_den = 1 };
  GstBuffer *buffer;
  gint64 duration;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  if (!read_shape (self, &info.tensors[0], error))
    return FALSE;
  buffer = copy_elements (self, info.tensors[0].dtype, error);
  if (!buffer)
    return FALSE;
  duration = robocache_message_fields_has (self->fields, TENSOR_DURATION)
      ? robocache_message_fields_integer (self->fields, TENSOR_DURATION) : -1;
  if (duration >= 0)
    GST_BUFFER_DURATION (buffer) = (GstClockTime) duration;
  robocache_stream_reader_add (reader, "", caps_of (self, &info, NULL), buffer);
  return TRUE;
}

/* ---- life ---- */

static const struct
{
  const gchar *type;            /* a glob */
  const RobocacheFieldSpec *fields;
  guint n_fields;
  gboolean (*read) (RobocacheStreamReader * reader, RobocacheCdrReader * message, GError ** error);
} tensor_messages[] = {
  {"std_msgs/*MultiArray", multi_array_fields, N_MULTI_ARRAY_FIELDS, read_multi_array},
  {"robocache_msgs/Row", row_fields, N_ROW_FIELDS, read_row},
  {"robocache_msgs/Tensor", tensor_fields, N_TENSOR_FIELDS, read_tensor},
};

/* G_N_ELEMENTS (tensor_messages): none. */
static guint
find_message (const gchar *type)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (tensor_messages) && !g_pattern_match_simple (tensor_messages[i].type, type))
    i++;
  return i;
}

gboolean
robocache_tensor_messages_have (const gchar *type)
{
  return find_message (type) < G_N_ELEMENTS (tensor_messages);
}

static void
free_tensors (RobocacheStreamReader *reader)
{
  TensorReader *self = (TensorReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->fields);
  robocache_message_fields_free (self->dim);
  gst_clear_caps (&self->noted);
  gst_clear_caps (&self->caps);
  g_free (self->kinds);
  g_free (self->names);
  g_free (self);
}

RobocacheStreamReader *
robocache_tensor_messages_new (const RobocacheRosSource *source, GError **error)
{
  static const RobocacheFieldSpec size = { "size", ROBOCACHE_FIELD_NUMBER };
  const guint type = find_message (source->type);
  TensorReader *self = g_new0 (TensorReader, 1);

  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = tensor_messages[type].read;
  self->parent.free = free_tensors;
  self->fields = robocache_message_fields_new (source->schema, 0, tensor_messages[type].fields, tensor_messages[type].n_fields, error);
  if (!self->fields) {
    free_tensors (&self->parent);
    return NULL;
  }
  if (self->parent.read == read_multi_array && robocache_message_fields_has (self->fields, DIM))
    self->dim = robocache_message_fields_new (source->schema, robocache_message_fields_type (self->fields, DIM), &size, 1, NULL);
  if (source->caps && gst_caps_is_fixed (source->caps) && robocache_tensors_info_from_caps (&self->noted_info, source->caps, NULL)
      && is_one_stream (&self->noted_info))
    self->noted = gst_caps_copy (source->caps);
  self->kinds = g_strdup (source->kinds);
  return &self->parent;
}
