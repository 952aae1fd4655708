/* robocache: the files of a recorded session, and their messages in order of arrival
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "common/mcap/read/fileindex.h"

/* ---- files of a recorded session ---- */

/* Replaces folders in a list of paths with the paths of their files. Free with g_strfreev. NULL and an error: a folder is not a recording. */
gchar **session_paths (gchar ** recordings, GError ** error);

/* ---- messages of consecutive MCAP files, in order of arrival ---- */

typedef struct _SessionFile SessionFile;

/* paths: the fragments of a recording in order; they must outlive the SessionFile. */
SessionFile *session_file_new (gchar ** paths);
void session_file_free (SessionFile * file);

typedef struct
{
  const RobocacheMcapChannelInfo *channel;      /* valid until the next file begins */
  const RobocacheMcapSchemaInfo *schema;
  guint file;                   /* number of the message's file */
  RobocacheMcapMessage message; /* valid until the next call, like metadata */
} SessionMessage;

typedef enum
{
  SESSION_FILE_MESSAGE,
  SESSION_FILE_METADATA,
  SESSION_FILE_END,
  SESSION_FILE_FAILED           /* with an error that names the file */
} SessionFileResult;

/* A truncated recording ends after its last complete message. */
SessionFileResult session_file_next (SessionFile * file, SessionMessage * message, RobocacheMcapMetadata * metadata, GError ** error);
