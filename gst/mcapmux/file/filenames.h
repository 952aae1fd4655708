/* robocache: names of the files of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Whether a location has one number, like "run-%05d.mcap". It may also have the time, as %t, and "%%". With any other percent sign, it is
 * a plain name without placeholders. */
gboolean mux_location_has_number (const gchar * location);
/* The location with number and time in place of its placeholders, if it has any; free with g_free. */
gchar *mux_location_expand (const gchar * location, guint number, const gchar * time);
/* The number after the highest number of existing files and folders with such a name. */
guint mux_location_next_number (const gchar * location, const gchar * time);
/* UTC now, as a part of names: "20260131T142530Z"; free with g_free. */
gchar *mux_location_time (void);

/* The name of a continued recording, "bags/run-2.mcap" for "bags/run.mcap"; free with g_free. */
gchar *mux_location_continued (const gchar * location, guint number);

/* The name of a file in a folder, "run_3.mcap" for the folder "bags/run"; free with g_free. */
gchar *mux_bag_file_name (const gchar * folder, guint number);
/* Whether a recorder of this folder uses this name for a file. */
gboolean mux_bag_has_name (const gchar * folder, const gchar * name);
