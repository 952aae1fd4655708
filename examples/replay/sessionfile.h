/* robocache: messages of MCAP files, one file after the other, in order of arrival
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SESSIONFILE_H
#define ROBOCACHE_EXAMPLES_SESSIONFILE_H

#include "common/mcap/read/definitions.h"

G_BEGIN_DECLS

typedef struct _SessionFile SessionFile;

/* paths: of the fragments of a recording in their order; they outlive it. */
SessionFile *session_file_new (gchar ** paths);
void session_file_free (SessionFile * file);

typedef struct
{
  const RobocacheMcapChannelInfo *channel;      /* valid until the next file begins */
  const RobocacheMcapSchemaInfo *schema;
  guint file;                   /* number of its file */
  RobocacheMcapMessage message; /* valid until the next call, as metadata */
} SessionMessage;

typedef enum
{
  SESSION_FILE_MESSAGE,
  SESSION_FILE_METADATA,
  SESSION_FILE_END,
  SESSION_FILE_FAILED           /* and an error that names the file */
} SessionFileResult;

/* A recording that is cut ends where it is whole. */
SessionFileResult session_file_next (SessionFile * file, SessionMessage * message, RobocacheMcapMetadata * metadata, GError ** error);

G_END_DECLS
#endif
