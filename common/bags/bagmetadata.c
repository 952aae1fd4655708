/* robocache: metadata.yaml of a bag, through libyaml
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bagmetadata.h"

#include <errno.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#define ROOT "rosbag2_bagfile_information"
/* A larger file is no metadata. */
#define MAX_SIZE (64 << 20)
/* Up to here the paths begin with the name of the folder. */
#define LAST_VERSION_WITH_FOLDER 3

static gboolean fail (GError **error, GstResourceError kind, const gchar *path, const gchar *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
fail (GError **error, GstResourceError kind, const gchar *path, const gchar *format, ...)
{
  va_list args;
  gchar *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, GST_RESOURCE_ERROR, kind, "%s: %s", path, text);
  g_free (text);
  return FALSE;
}

/* ---- nodes ---- */

static gboolean
is_text (const yaml_node_t *node, const gchar *text)
{
  return node && node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen (text)
      && memcmp (node->data.scalar.value, text, strlen (text)) == 0;
}

/* The value of a key; NULL: none, or no mapping. */
static yaml_node_t *
find (yaml_document_t *document, const yaml_node_t *mapping, const gchar *key)
{
  if (!mapping || mapping->type != YAML_MAPPING_NODE)
    return NULL;
  for (const yaml_node_pair_t * pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
    if (is_text (yaml_document_get_node (document, pair->key), key))
      return yaml_document_get_node (document, pair->value);
  }
  return NULL;
}

/* NULL: no text. */
static gchar *
text_of (const yaml_node_t *node)
{
  const gchar *text = node && node->type == YAML_SCALAR_NODE ? (const gchar *) node->data.scalar.value : NULL;

  return text && strlen (text) == node->data.scalar.length ? g_strdup (text) : NULL;
}

static gchar *
optional_text (yaml_document_t *document, const yaml_node_t *mapping, const gchar *key)
{
  gchar *text = text_of (find (document, mapping, key));

  /* YAML's words for nothing */
  if (text && !g_str_equal (text, "~") && g_ascii_strcasecmp (text, "null") != 0)
    return text;
  g_free (text);
  return g_strdup ("");
}

/* ---- fields ---- */

/* The path as rosbag2 takes it; it may be absolute. Takes the text. */
static gchar *
complete_path (const gchar *folder, gint64 version, gchar *relative)
{
  gchar *parent = version <= LAST_VERSION_WITH_FOLDER ? g_path_get_dirname (folder) : NULL;
  gchar *path = g_path_is_absolute (relative) ? g_strdup (relative) : g_build_filename (parent ? parent : folder, relative, NULL);

  g_free (parent);
  g_free (relative);
  return path;
}

static gboolean
read_paths (RobocacheBagInfo *info, yaml_document_t *document, const yaml_node_t *list, const gchar *folder, gint64 version)
{
  GPtrArray *paths = g_ptr_array_new ();
  gboolean ok = list && list->type == YAML_SEQUENCE_NODE;

  for (const yaml_node_item_t * item = ok ? list->data.sequence.items.start : NULL; ok && item < list->data.sequence.items.top; item++) {
    gchar *text = text_of (yaml_document_get_node (document, *item));

    ok = text && *text;
    if (ok)
      g_ptr_array_add (paths, complete_path (folder, version, text));
  }
  g_ptr_array_add (paths, NULL);
  info->paths = (gchar **) g_ptr_array_free (paths, FALSE);
  return ok;
}

static gboolean
read_fields (RobocacheBagInfo *info, yaml_document_t *document, const gchar *folder, const gchar *path, GError **error)
{
  const yaml_node_t *root = find (document, yaml_document_get_root_node (document), ROOT);
  gchar *version_text = text_of (find (document, root, "version"));
  gint64 version = 0;
  gboolean ok = FALSE;

  info->storage = text_of (find (document, root, "storage_identifier"));
  info->compression_format = optional_text (document, root, "compression_format");
  info->compression_mode = optional_text (document, root, "compression_mode");
  if (!root)
    fail (error, GST_RESOURCE_ERROR_READ, path, "it has no %s, so it is not of a bag", ROOT);
  else if (!version_text || !g_ascii_string_to_signed (version_text, 10, 1, G_MAXINT, &version, NULL))
    fail (error, GST_RESOURCE_ERROR_READ, path, "version is missing or no number");
  else if (!info->storage)
    fail (error, GST_RESOURCE_ERROR_READ, path, "storage_identifier is missing or no text");
  else if (!read_paths (info, document, find (document, root, "relative_file_paths"), folder, version))
    fail (error, GST_RESOURCE_ERROR_READ, path, "relative_file_paths is missing or no list of texts");
  else
    ok = info->paths[0] || fail (error, GST_RESOURCE_ERROR_READ, path, "relative_file_paths names no file");
  g_free (version_text);
  return ok;
}

/* ---- the file ---- */

static gboolean
parse (RobocacheBagInfo *info, const gchar *text, gsize size, const gchar *folder, const gchar *path, GError **error)
{
  yaml_document_t document;
  yaml_parser_t parser;
  gboolean ok = FALSE;

  yaml_parser_initialize (&parser);
  yaml_parser_set_input_string (&parser, (const guint8 *) text, size);
  if (!yaml_parser_load (&parser, &document)) {
    fail (error, GST_RESOURCE_ERROR_READ, path, "no YAML: line %" G_GSIZE_FORMAT ": %s", parser.problem_mark.line + 1,
        parser.problem ? parser.problem : "damaged");
  } else {
    ok = read_fields (info, &document, folder, path, error);
    yaml_document_delete (&document);
  }
  yaml_parser_delete (&parser);
  return ok;
}

/* NULL and an error. */
static gchar *
load (const gchar *path, gsize *size, GError **error)
{
  GError *fault = NULL;
  gchar *text;

  if (g_file_get_contents (path, &text, size, &fault) && *size <= MAX_SIZE)
    return text;
  if (!fault)
    fail (error, GST_RESOURCE_ERROR_READ, path, "too large for metadata");
  else if (g_error_matches (fault, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    fail (error, GST_RESOURCE_ERROR_NOT_FOUND, path, "No such file: the folder is no bag, or its recorder was stopped: set "
        "location to one of its .mcap or .db3 files");
  else
    fail (error, GST_RESOURCE_ERROR_READ, path, "%s", fault->message);
  if (!fault)
    g_free (text);
  g_clear_error (&fault);
  return NULL;
}

gboolean
robocache_bag_info_read (RobocacheBagInfo *info, const gchar *folder, GError **error)
{
  gchar *whole = g_canonicalize_filename (folder, NULL), *path = g_build_filename (folder, "metadata.yaml", NULL);
  gsize size;
  gchar *text = load (path, &size, error);
  gboolean ok;

  *info = (RobocacheBagInfo) { 0 };
  ok = text && parse (info, text, size, whole, path, error);
  if (!ok)
    robocache_bag_info_clear (info);
  g_free (text);
  g_free (path);
  g_free (whole);
  return ok;
}

void
robocache_bag_info_clear (RobocacheBagInfo *info)
{
  g_clear_pointer (&info->storage, g_free);
  g_clear_pointer (&info->compression_format, g_free);
  g_clear_pointer (&info->compression_mode, g_free);
  g_clear_pointer (&info->paths, g_strfreev);
}
