/* robocache: robocachevoxelize in whole pipelines, from and to files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/recordings.h"
#include "tests/check/lib/points/voxelizeharness.h"

static gchar *folder, *in, *out;

static void
make_files (void)
{
  folder = g_dir_make_tmp ("robocachevoxelize-XXXXXX", NULL);
  in = g_build_filename (folder, "cloud", NULL);
  out = g_build_filename (folder, "grid", NULL);
}

static void
remove_files (void)
{
  g_remove (in);
  g_remove (out);
  g_rmdir (folder);
  g_free (in);
  g_free (out);
  g_free (folder);
}

static void
run_to_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_bus_set_flushing (bus, FALSE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%" GST_PTR_FORMAT, message);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

GST_START_TEST (test_ten_times_null_to_playing)
{
  gchar *description, *reference = NULL;
  gfloat points[300 * 4];
  GstElement *pipeline;
  gsize reference_size = 0;

  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    points[i] = (gfloat) (i * 7919 % 1000) / 250.0f;
  fail_unless (g_file_set_contents (in, (gchar *) points, sizeof (points), NULL));
  description = g_strdup_printf ("filesrc location=%s blocksize=480 ! " XYZI " ! robocachevoxelize name=v " UNIT
      "grid=4:4:4 mode=mean accumulate=3 ! filesink location=%s", in, out);
  pipeline = gst_parse_launch (description, NULL);
  fail_unless (pipeline != NULL);
  for (guint i = 0; i < 10; i++) {
    gchar *contents;
    gsize size;

    run_to_eos (pipeline);
    fail_unless (g_file_get_contents (out, &contents, &size, NULL));
    fail_unless_equals_int (size, 10 * 64 * 4);
    if (reference) {
      fail_unless (size == reference_size && memcmp (contents, reference, size) == 0);
      g_free (contents);
    } else {
      reference = contents;
      reference_size = size;
    }
  }
  gst_object_unref (pipeline);
  g_free (reference);
  g_free (description);
}

GST_END_TEST;

/* Caps that a filter has fixed say nothing of a rate; nor does what the view can take. */
GST_START_TEST (test_points_without_a_rate)
{
  static const gchar *const points[] = { "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32",
    TENSOR ("float32", "3:10")
  };
  GstElementFactory *view = gst_element_factory_find ("robocachevoxelview");
  gchar *description = g_strdup_printf ("fakesrc num-buffers=2 sizetype=fixed sizemax=120 filltype=zero format=time ! %s ! "
      "robocachevoxelize grid=8:8:8 ! robocachevoxelview ! video/x-raw,framerate=0/1 ! fakesink", points[__i__]);

  if (view) {
    GstElement *pipeline = gst_parse_launch (description, NULL);

    fail_unless (pipeline != NULL);
    run_to_eos (pipeline);
    gst_object_unref (pipeline);
    gst_object_unref (view);
  }
  g_free (description);
}

GST_END_TEST;

#define RECORDED "cloud_119978_xyz_f32.bin"

GST_START_TEST (test_recorded_cloud)
{
  const char *path = recording_path ("robocachevoxelize recorded_cloud", RECORDED);
  GstElement *pipeline, *element;
  GstStructure *stats;
  gint64 n = 0, inside = 0;
  gchar *description;

  if (path == NULL)
    return;
  description = g_strdup_printf ("filesrc location=%s blocksize=1439736 ! " XYZ " ! robocachevoxelize name=v "
      "origin=<-256.0,-256.0,-256.0> voxel-size=<1.0,1.0,1.0> grid=512:512:512 mode=count output=%s ! fakesink", path,
      __i__ ? "sparse" : "dense");
  pipeline = gst_parse_launch (description, NULL);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  run_to_eos (pipeline);
  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "occupied-voxels", &n));
  fail_unless (gst_structure_get_int64 (stats, "points-inside", &inside));
  fail_unless_equals_int64 (n, 3440);
  fail_unless_equals_int64 (inside, 119978);
  gst_structure_free (stats);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  g_free (description);
}

GST_END_TEST;

#ifndef __SANITIZE_ADDRESS__
GST_START_TEST (test_example_script)
{
  gchar *contents, *errors = NULL;
  const gfloat points[] = { 0.5f, 0.5f, 0.5f, 1.5f, 0.5f, 0.5f, 1.25f, 0.5f, 0.5f };
  gchar *command[] = { (gchar *) "bash", (gchar *) ROBOCACHE_EXAMPLES "/voxelize-file.sh", in, out, (gchar *) "1.0",
    (gchar *) "0.0,0.0,0.0", (gchar *) "3:1:1", NULL
  };
  gsize size;
  gint status;

  if (!g_file_test (command[1], G_FILE_TEST_EXISTS)) {
    g_print ("SKIP robocachevoxelize example_script: %s is not there\n", command[1]);
    return;
  }
  fail_unless (g_file_set_contents (in, (gchar *) points, sizeof (points), NULL));
  fail_unless (g_spawn_sync (NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &errors, &status, NULL));
  fail_unless (g_spawn_check_exit_status (status, NULL), "%s", errors);
  fail_unless (g_file_get_contents (out, &contents, &size, NULL));
  fail_unless_equals_int (size, 3);
  fail_unless (memcmp (contents, "\1\1\0", 3) == 0);
  g_free (contents);
  g_free (errors);
}

GST_END_TEST;

#define SCRIPTS ONCE (test_example_script)
#else                           /* gst-launch-1.0 is not sanitized, and could not load us */
#define SCRIPTS (void) 0
#endif

CHECK_MAIN (robocachevoxelize, make_files, remove_files, ONCE (test_ten_times_null_to_playing),
    TIMES (2, test_points_without_a_rate), TIMES (2, test_recorded_cloud), SCRIPTS)
