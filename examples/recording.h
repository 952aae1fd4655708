/* robocache: one recording to align: what the user says of it, and what its rows tell
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_RECORDING_H
#define ROBOCACHE_EXAMPLES_RECORDING_H

#include <gst/gst.h>

#include "gst/parse/records/timeguess.h"
#include "recordingoptions.h"

G_BEGIN_DECLS

/* A row that was read, without its values. Times on the file's clock (ns). */
typedef struct
{
  gint64 captured, arrived;     /* the latter is undefined without arrival_column */
} RecordedRow;

typedef struct
{
  gchar *path;
  gchar *title;                 /* what to call it: the path, and the topic of a bag */
  gchar *label;                 /* the file's name without directory and extension, or the topic */
  gboolean is_bag;              /* a bag of ROS 2, or a stream of one: see bagstreams.h */
  gchar *given[RECORDING_N_OPTIONS];    /* as the user wrote them; NULL: not given */

  /* what its rows tell */
  RobocacheTimeSource times;
  gchar *time_unit_reason;      /* NULL: it was given */
  gint arrival_column;          /* -1: none */
  gchar **names;                /* [n_channels]; NULL without a header */
  guint n_channels;
  guint64 n_rows, n_malformed;
  gchar *first_fault;
  gint64 least_time, greatest_time;     /* ns on the file's clock */
  GArray *all_times;            /* gint64 ns, while the file is read */
  GArray *delays;               /* gint64 ns: of each row, arrival after capture; empty without arrival_column */
  gboolean keeps_rows;          /* set it before the survey: */
  GArray *rows, *values;        /* RecordedRow; gfloat [n_rows][n_channels] */
  gchar *doubt;                 /* about the times, which may be others; or NULL */
  gint64 disorder;              /* ns: how far the rows' order of time is from their order in the file */
  gdouble step_s;               /* median of the times in order; 0 when all are equal */
  gchar *quaternions;           /* guessed channel list, or NULL */
  gchar *quaternions_reason;
  GString *rounded;             /* names of channels with integers that float32 cannot hold */

  /* of a stream of a bag */
  guint bag;                    /* number of the bag */
  gchar *topic, *stream;        /* stream: its stream id without what differs between runs */
  GstCaps *caps;
  gint64 max_lag;               /* ns: between capture and arrival, either way */
} Recording;

/* "FILE,key=value,…"; NULL and an error that names the key. */
Recording *recording_new (const gchar * argument, GError ** error);
/* A stream of a bag, with the bag's options. Its title and label are not unique yet. */
Recording *recording_new_of_bag (const Recording * bag, const gchar * topic);
void recording_free (Recording * recording);

/* Reads the file and fills in what its rows tell, once the options are complete. */
gboolean recording_survey (Recording * recording, GError ** error);

/* A time in seconds with all its digits: "1326899528.468056009 s". Free with g_free. */
gchar *recording_time_text (gint64 ns);

/* The name of channel c in the output; the label tells recordings apart where qualified. Free with g_free. */
gchar *recording_channel_name (const Recording * recording, guint c, gboolean qualified);

G_END_DECLS
#endif
