/* robocache: records to rows, each stamped with the time in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROWPARSER_H
#define ROBOCACHE_ROWPARSER_H

#include <gst/gst.h>

#include "common/time/sourcewait.h"
#include "output.h"
#include "properties.h"

G_BEGIN_DECLS

typedef struct _RobocacheRowParser RobocacheRowParser;

/* Settings are copied; output, sinkpad, whose peer knows the length of the input, and wait, on which rows of a live replay wait,
 * stay the caller's. NULL and an error that names the property when settings make no sense. */
RobocacheRowParser *robocache_row_parser_new (const RobocacheParseSettings * settings, RobocacheParseOutput * output,
    GstPad * sinkpad, RobocacheSourceWait * wait, GError ** error);
void robocache_row_parser_free (RobocacheRowParser * parser);

/* Takes a buffer of bytes, and sends the rows that are complete. */
GstFlowReturn robocache_row_parser_push (RobocacheRowParser * parser, GstBuffer * buffer);
/* The bytes so far are all: the rest is the last record. */
GstFlowReturn robocache_row_parser_drain (RobocacheRowParser * parser);
/* Caps of known columns, which a header or a layout makes without a row. */
void robocache_row_parser_send_headers (RobocacheRowParser * parser);
/* Forgets bytes and columns; the origin of time stays. */
void robocache_row_parser_restart (RobocacheRowParser * parser);

G_END_DECLS
#endif
