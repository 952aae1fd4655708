/* robocache: output files of programs: written completely or not at all, never over an input, another output or, unasked, a file that exists
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <stdio.h>

/* ---- outputs must differ from inputs, from each other and from files that exist ---- */

/* A file that a program writes, and the option that names it. path NULL or "": no file; "-" with is_standard_output: standard output. */
typedef struct
{
  const gchar *option, *path;
  gboolean is_standard_output;  /* "-" is standard output */
  gboolean may_replace;         /* a file that exists is replaced */
} OutputName;

/* FALSE and an error that names the option: an output is an input, the same file as another output, or a regular file that exists and may
 * not be replaced. Files are identified by device and
 * inode, so a link is the file to which it points. A folder among the inputs stands for all files below it; NULL ends inputs. Terminals
 * and other character devices may be input and output. */
gboolean output_check (const OutputName * outputs, guint n_outputs, const gchar * const *inputs, GError ** error);

/* ---- a file that is written completely or not at all ---- */

/* A file in a hidden folder next to the file at path, until it is kept. Devices and pipes are written directly. A program can have one
 * such file at a time. */
typedef struct
{
  FILE *stream;
  gchar *path;
  gchar *target, *beside;       /* NULL: the target is written directly */
  gchar *folder, *lock;         /* folder of `beside`, and its lock, which is held until this program ends */
  int lock_descriptor;          /* -1: no lock */
} OutputFile;

/* FALSE and an error when the file cannot be written. SIGINT, SIGTERM and SIGHUP remove the hidden file. If a program was killed, the
 * next program that writes to the same folder removes its hidden file. */
gboolean output_file_open (OutputFile * file, const gchar * path, GError ** error);

/* Closes the file. It replaces the file at path if keep is set and everything was written to the disk; otherwise the file at path is
 * unchanged. FALSE and, if keep is set, an error for a failed write. */
gboolean output_file_close (OutputFile * file, gboolean keep, GError ** error);
