/* robocache: random values in range for the properties of an element
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

/* A random integer of 64 bits, small ones as likely as large ones. */
gint64 random_integer (GRand *random, gint64 minimum, gint64 maximum);

/* FALSE: no random value of this type. */
gboolean random_value (GRand *random, GParamSpec *pspec, GValue *value);

/* Each readable and writable property of the element's own class returns the random values that it was set to. */
void expect_properties_read_back (const gchar *factory);

/* Sets one writable property of the element's own class, not of its parents'. Returns its flags. */
GParamFlags set_random_property (GRand *random, GObject *object);
