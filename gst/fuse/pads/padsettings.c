/* robocache: settings of pads as one property of robocachefuse, for pads that exist and those to come
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "padsettings.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/text/settingtext.h"
#include "gst/fuse/debug.h"

#define EXAMPLE "proprio_0,interpolation=cubic,max-gap=100ms; force_0,required=true"

/* Of one pad. */
typedef struct
{
  GstStructure *values;         /* its name, and values of the types of its properties */
  gboolean is_used;             /* there was such a pad; guarded by the lock of the element */
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  gst_structure_free (entry->values);
  g_free (entry);
}

static Entry *
find_entry (GPtrArray *entries, const gchar *name)
{
  for (guint i = 0; entries && i < entries->len; i++) {
    Entry *entry = g_ptr_array_index (entries, i);

    if (g_str_equal (gst_structure_get_name (entry->values), name))
      return entry;
  }
  return NULL;
}

/* ---- from text ---- */

/* A setting as it is written. */
typedef struct
{
  gchar *name, *value;
} Setting;

static void
setting_free (gpointer data)
{
  Setting *setting = data;

  g_free (setting->name);
  g_free (setting->value);
  g_free (setting);
}

static void
skip_blanks (const gchar **cursor)
{
  while (g_ascii_isspace (**cursor))
    (*cursor)++;
}

/* Up to one of the delimiters, without blanks around. */
static gchar *
read_word (const gchar **cursor, const gchar *delimiters)
{
  const gsize length = strcspn (*cursor, delimiters);
  gchar *word = g_strstrip (g_strndup (*cursor, length));

  *cursor += length;
  return word;
}

/* From behind a quotation mark to the next; a backslash takes the character after it as it is. */
static gchar *
read_quoted (const gchar **cursor)
{
  GString *value = g_string_new (NULL);

  while (**cursor && **cursor != '"') {
    if (**cursor == '\\' && (*cursor)[1])
      (*cursor)++;
    g_string_append_c (value, *(*cursor)++);
  }
  *cursor += **cursor == '"';
  skip_blanks (cursor);
  return g_string_free (value, FALSE);
}

/* As in a GstStructure, a type may be before it: the property has its own. */
static gchar *
read_value (const gchar **cursor)
{
  skip_blanks (cursor);
  if (**cursor == '(')
    *cursor += strcspn (*cursor, ")") + (strchr (*cursor, ')') != NULL);
  skip_blanks (cursor);
  if (**cursor != '"')
    return read_word (cursor, ",;");
  (*cursor)++;
  return read_quoted (cursor);
}

static void
append_to_last (GPtrArray *settings, const gchar *more)
{
  Setting *last = g_ptr_array_index (settings, settings->len - 1);
  gchar *longer = g_strconcat (last->value, ",", more, NULL);

  g_free (last->value);
  last->value = longer;
}

/* NAME=VALUE, or the next item of a list: quaternions=3,7. FALSE: neither. */
static gboolean
read_setting (GPtrArray *settings, const gchar **cursor)
{
  gchar *name = read_word (cursor, "=,;");
  Setting *setting;

  if (**cursor == '=') {
    (*cursor)++;
    setting = g_new0 (Setting, 1);
    setting->name = name;
    setting->value = read_value (cursor);
    g_ptr_array_add (settings, setting);
    return *name != '\0' && strchr (",;", **cursor) != NULL;
  }
  if (settings->len > 0)
    append_to_last (settings, name);
  g_free (name);
  return settings->len > 0;
}

/* ---- values of properties ---- */

static gboolean
is_setting (const GParamSpec *pspec)
{
  return (pspec->flags & G_PARAM_WRITABLE) && g_type_is_a (pspec->owner_type, GST_TYPE_ROBOCACHE_FUSE_PAD);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(GParamSpec *const *) a)->name, (*(GParamSpec *const *) b)->name);
}

static void
say_no_setting (GObjectClass *type, const gchar *name, GError **error)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (type, &n);
  GString *names = g_string_new (NULL);

  qsort (pspecs, n, sizeof (*pspecs), compare_names);
  for (guint i = 0; i < n; i++) {
    if (is_setting (pspecs[i]))
      g_string_append_printf (names, names->len > 0 ? ", %s" : "%s", pspecs[i]->name);
  }
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "there is no setting \"%s\"; the settings are %s",
      name, names->str);
  g_string_free (names, TRUE);
  g_free (pspecs);
}

static gboolean
add_value (GstStructure *values, GObjectClass *type, const Setting *setting, GError **error)
{
  GParamSpec *pspec = g_object_class_find_property (type, setting->name);
  GValue value = G_VALUE_INIT;
  gboolean ok;

  if (pspec == NULL || !is_setting (pspec)) {
    say_no_setting (type, setting->name, error);
    return FALSE;
  }
  if (!robocache_setting_from_text (pspec, setting->value, &value, error))
    return FALSE;
  ok = gst_robocache_fuse_pad_check_setting (pspec, &value, error);
  gst_structure_take_value (values, pspec->name, &value);
  return ok;
}

/* A structure of that name with the values of the settings. NULL and an error: it is no pad's, or one is no setting of a pad. */
static GstStructure *
make_values (const gchar *name, GPtrArray *settings, GError **error)
{
  GstRobocacheFuseRole role;
  GstStructure *values;
  GObjectClass *type;
  gboolean ok = TRUE;
  guint number;

  if (!gst_robocache_fuse_pad_parse_name (name, &role, &number)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "\"%s\" is not the name of a pad: expected camera_N, "
        "proprio_N, force_N or sink_N", name);
    return NULL;
  }
  values = gst_structure_new_empty (name);
  type = g_type_class_ref (gst_robocache_fuse_pad_type (role));
  for (guint i = 0; ok && i < settings->len; i++)
    ok = add_value (values, type, g_ptr_array_index (settings, i), error);
  g_type_class_unref (type);
  if (!ok) {
    g_prefix_error (error, "%s: ", name);
    g_clear_pointer (&values, gst_structure_free);
  }
  return values;
}

static gboolean
add_entry (GPtrArray *entries, const gchar *name, GPtrArray *settings, GError **error)
{
  GstStructure *values;
  Entry *entry;

  if (find_entry (entries, name)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s has two entries", name);
    return FALSE;
  }
  values = make_values (name, settings, error);
  if (values == NULL)
    return FALSE;
  entry = g_new0 (Entry, 1);
  entry->values = values;
  g_ptr_array_add (entries, entry);
  return TRUE;
}

/* Reads one entry, and moves past it. */
static gboolean
read_entry (GPtrArray *entries, const gchar **cursor, GError **error)
{
  const gchar *begin = *cursor;
  GPtrArray *settings = g_ptr_array_new_with_free_func (setting_free);
  gchar *name = read_word (cursor, ",;");
  gboolean ok = TRUE;

  while (ok && **cursor == ',') {
    (*cursor)++;
    ok = read_setting (settings, cursor);
  }
  if (ok)
    ok = add_entry (entries, name, settings, error);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "\"%s\" cannot be read: expected entries like \"" EXAMPLE "\"",
        begin);
  *cursor += **cursor == ';';
  skip_blanks (cursor);
  g_ptr_array_unref (settings);
  g_free (name);
  return ok;
}

/* An array of Entry; NULL and an error. */
static GPtrArray *
read_entries (const gchar *text, GError **error)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);
  const gchar *cursor = text ? text : "";
  gboolean ok = g_utf8_validate (cursor, -1, NULL);

  if (!ok)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the text is not UTF-8");
  skip_blanks (&cursor);
  while (ok && *cursor)
    ok = read_entry (entries, &cursor, error);
  if (!ok) {
    g_prefix_error (error, "pads: ");
    g_clear_pointer (&entries, g_ptr_array_unref);
  }
  return entries;
}

/* ---- to pads ---- */

static gboolean
set_value (GQuark field, const GValue *value, gpointer pad)
{
  g_object_set_property (pad, g_quark_to_string (field), value);
  return TRUE;
}

/* The entry of a pad, which is used from now on; NULL: it has none. Called with the lock. */
static Entry *
use_entry (GPtrArray *entries, GstRobocacheFusePad *pad)
{
  Entry *entry = find_entry (entries, GST_OBJECT_NAME (pad));

  if (entry)
    GST_DEBUG_OBJECT (pad, "has settings in pads: %" GST_PTR_FORMAT, entry->values);
  if (entry)
    entry->is_used = TRUE;
  return entry;
}

static void
apply_to_pads (GstRobocacheFuse *fuse, GPtrArray *entries)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);

  for (guint i = 0; i < pads->len; i++) {
    const Entry *entry;

    FUSE_LOCK (fuse);
    entry = use_entry (entries, g_ptr_array_index (pads, i));
    FUSE_UNLOCK (fuse);
    if (entry)
      gst_structure_foreach (entry->values, set_value, g_ptr_array_index (pads, i));
  }
  g_ptr_array_unref (pads);
}

/* Takes entries over. */
static void
put_into_force (GstRobocacheFuse *fuse, GPtrArray *entries)
{
  GPtrArray *before;

  FUSE_LOCK (fuse);
  before = fuse->pad_settings;
  fuse->pad_settings = g_ptr_array_ref (entries);
  FUSE_UNLOCK (fuse);
  g_clear_pointer (&before, g_ptr_array_unref);
  apply_to_pads (fuse, entries);
  g_ptr_array_unref (entries);
}

/* Pads of a run before do not count. Called with the lock. */
static void
note_pads (GstRobocacheFuse *fuse)
{
  for (guint i = 0; fuse->pad_settings && i < fuse->pad_settings->len; i++)
    ((Entry *) g_ptr_array_index (fuse->pad_settings, i))->is_used = FALSE;
  for (guint i = 0; fuse->pad_settings && i < fuse->pads->len; i++)
    use_entry (fuse->pad_settings, gst_robocache_fuse_nth_pad (fuse, i));
}

/* ---- of the element ---- */

void
gst_robocache_fuse_set_pad_settings (GstRobocacheFuse *fuse, const gchar *text)
{
  GError *error = NULL, *error_before;
  GPtrArray *entries = read_entries (text, &error), *before;

  FUSE_LOCK (fuse);
  error_before = fuse->pad_settings_error;
  before = fuse->next_pad_settings;
  fuse->pad_settings_error = error;
  fuse->next_pad_settings = fuse->is_started ? g_steal_pointer (&entries) : NULL;
  FUSE_UNLOCK (fuse);
  g_clear_error (&error_before);
  g_clear_pointer (&before, g_ptr_array_unref);
  if (entries)
    put_into_force (fuse, entries);
}

gboolean
gst_robocache_fuse_start_pad_settings (GstRobocacheFuse *fuse, GError **error)
{
  GPtrArray *entries;
  gboolean ok;

  FUSE_LOCK (fuse);
  ok = fuse->pad_settings_error == NULL;
  if (!ok)
    g_propagate_error (error, g_error_copy (fuse->pad_settings_error));
  entries = g_steal_pointer (&fuse->next_pad_settings);
  FUSE_UNLOCK (fuse);
  if (entries)
    put_into_force (fuse, entries);
  FUSE_LOCK (fuse);
  note_pads (fuse);
  FUSE_UNLOCK (fuse);
  return ok;
}

void
gst_robocache_fuse_apply_pad_settings (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  const Entry *entry = use_entry (fuse->pad_settings, pad);

  if (entry)
    gst_structure_foreach (entry->values, set_value, pad);
}

guint
gst_robocache_fuse_n_unused_pad_settings (GstRobocacheFuse *fuse)
{
  guint n = 0;

  for (guint i = 0; fuse->pad_settings && i < fuse->pad_settings->len; i++)
    n += !((const Entry *) g_ptr_array_index (fuse->pad_settings, i))->is_used;
  return n;
}

gchar *
gst_robocache_fuse_unused_pad_settings (GstRobocacheFuse *fuse)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; fuse->pad_settings && i < fuse->pad_settings->len; i++) {
    const Entry *entry = g_ptr_array_index (fuse->pad_settings, i);

    if (!entry->is_used)
      g_string_append_printf (names, names->len > 0 ? ", %s" : "%s", gst_structure_get_name (entry->values));
  }
  return g_string_free (names, names->len == 0);
}

void
gst_robocache_fuse_clear_pad_settings (GstRobocacheFuse *fuse)
{
  g_clear_pointer (&fuse->pad_settings, g_ptr_array_unref);
  g_clear_pointer (&fuse->next_pad_settings, g_ptr_array_unref);
  g_clear_error (&fuse->pad_settings_error);
  g_clear_pointer (&fuse->pads_text, g_free);
}
