/* robocache: the options of a recording: their names, placeholders and help
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_RECORDINGOPTIONS_H
#define ROBOCACHE_EXAMPLES_RECORDINGOPTIONS_H

#include <glib.h>

G_BEGIN_DECLS

/* The settings of a recording, each with an option. */
typedef enum
{
  /* of robocacheparse */
  RECORDING_CHANNELS,
  RECORDING_DELIMITER,
  RECORDING_TIME_COLUMN,
  RECORDING_TIME_UNIT,
  RECORDING_ARRIVAL_COLUMN,
  /* of robocachebagsrc */
  RECORDING_TOPICS,
  RECORDING_FIELDS,
  RECORDING_JOINTS,
  RECORDING_MSG_PATH,
  /* of a pad of robocachefuse */
  RECORDING_INTERPOLATION,
  RECORDING_QUATERNIONS,
  RECORDING_ANGLES,
  RECORDING_VELOCITIES,
  RECORDING_OFFSET,
  RECORDING_MAX_GAP,
  RECORDING_HOLD_LIMIT,
  RECORDING_REORDER_WINDOW,
  RECORDING_REQUIRED,
  RECORDING_N_OPTIONS
} RecordingOption;

typedef struct
{
  const gchar *name;            /* also of the element's or pad's property */
  gboolean for_all;             /* makes sense for all files at once */
  const gchar *placeholder;     /* NULL: needs no value */
  const gchar *help;
} RecordingOptionInfo;

extern const RecordingOptionInfo recording_options[RECORDING_N_OPTIONS];

/* The option of that name; RECORDING_N_OPTIONS when there is none. */
RecordingOption recording_option_by_name (const gchar * name);

G_END_DECLS
#endif
