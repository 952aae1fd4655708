/* robocache: a fault of GStreamer's core: a query for the caps of a source pad reads caps that the streaming thread frees
 *
 * gst_pad_query_caps_default takes the current caps of a pad with fixed caps under the pad's object lock, but no reference to them, and
 * intersects them with the filter after it releases the lock. A CAPS event replaces them meanwhile. No element takes part: a pad, a thread
 * that pushes CAPS events, and one that asks for caps.
 *
 *   capsquery [SECONDS]         10 s by default
 *
 * Prints how it ended: by the fault, or after that time. With a sanitizer, or under valgrind, the report names both threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_FIELDS 8              /* an intersection takes longer with more */

static gint stop;               /* atomic */

static GstCaps *
make_caps (gint n)
{
  GstStructure *structure = gst_structure_new_empty ("test/stream");

  for (guint i = 0; i < N_FIELDS; i++) {
    gchar *name = g_strdup_printf ("field-%u", i);

    gst_structure_set (structure, name, G_TYPE_INT, n, NULL);
    g_free (name);
  }
  return gst_caps_new_full (structure, NULL);
}

static gpointer
stream (gpointer pad)
{
  for (gint n = 0; !g_atomic_int_get (&stop); n++) {
    GstCaps *caps = make_caps (n);

    gst_pad_push_event (pad, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
  return NULL;
}

static gpointer
ask (gpointer pad)
{
  GstCaps *filter = gst_caps_new_empty_simple ("test/stream");

  while (!g_atomic_int_get (&stop))
    gst_caps_unref (gst_pad_query_caps (pad, filter));
  gst_caps_unref (filter);
  return NULL;
}

static int
run (guint seconds)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  GThread *streaming, *asking;

  g_log_set_always_fatal (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR);
  gst_pad_use_fixed_caps (pad);
  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start ("test"));
  streaming = g_thread_new ("streaming", stream, pad);
  asking = g_thread_new ("asking", ask, pad);
  g_usleep (seconds * G_USEC_PER_SEC);
  g_atomic_int_set (&stop, 1);
  g_thread_join (streaming);
  g_thread_join (asking);
  gst_pad_set_active (pad, FALSE);
  gst_object_unref (pad);
  return EXIT_SUCCESS;
}

/* The threads have a process of their own, which the fault ends. */
int
main (int argc, char **argv)
{
  const gint seconds = argc > 1 ? atoi (argv[1]) : 10;
  const gint64 start = g_get_monotonic_time ();
  gchar *version = gst_version_string ();
  int status;
  pid_t child = fork ();

  if (child == 0) {
    gst_init (NULL, NULL);
    _exit (run ((guint) MAX (seconds, 1)));
  }
  if (child < 0 || waitpid (child, &status, 0) != child) {
    perror ("capsquery");
    return EXIT_FAILURE;
  }
  if (WIFSIGNALED (status))
    printf ("%s: %s after %.1f s\n", version, strsignal (WTERMSIG (status)), (gdouble) (g_get_monotonic_time () - start) / 1e6);
  else
    printf ("%s: no fault in %d s\n", version, seconds);
  g_free (version);
  return EXIT_SUCCESS;
}
