/* robocache: bytes of point cloud files in, clouds out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cloudreader.h"

#include "common/device/budget.h"
#include "gst/parse/records/byteinput.h"
#include "pcdreader.h"
#include "common/points/pointcloudcaps.h"
#include "pointfile.h"
#include "pointlayouts.h"
#include "common/tensors/tensorcaps.h"

#define MAGIC_BYTES 16
#define MIN_BYTES_OF_TIMES 65536        /* independently of max_bytes */

/* When the first byte of a buffer was captured. */
typedef struct
{
  guint64 position;
  GstClockTime pts;
} BufferTime;

struct _RobocacheCloudReader
{
  RobocacheInputFormat format;
  guint64 points_per_cloud, max_bytes;
  gchar *layout;

  RobocacheByteInput input;
  RobocachePcdReader pcd;
  guint64 number;               /* of the cloud that is being read, from 1; 0 before the first */
  guint64 first_byte;           /* of that cloud, since the last restart */
  guint64 next_first_byte;      /* of the cloud after it, in PCD files */
  gboolean in_cloud;            /* the first line of its header, in PCD files, was read */
  guint64 file;                 /* first byte of the file */
  guint64 number_at_file;       /* clouds before it */
  gboolean in_file;             /* something was pushed since the last end */
  GArray *times;                /* BufferTime, of buffers that no cloud has begun in or after */
  GstClockTime pts;             /* of that cloud */

  /* formats without a header */
  GstCaps *caps;                /* NULL: not known */
  gsize point_size;
  guint64 n_points;             /* that were read */
};

/* ---- formats ---- */

static gboolean
set_fields (RobocacheCloudReader *reader, const gchar *layout, const gchar *names, GError **error)
{
  RobocachePointFields fields;
  gboolean ok;

  robocache_point_fields_init (&fields);
  ok = robocache_point_fields_from_layout (&fields, layout, names, error);
  if (ok) {
    gst_caps_take (&reader->caps, robocache_point_fields_to_caps (&fields));
    reader->point_size = fields.point_step;
  }
  robocache_point_fields_clear (&fields);
  return ok;
}

static gboolean
is_set (const gchar *string)
{
  return string && *string;
}

/* Of PLY and LAS. */
static gboolean
is_whole_file (const RobocacheCloudReader *reader)
{
  return reader->format == ROBOCACHE_INPUT_PLY || reader->format == ROBOCACHE_INPUT_LAS;
}

static gboolean
check_spec (RobocacheCloudReader *reader, const RobocacheCloudSpec *spec, GError **error)
{
  if (spec->format == ROBOCACHE_INPUT_POINTS) {
    if (is_set (spec->layout))
      return set_fields (reader, spec->layout, spec->channels ? spec->channels : "", error);
    if (!is_set (spec->channels))
      return TRUE;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "channels=\"%s\" gives names to the fields of the property layout, which is not set: set layout, like layout=\"=4f\"", spec->channels);
    return FALSE;
  }
  if (is_set (spec->layout) || is_set (spec->channels)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s=\"%s\" is only for format=points: other formats define the "
        "fields of their points",
        is_set (spec->layout) ? "layout" : "channels", is_set (spec->layout) ? spec->layout : spec->channels);
    return FALSE;
  }
  if ((spec->format == ROBOCACHE_INPUT_PCD || is_whole_file (reader)) && spec->points_per_cloud > 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "points-per-cloud=%" G_GUINT64_FORMAT " with format=pcd, ply or las: "
        "the header has the number of points; set points-per-cloud=0", spec->points_per_cloud);
    return FALSE;
  }
  if (spec->format == ROBOCACHE_INPUT_KITTI)
    return set_fields (reader, "=4f", "x,y,z,intensity", error);
  if (spec->format == ROBOCACHE_INPUT_NUSCENES)
    return set_fields (reader, "=5f", "x,y,z,intensity,ring", error);
  return TRUE;
}

gboolean
robocache_cloud_reader_set_caps (RobocacheCloudReader *reader, const GstCaps *caps, GError **error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  RobocachePointsInfo info;

  if (reader->format != ROBOCACHE_INPUT_POINTS || reader->layout)
    return TRUE;
  if (!gst_structure_has_name (structure, ROBOCACHE_POINTCLOUD_MEDIA_TYPE)
      && !gst_structure_has_name (structure, ROBOCACHE_LIDAR_MEDIA_TYPE))
    return TRUE;
  if (!robocache_points_info_from_caps (&info, caps, error))
    return FALSE;
  reader->point_size = robocache_points_info_point_size (&info);
  robocache_points_info_clear (&info);
  gst_caps_take (&reader->caps, gst_caps_copy (caps));
  gst_caps_set_features (reader->caps, 0, NULL);        /* bytes are read in system memory */
  gst_structure_remove_field (gst_caps_get_structure (reader->caps, 0), "framerate");
  return TRUE;
}

/* ---- life ---- */

RobocacheCloudReader *
robocache_cloud_reader_new (const RobocacheCloudSpec *spec, GError **error)
{
  RobocacheCloudReader *reader = g_new0 (RobocacheCloudReader, 1);

  reader->format = spec->format;
  reader->points_per_cloud = spec->points_per_cloud;
  reader->max_bytes = spec->max_bytes > 0 ? spec->max_bytes : G_MAXUINT64;
  reader->layout = is_set (spec->layout) ? g_strdup (spec->layout) : NULL;
  reader->times = g_array_new (FALSE, FALSE, sizeof (BufferTime));
  robocache_byte_input_init (&reader->input);
  robocache_pcd_reader_init (&reader->pcd, &reader->input, reader->max_bytes);
  if (spec->format == ROBOCACHE_INPUT_PCD)
    robocache_pcd_reader_watch (&reader->pcd);
  if (!check_spec (reader, spec, error))
    g_clear_pointer (&reader, robocache_cloud_reader_free);
  return reader;
}

void
robocache_cloud_reader_free (RobocacheCloudReader *reader)
{
  robocache_pcd_reader_clear (&reader->pcd);
  robocache_byte_input_clear (&reader->input);
  g_array_unref (reader->times);
  gst_clear_caps (&reader->caps);
  g_free (reader->layout);
  g_free (reader);
}

void
robocache_cloud_reader_set_allocator (RobocacheCloudReader *reader, GstAllocator *allocator)
{
  gst_clear_object (&reader->input.allocator);
  reader->input.allocator = allocator;
}

/* Of buffers that begin at one byte, the last one; of a cloud that has begun and is a file, none. FALSE and an error: there is no
 * memory. */
static gboolean
note_time (RobocacheCloudReader *reader, const BufferTime *time, GError **error)
{
  const guint n = reader->times->len;

  if (n > 0 && g_array_index (reader->times, BufferTime, n - 1).position == time->position)
    g_array_set_size (reader->times, n - 1);
  else if (reader->in_file && reader->format != ROBOCACHE_INPUT_PCD && reader->points_per_cloud == 0)
    return TRUE;
  if (!robocache_check_array (reader->times, "the times of buffers", error))
    return FALSE;
  g_array_append_val (reader->times, *time);
  return TRUE;
}

gboolean
robocache_cloud_reader_push (RobocacheCloudReader *reader, GstBuffer *buffer, GError **error)
{
  const BufferTime time = { robocache_byte_input_end (&reader->input), GST_BUFFER_PTS (buffer) };

  if (!reader->in_file) {
    reader->file = reader->next_first_byte = time.position;
    reader->number_at_file = reader->number;
    reader->input.line_number = 0;
  }
  if (GST_CLOCK_TIME_IS_VALID (time.pts) && !note_time (reader, &time, error)) {
    gst_buffer_unref (buffer);
    return FALSE;
  }
  reader->in_file = TRUE;
  reader->input.ended = FALSE;
  return robocache_byte_input_push (&reader->input, buffer, error);
}

void
robocache_cloud_reader_end (RobocacheCloudReader *reader)
{
  robocache_pcd_reader_end (&reader->pcd);
}

void
robocache_cloud_reader_restart (RobocacheCloudReader *reader)
{
  robocache_byte_input_restart (&reader->input);
  robocache_pcd_reader_restart (&reader->pcd);
  g_array_set_size (reader->times, 0);
  reader->number = reader->first_byte = reader->next_first_byte = reader->file = reader->number_at_file = 0;
  reader->in_file = reader->in_cloud = FALSE;
}

guint64
robocache_cloud_reader_n_points (const RobocacheCloudReader *reader)
{
  return reader->n_points + reader->pcd.n_good;
}

/* ---- clouds ---- */

/* Number of times of buffers that begin at a byte or before it. */
static guint
n_times_up_to (const RobocacheCloudReader *reader, guint64 byte)
{
  guint n = 0;

  while (n < reader->times->len && g_array_index (reader->times, BufferTime, n).position <= byte)
    n++;
  return n;
}

static void
begin_cloud (RobocacheCloudReader *reader, guint64 first_byte)
{
  const guint n = n_times_up_to (reader, first_byte);

  reader->number++;
  reader->first_byte = first_byte;
  reader->pts = n > 0 ? g_array_index (reader->times, BufferTime, n - 1).pts : GST_CLOCK_TIME_NONE;
  g_array_remove_range (reader->times, 0, n);
}

/* For PCD files: within points, and after them, the next cloud begins after the bytes that were read. */
static void
forget_times (RobocacheCloudReader *reader)
{
  const guint n = n_times_up_to (reader, robocache_byte_input_position (&reader->input));

  if (n > 1)
    g_array_remove_range (reader->times, 0, n - 1);
}

/* Waiting bytes would exceed max_bytes. */
static gboolean
check_bytes (RobocacheCloudReader *reader, guint64 bytes, GError **error)
{
  if (bytes <= reader->max_bytes)
    return TRUE;
  begin_cloud (reader, robocache_byte_input_position (&reader->input));
  if (reader->points_per_cloud > 0)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "points-per-cloud=%" G_GUINT64_FORMAT " points of %"
        G_GSIZE_FORMAT " bytes exceed max-cloud-bytes=%" G_GUINT64_FORMAT ": lower points-per-cloud, or raise max-cloud-bytes",
        reader->points_per_cloud, reader->point_size, reader->max_bytes);
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "the cloud has at least %" G_GUINT64_FORMAT " "
        "bytes, more than max-cloud-bytes=%" G_GUINT64_FORMAT ": raise max-cloud-bytes, or set cloud-end=buffer or points-per-cloud if the "
        "stream has several clouds", bytes, reader->max_bytes);
  return FALSE;
}

static RobocacheReadResult
read_points (RobocacheCloudReader *reader, gsize size, RobocacheCloudRecord *cloud, GError **error)
{
  begin_cloud (reader, robocache_byte_input_position (&reader->input));
  cloud->buffer = robocache_byte_input_read_buffer (&reader->input, size, error);
  if (cloud->buffer == NULL)
    return ROBOCACHE_READ_REFUSED;
  cloud->n_points = size / reader->point_size;
  reader->n_points += cloud->n_points;
  return ROBOCACHE_READ_RECORD;
}

static RobocacheReadResult
malformed_rest (RobocacheCloudReader *reader, gsize size, GError **error)
{
  begin_cloud (reader, robocache_byte_input_position (&reader->input));
  robocache_byte_input_skip (&reader->input, size);
  if (reader->points_per_cloud > 0)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the last cloud ends after %" G_GSIZE_FORMAT
        " bytes, expected points-per-cloud=%" G_GUINT64_FORMAT " points of %" G_GSIZE_FORMAT " bytes", size,
        reader->points_per_cloud, reader->point_size);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the cloud has %" G_GSIZE_FORMAT " bytes, expected a multiple of "
        "%" G_GSIZE_FORMAT ", the bytes per point: %" G_GSIZE_FORMAT " are left over", size, reader->point_size,
        size % reader->point_size);
  return ROBOCACHE_READ_MALFORMED;
}

static RobocacheReadResult
decode_file (RobocacheCloudReader *reader, const guint8 *bytes, gsize n, RobocacheCloudRecord *cloud, GError **error)
{
  RobocachePointFile file = { 0 };
  GError *fault = NULL;
  RobocacheReadResult result = ROBOCACHE_READ_RECORD;

  if (reader->format == ROBOCACHE_INPUT_PLY ? robocache_ply_decode (&file, bytes, n, &fault) : robocache_las_decode (&file, bytes, n, &fault)) {
    const gsize size = file.n_points * file.fields.point_step;

    gst_caps_take (&reader->caps, robocache_point_fields_to_caps (&file.fields));
    cloud->buffer = file.points ? gst_buffer_new_wrapped (g_steal_pointer (&file.points), size) : gst_buffer_new ();
    cloud->n_points = file.n_points;
    reader->n_points += file.n_points;
  } else {
    result = fault->domain == GST_RESOURCE_ERROR ? ROBOCACHE_READ_REFUSED : ROBOCACHE_READ_MALFORMED;
    g_propagate_error (error, fault);
  }
  robocache_point_file_clear (&file);
  return result;
}

/* A cloud is a file, which is decoded when all of it is there. */
static RobocacheReadResult
next_file (RobocacheCloudReader *reader, RobocacheCloudRecord *cloud, GError **error)
{
  const gsize available = robocache_byte_input_available (&reader->input);
  RobocacheReadResult result = ROBOCACHE_READ_REFUSED;
  const guint8 *bytes;

  if (!reader->in_file)
    return ROBOCACHE_READ_MORE;
  if (!check_bytes (reader, available, error))
    return ROBOCACHE_READ_REFUSED;
  if (!reader->input.ended)
    return ROBOCACHE_READ_MORE;
  reader->in_file = FALSE;
  begin_cloud (reader, robocache_byte_input_position (&reader->input));
  bytes = robocache_byte_input_peek (&reader->input, available, error);
  if (bytes)
    result = decode_file (reader, bytes, available, cloud, error);
  robocache_byte_input_skip (&reader->input, available);
  return result;
}

/* Points have no magic, but files of other kinds have. READ_REFUSED: the input is one. READ_MORE: too few bytes tell. */
static RobocacheReadResult
check_beginning (RobocacheCloudReader *reader, GError **error)
{
  RobocacheByteInput *input = &reader->input;
  const gsize n = MIN (robocache_byte_input_available (input), MAGIC_BYTES);
  gboolean is_other;

  if (robocache_byte_input_position (input) != reader->file)
    return ROBOCACHE_READ_RECORD;
  if (n == 0 || (n < MAGIC_BYTES && !input->ended))
    return ROBOCACHE_READ_MORE;
  robocache_byte_input_map (input, n);
  is_other = robocache_input_refuse ((const gchar *) input->bytes + input->cursor, n, FALSE, error);
  robocache_byte_input_unmap (input);
  if (is_other)
    begin_cloud (reader, robocache_byte_input_position (input));
  return is_other ? ROBOCACHE_READ_REFUSED : ROBOCACHE_READ_RECORD;
}

static RobocacheReadResult
next_raw (RobocacheCloudReader *reader, RobocacheCloudRecord *cloud, GError **error)
{
  const gsize available = robocache_byte_input_available (&reader->input);
  RobocacheReadResult beginning;

  if (!reader->in_file)
    return ROBOCACHE_READ_MORE;
  if (reader->point_size == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "format=points needs a description of a point: set layout "
        "and channels, like layout=\"=4f\" channels=x,y,z,intensity, or put application/x-pointcloud caps before the element");
    return ROBOCACHE_READ_REFUSED;
  }
  beginning = check_beginning (reader, error);
  if (beginning == ROBOCACHE_READ_REFUSED || (beginning == ROBOCACHE_READ_MORE && available > 0))
    return beginning;
  if (!check_bytes (reader, reader->points_per_cloud > 0 ? robocache_bytes_multiply (reader->points_per_cloud, reader->point_size) : available,
          error))
    return ROBOCACHE_READ_REFUSED;
  if (reader->points_per_cloud > 0) {
    if (reader->points_per_cloud <= available / reader->point_size)
      return read_points (reader, (gsize) reader->points_per_cloud * reader->point_size, cloud, error);
    return reader->input.ended && available > 0 ? malformed_rest (reader, available, error) : ROBOCACHE_READ_MORE;
  }
  if (!reader->input.ended)
    return ROBOCACHE_READ_MORE;
  reader->in_file = FALSE;
  if (available % reader->point_size != 0)
    return malformed_rest (reader, available, error);
  return read_points (reader, available, cloud, error);
}

/* Bytes after a cloud in its file that begin no other cloud have no number, and so no time. */
static gboolean
is_rest_of_file (const RobocacheCloudReader *reader, RobocacheReadResult result)
{
  return result == ROBOCACHE_READ_MALFORMED && reader->pcd.state == ROBOCACHE_PCD_STATE_LOST
      && !reader->pcd.header.begun && reader->number > reader->number_at_file;
}

/* Counts clouds, and notes where each begins: behind the one before, or where a file does. */
static RobocacheReadResult
next_pcd (RobocacheCloudReader *reader, RobocacheCloudRecord *cloud, GError **error)
{
  const RobocacheReadResult result = robocache_pcd_reader_next (&reader->pcd, &cloud->buffer, &cloud->n_points, error);
  const gboolean between = robocache_pcd_reader_is_between_clouds (&reader->pcd);
  const gboolean is_fault = result == ROBOCACHE_READ_MALFORMED || result == ROBOCACHE_READ_REFUSED;
  const gboolean over = result == ROBOCACHE_READ_RECORD || (is_fault && between);

  if (is_rest_of_file (reader, result))
    reader->first_byte = reader->next_first_byte;
  else if (!reader->in_cloud && (over || !between))
    begin_cloud (reader, reader->next_first_byte);
  reader->in_cloud = !between;
  if (reader->pcd.state != ROBOCACHE_PCD_STATE_HEADER && reader->pcd.state != ROBOCACHE_PCD_STATE_SPLIT)
    forget_times (reader);
  if (over || (result == ROBOCACHE_READ_HEADER && between))
    reader->next_first_byte = robocache_pcd_reader_position (&reader->pcd);
  return result;
}

/* Buffers without a byte of a cloud may have times, too. */
static RobocacheReadResult
wait_for_more (RobocacheCloudReader *reader, GError **error)
{
  const guint64 bytes = (guint64) reader->times->len * sizeof (BufferTime);

  robocache_byte_input_unmap (&reader->input);
  if (bytes <= MAX (reader->max_bytes, MIN_BYTES_OF_TIMES))
    return ROBOCACHE_READ_MORE;
  begin_cloud (reader, robocache_byte_input_position (&reader->input));
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "the times of its %u buffers take more than "
      "max-cloud-bytes=%" G_GUINT64_FORMAT ": send larger buffers, or buffers without times", reader->times->len,
      reader->max_bytes);
  return ROBOCACHE_READ_REFUSED;
}

/* A PCD file that was read to its end had a cloud. */
static RobocacheReadResult
finish_file (RobocacheCloudReader *reader, GError **error)
{
  reader->in_file = FALSE;
  if (reader->format != ROBOCACHE_INPUT_PCD || reader->number > reader->number_at_file)
    return ROBOCACHE_READ_MORE;
  begin_cloud (reader, reader->file);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "there is no header, expected lines that begin with FIELDS, "
      "POINTS and DATA");
  return ROBOCACHE_READ_MALFORMED;
}

RobocacheReadResult
robocache_cloud_reader_next (RobocacheCloudReader *reader, RobocacheCloudRecord *cloud, GError **error)
{
  const gboolean is_pcd = reader->format == ROBOCACHE_INPUT_PCD;
  RobocacheReadResult result;
  GError *fault = NULL;

  if (is_pcd)
    result = next_pcd (reader, cloud, &fault);
  else
    result = is_whole_file (reader) ? next_file (reader, cloud, &fault) : next_raw (reader, cloud, &fault);
  if (result == ROBOCACHE_READ_MORE) {
    result = wait_for_more (reader, &fault);
    if (result == ROBOCACHE_READ_MORE && reader->input.ended && reader->in_file)
      result = finish_file (reader, &fault);
  }
  cloud->number = reader->number;
  cloud->caps = is_pcd ? reader->pcd.caps : reader->caps;
  cloud->pts = reader->pts;
  if (fault) {
    robocache_byte_input_make_valid (fault);
    if (fault->domain == ROBOCACHE_ERROR && result == ROBOCACHE_READ_REFUSED)
      g_propagate_error (error, fault);
    else
      g_propagate_prefixed_error (error, fault, "cloud %" G_GUINT64_FORMAT " at byte %" G_GUINT64_FORMAT ": ",
          reader->number, reader->first_byte - reader->file);
  }
  return result;
}
