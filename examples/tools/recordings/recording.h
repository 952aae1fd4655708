/* robocache: one recording to align: the user's options, and the result of a survey of its rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <gst/gst.h>
#include <stdio.h>

#include "gst/parse/records/emptycells.h"
#include "gst/parse/records/timesteps.h"
#include "gst/parse/table/timeguess.h"

/* ---- the options of a recording: their names, placeholders and help ---- */

/* The settings of a recording; each has an option. */
typedef enum
{
  /* settings of robocacheparse */
  RECORDING_CHANNELS,
  RECORDING_DELIMITER,
  RECORDING_TIME_COLUMN,
  RECORDING_TIME_UNIT,
  RECORDING_TIME_FORMAT,
  RECORDING_LEAP_SECONDS,
  RECORDING_ARRIVAL_COLUMN,
  /* settings of robocachebagsrc; the first is also which clocks are found */
  RECORDING_TIME_SOURCE,
  RECORDING_TOPICS,
  RECORDING_FIELDS,
  RECORDING_JOINTS,
  RECORDING_MSG_PATH,
  RECORDING_MAX_MESSAGE_BYTES,
  /* settings of a pad of robocachefuse */
  RECORDING_INTERPOLATION,
  RECORDING_QUATERNIONS,
  RECORDING_ANGLES,
  RECORDING_VELOCITIES,
  RECORDING_KINDS,
  RECORDING_OFFSET,
  RECORDING_MAX_GAP,
  RECORDING_HOLD_LIMIT,
  RECORDING_REORDER_WINDOW,
  RECORDING_REQUIRED,
  RECORDING_CUTOFF,
  RECORDING_LOBES,
  RECORDING_N_OPTIONS
} RecordingOption;

typedef struct
{
  const gchar *name;            /* name of the option and of the element's or pad's property */
  gboolean for_all;             /* the option may be set for all files at once */
  const gchar *placeholder;     /* NULL: the option has no value */
  const gchar *help;
} RecordingOptionInfo;

extern const RecordingOptionInfo recording_options[RECORDING_N_OPTIONS];

/* The option of that name; RECORDING_N_OPTIONS when there is none. */
RecordingOption recording_option_by_name (const gchar * name);

/* Sets the property of an element or a pad as the user wrote it. FALSE and an error, which begins with the title. */
gboolean recording_set_property (gpointer object, const gchar * title, RecordingOption option, const gchar * text, GError ** error);

/* ---- one recording to align: the user's options, and the result of a survey of its rows ---- */

/* The times of a row (ns): with the option offset, and on the file's clock. */
typedef struct
{
  gint64 captured, arrived;     /* the latter is undefined without arrival_column */
} RecordedRow;

/* The spacings of rows in the order of time. */
typedef struct
{
  gint64 jitter;                /* ns: 99 % of the spacings that are no gaps differ by at most this from their median */
  guint64 n_gaps;               /* spacings above the option max-gap */
  gint64 longest, longest_begin;        /* ns: of the gaps, and the time of the row before it */
} RecordingSpacings;

typedef struct
{
  gchar *path;
  gchar *title;                 /* text for messages: the path, and for a bag the topic */
  gchar *label;                 /* the file's name without directory and extension, or the topic */
  gboolean is_bag;              /* a bag of ROS 2, or a stream of a bag: see align.h */
  gchar *given[RECORDING_N_OPTIONS];    /* the options as the user wrote them; NULL: not given */

  /* the result of the survey */
  RobocacheTimeSource times;
  gint arrival_column;          /* -1: no such column */
  guint n_skipped;              /* lines before the data that are neither comments nor the header */
  gchar *text_columns;          /* names of columns that are no channels, since they have text; or NULL */
  gchar *words;                 /* the numbers that stand for words of channels; or NULL */
  GArray *columns;              /* guint: of the channels, in the file */
  gchar **names;                /* [n_channels]; NULL without a header */
  guint n_channels;
  guint64 n_rows, n_malformed;  /* n_rows: with a value in each channel */
  RobocacheEmptyCells cells;    /* of the columns that were chosen, those without a value among them */
  gchar **groups;               /* lists of columns that lack values in the same rows; NULL: all columns do, or none lacks one */
  gchar *first_fault;
  gint64 offset;                /* ns: the option, which is added to the times below */
  gboolean has_times;
  gint64 least_time, greatest_time;     /* ns on the clock of all recordings */
  gint64 file_begin, file_end;  /* the same of all rows of the file, those without a value of a channel included; of a bag, as the two above */
  GArray *all_times;            /* gint64 ns, while the file is read */
  GArray *delays;               /* gint64 ns: of each row, arrival after capture; empty without arrival_column */
  gboolean is_part;             /* it has some columns of a file, of which other recordings have the others */
  gboolean may_split;           /* set it before the survey: groups become recordings, see recordings_split */
  gboolean keeps_rows;          /* set it before the survey: */
  GArray *rows, *values;        /* RecordedRow; gfloat [n_rows][n_channels] */
  gchar *doubt;                 /* about the times, which may be others; or NULL */
  RobocacheTimeSteps steps;     /* back, by rows */
  gint64 disorder;              /* ns: how far the rows' order of time is from their order in the file */
  gdouble step_s;               /* median of the times in order; 0 when all are equal */
  RecordingSpacings spacings;
  gchar *kinds;                 /* of the channels, by names, a guess or caps; NULL: all are real */
  gchar *quaternions;           /* list of channels; NULL: there are none */
  gchar *quaternions_reason;
  GString *rounded;             /* names of channels with integers that float32 cannot represent */

  /* only for a stream of a bag */
  guint bag;                    /* number of the bag */
  gchar *clocks;                /* the clocks of the bag, as its element has them in stats; NULL: not found */
  guint clock;                  /* streams of a bag that have another number are not on one timeline */
  gchar *topic, *stream;        /* stream: the stream id without the part that differs between runs */
  GstCaps *caps;
  gint64 max_lag;               /* ns: greatest difference between capture and arrival, in either direction */
} Recording;

/* Makes a recording from "FILE,key=value,…". NULL and an error that names the wrong key. */
Recording *recording_new (const gchar * argument, GError ** error);
/* Makes a recording for a stream of a bag, with the bag's options. Its title and label are not unique yet. */
Recording *recording_new_of_bag (const Recording * bag, const gchar * topic);
/* Some columns of a recording, with its other options. */
Recording *recording_new_of_columns (const Recording * recording, const gchar * columns);
void recording_free (Recording * recording);

/* Reads the file and fills in the result of the survey. The options must be complete. */
gboolean recording_survey (Recording * recording, GError ** error);

/* Sets the median and the spacings from all_times, which it frees. */
void recording_note_spacings (Recording * recording);

/* Reads a duration of the command line: a number with a unit, like -20ms; 0, -1 and -2 may stand alone. FALSE: it is none. */
gboolean recording_parse_duration (const gchar * text, gint64 * ns);

/* Adds the option offset to the times of the survey. FALSE and an error: it is no time. */
gboolean recording_apply_offset (Recording * recording, GError ** error);
/* The time-origin of the element that reads a recording, for an origin to which offsets are applied. */
gint64 recording_origin (const Recording * recording, gint64 origin);

/* A time in seconds with all its digits: "1326899528.468056009 s". Free with g_free. */
gchar *recording_time_text (gint64 ns);

/* Writes what a survey found: as a line, with a note for numbers that are rounded. */
void recording_describe (const Recording * recording, FILE * out);
/* The columns of a table that have its times, and how they are read, as the end of a line. */
void recording_describe_time (const Recording * recording, FILE * out);
/* The columns of a table that have no value, and those that become streams of their own, as lines. */
void recording_describe_cells (const Recording * recording, FILE * out);

/* Sets the names of channels from a list, "a,b", and makes them printable. */
void recording_set_names (Recording * recording, const gchar * list);

/* The name of channel c in the output; with `qualified` it contains the recording's label. Free with g_free. */
gchar *recording_channel_name (const Recording * recording, guint c, gboolean qualified);

/* Adds channel c to recording->rounded if float32 cannot hold integers as large as value. is_noted, an entry a channel: it was added before. */
void recording_note_rounding (Recording * recording, guint c, gdouble value, guint8 * is_noted);
