/* robocache: PLY files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointfile.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/element/errors.h"
#include "gst/parse/table/csvrecord.h"
#include "pcddata.h"

#define MAX_HEADER_BYTES 65536
#define MAX_PROPERTIES 1024

void
robocache_point_file_clear (RobocachePointFile *file)
{
  if (file->fields.fields)
    robocache_point_fields_clear (&file->fields);
  g_free (file->points);
}

/* ---- the header ---- */

typedef enum
{
  ASCII,
  LITTLE_ENDIAN_BINARY,
  BIG_ENDIAN_BINARY
} Encoding;

/* A property; of a list, count is the type of its length. */
typedef struct
{
  RcDtype dtype, count;
  gboolean is_list;
  gchar *name;
} Property;

typedef struct
{
  gchar *name;
  guint64 n;
  GArray *properties;           /* Property */
} Element;

typedef struct
{
  const guint8 *bytes, *end;    /* of what is left */
  guint line;
  Encoding encoding;
  gboolean has_encoding;
  GArray *elements;             /* Element */
} Ply;

static gboolean
refuse (GError **error, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error)
    *error = g_error_new_valist (ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, format, args);
  va_end (args);
  return FALSE;
}

static void
clear_property (gpointer property)
{
  g_free (((Property *) property)->name);
}

static void
clear_element (gpointer element)
{
  g_free (((Element *) element)->name);
  g_array_unref (((Element *) element)->properties);
}

/* The next line without its end, LF or CRLF; NULL: nothing is left. */
static gchar *
next_line (Ply *ply)
{
  const gsize left = (gsize) (ply->end - ply->bytes);
  const guint8 *end = memchr (ply->bytes, '\n', left);
  gsize n = end ? (gsize) (end - ply->bytes) : left;
  gchar *line;

  if (left == 0)
    return NULL;
  line = g_strndup ((const gchar *) ply->bytes, n);
  ply->bytes += n + (end != NULL);
  ply->line++;
  g_strchomp (line);
  return line;
}

static gboolean
find_dtype (const gchar *name, RcDtype *dtype)
{
  static const struct
  {
    const gchar *names[2];
    RcDtype dtype;
  } types[] = { {{"char", "int8"}, RC_INT8}, {{"uchar", "uint8"}, RC_UINT8}, {{"short", "int16"}, RC_INT16}, {{"ushort", "uint16"}, RC_UINT16},
  {{"int", "int32"}, RC_INT32}, {{"uint", "uint32"}, RC_UINT32}, {{"float", "float32"}, RC_FLOAT32}, {{"double", "float64"}, RC_FLOAT64}
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (g_str_equal (name, types[i].names[0]) || g_str_equal (name, types[i].names[1])) {
      *dtype = types[i].dtype;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
read_format (Ply *ply, gchar **words, guint n, GError **error)
{
  static const gchar *const names[] = { [ASCII] = "ascii",[LITTLE_ENDIAN_BINARY] = "binary_little_endian",[BIG_ENDIAN_BINARY] = "binary_big_endian" };

  for (guint i = 0; n == 3 && g_str_equal (words[2], "1.0") && i < G_N_ELEMENTS (names); i++) {
    if (g_str_equal (words[1], names[i])) {
      ply->encoding = (Encoding) i;
      ply->has_encoding = TRUE;
      return TRUE;
    }
  }
  return refuse (error, "line %u: expected \"format ascii 1.0\", or binary_little_endian or binary_big_endian", ply->line);
}

static gboolean
read_element (Ply *ply, gchar **words, guint n, GError **error)
{
  Element element = { 0 };

  if (n != 3 || !g_ascii_string_to_unsigned (words[2], 10, 0, G_MAXINT64, &element.n, NULL))
    return refuse (error, "line %u: expected \"element NAME NUMBER\"", ply->line);
  element.name = g_strdup (words[1]);
  element.properties = g_array_new (FALSE, FALSE, sizeof (Property));
  g_array_set_clear_func (element.properties, clear_property);
  g_array_append_val (ply->elements, element);
  return TRUE;
}

static gboolean
read_property (Ply *ply, gchar **words, guint n, GError **error)
{
  Element *element = ply->elements->len > 0 ? &g_array_index (ply->elements, Element, ply->elements->len - 1) : NULL;
  Property property = {.is_list = n == 5 && g_str_equal (words[1], "list") };
  gboolean ok = element && element->properties->len < MAX_PROPERTIES && (property.is_list || n == 3);

  ok = ok && find_dtype (words[property.is_list ? 3 : 1], &property.dtype);
  ok = ok && (!property.is_list || (find_dtype (words[2], &property.count) && !rc_dtype_is_float (property.count)));
  if (!ok)
    return refuse (error, "line %u: expected \"property TYPE NAME\" or \"property list TYPE TYPE NAME\" after an element, with "
        "types like float or uchar", ply->line);
  property.name = g_strdup (words[n - 1]);
  g_array_append_val (element->properties, property);
  return TRUE;
}

static gboolean
read_header_line (Ply *ply, const gchar *line, gboolean *is_last, GError **error)
{
  gchar **words = g_strsplit_set (line, " \t", -1);
  guint n = 0;
  gboolean ok;

  for (guint i = 0; words[i]; i++) {
    if (*words[i])
      words[n++] = words[i];
    else
      g_free (words[i]);
  }
  words[n] = NULL;
  *is_last = n == 1 && g_str_equal (words[0], "end_header");
  if (n == 0 || *is_last || g_str_equal (words[0], "comment") || g_str_equal (words[0], "obj_info"))
    ok = TRUE;
  else if (g_str_equal (words[0], "format"))
    ok = read_format (ply, words, n, error);
  else if (g_str_equal (words[0], "element"))
    ok = read_element (ply, words, n, error);
  else
    ok = g_str_equal (words[0], "property") ? read_property (ply, words, n, error)
        : refuse (error, "line %u begins with \"%.60s\", expected a line of a PLY header", ply->line, words[0]);
  g_strfreev (words);
  return ok;
}

static gboolean
read_header (Ply *ply, GError **error)
{
  const guint8 *begin = ply->bytes;
  gchar *line = next_line (ply);
  gboolean ok = line && g_str_equal (line, "ply"), is_last = FALSE;

  g_free (line);
  if (!ok)
    return refuse (error, "the first line is not \"ply\", expected a PLY file");
  while (ok && !is_last) {
    const gsize left = MIN ((gsize) (ply->end - ply->bytes), MAX_HEADER_BYTES);

    /* a line of any length would be split into as many words */
    line = ply->bytes - begin < MAX_HEADER_BYTES && memchr (ply->bytes, '\n', left) ? next_line (ply) : NULL;
    ok = line ? read_header_line (ply, line, &is_last, error) : refuse (error, "the header ends after line %u, before end_header", ply->line);
    g_free (line);
  }
  return ok && (ply->has_encoding || refuse (error, "the header has no line that begins with format"));
}

/* ---- elements before the points ---- */

static guint64
read_count (const Ply *ply, const guint8 *bytes, RcDtype dtype)
{
  const gsize size = rc_dtype_size (dtype);
  guint64 value = 0;

  for (gsize i = 0; i < size; i++)
    value = value << 8 | bytes[ply->encoding == BIG_ENDIAN_BINARY ? i : size - 1 - i];
  return value;
}

/* Bytes of a property from here on; G_MAXUINT64: they are not there. */
static guint64
size_of (const Ply *ply, const Property *property)
{
  const guint64 left = (guint64) (ply->end - ply->bytes), size = rc_dtype_size (property->dtype);
  guint64 count_size, count;

  if (!property->is_list)
    return size;
  count_size = rc_dtype_size (property->count);
  if (count_size > left)
    return G_MAXUINT64;
  count = read_count (ply, ply->bytes, property->count);
  return count > left / size ? G_MAXUINT64 : count_size + count * size;
}

static gboolean
cut_off (const Element *element, GError **error)
{
  return refuse (error, "the file ends before the last of its %" G_GUINT64_FORMAT " \"%.60s\" elements", element->n, element->name);
}

static gboolean
skip_element (Ply *ply, const Element *element, GError **error)
{
  for (guint64 i = 0; i < element->n; i++) {
    if (ply->encoding == ASCII) {
      gchar *line = next_line (ply);

      if (!line)
        return cut_off (element, error);
      i -= *line == '\0';
      g_free (line);
      continue;
    }
    if (element->properties->len == 0)
      return TRUE;
    for (guint k = 0; k < element->properties->len; k++) {
      const guint64 size = size_of (ply, &g_array_index (element->properties, Property, k));

      if (size > (guint64) (ply->end - ply->bytes))
        return cut_off (element, error);
      ply->bytes += size;
    }
  }
  return TRUE;
}

/* ---- points ---- */

static gboolean
choose_fields (RobocachePointFile *file, const Element *vertices, GError **error)
{
  robocache_point_fields_init (&file->fields);
  for (guint i = 0; i < vertices->properties->len; i++) {
    const Property *property = &g_array_index (vertices->properties, Property, i);

    if (property->is_list)
      return refuse (error, "property \"%.60s\" of element vertex is a list, expected numbers", property->name);
    robocache_point_fields_append (&file->fields, property->name, property->dtype);
  }
  return robocache_point_fields_check (&file->fields, error);
}

static void
copy_points (const Ply *ply, const RobocachePointFile *file)
{
  const gboolean swaps = (ply->encoding == BIG_ENDIAN_BINARY) != (G_BYTE_ORDER == G_BIG_ENDIAN);
  const gsize step = file->fields.point_step;

  memcpy (file->points, ply->bytes, file->n_points * step);
  for (guint i = 0; swaps && i < file->fields.fields->len; i++) {
    const RobocachePointField *field = &g_array_index (file->fields.fields, RobocachePointField, i);
    const gsize size = rc_dtype_size (field->dtype);

    for (guint64 k = 0; k < file->n_points; k++) {
      guint8 *value = file->points + k * step + field->offset;

      for (gsize b = 0; b < size / 2; b++) {
        const guint8 byte = value[b];

        value[b] = value[size - 1 - b];
        value[size - 1 - b] = byte;
      }
    }
  }
}

static gboolean
read_text_point (const Ply *ply, const RobocachePointFile *file, gchar *line, GPtrArray *words, guint8 *to, GError **error)
{
  if (!robocache_csv_split (line, strlen (line), ' ', words, NULL) || words->len != file->fields.fields->len)
    return refuse (error, "line %u has %u numbers, expected %u", ply->line, words->len, file->fields.fields->len);
  for (guint i = 0; i < words->len; i++) {
    const RobocachePointField *field = &g_array_index (file->fields.fields, RobocachePointField, i);

    if (!robocache_pcd_read_number (g_ptr_array_index (words, i), field->dtype, to + field->offset))
      return refuse (error, "line %u, column %u: \"%.60s\" is not a valid %s", ply->line, i, (const gchar *) g_ptr_array_index (words, i),
          rc_dtype_name (field->dtype));
  }
  return TRUE;
}

static gboolean
read_text_points (Ply *ply, const RobocachePointFile *file, const Element *vertices, GError **error)
{
  GPtrArray *words = g_ptr_array_new ();
  gboolean ok = TRUE;

  for (guint64 k = 0; ok && k < file->n_points;) {
    gchar *line = next_line (ply);

    if (!line)
      ok = cut_off (vertices, error);
    else if (line[strspn (line, " \t")] != '\0')
      ok = read_text_point (ply, file, line, words, file->points + k++ * file->fields.point_step, error);
    g_free (line);
  }
  g_ptr_array_unref (words);
  return ok;
}

static gboolean
read_points (Ply *ply, RobocachePointFile *file, const Element *vertices, GError **error)
{
  const guint64 left = (guint64) (ply->end - ply->bytes);
  guint64 least;

  if (!choose_fields (file, vertices, error))
    return FALSE;
  /* a digit and what parts it from the next, but for the last one */
  least = ply->encoding == ASCII ? 2 * file->fields.fields->len : file->fields.point_step;
  if (vertices->n > (left + 1) / least || (ply->encoding != ASCII && vertices->n * least > left))
    return cut_off (vertices, error);
  file->n_points = vertices->n;
  if (file->n_points == 0)
    return TRUE;
  file->points = robocache_try_malloc (file->n_points * file->fields.point_step, "points", error);
  if (!file->points)
    return FALSE;
  if (ply->encoding == ASCII)
    return read_text_points (ply, file, vertices, error);
  copy_points (ply, file);
  return TRUE;
}

gboolean
robocache_ply_decode (RobocachePointFile *file, const guint8 *bytes, gsize n, GError **error)
{
  Ply ply = {.bytes = bytes,.end = bytes + n,.elements = g_array_new (FALSE, FALSE, sizeof (Element)) };
  gboolean ok, has_points = FALSE;

  g_array_set_clear_func (ply.elements, clear_element);
  ok = read_header (&ply, error);
  for (guint i = 0; ok && !has_points && i < ply.elements->len; i++) {
    const Element *element = &g_array_index (ply.elements, Element, i);

    has_points = g_str_equal (element->name, "vertex");
    ok = has_points ? read_points (&ply, file, element, error) : skip_element (&ply, element, error);
  }
  if (ok && !has_points)
    ok = refuse (error, "the file has no element vertex");
  g_array_unref (ply.elements);
  return ok;
}
