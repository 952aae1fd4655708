/* robocache: the same disturbances for robocachefuse and for other elements that join live streams
 *
 * Two live sources of 100 buffers a second, the element, a queue and a sink; then one disturbance. A line of a Markdown table for each:
 * buffers a second before it, buffers and CPU time in the first second after it, how soon buffers are at the rate and about now again,
 * and whether the pipeline reaches NULL. Each case has a process of its own, which is killed where it does not come back. identity
 * shows what a clock does that is asked to wait for these times.
 *
 *   sidebyside [ELEMENT…]       robocachefuse audiomixer compositor tensor_mux identity
 *
 * tensor_mux is NNStreamer's: GST_PLUGIN_PATH_1_0 must name its folder, too. This prints what happens; it judges nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RATE 100
#define PERIOD (GST_SECOND / RATE)
#define MAX_SOURCES 2
#define HOUR (3600 * GST_SECOND)
#define PAUSE_S 3
#define GIVE_UP_US (10 * G_USEC_PER_SEC)
#define HANG_SECONDS 40
#define NEAR (GST_SECOND / 2)

typedef struct
{
  const gchar *name, *properties, *caps;
  gsize size;                   /* of a buffer */
  guint n_sources;
} Joiner;

#define TENSOR "other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)4,framerate=100/1"

static const Joiner joiners[] = {
  {"robocachefuse", "rate=100/1", TENSOR, 16, 2},
  {"robocachefuse", "reference-pad=sink_0", TENSOR, 16, 1},
  {"audiomixer", "output-buffer-duration=10000000", "audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=1", 1920, 2},
  {"compositor", "background=black", "video/x-raw,format=AYUV,width=16,height=16,framerate=100/1", 1024, 2},
  {"tensor_mux", "sync-mode=slowest", TENSOR, 16, 2},
  {"identity", "sync=true", TENSOR, 16, 1},
};

typedef struct
{
  GstElement *pipeline, *joiner;
  GstElement *sources[MAX_SOURCES];
  guint n_sources;
  GMutex lock;
  gint stop;                    /* atomic */
  gboolean is_playing, is_dead; /* lock: the last source is silent */
  guint n_wild;                 /* lock: buffers of the last source to have a time near 2^63 */
  GstSegment segment;           /* lock, as the following: of what came out */
  guint64 n_out;
  GstClockTime newest;          /* running time */
} Rig;

static GstClockTime
running_time (Rig *rig)
{
  GstClock *clock = gst_pipeline_get_clock (GST_PIPELINE (rig->pipeline));
  const GstClockTime now = gst_clock_get_time (clock), base_time = gst_element_get_base_time (rig->pipeline);

  gst_object_unref (clock);
  return now > base_time ? now - base_time : 0;
}

/* ---- in and out ---- */

static void
push (Rig *rig, guint i, gsize size, GstClockTime t)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  GST_BUFFER_PTS (buffer) = t;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  if (i == rig->n_sources - 1 && rig->n_wild > 0) {
    rig->n_wild--;
    GST_BUFFER_PTS (buffer) = G_MAXINT64 - GST_SECOND;
  }
  gst_app_src_push_buffer (GST_APP_SRC (rig->sources[i]), buffer);
}

typedef struct
{
  Rig *rig;
  const Joiner *joiner;
} Feeder;

/* Follows running time, wherever it jumps, as drivers do; none of what was missed. */
static gpointer
feed (gpointer data)
{
  const Feeder *feeder = data;
  Rig *rig = feeder->rig;
  GstClockTime next = 0;

  for (; !g_atomic_int_get (&rig->stop); g_usleep (1000)) {
    g_mutex_lock (&rig->lock);
    if (rig->is_playing) {
      const GstClockTime now = running_time (rig);

      if (ABS (GST_CLOCK_DIFF (now, next)) > (GstClockTimeDiff) NEAR)
        next = now / PERIOD * PERIOD;
      for (; next <= now; next += PERIOD) {
        for (guint i = 0; i < rig->n_sources - (guint) rig->is_dead; i++)
          push (rig, i, feeder->joiner->size, next);
      }
    }
    g_mutex_unlock (&rig->lock);
  }
  return NULL;
}

static GstPadProbeReturn
note_output (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Rig *rig = data;

  g_mutex_lock (&rig->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    rig->n_out++;
    rig->newest = gst_segment_to_running_time (&rig->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (GST_PAD_PROBE_INFO_EVENT (info), &rig->segment);
  }
  g_mutex_unlock (&rig->lock);
  return GST_PAD_PROBE_OK;
}

static guint64
count (Rig *rig)
{
  guint64 n;

  g_mutex_lock (&rig->lock);
  n = rig->n_out;
  g_mutex_unlock (&rig->lock);
  return n;
}

static gboolean
is_near (Rig *rig)
{
  gboolean is;

  g_mutex_lock (&rig->lock);
  is = GST_CLOCK_TIME_IS_VALID (rig->newest) && ABS (GST_CLOCK_DIFF (rig->newest, running_time (rig))) < (GstClockTimeDiff) NEAR;
  g_mutex_unlock (&rig->lock);
  return is;
}

/* ---- disturbances ---- */

static void
set_playing (Rig *rig, gboolean is_playing)
{
  g_mutex_lock (&rig->lock);
  rig->is_playing = is_playing;
  g_mutex_unlock (&rig->lock);
  gst_element_set_state (rig->pipeline, is_playing ? GST_STATE_PLAYING : GST_STATE_PAUSED);
}

static void
pause_and_resume (Rig *rig)
{
  set_playing (rig, FALSE);
  g_usleep (PAUSE_S * G_USEC_PER_SEC);
  gst_element_set_state (rig->pipeline, GST_STATE_PLAYING);
  gst_element_get_state (rig->pipeline, NULL, NULL, GST_SECOND);
  set_playing (rig, TRUE);
}

static void
set_base_time (const GValue *item, gpointer data)
{
  gst_element_set_base_time (g_value_get_object (item), *(GstClockTime *) data);
}

static void
move_running_time (Rig *rig, GstClockTimeDiff by)
{
  GstClockTime base_time = gst_element_get_base_time (rig->pipeline) - (GstClockTime) by;
  GstIterator *all = gst_bin_iterate_recurse (GST_BIN (rig->pipeline));

  g_mutex_lock (&rig->lock);
  gst_element_set_base_time (rig->pipeline, base_time);
  gst_iterator_foreach (all, set_base_time, &base_time);
  g_mutex_unlock (&rig->lock);
  gst_iterator_free (all);
}

static void
jump_forwards (Rig *rig)
{
  move_running_time (rig, HOUR);
}

static void
jump_back (Rig *rig)
{
  move_running_time (rig, -2 * (GstClockTimeDiff) GST_SECOND);
}

static void
send_wild_times (Rig *rig)
{
  g_mutex_lock (&rig->lock);
  rig->n_wild = 10;
  g_mutex_unlock (&rig->lock);
}

static void
let_one_die (Rig *rig)
{
  g_mutex_lock (&rig->lock);
  rig->is_dead = TRUE;
  g_mutex_unlock (&rig->lock);
}

static void
stop_process (Rig *rig)
{
  raise (SIGSTOP);              /* our parent lets us go on */
}

static const struct
{
  const gchar *name;
  void (*disturb) (Rig * rig);
} disturbances[] = {
  {"pause of 3 s", pause_and_resume},
  {"running time an hour forwards", jump_forwards},
  {"running time 2 s back", jump_back},
  {"ten PTS near 2^63 in one stream", send_wild_times},
  {"one source dies", let_one_die},
  {"SIGSTOP for 3 s", stop_process},
};

/* ---- a case, in a process of its own ---- */

static void
make_pipeline (Rig *rig, const Joiner *joiner)
{
  GString *text = g_string_new (NULL);
  GError *error = NULL;
  GstPad *src;

  g_string_append_printf (text, "%s name=joiner %s ! queue ! fakesink sync=false", joiner->name, joiner->properties);
  for (guint i = 0; i < rig->n_sources; i++)
    g_string_append_printf (text, " appsrc name=source-%u is-live=true format=time caps=\"%s\" ! queue ! joiner.%s", i,
        joiner->caps, g_str_equal (joiner->name, "identity") ? "sink" : i > 0 ? "sink_1" : "sink_0");
  rig->pipeline = gst_parse_launch (text->str, &error);
  if (error) {
    printf ("| | %s | | | | | %s |\n", joiner->name, error->message);
    fflush (stdout);
    _exit (EXIT_SUCCESS);
  }
  rig->joiner = gst_bin_get_by_name (GST_BIN (rig->pipeline), "joiner");
  for (guint i = 0; i < rig->n_sources; i++) {
    gchar *name = g_strdup_printf ("source-%u", i);

    rig->sources[i] = gst_bin_get_by_name (GST_BIN (rig->pipeline), name);
    g_free (name);
  }
  src = gst_element_get_static_pad (rig->joiner, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_output, rig, NULL);
  gst_object_unref (src);
  g_string_free (text, TRUE);
}

/* Seconds until a quarter of a second has its buffers, and they are about now; negative: not in 10 s. */
static gdouble
time_to_recover (Rig *rig)
{
  const gint64 begin = g_get_monotonic_time ();

  while (g_get_monotonic_time () < begin + GIVE_UP_US) {
    const gint64 from = g_get_monotonic_time ();
    const guint64 before = count (rig);
    guint64 n;

    g_usleep (G_USEC_PER_SEC / 4);
    n = count (rig) - before;
    if (n >= RATE / 5 && n < RATE && is_near (rig))
      return (gdouble) (from - begin) / 1e6;
  }
  return -1;
}

/* An error, or nothing. */
static gchar *
find_error (Rig *rig)
{
  GstBus *bus = gst_element_get_bus (rig->pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;
  gchar *text = NULL;

  if (message) {
    gst_message_parse_error (message, &error, NULL);
    text = g_strdup_printf (", error: %s", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return text;
}

static gdouble
cpu_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (gdouble) t.tv_sec + (gdouble) t.tv_nsec / 1e9;
}

static void
run_case (const Joiner *joiner, guint i)
{
  Rig rig = { NULL };
  Feeder feeder = { &rig, joiner };
  GThread *thread;
  guint64 before, from, after;
  gdouble seconds, cpu;
  gchar *error;

  gst_init (NULL, NULL);
  g_mutex_init (&rig.lock);
  rig.n_sources = joiner->n_sources;
  make_pipeline (&rig, joiner);
  thread = g_thread_new ("feeder", feed, &feeder);
  gst_element_set_state (rig.pipeline, GST_STATE_PLAYING);
  set_playing (&rig, TRUE);
  g_usleep (2 * G_USEC_PER_SEC);
  before = count (&rig);
  g_usleep (G_USEC_PER_SEC);
  before = count (&rig) - before;

  disturbances[i].disturb (&rig);
  from = count (&rig);
  cpu = cpu_seconds ();
  g_usleep (G_USEC_PER_SEC);
  after = count (&rig) - from;
  cpu = cpu_seconds () - cpu;
  seconds = time_to_recover (&rig);
  error = find_error (&rig);
  printf ("| %s | %s %s | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " | %.0f %% | ", disturbances[i].name, joiner->name,
      joiner->properties, before, after, 100 * cpu);
  if (seconds < 0)
    printf ("not in 11 s%s | ", error ? error : "");
  else
    printf ("at most %.1f s%s | ", seconds + 1, error ? error : "");
  fflush (stdout);
  g_atomic_int_set (&rig.stop, TRUE);
  g_thread_join (thread);
  gst_element_set_state (rig.pipeline, GST_STATE_NULL);
  printf ("yes |\n");
  fflush (stdout);
  _exit (EXIT_SUCCESS);
}

static void
run_process (const Joiner *joiner, guint i)
{
  const gint64 end = g_get_monotonic_time () + HANG_SECONDS * G_USEC_PER_SEC;
  const pid_t pid = fork ();
  int status;

  if (pid == 0)
    run_case (joiner, i);
  while (g_get_monotonic_time () < end) {
    const pid_t changed = waitpid (pid, &status, WNOHANG | WUNTRACED);

    if (changed == pid && WIFSTOPPED (status)) {
      g_usleep (PAUSE_S * G_USEC_PER_SEC);
      kill (pid, SIGCONT);
    } else if (changed == pid) {
      if (WIFSIGNALED (status))
        printf ("crashed: %s |\n", strsignal (WTERMSIG (status)));
      fflush (stdout);
      return;
    }
    g_usleep (20 * 1000);
  }
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  printf ("no: killed after %d s |\n", HANG_SECONDS);
  fflush (stdout);
}

static gboolean
is_wanted (const gchar *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (g_str_equal (argv[i], name))
      return TRUE;
  }
  return argc < 2;
}

int
main (int argc, char **argv)
{
  printf ("| disturbance | element | buffers a second before | in the first second after | CPU in it | back | reaches NULL |\n|---|---|---|---|---|---|---|\n");
  fflush (stdout);
  for (guint i = 0; i < G_N_ELEMENTS (disturbances); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (joiners); k++) {
      if (is_wanted (joiners[k].name, argc, argv) && (disturbances[i].disturb != let_one_die || joiners[k].n_sources > 1))
        run_process (&joiners[k], i);
    }
  }
  return EXIT_SUCCESS;
}
