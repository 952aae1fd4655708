/* robocache: a fuzzer of tables and of point files, PLY and LAS, through their readers
 *
 * The first bytes choose settings and the size of pieces, the rest is the file. What is read must be the same however it is cut, and each cloud or row is
 * whole. A cloud is not larger than the file allows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "gst/parse/points/cloudreader.h"
#include "gst/parse/records/recordreader.h"

/* A cloud has at most so many bytes for each byte of its file: a digit and a blank of PLY that are a double. */
#define MAX_EXPANSION 5

static guint64
hash (guint64 digest, gconstpointer data, gsize n)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < n; i++)
    digest = (digest ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return digest;
}

static guint64
hash_text (guint64 digest, const gchar *text)
{
  return text ? hash (digest, text, strlen (text) + 1) : digest;
}

/* Takes the next piece of a file, in memory of its own. */
static GstBuffer *
next_piece (const Input *file, gsize *at, gsize piece)
{
  const gsize n = MIN (piece, file->n - *at);
  GstBuffer *buffer = gst_buffer_new_memdup (file->bytes + *at, n);

  *at += n;
  return buffer;
}

/* ---- tables ---- */

/* FALSE: the table is refused, and nothing more is read. */
static gboolean
hash_rows (RobocacheRecordReader *reader, guint64 *sum)
{
  RobocacheReadResult result;
  guint64 digest = *sum;

  do {
    RobocacheRecord record;
    GError *error = NULL;

    result = robocache_record_reader_next (reader, &record, &error);
    if ((error != NULL) != (result == ROBOCACHE_READ_MALFORMED || result == ROBOCACHE_READ_REFUSED))
      fuzz_fail ("result %d has %s error", result, error ? "an" : "no");
    if (error)
      digest = hash_text (digest, error->message);
    if (result == ROBOCACHE_READ_HEADER)
      digest = hash_text (digest, robocache_record_reader_channel_names (reader));
    if (result == ROBOCACHE_READ_RECORD) {
      digest = hash (digest, &record.time_ns, sizeof (record.time_ns));
      digest = hash (digest, record.values, robocache_record_reader_n_channels (reader) * sizeof (gfloat));
    }
    g_clear_error (&error);
  } while (result != ROBOCACHE_READ_MORE && result != ROBOCACHE_READ_REFUSED);
  *sum = digest;
  return result == ROBOCACHE_READ_MORE;
}

static guint64
read_table (const RobocacheRecordSpec *spec, const Input *file, gsize piece)
{
  RobocacheRecordReader *reader = robocache_record_reader_new (spec, NULL);
  guint64 digest = 0;
  gboolean ok = TRUE;
  gchar *words;

  if (!reader)
    return 0;
  for (gsize at = 0; ok && at < file->n;) {
    robocache_record_reader_push (reader, next_piece (file, &at, piece), NULL);
    ok = hash_rows (reader, &digest);
  }
  robocache_record_reader_end (reader);
  if (ok)
    hash_rows (reader, &digest);
  words = robocache_record_reader_describe_words (reader);
  digest = hash_text (digest, words);
  g_free (words);
  robocache_record_reader_free (reader);
  return digest;
}

/* ---- points ---- */

static guint64
read_points (RobocacheInputFormat format, const Input *file, gsize piece)
{
  const RobocacheCloudSpec spec = {.format = format };
  RobocacheCloudReader *reader = robocache_cloud_reader_new (&spec, NULL);
  RobocacheReadResult result;
  guint64 digest = 0;

  for (gsize at = 0; at < file->n;)
    robocache_cloud_reader_push (reader, next_piece (file, &at, piece), NULL);
  robocache_cloud_reader_end (reader);
  do {
    RobocacheCloudRecord cloud = { 0 };
    GError *error = NULL;
    GstMapInfo map;

    result = robocache_cloud_reader_next (reader, &cloud, &error);
    if (error)
      digest = hash_text (digest, error->message);
    g_clear_error (&error);
    if (result != ROBOCACHE_READ_RECORD)
      continue;
    if (gst_buffer_get_size (cloud.buffer) > MAX_EXPANSION * file->n)
      fuzz_fail ("a file of %" G_GSIZE_FORMAT " bytes has a cloud of %" G_GSIZE_FORMAT, file->n, gst_buffer_get_size (cloud.buffer));
    digest = hash (digest, &cloud.n_points, sizeof (cloud.n_points));
    if (gst_buffer_map (cloud.buffer, &map, GST_MAP_READ)) {
      digest = hash (digest, map.data, map.size);
      gst_buffer_unmap (cloud.buffer, &map);
    }
    gst_buffer_unref (cloud.buffer);
  } while (result != ROBOCACHE_READ_MORE && result != ROBOCACHE_READ_REFUSED);
  robocache_cloud_reader_free (reader);
  return digest;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static const RobocacheInputFormat formats[] = { ROBOCACHE_INPUT_CSV, ROBOCACHE_INPUT_CSV, ROBOCACHE_INPUT_PLY, ROBOCACHE_INPUT_LAS };
  static const gchar *const delimiters[] = { "auto", "auto", ",", ";", "tab", "space" };
  static const gchar *const columns[] = { "", "", "0", "1", "0,1", "t", "sec,nanosec" };
  static const gchar *const time_formats[] = { "", "", "", "%d.%m.%Y %H:%M:%S", "%T", "%j %y %s %p %f %z %a %b" };
  static const gchar *const channels[] = { "", "", "", "1", "1-2", "q0" };
  Input input = { bytes, n };
  const RobocacheInputFormat format = input_pick (&input, formats);
  RobocacheRecordSpec spec = {.format = format,.delimiter = input_pick (&input, delimiters),.channels = input_pick (&input, channels) };
  guint64 whole, cut;
  gsize piece;

  spec.time.columns = input_pick (&input, columns);
  spec.time.format = input_pick (&input, time_formats);
  spec.time.unit = input_below (&input, 5);
  spec.time.leap_seconds = input_one_in (&input, 4) ? 18 : -1;
  spec.time.arrival_column = input_one_in (&input, 8) ? (input.n % 2 ? 1 : 9) : -1;
  spec.n_ahead = input_one_in (&input, 2) ? ROBOCACHE_LINES_AHEAD : 0;
  piece = 1 + input_below (&input, 64);
  whole = format == ROBOCACHE_INPUT_CSV ? read_table (&spec, &input, MAX (input.n, 1)) : read_points (format, &input, MAX (input.n, 1));
  cut = format == ROBOCACHE_INPUT_CSV ? read_table (&spec, &input, piece) : read_points (format, &input, piece);
  if (whole != cut)
    fuzz_fail ("pieces of %" G_GSIZE_FORMAT " bytes are read differently", piece);
  return 0;
}
