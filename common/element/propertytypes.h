/* robocache: property types that elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "kernels/interpolation.h"
#include "kernels/voxel.h"
#include "kernels/dtype.h"

/* Defines a function that returns the enum type `name` with values {value, description, nick}. */
#define ROBOCACHE_DEFINE_ENUM(function, name, ...) \
GType \
function (void) \
{ \
  static gsize type = 0; \
  static const GEnumValue values[] = { __VA_ARGS__, {0, NULL, NULL} }; \
  if (g_once_init_enter (&type)) \
    g_once_init_leave (&type, g_enum_register_static (name, values)); \
  return type; \
}

/* Copies a property value to or from a field, whose C type corresponds to the type of the value: an enum, gint, guint, gint64,
 * guint64, gdouble, gboolean, gchar * (owned by the field), or for a fraction gint[2]. */
void robocache_setting_set (gpointer field, const GValue * value);
void robocache_setting_get (gconstpointer field, GValue * value);

/* A struct of settings has a field for each writable property id below n, at offsets[id]. Sets all fields to the defaults of their specs;
 * a NULL spec has no field. */
void robocache_settings_init (gpointer settings, GParamSpec * const *specs, const glong * offsets, guint n);
/* Copies or frees the n strings of a struct of settings, whose fields are at these offsets. */
void robocache_settings_copy_strings (gpointer settings, const glong * offsets, guint n);
void robocache_settings_clear_strings (gpointer settings, const glong * offsets, guint n);

/* Call this at the end of a set_property function, with no lock held. object is an element or one of its pads. Posts a LIBRARY/SETTINGS
 * warning, which names the property and when its new value takes effect, if pspec has GST_PARAM_MUTABLE_READY and the element
 * is above READY. */
void robocache_warn_of_late_setting (gpointer object, GParamSpec * pspec);

#define ROBOCACHE_TYPE_INTERPOLATION (robocache_interpolation_get_type ())
GType robocache_interpolation_get_type (void);  /* values are RcInterpolation */
/* "cutoff" (gdouble) and "lobes" (gint) of RC_LOWPASS. */
void robocache_lowpass_install_properties (GObjectClass * klass, guint cutoff_id, guint lobes_id, GParamFlags flags);
#define ROBOCACHE_TYPE_VOXEL_MODE (robocache_voxel_mode_get_type ())
GType robocache_voxel_mode_get_type (void);     /* values are RcVoxelMode */
#define ROBOCACHE_TYPE_VOXEL_OUTPUT (robocache_voxel_output_get_type ())
GType robocache_voxel_output_get_type (void);   /* values are RcVoxelOutput */

/* The value of an output dtype that is not an RcDtype: auto, the default. */
#define ROBOCACHE_DTYPE_AUTO RC_N_DTYPES
#define ROBOCACHE_TYPE_DTYPE (robocache_dtype_get_type ())
GType robocache_dtype_get_type (void);

/* Output dtype for an input dtype: requested, or for auto the input dtype for floats and float32 for integers. */
RcDtype robocache_dtype_resolve (RcDtype requested, RcDtype input);

/* A list of channels: "0", "3-6,9", "qx". Empty or NULL: none. */
typedef struct
{
  gint32 *channels;
  gint64 n;
} RobocacheChannelList;

/* names: those of all channels, separated by commas, or NULL. A token that is a number or a range is not a name. FALSE and an error that
 * quotes the string: a token is neither a zero-based number, nor a range, nor a name. */
gboolean robocache_channel_list_parse (RobocacheChannelList * list, const gchar * string, const gchar * names, GError ** error);
/* Checks a list while the names are unknown. FALSE and an error: no names could make it valid. */
gboolean robocache_channel_list_check (const gchar * string, GError ** error);
void robocache_channel_list_clear (RobocacheChannelList * list);

/* A GstValueArray of n numbers ("<-1.0,-1.0,-1.0>"; ints are accepted). Its param spec, and functions that get and set its value. */
GParamSpec *robocache_param_spec_doubles (const gchar * name, const gchar * nick, const gchar * blurb,
    GParamFlags flags);
/* FALSE: wrong length or type; out is untouched. */
gboolean robocache_value_get_doubles (const GValue * array, gdouble * out, guint n);
/* Like robocache_value_get_doubles, for the value of a property. Returns the fault of the value, to be freed with g_free; NULL: none. */
gchar *robocache_property_get_doubles (const gchar * name, const GValue * array, gdouble * out, guint n,
    const gchar * expected);
void robocache_value_set_doubles (GValue * array, const gdouble * values, guint n);
