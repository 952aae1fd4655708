/* robocache: the fields of a point, as the properties layout and channels describe them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointlayouts.h"

#include "common/element/errors.h"
#include "gst/parse/records/binaryrecord.h"

static RcDtype
dtype_of_layout_type (gchar type)
{
  static const struct
  {
    gchar type;
    RcDtype dtype;
  } dtypes[] = { {'?', RC_UINT8}, {'b', RC_INT8}, {'B', RC_UINT8}, {'h', RC_INT16}, {'H', RC_UINT16}, {'i', RC_INT32},
  {'I', RC_UINT32}, {'q', RC_INT64}, {'Q', RC_UINT64}, {'e', RC_FLOAT16}, {'f', RC_FLOAT32}, {'d', RC_FLOAT64}
  };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++) {
    if (dtypes[i].type == type)
      return dtypes[i].dtype;
  }
  g_return_val_if_reached (RC_N_DTYPES);
}

static gboolean
name_fields (RobocachePointFields *fields, const RobocacheRecordFormat *layout, gchar **names, const gchar *string,
    GError **error)
{
  const guint n_names = g_strv_length (names);

  if (layout->swap) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "layout=\"%s\" has another byte order than this machine, "
        "but points are sent as stored: expected a layout that begins with =", string);
    return FALSE;
  }
  if (n_names != layout->n_fields) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "layout=\"%s\" has %u numbers, but channels names %u: expected a name for each, like channels=x,y,z", string,
        layout->n_fields, n_names);
    return FALSE;
  }
  for (guint i = 0; i < n_names; i++) {
    fields->point_step = layout->fields[i].offset;
    robocache_point_fields_append (fields, g_strstrip (names[i]), dtype_of_layout_type (layout->fields[i].type));
  }
  fields->point_step = layout->size;
  return robocache_point_fields_check (fields, error);
}

gboolean
robocache_point_fields_from_layout (RobocachePointFields *fields, const gchar *string, const gchar *names,
    GError **error)
{
  RobocacheRecordFormat layout = { NULL };
  gchar **split;
  gboolean ok;

  if (!robocache_record_format_parse (&layout, string, error))
    return FALSE;
  split = g_strsplit (names, ",", -1);
  ok = name_fields (fields, &layout, split, string, error);
  g_strfreev (split);
  robocache_record_format_clear (&layout);
  return ok;
}
