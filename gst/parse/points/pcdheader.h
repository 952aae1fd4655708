/* robocache: the header of a PCD file
 *
 * PCD is the file format of the Point Cloud Library; versions 0.5 to 0.7 are read. The format:
 * https://pointclouds.org/documentation/tutorials/pcd_file_format.html
 *
 *   # .PCD v0.7 - Point Cloud Data file format
 *   VERSION 0.7
 *   FIELDS x y z intensity        names; "_" is padding; COLUMNS in old files
 *   SIZE 4 4 4 4                  bytes of an element; 4 each where the line is missing
 *   TYPE F F F F                  I signed, U unsigned, F floating point; F each where it is missing
 *   COUNT 1 1 1 1                 elements of a field; 1 each where it is missing
 *   WIDTH 640
 *   HEIGHT 480                    above 1: an organised cloud, which is an image of points
 *   VIEWPOINT 0 0 0 1 0 0 0       pose of the sensor: translation, and a quaternion w x y z
 *   POINTS 307200
 *   DATA ascii                    or binary or binary_compressed; ends the header
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "gst/parse/inputformat.h"
#include "common/points/pointfields.h"

/* Maximum bytes from ROBOCACHE_PCD_MAGIC to the end of the first keyword: a file with longer comments is not found after another file. */
#define ROBOCACHE_PCD_MAX_BEGINNING 1024

typedef enum
{
  ROBOCACHE_PCD_ASCII,
  ROBOCACHE_PCD_BINARY,
  ROBOCACHE_PCD_COMPRESSED
} RobocachePcdData;

/* A column of FIELDS. */
typedef struct
{
  RcDtype dtype;                /* dtype of an element */
  guint count;                  /* number of elements */
  gboolean skipped;             /* padding, which is not a field of the output points */
} RobocachePcdColumn;

#define ROBOCACHE_PCD_N_KEYWORDS 10

typedef struct
{
  /* lines that were read */
  gchar **values[ROBOCACHE_PCD_N_KEYWORDS];     /* words after each keyword; NULL: not read yet */
  guint64 lines[ROBOCACHE_PCD_N_KEYWORDS];      /* line number of each keyword */
  gboolean begun;               /* a keyword was read */

  /* values of the lines, once the header is complete */
  RobocachePcdData data;
  GArray *columns;              /* RobocachePcdColumn */
  guint n_elements;             /* number of elements of a line of ASCII: of all columns, padding included */
  gsize stored_step;            /* bytes of a point, padding included */
  RobocachePointFields fields;  /* fields of the output points: with gaps for binary data, else packed */
  guint64 width, height, n_points;
  gchar *viewpoint;             /* "tx,ty,tz,qw,qx,qy,qz"; NULL: at the origin, unrotated */
} RobocachePcdHeader;

typedef enum
{
  ROBOCACHE_PCD_HEADER_MORE,
  ROBOCACHE_PCD_HEADER_WHOLE,
  ROBOCACHE_PCD_HEADER_MALFORMED        /* the error has the line and the fault */
} RobocachePcdHeaderResult;

/* A zeroed struct is an empty header. */
void robocache_pcd_header_clear (RobocachePcdHeader * header);

/* Whether a header begins with these n bytes, at most ROBOCACHE_PCD_MAX_BEGINNING: the magic, and a keyword in the next line that is not
 * a comment, so that points are not mistaken for a header. keyword -1: more bytes are needed. */
gboolean robocache_pcd_header_begins (const guint8 * bytes, gsize n, gint * keyword);
/* Whether a line with this keyword was read. */
gboolean robocache_pcd_header_has (const RobocachePcdHeader * header, gint keyword);
gboolean robocache_pcd_header_is_whole (const RobocachePcdHeader * header);

/* Reads the next line of a header. */
RobocachePcdHeaderResult robocache_pcd_header_take_line (RobocachePcdHeader * header, const GString * line, guint64 number,
    GError ** error);

/* Removes the first n lines, including an invalid DATA line. */
void robocache_pcd_header_drop_lines (RobocachePcdHeader * header, guint64 n);

/* Makes application/x-pointcloud caps without a framerate, with width and height of an organised cloud, and a viewpoint. */
GstCaps *robocache_pcd_header_to_caps (const RobocachePcdHeader * header);
