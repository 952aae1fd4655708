/* robocache: recordings in which a bit is wrong, and seeks at random, through robocachemcapdemux
 *
 *   damage [--flips N] [--seeks N] [--seed N] [--verbose]
 *
 * Each flip inverts one bit of a recording, which is then played as it arrives and by random access. A row that the whole recording has
 * not is wrong, and so are rows that are missing without a warning or an error. Then seeks are sent while a recording plays, and each
 * segment ends with the rows of its time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <stdlib.h>

#include "tests/check/lib/recordings/demuxrun.h"
#include "tests/check/lib/recordings/recording.h"

#define N_MESSAGES 60
#define CHUNK_MESSAGES 6

static gint n_flips = 30, n_seeks = 60, seed = 1;
static gboolean verbose;

static const GOptionEntry options[] = {
  {"flips", 0, 0, G_OPTION_ARG_INT, &n_flips, "bits that are wrong, one at a time", "N"},
  {"seeks", 0, 0, G_OPTION_ARG_INT, &n_seeks, "seeks", "N"},
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "of the random numbers", "N"},
  {"verbose", 0, 0, G_OPTION_ARG_NONE, &verbose, "print what each flip did", NULL},
  {NULL}
};

/* ---- recordings ---- */

/* Two topics; the second begins later. origin: NULL, or the time of running time 0. */
static GByteArray *
make_file (RobocacheMcapCompression compression, const gchar *origin)
{
  const RecordingOptions how = { compression, RECORDED_IN_CHUNKS, CHUNK_MESSAGES,.origin = origin };
  RecordedMessage messages[N_MESSAGES];
  GByteArray *file;

  for (gint i = 0; i < N_MESSAGES; i++)
    messages[i] = i % 3 == 2 ? (RecordedMessage) {"/wrench", "geometry_msgs/WrenchStamped",
          g_strdup_printf ("(((1 %d000000) 'f') ((%d 2 3) (4 5 6)))", 10 * i, i), 1000 + 10 * i} : (RecordedMessage) {"/joints",
          "sensor_msgs/JointState", g_strdup_printf ("(((1 %d000000) '') ['a' 'b'] [%d %d] [] [])", 10 * i, i, -i), 1000 + 10 * i};
  file = make_recording (&how, messages, N_MESSAGES);
  for (guint i = 0; i < N_MESSAGES; i++)
    g_free ((gpointer) messages[i].message);
  return file;
}

static gchar *
write_file (const GByteArray *bytes)
{
  gchar *path = NULL;

  if (!g_close (g_file_open_tmp ("damage-XXXXXX.mcap", &path, NULL), NULL)
      || !g_file_set_contents (path, (const gchar *) bytes->data, bytes->len, NULL))
    g_error ("no file");
  return path;
}

/* ---- a run ---- */

/* Buffers of each pad, as demuxrun.h has them, and messages of the bus. */
static gchar *
play (const GByteArray *bytes, gboolean is_pushed, const gchar *properties)
{
  gchar *path = write_file (bytes), *launch = g_strdup_printf ("filesrc location=%s %s ! robocachemcapdemux name=d %s", path,
      is_pushed ? "blocksize=500 ! queue" : "", properties);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GString *text = g_string_new (NULL);
  DemuxOutput output;

  demux_output_init (&output, demux, FALSE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, text);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  append_pads (text, &output);
  demux_output_clear (&output);
  gst_object_unref (demux);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (launch);
  g_free (path);
  return g_string_free (text, FALSE);
}

/* Rows by "TOPIC TIME=VALUES". */
static GHashTable *
rows_of (const gchar *text)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gchar **parts = g_strsplit (text, "; ", -1);

  for (guint i = 0; parts[i]; i++) {
    gchar **words = g_strsplit (parts[i], " ", -1);

    for (guint w = 2; g_str_has_prefix (parts[i], "src_") && words[w - 1] && words[w]; w++)
      if (g_ascii_isdigit (*words[w]) && strchr (words[w], '='))
        g_hash_table_add (rows, g_strconcat (words[1], " ", words[w], NULL));
    g_strfreev (words);
  }
  g_strfreev (parts);
  return rows;
}

/* ---- flips ---- */

typedef struct
{
  guint same, said, ended, wrong, silent;       /* runs */
  guint lost_rows;
} Counts;

static gboolean
has_message (const gchar *text, const gchar *kind)
{
  gchar *inside = g_strconcat ("; ", kind, " ", NULL);
  const gboolean has = strncmp (text, inside + 2, strlen (inside) - 2) == 0 || strstr (text, inside) != NULL;

  g_free (inside);
  return has;
}

static void
judge (Counts *counts, GHashTable *whole, const gchar *text, const gchar *what)
{
  GHashTable *rows = rows_of (text);
  const gboolean is_said = has_message (text, "warning") || has_message (text, "error");
  /* times follow the first message then */
  const gboolean has_other_times = strstr (text, "time at running time 0") || strstr (text, "Metadata record");
  const guint n = g_hash_table_size (rows), n_whole = g_hash_table_size (whole);
  GHashTableIter iter;
  guint n_wrong = 0;
  gpointer row;

  g_hash_table_iter_init (&iter, rows);
  while (!has_other_times && g_hash_table_iter_next (&iter, &row, NULL))
    n_wrong += !g_hash_table_contains (whole, row);
  counts->wrong += n_wrong > 0;
  counts->silent += n < n_whole && !is_said;
  counts->ended += has_message (text, "error");
  counts->said += is_said;
  counts->same += n == n_whole && !is_said;
  counts->lost_rows += n_whole - MIN (n, n_whole);
  if (verbose || n_wrong > 0 || (n < n_whole && !is_said))
    g_print ("%s: %u of %u rows, %u wrong: %.*s\n", what, n, n_whole, n_wrong, n_wrong > 0 ? 4000 : 300, text);
  g_hash_table_unref (rows);
}

static gboolean
flip_bits (GRand *random)
{
  static const gchar *const modes[] = { "pull", "push" };
  Counts counts[2] = { 0 };

  for (gint i = 0; i < n_flips; i++) {
    const RobocacheMcapCompression compression = (RobocacheMcapCompression) (i % ROBOCACHE_MCAP_N_COMPRESSIONS);
    GByteArray *file = make_file (compression, i % 2 ? NULL : "900000000");
    /* without an origin in the file that is the first message, which may be lost */
    const gchar *properties = i % 2 ? "start=keep" : "";
    const guint at = (guint) g_rand_int_range (random, 0, (gint) file->len), bit = (guint) g_rand_int_range (random, 0, 8);

    for (guint mode = 0; mode < 2; mode++) {
      gchar *text = play (file, mode, properties), *what = g_strdup_printf ("flip %d, %s, bit %u of byte %u of %u", i, modes[mode], bit, at,
          file->len);
      GHashTable *whole = rows_of (text);

      if (g_hash_table_size (whole) != N_MESSAGES)
        g_error ("the recording has %u rows: %s", g_hash_table_size (whole), text);
      file->data[at] ^= (guint8) (1 << bit);
      g_free (text);
      text = play (file, mode, properties);
      judge (&counts[mode], whole, text, what);
      file->data[at] ^= (guint8) (1 << bit);
      g_hash_table_unref (whole);
      g_free (what);
      g_free (text);
    }
    g_byte_array_unref (file);
  }
  for (guint mode = 0; mode < 2; mode++)
    g_print ("%d flips, %s: %u without effect, %u said, %u of them by an error, %u rows lost, %u runs wrong, %u silent\n", n_flips, modes[mode],
        counts[mode].same, counts[mode].said, counts[mode].ended, counts[mode].lost_rows, counts[mode].wrong, counts[mode].silent);
  return counts[0].wrong + counts[1].wrong + counts[0].silent + counts[1].silent == 0;
}

/* ---- seeks ---- */

static const gchar *
text_since_flush (const gchar *text)
{
  const gchar *flush = g_strrstr (text, " flush");

  return flush ? flush : text;
}

/* The segment of a seek before may have ended, too: without the flag it is EOS. */
static void
wait_for_segment_done (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_SEGMENT_DONE | GST_MESSAGE_ERROR);

  if (!message || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_error ("no end of a segment");
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* Since the last flush, the rows of a segment, each once. */
static guint
count_rows (DemuxOutput *output, guint first_ms, guint stop_ms)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = 0;

  for (guint i = 0; i < output->texts->len; i++) {
    const gchar *text = text_since_flush (((GString *) g_ptr_array_index (output->texts, i))->str);
    gchar **words = g_strsplit (text, " ", -1);

    for (guint w = 0; words[w]; w++) {
      const gchar *is = g_ascii_isdigit (*words[w]) ? strchr (words[w], '=') : NULL;
      const gdouble ms = is ? g_ascii_strtod (words[w], NULL) : -1;

      if (ms >= first_ms && ms < stop_ms)
        n += g_hash_table_add (rows, g_strdup_printf ("%u %s", i, words[w]));
    }
    g_strfreev (words);
  }
  g_hash_table_unref (rows);
  return n;
}

static gboolean
seek_at_random (GRand *random)
{
  GByteArray *file = make_file (ROBOCACHE_MCAP_ZSTD, NULL);
  gchar *path = write_file (file), *launch = g_strdup_printf ("filesrc location=%s ! robocachemcapdemux name=d", path);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GString *messages = g_string_new (NULL);
  guint n_bad = 0;
  DemuxOutput output;

  demux_output_init (&output, demux, TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, messages);
  for (gint i = 0; i < n_seeks; i++) {
    const guint first = (guint) g_rand_int_range (random, 0, N_MESSAGES), stop = (guint) g_rand_int_range (random, (gint) first + 1,
        N_MESSAGES + 1);
    const gboolean is_last_of_storm = i % 4 == 3;
    guint n;

    if (!gst_element_seek (demux, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | (is_last_of_storm ? GST_SEEK_FLAG_SEGMENT : 0),
            GST_SEEK_TYPE_SET, first * 10 * GST_MSECOND, GST_SEEK_TYPE_SET, (gint64) (stop * 10 * GST_MSECOND)))
      g_error ("seek %d is refused", i);
    if (!is_last_of_storm)
      continue;
    wait_for_segment_done (pipeline);
    g_mutex_lock (&output.lock);
    n = count_rows (&output, first * 10, stop * 10);
    g_mutex_unlock (&output.lock);
    if (n != stop - first)
      g_print ("seek %d to %u-%u ms: %u of %u rows\n", i, first * 10, stop * 10, n, stop - first);
    n_bad += n != stop - first;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  demux_output_clear (&output);
  gst_object_unref (demux);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (launch);
  g_free (path);
  g_string_free (messages, TRUE);
  g_byte_array_unref (file);
  g_print ("%d seeks: %u segments without all their rows\n", n_seeks, n_bad);
  return n_bad == 0;
}

static gboolean
report_case (const gchar *name, gboolean is_good)
{
  g_print (is_good ? "PASS %s\n" : "FAIL %s: see the lines above\n", name);
  return is_good;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean is_good;
  GRand *random;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  g_option_context_free (context);
  random = g_rand_new_with_seed ((guint32) seed);
  is_good = report_case ("flips", flip_bits (random));
  is_good &= report_case ("seeks", seek_at_random (random));
  g_rand_free (random);
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
