/* robocache: PCD files, one after another
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pcdreader.h"

#include <string.h>

#include "common/device/budget.h"
#include "gst/parse/table/csvrecord.h"
#include "common/tensors/tensorcaps.h"

void
robocache_pcd_reader_init (RobocachePcdReader *reader, RobocacheByteInput *input, guint64 max_bytes)
{
  *reader = (RobocachePcdReader) {.input = input,.max_bytes = max_bytes,.words = g_ptr_array_new (),
    .seams = g_array_new (FALSE, FALSE, sizeof (RobocachePcdSeam))
  };
  robocache_pcd_search_init (&reader->search);
}

static void
forget_points (RobocachePcdReader *reader)
{
  g_clear_pointer (&reader->points, g_free);
  reader->n_bytes = reader->capacity = 0;
}

/* The next line is the first of a header. */
static void
begin_header (RobocachePcdReader *reader)
{
  robocache_pcd_header_clear (&reader->header);
  forget_points (reader);
  g_array_set_size (reader->seams, 0);
  reader->n_lines = 0;
  reader->first_line_is_cut = FALSE;
  reader->input->line_number = 0;
  reader->state = ROBOCACHE_PCD_STATE_HEADER;
}

void
robocache_pcd_reader_clear (RobocachePcdReader *reader)
{
  robocache_pcd_header_clear (&reader->header);
  forget_points (reader);
  g_ptr_array_unref (reader->words);
  g_array_unref (reader->seams);
  robocache_pcd_search_clear (&reader->search);
  gst_clear_caps (&reader->caps);
}

void
robocache_pcd_reader_restart (RobocachePcdReader *reader)
{
  robocache_pcd_search_restart (&reader->search);
  reader->cloud_end = 0;
  reader->may_be_padded = FALSE;
  begin_header (reader);
}

gboolean
robocache_pcd_reader_is_between_clouds (const RobocachePcdReader *reader)
{
  return reader->state == ROBOCACHE_PCD_STATE_LOST || reader->state == ROBOCACHE_PCD_STATE_SPLIT
      || (reader->state == ROBOCACHE_PCD_STATE_HEADER && !reader->header.begun);
}

guint64
robocache_pcd_reader_position (const RobocachePcdReader *reader)
{
  return reader->state == ROBOCACHE_PCD_STATE_SPLIT ? reader->split_position : robocache_byte_input_position (reader->input);
}

static void
watch (gpointer search, const guint8 *bytes, gsize n)
{
  robocache_pcd_search_push (search, bytes, n);
}

void
robocache_pcd_reader_watch (RobocachePcdReader *reader)
{
  reader->input->watch = watch;
  reader->input->watcher = &reader->search;
}

void
robocache_pcd_reader_end (RobocachePcdReader *reader)
{
  robocache_pcd_search_end (&reader->search);
  reader->input->ended = TRUE;
}

/* ---- files ---- */

/* Ends the current file where the next one begins. Bytes that could be a beginning wait for the following bytes. goes_on: the lines of a
 * header may continue there. */
static void
limit_to_file (RobocachePcdReader *reader)
{
  const RobocachePcdBeginning *next = robocache_pcd_search_next (&reader->search);

  robocache_byte_input_set_limit (reader->input, next ? next->position : reader->search.position,
      next && reader->state != ROBOCACHE_PCD_STATE_HEADER);
}

/* All of a file was read. */
static RobocacheReadResult
end_file (RobocachePcdReader *reader)
{
  const RobocachePcdBeginning *next = robocache_pcd_search_next (&reader->search);

  begin_header (reader);
  if (!next)
    return ROBOCACHE_READ_MORE;
  reader->first_line_is_cut = next->position < robocache_byte_input_position (reader->input);
  robocache_pcd_search_skip (&reader->search);
  return ROBOCACHE_READ_HEADER;
}

static RobocacheReadResult
get_lost (RobocachePcdReader *reader)
{
  reader->state = ROBOCACHE_PCD_STATE_LOST;
  return ROBOCACHE_READ_MALFORMED;
}

static RobocacheReadResult
skip_file (RobocachePcdReader *reader)
{
  robocache_byte_input_skip (reader->input, robocache_byte_input_available (reader->input));
  return robocache_byte_input_has_ended (reader->input) ? end_file (reader) : ROBOCACHE_READ_MORE;
}

/* PCL fills the last page of a binary file with zero bytes. */
static void
skip_padding (RobocachePcdReader *reader)
{
  RobocacheByteInput *input = reader->input;

  while (reader->may_be_padded && robocache_byte_input_available (input) > 0) {
    gsize n = 0;

    robocache_byte_input_map (input, 1);
    while (n < input->n_bytes - input->cursor && input->bytes[input->cursor + n] == 0)
      n++;
    reader->may_be_padded = n == input->n_bytes - input->cursor;
    input->cursor += n;
  }
}

/* ---- header ---- */

/* The settings limit the bytes of a cloud, in the file and decompressed. */
static gboolean
check_bytes (const RobocachePcdReader *reader, guint64 bytes, GError **error)
{
  if (bytes <= reader->max_bytes)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "POINTS %" G_GUINT64_FORMAT " take %"
      G_GUINT64_FORMAT " bytes, more than max-cloud-bytes=%" G_GUINT64_FORMAT ": raise max-cloud-bytes, or repair the file",
      reader->header.n_points, bytes, reader->max_bytes);
  return FALSE;
}

static RobocacheReadResult
finish_header (RobocachePcdReader *reader, GError **error)
{
  static const RobocachePcdState states[] = {
    [ROBOCACHE_PCD_ASCII] = ROBOCACHE_PCD_STATE_ASCII,
    [ROBOCACHE_PCD_BINARY] = ROBOCACHE_PCD_STATE_BINARY,
    [ROBOCACHE_PCD_COMPRESSED] = ROBOCACHE_PCD_STATE_SIZES
  };

  if (!check_bytes (reader, reader->header.n_points * reader->header.stored_step, error))
    return ROBOCACHE_READ_REFUSED;
  gst_caps_take (&reader->caps, robocache_pcd_header_to_caps (&reader->header));
  reader->state = states[reader->header.data];
  return ROBOCACHE_READ_HEADER;
}

/* Whether what has come of a line is one of a comment. */
static gboolean
may_be_comment (const RobocacheByteInput *input)
{
  const gchar *text = input->line->str + strspn (input->line->str, " \t");

  return !input->in_line || *text == '#' || *text == '\0';
}

/* Whether the apparent beginning of the next file may be a comment in the current header, because the keyword that follows it was not
 * read before. */
static gboolean
is_comment (const RobocachePcdReader *reader, const RobocachePcdBeginning *next)
{
  return reader->header.begun && !robocache_pcd_header_has (&reader->header, next->keyword) && may_be_comment (reader->input);
}

/* Notes only the first of several beginnings before the same keyword, since the same lines follow them. */
static void
note_seam (RobocachePcdReader *reader, const RobocachePcdBeginning *beginning)
{
  const RobocachePcdSeam seam = { *beginning, reader->input->line_number, reader->input->in_line };
  const guint n = reader->seams->len;

  if (n == 0 || g_array_index (reader->seams, RobocachePcdSeam, n - 1).beginning.keyword != beginning->keyword)
    g_array_append_val (reader->seams, seam);
}

/* Whether there is more to read where the lines of a header ended for now. */
static gboolean
goes_on (RobocachePcdReader *reader)
{
  const RobocachePcdBeginning *next = robocache_pcd_search_next (&reader->search);
  RobocacheByteInput *input = reader->input;

  if (!next || input->limit_is_end)
    return FALSE;
  if (is_comment (reader, next)) {
    note_seam (reader, next);
    robocache_pcd_search_skip (&reader->search);
    limit_to_file (reader);
  } else
    robocache_byte_input_set_limit (input, input->limit, TRUE);
  return TRUE;
}

static RobocacheReadResult
header_ends (guint64 n_lines, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the header ends after %" G_GUINT64_FORMAT
      " lines, before a line that begins with DATA", n_lines);
  return ROBOCACHE_READ_MALFORMED;
}

static RobocacheReadResult
cut_in_header (RobocachePcdReader *reader, GError **error)
{
  const RobocachePcdBeginning *next = robocache_pcd_search_next (&reader->search);

  if (next && next->position < reader->cloud_end) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the next file begins %" G_GUINT64_FORMAT " bytes before the "
        "end of the cloud, so the cloud ends with bytes of that file", reader->cloud_end - next->position);
    return get_lost (reader);
  }
  if (!reader->header.begun)
    return end_file (reader);
  header_ends (reader->input->line_number, error);
  begin_header (reader);
  return ROBOCACHE_READ_MALFORMED;
}

/* Ends the header at one of its seams: the lines after the seam, up to the last one that was read, belong to the next header. */
static RobocacheReadResult
split_header (RobocachePcdReader *reader, guint n_seams, GError **error)
{
  const RobocachePcdSeam seam = g_array_index (reader->seams, RobocachePcdSeam, n_seams - 1);

  g_array_remove_range (reader->seams, 0, n_seams);
  for (guint i = 0; i < reader->seams->len; i++)
    g_array_index (reader->seams, RobocachePcdSeam, i).n_lines -= seam.n_lines;
  reader->input->line_number -= seam.n_lines;
  reader->split_position = seam.beginning.position;
  reader->state = ROBOCACHE_PCD_STATE_SPLIT;
  return header_ends (seam.n_lines + seam.cuts_line, error);
}

/* The last line that was read is invalid because of `why`, unless it belongs to the next file. */
static RobocacheReadResult
malformed_header (RobocachePcdReader *reader, GError *why, GError **error)
{
  const RobocacheByteInput *input = reader->input;
  guint64 n_dropped = 0;

  for (guint i = 0; i < reader->seams->len; i++) {
    const guint64 n_lines = g_array_index (reader->seams, RobocachePcdSeam, i).n_lines;

    robocache_pcd_header_drop_lines (&reader->header, n_lines - n_dropped);
    n_dropped = n_lines;
    if (robocache_pcd_header_take_line (&reader->header, input->line, input->line_number - n_dropped, NULL)
        != ROBOCACHE_PCD_HEADER_MALFORMED) {
      g_error_free (why);
      return split_header (reader, i + 1, error);
    }
  }
  g_propagate_error (error, why);
  return get_lost (reader);
}

static RobocacheReadResult
resume_header (RobocachePcdReader *reader, GError **error)
{
  if (robocache_pcd_header_is_whole (&reader->header))
    return finish_header (reader, error);
  reader->state = ROBOCACHE_PCD_STATE_HEADER;
  return ROBOCACHE_READ_HEADER;
}

static RobocacheReadResult
read_header (RobocachePcdReader *reader, GError **error)
{
  RobocacheByteInput *input = reader->input;
  GError *why = NULL;

  for (;;) {
    switch (robocache_byte_input_read_line (input)) {
      case ROBOCACHE_LINE_NONE:
        if (goes_on (reader))
          continue;
        return robocache_byte_input_has_ended (input) ? cut_in_header (reader, error) : ROBOCACHE_READ_MORE;
      case ROBOCACHE_LINE_TOO_LONG:
        g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " is longer than %d bytes, expected a "
            "line of a PCD header", input->line_number, ROBOCACHE_MAX_LINE);
        return get_lost (reader);
      case ROBOCACHE_LINE_WHOLE:
        break;
    }
    if (reader->first_line_is_cut) {
      reader->first_line_is_cut = FALSE;
      continue;
    }
    switch (robocache_pcd_header_take_line (&reader->header, input->line, input->line_number, &why)) {
      case ROBOCACHE_PCD_HEADER_MORE:
        break;
      case ROBOCACHE_PCD_HEADER_WHOLE:
        return finish_header (reader, error);
      case ROBOCACHE_PCD_HEADER_MALFORMED:
        return malformed_header (reader, why, error);
    }
  }
}

/* ---- points ---- */

/* NULL: there was no memory for them. */
static RobocacheReadResult
take_cloud (RobocachePcdReader *reader, GstBuffer *points, GstBuffer **out, guint64 *n_points)
{
  const gboolean is_text = reader->header.data == ROBOCACHE_PCD_ASCII;

  if (points == NULL)
    return ROBOCACHE_READ_REFUSED;
  *out = points;
  *n_points = gst_buffer_get_size (points) / reader->header.fields.point_step;
  if (!is_text)
    reader->n_good += *n_points;
  begin_header (reader);
  reader->cloud_end = robocache_byte_input_position (reader->input);
  reader->may_be_padded = !is_text;
  return ROBOCACHE_READ_RECORD;
}

static RobocacheReadResult
cut_in_points (RobocachePcdReader *reader, guint64 n, guint64 expected, const gchar *what, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the cloud ends after %" G_GUINT64_FORMAT " %s, expected %"
      G_GUINT64_FORMAT " for POINTS %" G_GUINT64_FORMAT, n, what, expected, reader->header.n_points);
  begin_header (reader);
  return ROBOCACHE_READ_MALFORMED;
}

static RobocacheReadResult
cut_in_lines (RobocachePcdReader *reader, GError **error)
{
  return cut_in_points (reader, reader->n_lines, reader->header.n_points, "lines", error);
}

/* Room for one more point; NULL and an error: there is no memory. */
static guint8 *
reserve_point (RobocachePcdReader *reader, GError **error)
{
  const gsize needed = reader->n_bytes + reader->header.fields.point_step;
  guint8 *points = robocache_try_grow (reader->points, &reader->capacity, needed, 1);

  if (points) {
    reader->points = points;
    return points + reader->n_bytes;
  }
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for %" G_GSIZE_FORMAT " bytes of "
      "points: send smaller clouds", needed);
  return NULL;
}

/* A line that is no point, or not all of one. In an organised cloud the place stays, or those after it would move. */
static RobocacheReadResult
malformed_line (RobocachePcdReader *reader, guint8 *point, GError **error)
{
  if (reader->input->line_is_cut) {
    g_clear_error (error);
    return cut_in_lines (reader, error);
  }
  reader->n_lines++;
  if (reader->header.height > 1) {
    robocache_pcd_invalid_point (&reader->header, point);
    reader->n_bytes += reader->header.fields.point_step;
  }
  return ROBOCACHE_READ_MALFORMED;
}

static gboolean
split_line (RobocachePcdReader *reader, GError **error)
{
  GString *line = reader->input->line;

  if (!memchr (line->str, '\0', line->len))
    return robocache_csv_split (line->str, line->len, ' ', reader->words, error);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "contains a zero byte, expected %u numbers",
      reader->header.n_elements);
  return FALSE;
}

static gboolean
read_line (RobocachePcdReader *reader, guint8 *point, GError **error)
{
  GError *fault = NULL;

  if (split_line (reader, &fault) && robocache_pcd_read_point (&reader->header, reader->words, point, &fault)) {
    reader->n_bytes += reader->header.fields.point_step;
    return TRUE;
  }
  g_propagate_prefixed_error (error, fault, "line %" G_GUINT64_FORMAT " ", reader->input->line_number);
  return FALSE;
}

static GstBuffer *
wrap_points (RobocachePcdReader *reader)
{
  guint8 *points = g_steal_pointer (&reader->points);

  return points ? gst_buffer_new_wrapped_full (0, points, reader->capacity, 0, reader->n_bytes, points, g_free)
      : gst_buffer_new ();
}

static RobocacheReadResult
read_ascii (RobocachePcdReader *reader, GstBuffer **points, guint64 *n_points, GError **error)
{
  RobocacheByteInput *input = reader->input;

  while (reader->n_lines < reader->header.n_points) {
    guint8 *point = reserve_point (reader, error);
    RobocacheLineResult result;

    if (point == NULL)
      return ROBOCACHE_READ_REFUSED;
    result = robocache_byte_input_read_line (input);
    if (result == ROBOCACHE_LINE_NONE)
      return robocache_byte_input_has_ended (input) ? cut_in_lines (reader, error) : ROBOCACHE_READ_MORE;
    if (result == ROBOCACHE_LINE_TOO_LONG) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "line %" G_GUINT64_FORMAT " is longer than %d bytes",
          input->line_number, ROBOCACHE_MAX_LINE);
      return malformed_line (reader, point, error);
    }
    if (strspn (input->line->str, " \t") == input->line->len)
      continue;
    if (!read_line (reader, point, error))
      return malformed_line (reader, point, error);
    reader->n_lines++;
    reader->n_good++;
  }
  return take_cloud (reader, wrap_points (reader), points, n_points);
}

/* Whether n bytes of points are available. Points do not wait for the bytes after them, so the first bytes of a magic that ends there
 * count as points, too. */
static gboolean
has_bytes (RobocachePcdReader *reader, guint64 n, RobocacheReadResult *otherwise, GError **error)
{
  RobocacheByteInput *input = reader->input;
  gsize available;

  if (input->limit + strlen (ROBOCACHE_PCD_MAGIC) > robocache_byte_input_position (input) + n)
    robocache_byte_input_set_limit (input, G_MAXUINT64, FALSE);
  available = robocache_byte_input_available (input);
  if (available >= n)
    return TRUE;
  *otherwise = ROBOCACHE_READ_MORE;
  if (robocache_byte_input_has_ended (reader->input)) {
    robocache_byte_input_skip (reader->input, available);
    *otherwise = cut_in_points (reader, available, n, "bytes", error);
  }
  return FALSE;
}

static RobocacheReadResult
read_binary (RobocachePcdReader *reader, GstBuffer **points, guint64 *n_points, GError **error)
{
  const guint64 size = reader->header.n_points * reader->header.stored_step;
  RobocacheReadResult otherwise;

  if (!has_bytes (reader, size, &otherwise, error))
    return otherwise;
  return take_cloud (reader, robocache_byte_input_read_buffer (reader->input, size, error), points, n_points);
}

static RobocacheReadResult
read_sizes (RobocachePcdReader *reader, GError **error)
{
  RobocacheReadResult otherwise;
  const guint8 *sizes;
  gboolean ok;

  if (!has_bytes (reader, ROBOCACHE_PCD_SIZES, &otherwise, error))
    return otherwise;
  sizes = robocache_byte_input_peek (reader->input, ROBOCACHE_PCD_SIZES, error);
  if (sizes == NULL)
    return ROBOCACHE_READ_REFUSED;
  ok = robocache_pcd_read_sizes (&reader->header, sizes, &reader->sizes, error);
  robocache_byte_input_skip (reader->input, ROBOCACHE_PCD_SIZES);
  if (!ok)
    return get_lost (reader);
  if (!check_bytes (reader, reader->sizes.compressed, error))
    return ROBOCACHE_READ_REFUSED;
  reader->state = ROBOCACHE_PCD_STATE_COMPRESSED;
  return ROBOCACHE_READ_HEADER;
}

static RobocacheReadResult
read_compressed (RobocachePcdReader *reader, GstBuffer **points, guint64 *n_points, GError **error)
{
  const gsize compressed = reader->sizes.compressed;
  const gsize size = reader->header.n_points * reader->header.fields.point_step;
  RobocacheReadResult otherwise;
  GError *fault = NULL;
  const guint8 *bytes;
  guint8 *packed;

  if (!has_bytes (reader, compressed, &otherwise, error))
    return otherwise;
  bytes = robocache_byte_input_peek (reader->input, compressed, &fault);
  packed = bytes ? robocache_pcd_decompress (&reader->header, bytes, &reader->sizes, &fault) : NULL;
  robocache_byte_input_skip (reader->input, compressed);
  if (packed)
    return take_cloud (reader, gst_buffer_new_wrapped (packed, size), points, n_points);
  otherwise = fault->domain == GST_RESOURCE_ERROR ? ROBOCACHE_READ_REFUSED : ROBOCACHE_READ_MALFORMED;
  g_propagate_error (error, fault);
  begin_header (reader);
  return otherwise;
}

RobocacheReadResult
robocache_pcd_reader_next (RobocachePcdReader *reader, GstBuffer **points, guint64 *n_points, GError **error)
{
  if (reader->search.no_memory) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for more than %u files in a buffer: "
        "send smaller buffers", reader->search.found->len);
    return ROBOCACHE_READ_REFUSED;
  }
  limit_to_file (reader);
  if (reader->state != ROBOCACHE_PCD_STATE_HEADER && reader->state != ROBOCACHE_PCD_STATE_ASCII)
    robocache_byte_input_unmap (reader->input);
  switch (reader->state) {
    case ROBOCACHE_PCD_STATE_HEADER:
      skip_padding (reader);
      return read_header (reader, error);
    case ROBOCACHE_PCD_STATE_SPLIT:
      return resume_header (reader, error);
    case ROBOCACHE_PCD_STATE_ASCII:
      return read_ascii (reader, points, n_points, error);
    case ROBOCACHE_PCD_STATE_BINARY:
      return read_binary (reader, points, n_points, error);
    case ROBOCACHE_PCD_STATE_SIZES:
      return read_sizes (reader, error);
    case ROBOCACHE_PCD_STATE_COMPRESSED:
      return read_compressed (reader, points, n_points, error);
    case ROBOCACHE_PCD_STATE_LOST:
      return skip_file (reader);
  }
  g_return_val_if_reached (ROBOCACHE_READ_MORE);
}
