/* robocache: metadata.yaml of a bag, through libyaml
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bagmetadata.h"

#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "common/mcap/read/source.h"

#define ROOT "rosbag2_bagfile_information"
/* A larger or deeper file is no metadata. */
#define MAX_SIZE (32 << 20)
#define MAX_DEPTH 32
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
    fail (error, GST_RESOURCE_ERROR_READ, path, "the key %s is missing, so this is not the metadata of a bag", ROOT);
  else if (!version_text || !g_ascii_string_to_signed (version_text, 10, 1, G_MAXINT, &version, NULL))
    fail (error, GST_RESOURCE_ERROR_READ, path, "version is missing or not a number");
  else if (!info->storage)
    fail (error, GST_RESOURCE_ERROR_READ, path, "storage_identifier is missing or not a string");
  else if (!read_paths (info, document, find (document, root, "relative_file_paths"), folder, version))
    fail (error, GST_RESOURCE_ERROR_READ, path, "relative_file_paths is missing or not a list of strings");
  else
    ok = info->paths[0] || fail (error, GST_RESOURCE_ERROR_READ, path, "relative_file_paths names no file");
  g_free (version_text);
  return ok;
}

/* ---- the file ---- */

typedef struct
{
  RobocacheMcapBuffer text;
  const gchar *folder, *path;
  gint *is_stopped;             /* NULL: never */
} MetadataFile;

static gboolean
fail_to_parse (const MetadataFile *file, const yaml_parser_t *parser, GError **error)
{
  return fail (error, GST_RESOURCE_ERROR_READ, file->path, "not YAML: line %" G_GSIZE_FORMAT ": %s", parser->problem_mark.line + 1,
      parser->problem ? parser->problem : "damaged");
}

/* How much deeper an event leads. */
static gint
step_of (yaml_event_type_t type)
{
  if (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
    return 1;
  return type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT ? -1 : 0;
}

static void
set_input (yaml_parser_t *parser, const MetadataFile *file)
{
  yaml_parser_initialize (parser);
  yaml_parser_set_input_string (parser, file->text.data ? file->text.data : (const guint8 *) "", file->text.size);
}

/* Before the whole is loaded: its time is more than linear in the depth. */
static gboolean
check_depth (const MetadataFile *file, GError **error)
{
  yaml_event_type_t type = YAML_NO_EVENT;
  yaml_parser_t parser;
  gboolean ok = TRUE;
  gint depth = 0;

  set_input (&parser, file);
  while (ok && type != YAML_STREAM_END_EVENT) {
    yaml_event_t event;

    if (file->is_stopped && g_atomic_int_get (file->is_stopped))
      ok = fail (error, GST_RESOURCE_ERROR_READ, file->path, "stopped");
    else if (!yaml_parser_parse (&parser, &event))
      ok = fail_to_parse (file, &parser, error);
    if (!ok)
      break;
    type = event.type;
    depth += step_of (type);
    yaml_event_delete (&event);
    if (depth > MAX_DEPTH)
      ok = fail (error, GST_RESOURCE_ERROR_READ, file->path, "nested deeper than %d", MAX_DEPTH);
  }
  yaml_parser_delete (&parser);
  return ok;
}

static gboolean
parse (RobocacheBagInfo *info, const MetadataFile *file, GError **error)
{
  yaml_document_t document;
  yaml_parser_t parser;
  gboolean ok = FALSE;

  if (!check_depth (file, error))
    return FALSE;
  set_input (&parser, file);
  if (!yaml_parser_load (&parser, &document)) {
    fail_to_parse (file, &parser, error);
  } else {
    ok = read_fields (info, &document, file->folder, file->path, error);
    yaml_document_delete (&document);
  }
  yaml_parser_delete (&parser);
  return ok;
}

static gboolean
load (MetadataFile *file, GError **error)
{
  GError *fault = NULL;
  const int fd = robocache_open_to_read (file->path, &fault);
  RobocacheMcapFileSource *source = fd >= 0 ? robocache_mcap_file_source_new (fd, file->path, file->is_stopped, &fault) : NULL;
  gboolean ok = FALSE;

  if (source && source->source.size > MAX_SIZE)
    fail (error, GST_RESOURCE_ERROR_READ, file->path, "too large for metadata");
  else if (source)
    ok = robocache_mcap_buffer_resize (&file->text, (gsize) source->source.size, error)
        && source->source.read (source, 0, file->text.size, file->text.data, error);
  else if (g_error_matches (fault, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND))
    fail (error, GST_RESOURCE_ERROR_NOT_FOUND, file->path, "No such file: the folder is not a bag, or its recorder was stopped: set "
        "location to one of its .mcap or .db3 files");
  else
    g_propagate_error (error, g_steal_pointer (&fault));
  g_clear_error (&fault);
  if (source)
    robocache_mcap_file_source_free (source);
  return ok;
}

gboolean
robocache_bag_info_read (RobocacheBagInfo *info, const gchar *folder, GError **error)
{
  return robocache_bag_info_read_until (info, folder, NULL, error);
}

gboolean
robocache_bag_info_read_until (RobocacheBagInfo *info, const gchar *folder, gint *is_stopped, GError **error)
{
  gchar *whole = g_canonicalize_filename (folder, NULL), *path = g_build_filename (folder, "metadata.yaml", NULL);
  MetadataFile file = { {NULL, 0, 0}, whole, path, is_stopped };
  gboolean ok;

  *info = (RobocacheBagInfo) { 0 };
  ok = load (&file, error) && parse (info, &file, error);
  if (!ok)
    robocache_bag_info_clear (info);
  robocache_mcap_buffer_clear (&file.text);
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
