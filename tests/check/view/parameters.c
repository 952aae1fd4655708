/* robocache: tests of the settings that viewers of robocachefoxglovesink change: who may, what they set, and what is recorded of it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check/lib/checks.h"
#include "viewclient.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define GIVE_TOKEN "{\"op\":\"robocacheToken\",\"token\":\"" TOKEN "\"}"
#define SET(name, value) "{\"op\":\"setParameters\",\"id\":\"a\",\"parameters\":[{\"name\":\"" name "\",\"value\":" value "}]}"

/* ---- a run ---- */

typedef struct
{
  GstElement *pipeline, *sink, *fuse;
  GstBus *bus;
  guint port;
} View;

static gchar *
folder_new (void)
{
  GError *error = NULL;
  gchar *folder = g_dir_make_tmp ("robocache-XXXXXX", &error);

  fail_unless (folder != NULL, "%s", error ? error->message : "");
  return folder;
}

static View
view_begin (const gchar *properties)
{
  gchar *launch = g_strdup_printf ("robocachefuse name=f rate=50 latency=5000000 ! robocachefoxglovesink name=s port=0 %s "
      "robocachetestsrc kind=proprio is-live=true ! f.proprio_0", properties);
  GstStructure *stats;
  View view = { 0 };

  view.pipeline = gst_parse_launch (launch, NULL);
  fail_unless (view.pipeline != NULL, "%s", launch);
  view.sink = gst_bin_get_by_name (GST_BIN (view.pipeline), "s");
  view.fuse = gst_bin_get_by_name (GST_BIN (view.pipeline), "f");
  view.bus = gst_element_get_bus (view.pipeline);
  fail_unless (gst_element_set_state (view.pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  g_object_get (view.sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "port", &view.port));
  gst_structure_free (stats);
  g_free (launch);
  return view;
}

static void
view_end (View *view)
{
  gst_element_set_state (view->pipeline, GST_STATE_NULL);
  gst_object_unref (view->bus);
  gst_object_unref (view->fuse);
  gst_object_unref (view->sink);
  gst_object_unref (view->pipeline);
}

/* Sends a message, and waits for a text with these words. */
static void
ask (ViewClient *client, const gchar *message, const gchar *words)
{
  gchar *text = NULL;

  view_client_send_text (client, message);
  do {
    g_free (text);
    text = view_client_receive_text (client);
  } while (!strstr (text, words));
  g_free (text);
}

static gint64
offset_of (const View *view)
{
  GstPad *pad = gst_element_get_static_pad (view->fuse, "proprio_0");
  gint64 offset;

  g_object_get (pad, "offset", &offset, NULL);
  gst_object_unref (pad);
  return offset;
}

/* ---- exchanges ---- */

typedef struct
{
  const gchar *properties;
  const gchar *first, *first_answer;    /* a message, and words of its answer; NULL: none */
  const gchar *message, *answer;        /* answer NULL: the connection is closed */
  gint64 offset;                /* of proprio_0 after it */
} Exchange;

#define ALLOWED "parameters=true"
#define TRUSTED ALLOWED, GIVE_TOKEN, "the token is right"

static const Exchange exchanges[] = {
  {TRUSTED, SET ("f.proprio_0.offset", "7000000"), "[{\"name\":\"f.proprio_0.offset\",\"value\":7000000}],\"id\":\"a\"", 7000000},
  {TRUSTED, SET ("f.proprio_0.offset", "-7000000"), "\"value\":-7000000}", -7000000},
  {TRUSTED, SET ("f.proprio_0.offset", "7.5"), "is not set: 7.5 is not an integer", 0},
  {TRUSTED, SET ("f.proprio_0.offset", "\\\"7\\\""), "is not an operation", 0},
  {TRUSTED, SET ("f.proprio_0.offset", "\"7\""), "is not set: ", 0},
  {TRUSTED, SET ("f.proprio_0.offset", "9223372036854775808"), "is not set: ", 0},
  {TRUSTED, SET ("f.proprio_0.max-gap", "-3"), "is not an integer of at least -2", 0},
  {TRUSTED, SET ("f.proprio_0.max-gap", "50000000"), "\"value\":50000000}", 0},
  {TRUSTED, SET ("f.latency", "30000000"), "\"name\":\"f.latency\",\"value\":30000000}", 0},
  {TRUSTED, SET ("f.latency", "-1"), "is not an integer of at least 0", 0},
  {TRUSTED, SET ("f.rate", "1"), "there is no such parameter", 0},
  {TRUSTED, SET ("f.proprio_9.offset", "1"), "there is no such parameter", 0},
  {TRUSTED, "{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"f.latency\"}]}", "cannot be deleted", 0},
  {TRUSTED, "{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"record\"}]}", "cannot be deleted", 0},
  {TRUSTED, SET ("record", "\"start\""), "takes no marks", 0},
  {TRUSTED, "{\"op\":\"setParameters\",\"parameters\":[{\"value\":1},2,{\"name\":3}],\"id\":\"a\"}", "\"parameterValues\"", 0},
  {ALLOWED, SET ("token", "\"" TOKEN "\""), "the token is right", SET ("f.proprio_0.offset", "5"), "\"value\":5}", 5},
  {ALLOWED, NULL, NULL, SET ("f.proprio_0.offset", "7"), "may not change parameters", 0},
  {ALLOWED, NULL, NULL, SET ("token", "\"" TOKEN "0\""), NULL, 0},
  {ALLOWED, NULL, NULL, SET ("token", "1"), NULL, 0},
  {ALLOWED, NULL, NULL, "{\"op\":\"robocacheToken\",\"token\":\"\"}", NULL, 0},
  {ALLOWED, NULL, NULL, "{\"op\":\"robocacheToken\"}", NULL, 0},
  {ALLOWED, GIVE_TOKEN, "the token is right", "{\"op\":\"robocacheToken\",\"token\":\"0\"}", NULL, 0},
  {ALLOWED, NULL, NULL, "{\"op\":\"getParameters\",\"parameterNames\":[],\"id\":\"b\"}",
      "[{\"name\":\"f.latency\",\"value\":5000000},{\"name\":\"f.proprio_0.offset\",\"value\":0},{\"name\":\"f.proprio_0.max-gap\",\"value\":-2}],"
      "\"id\":\"b\"", 0},
  {ALLOWED, NULL, NULL, "{\"op\":\"getParameters\",\"parameterNames\":[ \"f.latency\" , \"x\"]}", "[{\"name\":\"f.latency\",\"value\":5000000}]}", 0},
  {"", GIVE_TOKEN, "the token is right", SET ("f.proprio_0.offset", "7"), "set parameters=true", 0},
  {"", GIVE_TOKEN, "the token is right", "{\"op\":\"getParameters\"}", "\"parameters\":[]", 0},
  {"session=idle", GIVE_TOKEN, "the token is right", SET ("record", "1"), "1 is not a string", 0},
  {"session=idle", NULL, NULL, SET ("record", "\"start\""), "may not change parameters", 0},
};

GST_START_TEST (answers)
{
  const Exchange *exchange = &exchanges[__i__];
  ViewClient client;
  View view;

  g_setenv ("ROBOCACHE_VIEW_TOKEN", TOKEN, TRUE);
  view = view_begin (exchange->properties);
  view_client_connect (&client, view.port);
  if (exchange->first)
    ask (&client, exchange->first, exchange->first_answer);
  if (exchange->answer) {
    ask (&client, exchange->message, exchange->answer);
  } else {
    view_client_send_text (&client, exchange->message);
    fail_unless (view_client_is_closed (&client));
  }
  fail_unless_equals_int64 (offset_of (&view), exchange->offset);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* Without a token, none is right. */
GST_START_TEST (needs_a_token)
{
  ViewClient client;
  View view;

  g_unsetenv ("ROBOCACHE_VIEW_TOKEN");
  view = view_begin ("parameters=true");
  view_client_connect (&client, view.port);
  ask (&client, "{\"op\":\"robocacheToken\",\"token\":\"\"}", "this server has no token");
  ask (&client, SET ("f.proprio_0.offset", "7"), "may not change parameters");
  fail_unless_equals_int64 (offset_of (&view), 0);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* ---- what others see of it ---- */

GST_START_TEST (changes_are_seen)
{
  ViewClient client, other;
  GstMessage *message;
  GError *info;
  View view;

  g_setenv ("ROBOCACHE_VIEW_TOKEN", TOKEN, TRUE);
  view = view_begin ("parameters=true");
  view_client_connect (&client, view.port);
  view_client_connect (&other, view.port);
  view_client_send_text (&other, "{\"op\":\"subscribeParameterUpdates\",\"parameterNames\":[\"f.latency\"]}");
  ask (&other, "synchronize", "synchronize");
  ask (&client, GIVE_TOKEN, "the token is right");
  /* the first is not watched */
  ask (&client, SET ("f.proprio_0.offset", "7000000"), "\"value\":7000000}");
  ask (&client, SET ("f.latency", "9000000"), "\"value\":9000000}");
  ask (&other, "synchronize", "{\"op\":\"parameterValues\",\"parameters\":[{\"name\":\"f.latency\",\"value\":9000000}]}");
  message = gst_bus_timed_pop_filtered (view.bus, 20 * GST_SECOND, GST_MESSAGE_INFO);
  gst_message_parse_info (message, &info, NULL);
  fail_unless (g_str_equal (info->message, "a viewer has set f.proprio_0.offset from 0 to 7000000"), "%s", info->message);
  g_error_free (info);
  gst_message_unref (message);
  view_client_close (&client);
  view_client_close (&other);
  view_end (&view);
}

GST_END_TEST;

GST_START_TEST (posts_marks)
{
  GstMessage *message;
  ViewClient client;
  View view;

  g_setenv ("ROBOCACHE_VIEW_TOKEN", TOKEN, TRUE);
  view = view_begin ("");
  g_object_set (view.sink, "session", "waits", NULL);
  view_client_connect (&client, view.port);
  ask (&client, GIVE_TOKEN, "the token is right");
  view_client_send_text (&client, SET ("record", "\"start\""));
  do {
    message = gst_bus_timed_pop_filtered (view.bus, 20 * GST_SECOND, GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL);
  } while (!gst_message_has_name (message, "robocache-mark"));
  fail_unless (g_str_equal (gst_structure_get_string (gst_message_get_structure (message), "mark"), "start"));
  gst_message_unref (message);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* ---- the token ---- */

static const struct
{
  const gchar *content;         /* NULL: there is no file */
  gint mode;
  const gchar *fault;           /* words; NULL: none */
} files[] = {
  {TOKEN "\n", 0600, NULL},
  {"0123456789abcdefghijk_", 0400, NULL},
  {NULL, 0, NULL},
  {TOKEN, 0644, "others can read token-file"},
  {TOKEN, 0620, "others can read token-file"},
  {"", 0600, "is not one of 22 to 256 ASCII characters"},
  {"0123456789abcdefghijk\n", 0600, "is not one of 22 to 256 ASCII characters"},
  {"\303\2440123456789abcdefghijkl", 0600, "is not one of 22 to 256 ASCII characters"},
};

static void
expect_error (const gchar *properties, const gchar *words)
{
  gchar *launch = g_strdup_printf ("robocachetestsrc ! robocachefoxglovesink port=0 %s", properties);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS) && strstr (error->message, words), "%s", error->message);
  fail_if (strstr (error->message, "0123456789"), "the message has the token: %s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (launch);
}

/* The token of the file is right, and the file is private. */
static void
expect_token (const gchar *properties, const gchar *path)
{
  View view = view_begin (properties);
  gchar *token, *message;
  ViewClient client;
  GStatBuf status;

  fail_unless (g_stat (path, &status) == 0 && (status.st_mode & 077) == 0);
  fail_unless (g_file_get_contents (path, &token, NULL, NULL));
  fail_unless (strlen (g_strstrip (token)) >= 22);
  message = g_strdup_printf ("{\"op\":\"robocacheToken\",\"token\":\"%s\"}", token);
  view_client_connect (&client, view.port);
  ask (&client, message, "the token is right");
  view_client_close (&client);
  view_end (&view);
  g_free (message);
  g_free (token);
}

GST_START_TEST (reads_token_files)
{
  gchar *folder = folder_new (), *path = g_build_filename (folder, "token", NULL), *properties = g_strdup_printf ("token-file=%s", path);

  g_setenv ("ROBOCACHE_VIEW_TOKEN", "another token that is not used", TRUE);
  if (files[__i__].content) {
    fail_unless (g_file_set_contents (path, files[__i__].content, -1, NULL));
    fail_unless (chmod (path, (mode_t) files[__i__].mode) == 0);
  }
  if (files[__i__].fault)
    expect_error (properties, files[__i__].fault);
  else
    expect_token (properties, path);
  g_unlink (path);
  g_rmdir (folder);
  g_free (properties);
  g_free (path);
  g_free (folder);
}

GST_END_TEST;

GST_START_TEST (explains_tokens)
{
  g_setenv ("ROBOCACHE_VIEW_TOKEN", "short", TRUE);
  expect_error ("", "the token of ROBOCACHE_VIEW_TOKEN is not one of");
  expect_error ("token-file=/nowhere/token", "cannot make token-file \"/nowhere/token\"");
}

GST_END_TEST;

/* Found in a line of the log, which must not have it. */
static gint n_leaks;

static void
look_for_token (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  const gchar *text = gst_debug_message_get (message);

  if (text && strstr (text, "0123456789abcdef"))
    g_atomic_int_inc (&n_leaks);
}

GST_START_TEST (logs_no_token)
{
  ViewClient client;
  View view;

  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (look_for_token, NULL, NULL);
  gst_debug_set_default_threshold (GST_LEVEL_LOG);
  g_setenv ("ROBOCACHE_VIEW_TOKEN", TOKEN, TRUE);
  view = view_begin ("parameters=true");
  view_client_connect (&client, view.port);
  ask (&client, GIVE_TOKEN, "the token is right");
  ask (&client, SET ("f.proprio_0.offset", "1"), "\"value\":1}");
  view_client_send_text (&client, "{\"op\":\"robocacheToken\",\"token\":\"" TOKEN "0\"}");
  fail_unless (view_client_is_closed (&client));
  view_client_close (&client);
  view_end (&view);
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
  fail_unless_equals_int (g_atomic_int_get (&n_leaks), 0);
}

GST_END_TEST;

CHECK_MAIN (view_parameters, NULL, NULL, EACH (exchanges, answers), ONCE (needs_a_token), ONCE (changes_are_seen), ONCE (posts_marks),
    EACH (files, reads_token_files), ONCE (explains_tokens), ONCE (logs_no_token))
