/* robocache: files and folders of a recording on a disk; protects earlier recordings
 *
 * Nothing is made, opened or removed before mux_target_open. An existing file or folder is an error, unless it is empty or may be
 * overwritten; a location with a number continues after the highest existing number. Files and folders are locked while they are written,
 * so a second recorder fails. When an element starts again, the earlier recording is kept, and the next one has another name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct
{
  const gchar *location;        /* copied */
  gboolean is_bag;              /* a folder with metadata.yaml */
  gboolean is_split;            /* the recording may have several files */
  gboolean overwrite;
} MuxTargetSettings;

/* A target exists as long as its element, and remembers the written location. */
typedef struct _MuxTarget MuxTarget;
MuxTarget *mux_target_new (void);
void mux_target_free (MuxTarget * target);

/* Begins a recording. FALSE and an error: the settings show that it cannot be written. */
gboolean mux_target_start (MuxTarget * target, const MuxTargetSettings * settings, GError ** error);
/* With the first data: chooses names, and makes and locks a folder. FALSE and an error: failed. */
gboolean mux_target_open (MuxTarget * target, GError ** error);
/* Creates and locks a file, and returns its descriptor, or -1 and an error. Files count from 0. */
int mux_target_create_file (MuxTarget * target, guint file, GError ** error);
/* Path of an open recording's file; free with g_free. */
gchar *mux_target_get_path (const MuxTarget * target, guint file);
/* Path of the folder; NULL: the recording is not a folder. */
const gchar *mux_target_get_folder (const MuxTarget * target);
/* Ends the recording. */
void mux_target_stop (MuxTarget * target);
