/* robocache: what a reader of files of points says of bytes, however they are cut
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/parse/records/byteinput.h"
#include "gst/parse/points/cloudreader.h"
#include "tests/check/lib/points/pcdfile.h"
#include "tests/check/lib/checks.h"

static const RobocacheCloudSpec pcd = {.format = ROBOCACHE_INPUT_PCD };

/* All clouds and faults up to where the reader wants more. */
void say_all (GString *said, RobocacheCloudReader *reader);

RobocacheCloudReader *open_reader (const RobocacheCloudSpec *spec);

gchar *read_cut (const RobocacheCloudSpec *spec, const guint8 *bytes, gsize n, gsize first, gsize piece);

/* In one piece, byte by byte, and cut in two at every byte that is a multiple of step. */
gchar *read_cut_in_steps (const RobocacheCloudSpec *spec, const guint8 *bytes, gsize n, gsize step);

gchar *read_whole (const RobocacheCloudSpec *spec, const GByteArray *file);

void expect (const RobocacheCloudSpec *spec, const guint8 *bytes, gsize n, const gchar *expected);

void expect_text (const gchar *text, const gchar *expected);

/* Expects that the text about a file, read byte by byte, has this beginning, and one line only if says_one_line is set. */
void expect_begin (const guint8 *bytes, gsize n, const gchar *begin, gboolean says_one_line);

/* Expects this text for a file that is read in pieces, with each of these sizes. */
void expect_pieces (const GByteArray *file, const gsize *pieces, guint n_pieces, const gchar *expected);

#define XYZ "fields=(string)\"x\\,y\\,z\", type=(string)float32"

/* A header of x, y, z as float32, n points wide. */
#define HEADER(n, data) "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH " n "\nHEIGHT 1\n" \
  "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS " n "\nDATA " data "\n"

#define ONE_TWO_THREE "0000803f0000004000004040"
