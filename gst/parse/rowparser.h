/* robocache: converts records to rows, each stamped with the time in its record
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/sourcewait.h"
#include "output.h"
#include "properties.h"

typedef struct _RobocacheRowParser RobocacheRowParser;

/* Settings are copied. The caller keeps output, sinkpad, whose peer knows the length of the input, and wait, on which rows of a live
 * replay wait. NULL and an error that names the property: invalid settings. */
RobocacheRowParser *robocache_row_parser_new (const RobocacheParseSettings * settings, RobocacheParseOutput * output,
    GstPad * sinkpad, RobocacheSourceWait * wait, GError ** error);
void robocache_row_parser_free (RobocacheRowParser * parser);

/* Takes a buffer of bytes, and sends the rows that are complete. */
GstFlowReturn robocache_row_parser_push (RobocacheRowParser * parser, GstBuffer * buffer);
/* After the last bytes: the rest is the last record. */
GstFlowReturn robocache_row_parser_drain (RobocacheRowParser * parser);
/* Sends the caps of known columns, which need only a header or a layout, but no row. */
void robocache_row_parser_send_headers (RobocacheRowParser * parser);
/* Discards bytes and columns; the origin of time is kept. */
void robocache_row_parser_restart (RobocacheRowParser * parser);
