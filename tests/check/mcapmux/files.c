/* robocache: files of robocachemcapsink: recordings of before stay, names, locks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/recordings/muxrun.h"
#include "tests/check/lib/checks.h"

#define SINK "robocachemcapsink"
#define QUICK " sync-interval=0 time-origin=0"
#define ROW TENSORS ("float32", "1")
#define ROW_SIZE 4
#define OLD "a recording of before"

static gchar *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("files-XXXXXX", NULL);
}

static void
remove_tree (const gchar *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir))) {
    gchar *child = g_build_filename (path, name, NULL);

    remove_tree (child);
    g_free (child);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

static void
remove_folder (void)
{
  remove_tree (folder);
  g_clear_pointer (&folder, g_free);
}

static gchar *
path_of (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
write_old (const gchar *name)
{
  gchar *path = path_of (name), *parent = g_path_get_dirname (path);

  g_mkdir_with_parents (parent, 0777);
  fail_unless (g_file_set_contents (path, OLD, -1, NULL));
  g_free (parent);
  g_free (path);
}

static gchar *
contents_of (const gchar *name)
{
  gchar *path = path_of (name), *contents = NULL;

  g_file_get_contents (path, &contents, NULL, NULL);
  g_free (path);
  return contents;
}

static gboolean
is_old (const gchar *name)
{
  gchar *contents = contents_of (name);
  const gboolean is_same = g_strcmp0 (contents, OLD) == 0;

  g_free (contents);
  return is_same;
}

static gboolean
is_recording (const gchar *name)
{
  gchar *contents = contents_of (name);
  const gboolean is = contents && g_str_has_prefix (contents, "\x89MCAP0\r\n");

  g_free (contents);
  return is;
}

/* The location of a test's recorder is in its folder. */
static void
open_run (MuxRun *run, const gchar *location, const gchar *properties)
{
  gchar *path = path_of (location), *all = g_strdup_printf ("location=%s %s" QUICK, path, properties);

  mux_open (run, SINK, all);
  mux_add (run, FALSE);
  g_free (all);
  g_free (path);
}

static void
begin (MuxRun *run)
{
  mux_play (run);
  gst_pad_set_active (run->sources[0].pad, TRUE);
  mux_begin (&run->sources[0], ROW);
  fail_unless_equals_int (mux_push (&run->sources[0], 0, ROW_SIZE), GST_FLOW_OK);
}

static void
end (MuxRun *run)
{
  gst_element_set_state (run->mux, GST_STATE_NULL);
  gst_pad_set_active (run->sources[0].pad, FALSE);
}

/* ---- what exists ---- */

static const struct
{
  const gchar *existing, *location, *properties;
  const gchar *written;         /* NULL: an error before anything is written */
} meetings[] = {
  {"run.mcap", "run.mcap", "", NULL},
  {"run.mcap", "run.mcap", "overwrite=true", "run.mcap"},
  {"run.mcap", "other.mcap", "", "other.mcap"},
  {"run-7.mcap", "run-%03d.mcap", "", "run-008.mcap"},
  {"run-007.mcap", "run-%03d.mcap", "fragment-duration=1000000", "run-008.mcap"},
  {"run-007.mcap", "run-%03d.mcap", "overwrite=true", "run-008.mcap"},
  {"run-007.txt", "run-%03d.mcap", "", "run-000.mcap"},
  {"100%-5d.mcap", "100%-5d.mcap", "", NULL},
  {"bag/bag_0.mcap", "bag", "layout=rosbag2", NULL},
  {"bag/notes.txt", "bag", "layout=rosbag2", NULL},
  {"bag/bag_7.mcap", "bag", "layout=rosbag2 overwrite=true", "bag/bag_0.mcap"},
  {"bag/metadata.yaml", "bag", "layout=rosbag2 overwrite=true", "bag/bag_0.mcap"},
  {"bag3/bag3_0.mcap", "bag%d", "layout=rosbag2", "bag4/bag4_0.mcap"},
  {"bag", "bag", "layout=rosbag2", NULL},
};

GST_START_TEST (test_existing)
{
  const gboolean replaces = strstr (meetings[__i__].properties, "overwrite") && !strchr (meetings[__i__].location, '%');
  MuxRun run;

  write_old (meetings[__i__].existing);
  open_run (&run, meetings[__i__].location, meetings[__i__].properties);
  if (!meetings[__i__].written) {
    fail_unless (gst_element_set_state (run.mux, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
    EXPECT_MESSAGES (&run, strcmp (meetings[__i__].existing, "bag") == 0 ? "Not a directory" : "exists");
  } else {
    mux_play (&run);
    fail_unless (is_old (meetings[__i__].existing));
    begin (&run);
    end (&run);
    EXPECT_MESSAGES (&run, "");
    fail_unless (is_recording (meetings[__i__].written), "no %s", meetings[__i__].written);
  }
  fail_unless_equals_int (is_old (meetings[__i__].existing), !replaces);
  mux_close (&run);
}

GST_END_TEST;

/* A pipeline that never gets data leaves no file, and an empty file is no recording. */
GST_START_TEST (test_no_data)
{
  MuxRun run;
  gchar *path = path_of ("run.mcap");

  open_run (&run, "run.mcap", __i__ ? "overwrite=true" : "");
  mux_play (&run);
  mux_begin (&run.sources[0], ROW);
  end (&run);
  fail_unless (!g_file_test (path, G_FILE_TEST_EXISTS));
  fail_unless (g_file_set_contents (path, "", 0, NULL));
  begin (&run);
  end (&run);
  fail_unless (is_recording ("run.mcap"));
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
  g_free (path);
}

GST_END_TEST;

/* ---- a second start ---- */

static const struct
{
  const gchar *location, *properties, *names[3];
} restarts[] = {
  {"run.mcap", "", {"run.mcap", "run-2.mcap", "run-3.mcap"}},
  {"run.mcap", "overwrite=true", {"run.mcap", "run-2.mcap", "run-3.mcap"}},
  {"run", "", {"run", "run-2", "run-3"}},
  {"run%d.mcap", "", {"run0.mcap", "run1.mcap", "run2.mcap"}},
  {"bag", "layout=rosbag2", {"bag/bag_0.mcap", "bag-2/bag-2_0.mcap", "bag-3/bag-3_0.mcap"}},
};

GST_START_TEST (test_restart)
{
  gchar *before[3];
  MuxRun run;

  open_run (&run, restarts[__i__].location, restarts[__i__].properties);
  for (guint life = 0; life < 3; life++) {
    begin (&run);
    end (&run);
    before[life] = contents_of (restarts[__i__].names[life]);
    fail_unless (before[life] != NULL, "no %s", restarts[__i__].names[life]);
  }
  for (guint life = 0; life < 3; life++) {
    gchar *now = contents_of (restarts[__i__].names[life]);

    fail_unless_equals_string (now, before[life]);
    g_free (now);
    g_free (before[life]);
  }
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

/* ---- times ---- */

GST_START_TEST (test_time_in_name)
{
  MuxRun run;
  GDir *dir;
  const gchar *name;

  open_run (&run, "run-%t.mcap", "");
  begin (&run);
  end (&run);
  mux_close (&run);
  dir = g_dir_open (folder, 0, NULL);
  name = g_dir_read_name (dir);
  fail_unless (g_regex_match_simple ("^run-20[0-9]{6}T[0-9]{6}Z\\.mcap$", name, 0, 0), "%s", name);
  g_dir_close (dir);
}

GST_END_TEST;

/* ---- locks ---- */

static const struct
{
  const gchar *location, *properties, *written;
} locks[] = { {"run.mcap", "overwrite=true", "run.mcap"}, {"bag", "layout=rosbag2 overwrite=true", "bag/bag_0.mcap"} };

/* Of two recorders of one file the first has it. */
GST_START_TEST (test_lock)
{
  MuxRun first, second;
  GstMessage *message;
  GError *error;

  open_run (&first, locks[__i__].location, locks[__i__].properties);
  open_run (&second, locks[__i__].location, locks[__i__].properties);
  mux_play (&second);
  begin (&first);
  WAIT_UNTIL (is_recording (locks[__i__].written));
  begin (&second);
  message = gst_bus_timed_pop_filtered (second.bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "is being written by another recorder") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (is_recording (locks[__i__].written));
  end (&second);
  end (&first);
  EXPECT_MESSAGES (&first, "");
  mux_close (&first);
  mux_close (&second);
}

GST_END_TEST;

/* ---- metadata.yaml ---- */

/* It is of the files in the folder, whatever was there. */
GST_START_TEST (test_metadata)
{
  gchar *yaml, *path = path_of ("bag/bag_3.mcap");
  MuxRun run;

  write_old ("bag/metadata.yaml");
  write_old ("bag/bag_3.mcap");
  write_old ("bag/notes.txt");
  open_run (&run, "bag", "layout=rosbag2 overwrite=true");
  begin (&run);
  WAIT_UNTIL (is_recording ("bag/bag_0.mcap"));
  /* as a kill leaves it */
  yaml = contents_of ("bag/metadata.yaml");
  fail_unless (yaml == NULL, "%s", yaml);
  fail_unless (!g_file_test (path, G_FILE_TEST_EXISTS) && is_old ("bag/notes.txt"));
  end (&run);
  yaml = contents_of ("bag/metadata.yaml");
  fail_unless (yaml && strstr (yaml, "bag_0.mcap") && !strstr (yaml, "bag_3.mcap"), "%s", yaml);
  mux_close (&run);
  g_free (yaml);
  g_free (path);
}

GST_END_TEST;

CHECK_MAIN (files, make_folder, remove_folder, EACH (meetings, test_existing), TIMES (2, test_no_data), EACH (restarts, test_restart),
    ONCE (test_time_in_name), EACH (locks, test_lock), ONCE (test_metadata))
