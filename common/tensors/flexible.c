/* robocache: flexible tensors of NNStreamer, whose buffers describe themselves
 *
 * The header is GstTensorMetaInfo of NNStreamer 2 (gst/nnstreamer/include/tensor_typedef.h): 32-bit words in host byte order, in
 * 128 bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flexible.h"

#include <string.h>

#define HEADER_BYTES ROBOCACHE_FLEXIBLE_HEADER_BYTES
#define MAGIC 0xfeedccedu
#define VERSION_MASK 0xfffff000u        /* without the minor version */
#define VERSION 0xde001000u
#define FORMAT_FLEXIBLE 1
#define FORMAT_SPARSE 2
#define MEDIA_TENSOR 4
#define HEADER_AXES 16

/* Words of the header. */
enum
{
  WORD_MAGIC,
  WORD_VERSION,
  WORD_TYPE,
  WORD_AXES,
  WORD_FORMAT = WORD_AXES + HEADER_AXES,
  WORD_MEDIA,
  N_WORDS
};

/* In the order of NNStreamer's types. */
static const RcDtype dtypes[] = { RC_INT32, RC_UINT32, RC_INT16, RC_UINT16, RC_INT8, RC_UINT8, RC_FLOAT64, RC_FLOAT32, RC_INT64,
  RC_UINT64, RC_FLOAT16
};

gboolean
robocache_caps_are_flexible (const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return gst_structure_has_name (structure, ROBOCACHE_TENSORS_MEDIA_TYPE)
      && g_strcmp0 (gst_structure_get_string (structure, "format"), "flexible") == 0;
}

GstCaps *
robocache_flexible_caps_from_static (const GstCaps *caps)
{
  GstCaps *flexible = gst_caps_copy (caps);
  GstStructure *structure = gst_caps_get_structure (flexible, 0);

  gst_structure_set (structure, "format", G_TYPE_STRING, "flexible", NULL);
  gst_structure_remove_fields (structure, "num_tensors", "types", "dimensions", NULL);
  return flexible;
}

static gboolean
copy_missing (GQuark field, const GValue *value, gpointer to)
{
  if (!gst_structure_id_has_field (to, field))
    gst_structure_id_set_value (to, field, value);
  return TRUE;
}

GstCaps *
robocache_flexible_caps_to_static (const GstCaps *flexible, const RobocacheTensorsInfo *info)
{
  GstCaps *caps = robocache_tensors_info_to_caps (info);

  gst_structure_foreach (gst_caps_get_structure (flexible, 0), copy_missing, gst_caps_get_structure (caps, 0));
  return caps;
}

/* ---- out ---- */

/* The number of NNStreamer's type; N of dtypes where it has none. */
static guint32
type_of (RcDtype dtype)
{
  guint32 type = 0;

  while (type < G_N_ELEMENTS (dtypes) && dtypes[type] != dtype)
    type++;
  return type;
}

gboolean
robocache_flexible_describes (const RobocacheTensorsInfo *info)
{
  gboolean is_known = TRUE;

  for (guint i = 0; i < info->n_tensors; i++) {
    is_known &= type_of (info->tensors[i].dtype) < G_N_ELEMENTS (dtypes);
    for (guint axis = 0; axis < info->tensors[i].rank; axis++)
      is_known &= info->tensors[i].dims[axis] <= G_MAXUINT32;
  }
  return is_known;
}

void
robocache_flexible_write_header (guint8 *header, const RobocacheTensorInfo *tensor)
{
  guint32 words[HEADER_BYTES / sizeof (guint32)] = {
    [WORD_MAGIC] = MAGIC,
    [WORD_VERSION] = VERSION,
    [WORD_TYPE] = type_of (tensor->dtype),
    [WORD_FORMAT] = FORMAT_FLEXIBLE,
    [WORD_MEDIA] = MEDIA_TENSOR,
  };

  for (guint axis = 0; axis < tensor->rank; axis++)
    words[WORD_AXES + axis] = (guint32) tensor->dims[axis];
  memcpy (header, words, sizeof words);
}

/* ---- in ---- */

/* Reads axes up to the first 0. FALSE: there are no axes, or axes beyond our maximum that are not 1. */
static gboolean
read_axes (RobocacheTensorInfo *tensor, RcDtype dtype, const guint32 *axes)
{
  guint64 dims[HEADER_AXES];
  guint n = 0, rank;

  for (; n < HEADER_AXES && axes[n] > 0; n++)
    dims[n] = axes[n];
  for (rank = n; rank > ROBOCACHE_MAX_RANK && dims[rank - 1] == 1; rank--);
  if (rank == 0 || rank > ROBOCACHE_MAX_RANK)
    return FALSE;
  robocache_tensor_info_set (tensor, dtype, dims, rank);
  return TRUE;
}

static gboolean
read_header (RobocacheTensorInfo *tensor, const guint32 *words, GError **error)
{
  if (words[WORD_MAGIC] != MAGIC || (words[WORD_VERSION] & VERSION_MASK) != VERSION)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a flexible tensor has no header of NNStreamer 2");
  else if (words[WORD_FORMAT] == FORMAT_SPARSE)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a tensor is sparse: put tensor_sparse_dec between");
  else if (words[WORD_TYPE] >= G_N_ELEMENTS (dtypes))
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the header of a flexible tensor has the unknown type %u", words[WORD_TYPE]);
  else if (!read_axes (tensor, dtypes[words[WORD_TYPE]], words + WORD_AXES))
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the header of a flexible tensor has no axes, or more than %d", ROBOCACHE_MAX_RANK);
  else
    return TRUE;
  return FALSE;
}

/* Bytes of a tensor; G_MAXUINT64: more than a buffer has. */
static guint64
count_bytes (const RobocacheTensorInfo *tensor, gsize most)
{
  guint64 bytes = rc_dtype_size (tensor->dtype);

  for (guint i = 0; i < tensor->rank; i++) {
    if (bytes > most / tensor->dims[i])
      return G_MAXUINT64;
    bytes *= tensor->dims[i];
  }
  return bytes;
}

/* Appends the tensor at *offset to rows, and moves *offset past it. */
static gboolean
take_tensor (GstBuffer *rows, RobocacheTensorInfo *tensor, GstBuffer *buffer, gsize *offset, GError **error)
{
  const gsize rest = gst_buffer_get_size (buffer) - *offset;
  guint32 words[N_WORDS];
  guint64 bytes;

  if (rest < HEADER_BYTES) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a flexible tensor has %" G_GSIZE_FORMAT " bytes, less than its header "
        "of %d", rest, HEADER_BYTES);
    return FALSE;
  }
  gst_buffer_extract (buffer, *offset, words, sizeof words);
  if (!read_header (tensor, words, error))
    return FALSE;
  bytes = count_bytes (tensor, rest - HEADER_BYTES);
  if (bytes == G_MAXUINT64) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a flexible tensor has %" G_GSIZE_FORMAT " bytes after its header, less "
        "than its axes need", rest - HEADER_BYTES);
    return FALSE;
  }
  gst_buffer_copy_into (rows, buffer, GST_BUFFER_COPY_MEMORY, *offset + HEADER_BYTES, (gsize) bytes);
  *offset += HEADER_BYTES + (gsize) bytes;
  return TRUE;
}

GstBuffer *
robocache_flexible_strip (GstBuffer *buffer, RobocacheTensorsInfo *info, GError **error)
{
  const gsize size = gst_buffer_get_size (buffer);
  GstBuffer *rows = gst_buffer_new ();
  gboolean ok = TRUE;
  gsize offset = 0;

  gst_buffer_copy_into (rows, buffer, GST_BUFFER_COPY_METADATA, 0, (gsize) - 1);
  info->n_tensors = 0;
  do {
    if (info->n_tensors == ROBOCACHE_MAX_TENSORS) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer has more than %d flexible tensors", ROBOCACHE_MAX_TENSORS);
      ok = FALSE;
    } else {
      ok = take_tensor (rows, &info->tensors[info->n_tensors++], buffer, &offset, error);
    }
  } while (ok && offset < size);
  if (!ok)
    gst_clear_buffer (&rows);
  return rows;
}
