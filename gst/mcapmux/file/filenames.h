/* robocache: names of the files of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_FILENAMES_H
#define MUX_FILENAMES_H

#include <glib.h>

G_BEGIN_DECLS

/* Whether a location has one number in it, like "run-%05d.mcap", and no other percent sign but "%%". */
gboolean mux_location_has_number (const gchar * location);
/* The location with that number; free with g_free. */
gchar *mux_location_with_number (const gchar * location, guint number);
/* "run_3.mcap" of the folder "bags/run"; free with g_free. */
gchar *mux_bag_file_name (const gchar * folder, guint number);

G_END_DECLS
#endif
