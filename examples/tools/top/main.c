/* robocache top: shows a running pipeline that has a robocachefoxglovesink, in a terminal
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "examples/tools/program.h"
#include "top.h"

/* Exit status: 0 done, 1 no connection, 2 a wrong command line. */
#define EXIT_USAGE 2
#define DEFAULT_PORT 8765
#define DRAW_INTERVAL_US (G_USEC_PER_SEC / 2)
/* Counts of the last second are complete after a second. */
#define FULL_S 0.9
/* Longest time to wait for them. */
#define MAX_WAIT_US (3 * G_USEC_PER_SEC)

#define HIDE_CURSOR "\033[?25l\033[2J"
#define SHOW_CURSOR "\033[?25h"
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

static gboolean is_once, is_json;
static gchar **addresses;

static const GOptionEntry options[] = {
  {"once", 0, 0, G_OPTION_ARG_NONE, &is_once, "Print one table of the last second, as where the output is no terminal", NULL},
  {"json", 0, 0, G_OPTION_ARG_NONE, &is_json, "Print one status as JSON", NULL},
  {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &addresses, NULL, "[HOST][:PORT]"},
  {NULL}
};

typedef struct
{
  GMainLoop *loop;
  TopTable *table;
  gchar *url;
  gint64 drawn_us;
  gchar *skipped;               /* newest status, as it came; NULL: it is drawn */
  gint64 first_us;              /* time of the first status; 0: none */
  gint status;                  /* exit status */
  gboolean is_ended;
} Top;

static struct winsize
terminal_size (void)
{
  struct winsize size;

  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    size = (struct winsize) {.ws_col = 80,.ws_row = 24 };
  return size;
}

static void
end_top (Top *top, gint status)
{
  top->is_ended = TRUE;
  top->status = status;
  g_main_loop_quit (top->loop);
}

static gboolean
on_interrupt (gpointer top)
{
  end_top (top, EXIT_SUCCESS);
  return G_SOURCE_CONTINUE;
}

/* ---- output ---- */

/* Whether the counts of the last second are of a whole second. */
static gboolean
is_complete (RobocacheJsonValue status)
{
  static const gchar *const lists[] = { "fuses", "outputs" };
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;
  gdouble seconds;

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    robocache_json_walk_init (&walk, robocache_json_member (status, lists[i]));
    while (robocache_json_walk_next (&walk, &key, &item))
      if (robocache_json_get_number (robocache_json_member (robocache_json_member (item, "recent"), "seconds"), &seconds) && seconds < FULL_S)
        return FALSE;
  }
  return TRUE;
}

static void
draw (Top *top, RobocacheJsonValue status)
{
  const struct winsize size = terminal_size ();
  GString *text = g_string_new (NULL);
  gchar **lines;

  g_string_append_printf (text, "robocache top  %s  Ctrl-C ends\n\n", top->url);
  top_table_append (top->table, status, size.ws_col, text);
  lines = g_strsplit (text->str, "\n", -1);
  fputs (HOME, stdout);
  /* more would scroll */
  for (guint i = 0; lines[i] && i < size.ws_row; i++)
    printf ("%s" CLEAR_LINE "%s", lines[i], lines[i + 1] && i + 1 < size.ws_row ? "\n" : "");
  fputs (CLEAR_BELOW, stdout);
  fflush (stdout);
  g_strfreev (lines);
  g_string_free (text, TRUE);
}

static void
draw_sometimes (Top *top, RobocacheJsonValue status, const gchar *text, gsize size)
{
  const gint64 now = g_get_monotonic_time ();

  g_clear_pointer (&top->skipped, g_free);
  if (now - top->drawn_us < DRAW_INTERVAL_US) {
    top->skipped = g_strndup (text, size);
    return;
  }
  top->drawn_us = now;
  draw (top, status);
}

/* The last status has the error that ended the pipeline. */
static void
draw_skipped (Top *top)
{
  RobocacheJsonValue status;

  if (top->skipped && robocache_json_parse (top->skipped, strlen (top->skipped), &status))
    draw (top, status);
}

static void
print_once (Top *top, RobocacheJsonValue status)
{
  GString *text = g_string_new (NULL);

  top_table_append (top->table, status, 0, text);
  fputs (text->str, stdout);
  g_string_free (text, TRUE);
  end_top (top, EXIT_SUCCESS);
}

static void
take_status (gpointer user_data, RobocacheJsonValue status, const gchar *text, gsize size)
{
  const gint64 now = g_get_monotonic_time ();
  gboolean is_late;
  Top *top = user_data;

  if (top->is_ended)
    return;
  if (top->first_us == 0)
    top->first_us = now;
  is_late = now - top->first_us > MAX_WAIT_US;
  top_table_add (top->table, status);
  if (!is_once && !is_json) {
    draw_sometimes (top, status, text, size);
  } else if ((is_late || is_complete (status)) && is_json) {
    printf ("%.*s\n", (int) size, text);
    end_top (top, EXIT_SUCCESS);
  } else if (is_late || is_complete (status)) {
    print_once (top, status);
  }
}

static void
take_end (gpointer user_data, const gchar *reason)
{
  Top *top = user_data;
  gchar *text = g_strdup_printf ("%s: %s", top->url, reason);

  if (!top->is_ended) {
    draw_skipped (top);
    fputs (is_once || is_json ? "" : "\n", stdout);
    fflush (stdout);
    printable_report ("error", text);
    end_top (top, EXIT_FAILURE);
  }
  g_free (text);
}

/* ---- the command line ---- */

/* Free with g_free; NULL after an error. */
static gchar *
url_of (const gchar *address)
{
  const gchar *rest = g_str_has_prefix (address, "ws://") ? address + 5 : g_str_has_prefix (address, "http://") ? address + 7 : address;
  const gchar *colon = strrchr (rest, ':'), *end = strrchr (rest, ']');
  gchar *host = g_strndup (rest, colon && colon > end ? (gsize) (colon - rest) : strcspn (rest, "/")), *url = NULL;
  guint64 port = DEFAULT_PORT;
  gchar *digits = colon && colon > end ? g_strndup (colon + 1, strcspn (colon + 1, "/")) : NULL;

  if (digits && !g_ascii_string_to_unsigned (digits, 10, 1, 65535, &port, NULL)) {
    gchar *text = g_strdup_printf ("\"%s\": expected HOST, HOST:PORT or :PORT", address);

    printable_report ("error", text);
    g_free (text);
  } else {
    url = g_strdup_printf ("ws://%s:%" G_GUINT64_FORMAT "/", *host ? host : "localhost", port);
  }
  g_free (digits);
  g_free (host);
  return url;
}

static gchar *
parse_command_line (int argc, char **argv)
{
  GOptionContext *context = program_option_context_new ("Shows the streams of a running pipeline that has a robocachefoxglovesink, or of a "
      "program with --view.\nHOST is localhost and PORT is 8765 by default. Over SSH, run it on the robot.", "robocache top 192.168.1.7:8765");
  GError *error = NULL;
  gchar *url = NULL;

  g_option_context_set_description (context, "Exit status: 0 done, 1 no connection, 2 a wrong command line.");
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    printable_report ("error", error->message);
  else if (addresses && addresses[0] && addresses[1])
    printable_report ("error", "expected one address");
  else
    url = url_of (addresses && addresses[0] ? addresses[0] : "");
  g_clear_error (&error);
  g_option_context_free (context);
  return url;
}

int
main (int argc, char **argv)
{
  Top top = {.url = parse_command_line (argc, argv) };
  const TopHandlers handlers = { take_status, take_end, &top };
  TopConnection *connection;

  if (!top.url)
    return EXIT_USAGE;
  is_once = is_once || !isatty (STDOUT_FILENO);
  top.loop = g_main_loop_new (NULL, FALSE);
  top.table = top_table_new ();
  g_unix_signal_add (SIGINT, on_interrupt, &top);
  g_unix_signal_add (SIGTERM, on_interrupt, &top);
  if (!is_once && !is_json)
    fputs (HIDE_CURSOR, stdout);
  connection = top_connection_new (top.url, &handlers);
  g_main_loop_run (top.loop);
  if (!is_once && !is_json)
    puts (SHOW_CURSOR);
  top_connection_free (connection);
  top_table_free (top.table);
  g_main_loop_unref (top.loop);
  g_free (top.skipped);
  g_free (top.url);
  g_strfreev (addresses);
  return top.status;
}
