/* robocache: a simulated robot, live: three sensors on common ticks, then point clouds into voxel grids, and a picture
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/tools/report/page.h"
#include "examples/tools/report/robot.h"
#include "examples/tools/report/session.h"
#include "output.h"
#include "program.h"
#include "sampletensor.h"
#include "statstable.h"

#define TICKS_PER_SECOND 50
#define CLOUDS_PER_SECOND 10
#define POINTS 20000

/* The walls of the simulated room are at x = ±3, y = ±2.5, z = 0 and 3 m: in the middle of voxels. */
#define GRID_X 65
#define GRID_Y 65
#define GRID_Z 33


#define POLL (100 * GST_MSECOND)

static gint seconds = 5;
static gint cloud_seconds = 1;
static gchar *picture = NULL;
static gchar *report_path = NULL;
static gchar *urdf = NULL, *tool = NULL;
static gboolean overwrite = FALSE;
static gboolean wrote_picture = FALSE;

static const GOptionEntry options[] = {
  {"seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "duration of the robot's run in seconds (5)", "N"},
  {"cloud-seconds", 'c', 0, G_OPTION_ARG_INT, &cloud_seconds, "duration of the point clouds in seconds (1)", "N"},
  {"picture", 'p', 0, G_OPTION_ARG_FILENAME, &picture, "write a picture of a voxel grid to FILE, as PNG; empty: none "
      "(voxels.png, or a new name)", "FILE"},
  {"report", 0, 0, G_OPTION_ARG_FILENAME, &report_path, "write the report of the robot's run to FILE, as HTML; empty: none "
      "(report.html, or a new name)", "FILE"},
  {"overwrite", 0, 0, G_OPTION_ARG_NONE, &overwrite, "replace a picture and a report that exist", NULL},
  {"urdf", 0, 0, G_OPTION_ARG_FILENAME, &urdf, "show in the report the tool's path of the robot in this URDF; its joints are among "
      "q0 to q13", "FILE"},
  {"tool", 0, 0, G_OPTION_ARG_STRING, &tool, "link that is the tool (the robot's only end link)", "LINK"},
  LIVE_VIEW_OPTION,
  {NULL}
};

static const StatsTableRow sensors[] = {
  {(gchar *) "camera_0", (gchar *) "camera_0"},
  {(gchar *) "proprio_0", (gchar *) "proprio_0"},
  {(gchar *) "force_0", (gchar *) "force_0"},
};

/* Called for every sample, and with NULL at the end. */
typedef void (*TakeSample) (GstElement * pipeline, GstSample * sample, guint64 number);

/* Writes over the last line on a terminal, and a line now and then elsewhere. */
static void
show_progress (gboolean is_milestone, const gchar *text)
{
  if (stats_is_terminal (stdout))
    printf ("\r%s\033[K%s", text, is_milestone ? "\n" : "");
  else if (is_milestone)
    printf ("%s\n", text);
  fflush (stdout);
}

/* What handle_sample of a pipeline gets. */
typedef struct
{
  GstElement *pipeline;
  TakeSample handle_sample;
  guint64 n;
} Run;

static gboolean
count_sample (GstSample *sample, gpointer data)
{
  Run *run = data;

  run->handle_sample (run->pipeline, sample, ++run->n);
  return TRUE;
}

/* Plays a pipeline, whose appsink is called samples, until it ends. */
static gboolean
play_pipeline (GstElement *pipeline, TakeSample handle_sample)
{
  Run run = { pipeline, handle_sample, 0 };
  const gboolean ok = program_play (pipeline, count_sample, NULL, &run);

  if (ok)
    handle_sample (pipeline, NULL, run.n);
  return ok;
}

static void
stop_pipeline (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static gboolean
run_pipeline (const gchar *description, TakeSample handle_sample)
{
  GstElement *pipeline = messages_launch (description);
  gboolean ok;

  fflush (stdout);
  ok = pipeline && play_pipeline (pipeline, handle_sample);
  if (pipeline)
    stop_pipeline (pipeline);
  return ok;
}

/* ---- the robot ---- */

static gint64
rows_in (const GstStructure *stats, const gchar *pad)
{
  const GValue *of_pad = gst_structure_get_value (stats, pad);

  return of_pad ? stats_get (gst_value_get_structure (of_pad), "rows-in") : 0;
}

/* Tensors come in the order camera, proprio, force, once each stream has begun. */
static void
show_tick (GstElement *fuse, GstSample *sample, guint64 n)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstStructure *stats;
  gchar *text;

  if (sample_n_tensors (sample) < G_N_ELEMENTS (sensors))
    return;
  g_object_get (fuse, "stats", &stats, NULL);
  text = g_strdup_printf ("%5.2f s  %4" G_GUINT64_FORMAT " ticks  rows in: camera %" G_GINT64_FORMAT ", joints %"
      G_GINT64_FORMAT ", force %" G_GINT64_FORMAT "   joint 0 %+.3f rad  torque x %+.3f Nm",
      (gdouble) GST_BUFFER_PTS (buffer) / GST_SECOND, n, rows_in (stats, "camera_0"), rows_in (stats, "proprio_0"),
      rows_in (stats, "force_0"), (gdouble) sample_tensor_value (sample, 1, 0), (gdouble) sample_tensor_value (sample, 2, 3));
  show_progress (n % TICKS_PER_SECOND == 0, text);
  g_free (text);
  gst_structure_free (stats);
}

static void
handle_robot_sample (GstElement *pipeline, GstSample *sample, guint64 n)
{
  GstElement *fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");

  if (sample) {
    if (n % (TICKS_PER_SECOND / 5) == 0)
      show_tick (fuse, sample, n);
  } else {
    show_progress (TRUE, "");
    stats_table_print (stdout, fuse, sensors, G_N_ELEMENTS (sensors));
    putchar ('\n');
  }
  gst_object_unref (fuse);
}

/* The report has a note where --urdf cannot be read. */
static Report *
make_report (ReportSession *session, GError **error)
{
  GError *fault = NULL;
  ReportRobot *robot = urdf ? report_robot_open (urdf, tool, &fault) : NULL;
  const ReportRobotChoice choice = { robot ? urdf : NULL, tool };
  Report *report = report_session_finish (session, "A simulated robot", &choice, error);

  if (report && fault)
    report_add_note (report, "The tool's path is not shown: %s", fault->message);
  g_clear_error (&fault);
  report_robot_free (robot);
  return report;
}

static gboolean
write_report (ReportSession *session, GError **error)
{
  Report *report = make_report (session, error);
  const gboolean ok = report && report_write_page (report, report_path, error);

  if (ok)
    printf ("The run as a page of charts: %s\n\n", report_path);
  g_clear_pointer (&report, report_free);
  return ok;
}

/* Plays the robot's pipeline, and reports it. */
static gboolean
play_robot (GstElement *pipeline)
{
  const gboolean has_report = *report_path != '\0';
  GstElement *fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  ReportSession session = { 0 };
  GError *error = NULL;
  const gboolean ok = (!has_report || report_session_begin (&session, pipeline, fuse, &error)) && live_view_add (pipeline, fuse, stdout, &error)
      && play_pipeline (pipeline, handle_robot_sample) && (!has_report || write_report (&session, &error));

  if (error)
    printable_report ("error", error->message);
  g_clear_error (&error);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  report_session_clear (&session);
  gst_object_unref (fuse);
  return ok;
}

static gboolean
run_robot (void)
{
  gchar *description = g_strdup_printf ("robocachefuse name=fuse rate=%d/1 ! appsink name=samples sync=false "
      "videotestsrc is-live=true pattern=ball num-buffers=%d ! video/x-raw,format=RGB,width=640,height=480,framerate=30/1 "
      "! fuse.camera_0 "
      "robocachetestsrc kind=proprio is-live=true channels=14 rate=100/1 jitter=2000000 num-buffers=%d ! fuse.proprio_0 "
      "robocachetestsrc kind=force is-live=true channels=6 rate=1000/1 num-buffers=%d ! fuse.force_0", TICKS_PER_SECOND,
      30 * seconds, 100 * seconds, 1000 * seconds);
  GstElement *pipeline = messages_launch (description);
  gboolean ok;

  g_free (description);
  printf ("A robot, live for %d s: camera 640x480 at 30 fps, 14 joints at 100 Hz with 2 ms of jitter, force/torque at "
      "1 kHz,\nfused at %d Hz\n", seconds, TICKS_PER_SECOND);
  fflush (stdout);
  ok = pipeline && play_robot (pipeline);
  if (pipeline)
    stop_pipeline (pipeline);
  return ok;
}

/* ---- the point clouds ---- */

static guint
count_occupied (GstSample *sample)
{
  SampleTensor grid;
  guint n = 0;

  if (!sample_tensor_map (&grid, sample, 0))
    return 0;
  for (gsize i = 0; i < grid.size; i++)
    n += grid.data[i] != 0;
  sample_tensor_unmap (&grid);
  return n;
}

static void
handle_grid (GstElement *pipeline, GstSample *sample, guint64 n)
{
  gchar *text;

  if (!sample)
    return;
  text = g_strdup_printf ("%5.2f s  cloud %" G_GUINT64_FORMAT ": %d points, %u of %d voxels occupied",
      (gdouble) GST_BUFFER_PTS (gst_sample_get_buffer (sample)) / GST_SECOND, n, POINTS, count_occupied (sample),
      GRID_X * GRID_Y * GRID_Z);
  show_progress (TRUE, text);
  g_free (text);
}

static gboolean
run_clouds (void)
{
  gchar *description = g_strdup_printf ("robocachetestsrc kind=points is-live=true channels=%d rate=%d/1 num-buffers=%d "
      "! robocachevoxelize origin=\"<-3.25,-3.25,-0.15>\" voxel-size=\"<0.1,0.1,0.1>\" grid=%d:%d:%d type=uint8 "
      "! appsink name=samples sync=false", POINTS, CLOUDS_PER_SECOND, CLOUDS_PER_SECOND * cloud_seconds, GRID_X, GRID_Y,
      GRID_Z);
  gboolean ok;

  printf ("A room and a ball in it, %d point clouds a second into voxels of 0.1 m, for %d s\n", CLOUDS_PER_SECOND,
      cloud_seconds);
  ok = run_pipeline (description, handle_grid);
  g_free (description);
  return ok;
}

/* ---- the picture ---- */

static void
write_picture (GstElement *pipeline, GstSample *sample, guint64 n)
{
  OutputFile file;
  GError *error = NULL;
  GstMapInfo map;

  if (!sample || !gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ))
    return;
  if (output_file_open (&file, picture, &error)) {
    fwrite (map.data, 1, map.size, file.stream);
    output_file_close (&file, TRUE, &error);
  }
  if (!error)
    printf ("The room without its ceiling and two of its walls, as voxels coloured by height: %s\n", picture);
  else
    printable_report ("error", error->message);
  wrote_picture = error == NULL;
  g_clear_error (&error);
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
}

static gboolean
is_there (const gchar *factory, const gchar *advice)
{
  GstElementFactory *found = gst_element_factory_find (factory);

  if (!found)
    printf ("No picture of the voxels: %s is missing; %s\n", factory, advice);
  else
    gst_object_unref (found);
  return found != NULL;
}

static gboolean
run_picture (void)
{
  if (!is_there ("robocachevoxelview", "install libcairo2-dev and build again")
      || !is_there ("pngenc", "install gstreamer1.0-plugins-good"))
    return TRUE;
  return run_pipeline ("robocachetestsrc kind=points channels=60000 num-buffers=1 "
      "! robocachevoxelize origin=\"<-3.05,-2.45,-0.05>\" voxel-size=\"<0.1,0.1,0.1>\" grid=60:50:29 "
      "! robocachevoxelview ! video/x-raw,width=960,height=720 ! videoconvert ! pngenc "
      "! appsink name=samples sync=false", write_picture) && wrote_picture;
}

static gboolean
check_seconds (const gchar *option, gint value)
{
  if (value >= 0 && value <= 86400)
    return TRUE;
  fprintf (stderr, "error: --%s=%d: expected 0 to 86400\n", option, value);
  return FALSE;
}

/* Returns the first of NAME.EXTENSION, NAME-2.EXTENSION, ... that does not exist; with --overwrite, NAME.EXTENSION. */
static gchar *
choose_name (const gchar *name, const gchar *extension)
{
  gchar *path = g_strdup_printf ("%s.%s", name, extension);

  for (guint i = 2; !overwrite && g_file_test (path, G_FILE_TEST_EXISTS); i++) {
    g_free (path);
    path = g_strdup_printf ("%s-%u.%s", name, i, extension);
  }
  return path;
}

static gboolean
check_outputs (void)
{
  const OutputName outputs[] = { {"--picture", picture, FALSE, overwrite}, {"--report", report_path, FALSE, overwrite || seconds == 0} };
  const gchar *const inputs[] = { urdf, NULL };
  GError *error = NULL;

  if (output_check (outputs, G_N_ELEMENTS (outputs), inputs, &error))
    return TRUE;
  printable_report ("error", error->message);
  g_error_free (error);
  return FALSE;
}

int
main (int argc, char **argv)
{
  const gboolean is_parsed = program_parse_options (argc, argv, options,
      "Aligns a simulated robot's sensors on common ticks, live, and prints the statistics.", "robocache simulate --seconds 10")
      && check_seconds ("seconds", seconds) && check_seconds ("cloud-seconds", cloud_seconds);
  gboolean ok;

  picture = picture ? picture : choose_name ("voxels", "png");
  report_path = report_path ? report_path : report_session_is_possible () ? choose_name ("report", "html") : g_strdup ("");
  ok = is_parsed && check_outputs () && (seconds == 0 || run_robot ()) && (cloud_seconds == 0 || run_clouds ()) && (*picture == '\0' || run_picture ());
  g_free (picture);
  g_free (report_path);
  g_free (urdf);
  g_free (tool);
  return ok ? EXIT_SUCCESS : is_parsed ? EXIT_FAILURE : EXIT_USAGE;
}
