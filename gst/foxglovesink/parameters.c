/* robocache: settings that viewers may change
 *
 * They are the properties that a robocachefuse takes while it plays. It puts each change into the settings event of its samples, which
 * recordings have.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parameters.h"

#include "common/ros/encodings/jsontext.h"
#include "status/pipeline.h"

static const gchar *const of_elements[] = { "latency", NULL };
static const gchar *const of_pads[] = { "offset", "max-gap", NULL };

/* Called for each parameter. TRUE: go on. */
typedef gboolean (*Visit) (gpointer data, GObject * object, const gchar * property, const gchar * name);

static gboolean
visit_properties (GObject *object, const gchar *prefix, const gchar *const *properties, Visit visit, gpointer data)
{
  gboolean goes_on = TRUE;

  for (; goes_on && *properties; properties++) {
    gchar *name = g_strconcat (prefix, ".", *properties, NULL);

    goes_on = visit (data, object, *properties, name);
    g_free (name);
  }
  return goes_on;
}

static gboolean
add_pad (GstElement *element, GstPad *pad, gpointer pads)
{
  g_ptr_array_add (pads, gst_object_ref (pad));
  return TRUE;
}

static gboolean
visit_pads (GstElement *fuse, Visit visit, gpointer data)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);
  gboolean goes_on = TRUE;

  gst_element_foreach_sink_pad (fuse, add_pad, pads);
  for (guint i = 0; goes_on && i < pads->len; i++) {
    gchar *prefix = g_strconcat (GST_OBJECT_NAME (fuse), ".", GST_OBJECT_NAME (pads->pdata[i]), NULL);

    goes_on = visit_properties (pads->pdata[i], prefix, of_pads, visit, data);
    g_free (prefix);
  }
  g_ptr_array_unref (pads);
  return goes_on;
}

static void
visit_all (GstElement *sink, Visit visit, gpointer data)
{
  GPtrArray *fuses = robocache_pipeline_list (sink, "robocachefuse");
  gboolean goes_on = TRUE;

  for (guint i = 0; goes_on && i < fuses->len; i++)
    goes_on = visit_properties (fuses->pdata[i], GST_OBJECT_NAME (fuses->pdata[i]), of_elements, visit, data)
        && visit_pads (fuses->pdata[i], visit, data);
  g_ptr_array_unref (fuses);
}

/* ---- values ---- */

/* All are integers of 64 bits. */
static gchar *
value_text (GObject *object, const gchar *property)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (object, property, &value);
  text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static void
parameter_free (gpointer data)
{
  RobocacheViewParameter *parameter = data;

  g_free (parameter->name);
  g_free (parameter->value);
  g_free (parameter);
}

static gboolean
append (gpointer list, GObject *object, const gchar *property, const gchar *name)
{
  RobocacheViewParameter *parameter = g_new (RobocacheViewParameter, 1);

  *parameter = (RobocacheViewParameter) { g_strdup (name), value_text (object, property) };
  g_ptr_array_add (list, parameter);
  return TRUE;
}

GPtrArray *
robocache_foxglove_parameters_list (GstElement *sink)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (parameter_free);

  visit_all (sink, append, list);
  return list;
}

/* ---- changes ---- */

typedef struct
{
  GstElement *sink;
  const gchar *name, *json;
  gchar *fault;
  gboolean is_found;
} Change;

/* Free with g_free; NULL: it is valid. */
static gchar *
set_integer (GObject *object, const gchar *property, const gchar *json)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), property);
  const gboolean is_unsigned = pspec->value_type == G_TYPE_UINT64;
  const gint64 min = is_unsigned ? 0 : ((GParamSpecInt64 *) pspec)->minimum, max = is_unsigned ? G_MAXINT64 : ((GParamSpecInt64 *) pspec)->maximum;
  const RobocacheJsonValue value = { json, strlen (json) };
  gint64 number;

  if (!robocache_json_get_integer (value, &number) || number < min || number > max)
    return g_strdup_printf ("%s is not an integer of at least %" G_GINT64_FORMAT ", in ns", json, min);
  if (is_unsigned)
    g_object_set (object, property, (guint64) number, NULL);
  else
    g_object_set (object, property, number, NULL);
  return NULL;
}

static gboolean
change (gpointer data, GObject *object, const gchar *property, const gchar *name)
{
  Change *self = data;
  gchar *before, *after;

  if (!g_str_equal (name, self->name))
    return TRUE;
  self->is_found = TRUE;
  before = value_text (object, property);
  self->fault = set_integer (object, property, self->json);
  after = value_text (object, property);
  if (!self->fault)
    GST_ELEMENT_INFO (self->sink, LIBRARY, SETTINGS, ("a viewer has set %s from %s to %s", name, before, after), (NULL));
  g_free (before);
  g_free (after);
  return FALSE;
}

gchar *
robocache_foxglove_parameters_set (GstElement *sink, const gchar *name, const gchar *json)
{
  Change self = { sink, name, json, NULL, FALSE };

  visit_all (sink, change, &self);
  return self.is_found ? self.fault : g_strdup ("there is no such parameter");
}
