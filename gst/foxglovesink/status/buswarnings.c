/* robocache: warnings and errors of a pipeline, for people who connect later
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "buswarnings.h"

#include <string.h>

#include "structurejson.h"

#define MAX_WARNINGS 32

typedef struct
{
  GstStructure *fields;         /* level, source, text */
  guint64 count;
  gint64 time_us;               /* UTC of the last one */
} Warning;

/* Shared with the handler of the bus, which may run in any thread while the warnings are freed. */
typedef struct
{
  GMutex lock;
  GQueue list;                  /* Warning, the latest last; lock */
} Notes;

struct _RobocacheBusWarnings
{
  Notes *notes;
  GstBus *bus;                  /* NULL: the pipeline has none */
  gulong handler;
};

static void
warning_free (gpointer data)
{
  gst_structure_free (((Warning *) data)->fields);
  g_free (data);
}

static void
clear_notes (gpointer data)
{
  Notes *notes = data;

  g_queue_clear_full (&notes->list, warning_free);
  g_mutex_clear (&notes->lock);
}

static void
release_notes (gpointer notes, GClosure *closure)
{
  g_atomic_rc_box_release_full (notes, clear_notes);
}

/* Called with the lock. */
static Warning *
take_equal (Notes *notes, const GstStructure *fields)
{
  for (GList *item = notes->list.head; item; item = item->next) {
    Warning *warning = item->data;

    if (gst_structure_is_equal (warning->fields, fields)) {
      g_queue_delete_link (&notes->list, item);
      return warning;
    }
  }
  return NULL;
}

static void
note (Notes *notes, GstStructure *fields)
{
  Warning *warning;

  g_mutex_lock (&notes->lock);
  warning = take_equal (notes, fields);
  if (warning) {
    gst_structure_free (fields);
  } else {
    warning = g_new0 (Warning, 1);
    warning->fields = fields;
  }
  warning->count++;
  warning->time_us = g_get_real_time ();
  g_queue_push_tail (&notes->list, warning);
  if (notes->list.length > MAX_WARNINGS)
    warning_free (g_queue_pop_head (&notes->list));
  g_mutex_unlock (&notes->lock);
}

/* Free with g_free. A full disk has no property that makes it larger. Elements without files lack memory where there is no space left. */
static gchar *
text_of (GstMessage *message, const GError *error)
{
  gchar *text = g_utf8_make_valid (error->message, -1), *advice;

  if (!g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)
      || !g_object_class_find_property (G_OBJECT_GET_CLASS (GST_MESSAGE_SRC (message)), "location"))
    return text;
  advice = g_strdup_printf ("The disk is full: %s. Delete files, or set location of %s to another disk", text, GST_MESSAGE_SRC_NAME (message));
  g_free (text);
  return advice;
}

/* In the thread that posts the message. */
static void
on_message (GstBus *bus, GstMessage *message, gpointer notes)
{
  const gchar *level = gst_message_type_get_name (GST_MESSAGE_TYPE (message));
  GError *error = NULL;
  gchar *text;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO)
    gst_message_parse_info (message, &error, NULL);
  if (!error)
    return;
  text = text_of (message, error);
  note (notes, gst_structure_new ("warning", "level", G_TYPE_STRING, level, "source", G_TYPE_STRING,
          GST_MESSAGE_SRC_NAME (message), "text", G_TYPE_STRING, text, NULL));
  g_free (text);
  g_error_free (error);
}

RobocacheBusWarnings *
robocache_bus_warnings_new (GstElement *pipeline)
{
  RobocacheBusWarnings *warnings = g_new0 (RobocacheBusWarnings, 1);

  warnings->notes = g_atomic_rc_box_new0 (Notes);
  g_mutex_init (&warnings->notes->lock);
  g_queue_init (&warnings->notes->list);
  warnings->bus = gst_element_get_bus (pipeline);
  if (warnings->bus) {
    gst_bus_enable_sync_message_emission (warnings->bus);
    warnings->handler = g_signal_connect_data (warnings->bus, "sync-message", G_CALLBACK (on_message),
        g_atomic_rc_box_acquire (warnings->notes), release_notes, 0);
  }
  return warnings;
}

void
robocache_bus_warnings_free (RobocacheBusWarnings *warnings)
{
  if (warnings->bus) {
    g_signal_handler_disconnect (warnings->bus, warnings->handler);
    gst_bus_disable_sync_message_emission (warnings->bus);
    gst_object_unref (warnings->bus);
  }
  release_notes (warnings->notes, NULL);
  g_free (warnings);
}

void
robocache_bus_warnings_append (RobocacheBusWarnings *warnings, GString *json)
{
  g_mutex_lock (&warnings->notes->lock);
  for (GList *item = warnings->notes->list.head; item; item = item->next) {
    const Warning *warning = item->data;

    robocache_json_open (json, '{');
    robocache_json_append_fields (json, warning->fields, TRUE);
    g_string_append_printf (json, ",\"count\":%" G_GUINT64_FORMAT ",\"stamp\":{\"sec\":%" G_GINT64_FORMAT ",\"nsec\":%" G_GINT64_FORMAT "}}",
        warning->count, warning->time_us / G_USEC_PER_SEC, warning->time_us % G_USEC_PER_SEC * 1000);
  }
  g_mutex_unlock (&warnings->notes->lock);
}
