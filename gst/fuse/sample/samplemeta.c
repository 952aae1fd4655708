/* robocache: the custom meta of a sample of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "samplemeta.h"

#include <string.h>

#include "robocache/robocache.h"

#define FIELDS 3                /* tick, streams and info, which every sample has */

/* Looks the meta up by its type, since a name takes a lock and a hash. */
static GstStructure *
structure_of (GstBuffer *sample)
{
  static gsize api = 0;

  if (g_once_init_enter (&api))
    g_once_init_leave (&api, gst_meta_get_info (ROBOCACHE_SAMPLE_META)->api);
  return gst_custom_meta_get_structure ((GstCustomMeta *) gst_buffer_get_meta (sample, (GType) api));
}

/* Takes bytes over. */
static void
put_info (GstStructure *structure, GBytes *bytes)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, bytes);
  gst_structure_take_value (structure, "info", &value);
}

void
fuse_sample_init (GstBuffer *sample, const gchar *streams, gint64 tick, gconstpointer info, gsize info_bytes)
{
  GstStructure *structure = gst_custom_meta_get_structure (gst_buffer_add_custom_meta (sample, ROBOCACHE_SAMPLE_META));

  gst_structure_set (structure, "tick", G_TYPE_INT64, tick, "streams", G_TYPE_STRING, streams, NULL);
  put_info (structure, g_bytes_new (info, info_bytes));
}

/* Bytes that nobody else holds are written again; others are copied. */
void
fuse_sample_update (GstBuffer *sample, gint64 tick, gconstpointer info)
{
  GstStructure *structure = structure_of (sample);
  GBytes *bytes = g_value_dup_boxed (gst_structure_get_value (structure, "info"));
  gsize size;
  gpointer data;

  gst_structure_set (structure, "tick", G_TYPE_INT64, tick, NULL);
  put_info (structure, NULL);
  data = g_bytes_unref_to_data (bytes, &size);
  memcpy (data, info, size);
  put_info (structure, g_bytes_new_take (data, size));
  if (gst_structure_n_fields (structure) > FIELDS)
    gst_structure_remove_field (structure, "references");
}

GBytes *
fuse_sample_info (GstBuffer *sample)
{
  GBytes *bytes = NULL;

  gst_structure_get (structure_of (sample), "info", G_TYPE_BYTES, &bytes, NULL);
  return bytes;
}

/* ---- what decided ---- */

/* Memory of bytes grows in steps, so that those of most samples fit into the memory of the one before. */
#define BYTES_STEP 1024

/* The memory of a field that nobody else holds is written again. */
static void
put_array (GstStructure *structure, const gchar *field, const GArray *array)
{
  const gsize size = (gsize) array->len * g_array_get_element_size ((GArray *) array);
  GValue value = G_VALUE_INIT;
  GBytes *before = NULL;
  gpointer data = NULL;
  gsize size_before;

  gst_structure_get (structure, field, G_TYPE_BYTES, &before, NULL);
  g_value_init (&value, G_TYPE_BYTES);
  gst_structure_set_value (structure, field, &value);
  if (before)
    data = g_bytes_unref_to_data (before, &size_before);
  data = g_realloc (data, (size / BYTES_STEP + 1) * BYTES_STEP);
  memcpy (data, array->data, size);
  g_value_take_boxed (&value, g_bytes_new_take (data, size));
  gst_structure_take_value (structure, field, &value);
}

static void
put_text (GstStructure *structure, const gchar *field, const gchar *text)
{
  if (g_strcmp0 (gst_structure_get_string (structure, field), text) != 0)
    gst_structure_set (structure, field, G_TYPE_STRING, text, NULL);
}

void
fuse_sample_set_decision (GstBuffer *sample, const FuseSampleDecision *decision)
{
  GstStructure *structure = structure_of (sample);

  if (decision) {
    gst_structure_set (structure, "decided", G_TYPE_INT64, decision->decided, "journal-start", G_TYPE_INT64,
        (gint64) decision->journal_start, NULL);
    put_array (structure, "taken", decision->taken);
    put_array (structure, "journal", decision->journal);
    put_text (structure, "journal-pads", decision->journal_pads);
  } else if (gst_structure_n_fields (structure) > FIELDS) {
    gst_structure_remove_fields (structure, "decided", "journal-start", "taken", "journal", "journal-pads", NULL);
  }
}

/* ---- reference timestamps ---- */

static void
append_reference (GstStructure *structure, const gchar *stream, const GstReferenceTimestampMeta *meta)
{
  const GValue *before = gst_structure_get_value (structure, "references");
  GValue list = G_VALUE_INIT, entry = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_ARRAY);
  if (before)
    g_value_copy (before, &list);
  g_value_init (&entry, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&entry, gst_structure_new ("reference", "stream", G_TYPE_STRING, stream, "reference", GST_TYPE_CAPS,
          meta->reference, "timestamp", G_TYPE_UINT64, meta->timestamp, "duration", G_TYPE_UINT64, meta->duration, NULL));
  gst_value_array_append_and_take_value (&list, &entry);
  gst_structure_take_value (structure, "references", &list);
}

void
fuse_sample_add_references (GstBuffer *sample, const gchar *stream, GstBuffer *frame)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (frame, &state, GST_REFERENCE_TIMESTAMP_META_API_TYPE)))
    append_reference (structure_of (sample), stream, (GstReferenceTimestampMeta *) meta);
}
