/* robocache: code that programs share: errors, text for a terminal, messages of a pipeline, options and playing
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <gst/gst.h>
#include <stdio.h>

/* ---- an error message for the user ---- */

/* FAULT (error, format, ...): the message states what was wrong, its value, and what was expected. The error's code has no meaning. */
#define FAULT(error, ...) g_set_error (error, g_quark_from_static_string ("robocache-example"), 0, __VA_ARGS__)

/* FAULT of the command line: a wrong option, a missing argument. The program ends with EXIT_USAGE. */
#define USAGE_FAULT(error, ...) g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, __VA_ARGS__)
#define EXIT_USAGE 2

/* Prints the error, or nothing for NULL, and frees it. Returns the exit status: EXIT_SUCCESS if ok, EXIT_USAGE after an error of the
 * command line, else EXIT_FAILURE. */
int program_end (gboolean ok, GError * error);

/* ---- text of recordings and messages, without control characters for the terminal ---- */

/* Makes any text printable, such as the name of a topic or of a joint: escapes control characters, direction marks and bytes that are not
 * UTF-8, as in "\x1b". Text of one line stays one line. Free with g_free. */
gchar *printable (const gchar * text);

/* Writes "KIND: message" as a line to stderr, with the message printable: kind is "error" or "warning". */
void printable_report (const gchar * kind, const gchar * message);

/* ---- messages on a pipeline's bus, as lines for people ---- */

/* The label for an element or pad with this name in the pipeline; NULL: use the name itself. */
typedef const gchar *(*MessageLabel) (const gchar * name, gpointer data);

/* Reads all messages on the pipeline's bus, writes errors and warnings to stderr, and recalculates the latency if a message asks for it.
 * Returns whether there was an error; errors after the first are not written, since they follow from it. */
gboolean messages_handle (GstElement * pipeline, MessageLabel label, gpointer data);

/* gst_parse_launch; NULL after writing an error. */
GstElement *messages_launch (const gchar * description);

/* ---- what flows in a pipeline in state NULL, also for others ---- */

/* Puts a tee between a source pad and its peer, and a queue at the tee's second branch. Returns the queue, which the pipeline owns. */
GstElement *tap_link (GstElement * pipeline, GstPad * from);

/* ---- --view: the streams of a robocachefuse as a page, and for viewers ---- */

/* The entry of --view[=PORT] among the options of a program. */
#define LIVE_VIEW_OPTION {"view", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, (gpointer) live_view_parse, \
  "show the streams while they run, as a web page on this machine (port 8765, or a free one)", "PORT"}
/* A GOptionArgFunc. */
gboolean live_view_parse (const gchar * name, const gchar * value, gpointer data, GError ** error);
gboolean live_view_is_asked (void);
/* With --view: adds a server to a pipeline in state NULL, and writes its address to talk. FALSE and an error on failure. Rows of pads that
 * are not linked yet are shown after alignment only. */
gboolean live_view_add (GstElement * pipeline, GstElement * fuse, FILE * talk, GError ** error);

/* ---- code of programs that play a pipeline and show its samples ---- */

/* An option context with this summary, and an example of a command line (NULL: none). Help and errors are in the character set of the
 * user's locale. */
GOptionContext *program_option_context_new (const gchar * summary, const gchar * example);
/* Parses these options and the options of GStreamer. FALSE after writing an error: a wrong option, or an argument that is not an option. */
gboolean program_parse_options (int argc, char **argv, const GOptionEntry * entries, const gchar * summary, const gchar * example);

/* Called with each sample. Returns FALSE to stop. */
typedef gboolean (*ProgramSample) (GstSample * sample, gpointer data);
/* Called after each sample, and every 50 ms while no sample arrives. Returns FALSE to stop. */
typedef gboolean (*ProgramIdle) (gpointer data);

/* Plays a pipeline with an appsink called samples until all streams have ended, an element has failed, or a function returns
 * FALSE. Writes errors and warnings to stderr. FALSE if an element failed. The pipeline keeps playing, and its statistics stay readable.
 * idle may be NULL. */
gboolean program_play (GstElement * pipeline, ProgramSample handle_sample, ProgramIdle idle, gpointer data);
