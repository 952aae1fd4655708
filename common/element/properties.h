/* robocache: property types that elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PROPERTIES_H
#define ROBOCACHE_PROPERTIES_H

#include <gst/gst.h>

#include "kernels/bracket.h"
#include "kernels/dtype.h"

G_BEGIN_DECLS

#define ROBOCACHE_TYPE_INTERPOLATION (robocache_interpolation_get_type ())
GType robocache_interpolation_get_type (void);  /* values are RcInterpolation */

/* Output dtype: an RcDtype, or auto (the default). */
#define ROBOCACHE_DTYPE_AUTO RC_N_DTYPES
#define ROBOCACHE_TYPE_DTYPE (robocache_dtype_get_type ())
GType robocache_dtype_get_type (void);

/* Output dtype for an input dtype: requested, or for auto the input's for floats and float32 for integers. */
RcDtype robocache_dtype_resolve (RcDtype requested, RcDtype input);

/* A list of channels: "0", "3-6,9". Empty or NULL: none. */
typedef struct
{
  gint32 *channels;
  gint64 n;
} RobocacheChannelList;

/* FALSE and an error that quotes the string when it is no list of zero-based numbers and ranges. */
gboolean robocache_channel_list_parse (RobocacheChannelList * list, const gchar * string, GError ** error);
void robocache_channel_list_clear (RobocacheChannelList * list);

/* A GstValueArray of n numbers ("<-1.0,-1.0,-1.0>"; ints are accepted). The param spec and the two ends of it. */
GParamSpec *robocache_param_spec_doubles (const gchar * name, const gchar * nick, const gchar * blurb,
    GParamFlags flags);
/* FALSE: wrong length or type; out is untouched. */
gboolean robocache_value_get_doubles (const GValue * array, gdouble * out, guint n);
/* The same for the value of a property. NULL, or what is wrong with it: free with g_free. */
gchar *robocache_property_get_doubles (const gchar * name, const GValue * array, gdouble * out, guint n,
    const gchar * expected);
void robocache_value_set_doubles (GValue * array, const gdouble * values, guint n);

G_END_DECLS
#endif
