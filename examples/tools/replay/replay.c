/* robocache: replays a recorded live session in a new robocachefuse, and compares each sample with the recorded one
 *
 * The journal of the recorded samples has the order in which rows, GAPs and events were taken in and ticks were decided, with the running
 * times. The core of a new robocachefuse is stepped in that order at those times, so the samples must be the same, bit for bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/tools/program.h"
#include "gst/fuse/core/ticklatency.h"
#include "replay.h"
#include "session.h"
#include "sessionfile.h"

/* Beside EXIT_SUCCESS: all samples are the same. */
#define EXIT_DIFFERENCE 1
#define EXIT_FAULT 2

typedef struct
{
  /* the command line */
  gchar **recordings, **topics;
  gchar **files;                /* of the recordings */
  gchar *samples;
  gboolean any_rules;

  Session *session;
  SteppedCore core;
  GHashTable *feeds;            /* pad → RowFeed */
  gint64 n_entries;             /* of the journal so far */
  gint64 n_settings;            /* number of the current settings */
  gboolean rate_is_due;         /* with the next settings */
  guint64 n_same;
  gint64 first_ns, last_ns;     /* ticks */
  gint64 time_ns;               /* running time of the newest entry that has one */
  gboolean has_ended;           /* what follows cannot be replayed */
} Replay;

/* ---- streams of pads ---- */

/* The topic that --topic has for a pad; NULL: none. */
static const gchar *
chosen_topic (const Replay *replay, const gchar *pad)
{
  for (gchar **topic = replay->topics; topic && *topic; topic++) {
    const gchar *equals = strchr (*topic, '=');

    if ((gsize) (equals - *topic) == strlen (pad) && g_str_has_prefix (*topic, pad))
      return equals + 1;
  }
  return NULL;
}

/* A setting of a pad from the first settings that have it; NULL: none have. */
static const gchar *
first_setting (const Replay *replay, const gchar *pad, const gchar *name)
{
  gchar *key = g_strconcat (pad, ".", name, NULL);
  const GstStructure *settings;
  const gchar *found = NULL;

  for (gint64 i = 0; !found && (settings = session_settings (replay->session, i)); i++)
    found = gst_structure_get_string (settings, key);
  g_free (key);
  return found;
}

/* By the command line, by the id of the stream, which other branches of a tee have, or by the pad's name. */
static SessionStream *
find_stream (const Replay *replay, const gchar *pad)
{
  const gchar *topic = chosen_topic (replay, pad), *id = first_setting (replay, pad, "source-stream-id");
  SessionStream *stream = NULL;
  gchar *of_name;

  if (topic)
    stream = session_stream_of_topic (replay->session, topic);
  else if (id)
    stream = session_stream_of_id (replay->session, id);
  if (!stream) {
    of_name = g_strconcat ("/", pad, NULL);
    stream = session_stream_of_topic (replay->session, of_name);
    g_free (of_name);
  }
  return stream;
}

static RowFeed *
find_feed (const Replay *replay, const gchar *pad)
{
  RowFeed *feed = g_hash_table_lookup (replay->feeds, pad);

  if (feed)
    return feed;
  feed = row_feed_new (pad, find_stream (replay, pad), first_setting (replay, pad, "timestamp-source"));
  g_hash_table_insert (replay->feeds, g_strdup (pad), feed);
  return feed;
}

static void
describe_row (gpointer user_data, GString *text, const gchar *pad, gint64 time_ns)
{
  row_feed_describe (find_feed (user_data, pad), text, time_ns);
}

/* ---- settings ---- */

typedef struct
{
  const Replay *replay;
  GstStructure *settings;
  GError **error;
} Adaptation;

/* Rows have the times that the recorder wrote, and buffers their reference timestamps. */
static gboolean
adapt_setting (GQuark field, const GValue *value, gpointer data)
{
  Adaptation *adaptation = data;
  const gchar *key = g_quark_to_string (field);
  gboolean by_reference;

  if (!g_str_has_suffix (key, ".timestamp-source"))
    return TRUE;
  by_reference = g_str_equal (g_value_get_string (value), "reference");
  if (!by_reference)
    gst_structure_set (adaptation->settings, key, G_TYPE_STRING, "auto", NULL);
  else if (!session_has_references (adaptation->replay->session) && !*adaptation->error)
    FAULT (adaptation->error, "%s=reference was set, but the recording has no reference timestamps: no row had one, or an older version "
        "recorded it", key);
  return TRUE;
}

/* NULL and an error: the replay cannot have them. */
static GstStructure *
settings_for_replay (const Replay *replay, gint64 number, GError **error)
{
  const GstStructure *recorded = session_settings (replay->session, number);
  Adaptation adaptation = { replay, NULL, error };

  if (!recorded) {
    FAULT (error, "the recording lacks settings number %" G_GINT64_FORMAT, number);
    return NULL;
  }
  if (!replay->any_rules && !recorded_settings_check_rules (recorded, error))
    return NULL;
  adaptation.settings = gst_structure_copy (recorded);
  gst_structure_foreach (recorded, adapt_setting, &adaptation);
  if (*error)
    g_clear_pointer (&adaptation.settings, gst_structure_free);
  return adaptation.settings;
}

/* The entry of a change of the rate comes directly before that of the settings which have it. Older recordings have it after them. */
static gboolean
change_rate (Replay *replay, GError **error)
{
  const GstStructure *settings = session_settings (replay->session, replay->n_settings);
  gboolean has_changed;

  if (!recorded_settings_change_rate (&replay->core, settings, &has_changed, error))
    return FALSE;
  replay->rate_is_due = !has_changed;
  return TRUE;
}

static gboolean
change_settings (Replay *replay, gint64 number, GError **error)
{
  GstStructure *settings = settings_for_replay (replay, number, error);
  gboolean is_good = settings && recorded_settings_change (&replay->core, settings, error);

  g_clear_pointer (&settings, gst_structure_free);
  replay->n_settings = number;
  if (is_good && replay->rate_is_due)
    is_good = change_rate (replay, error);
  replay->rate_is_due = FALSE;
  return is_good;
}

/* ---- entries of the journal ---- */

typedef enum
{
  WENT_ON,
  DIFFERS,                      /* which was printed */
  FAILED                        /* and an error */
} Outcome;

static void
print_difference (const SessionSample *recorded, const gchar *text)
{
  gchar **lines = g_strsplit (text, "\n", -1);

  printf ("difference at tick %.9f s, sample %" G_GUINT64_FORMAT ", decided at %.9f s:\n", (gdouble) recorded->info->tick_ns / 1e9,
      recorded->number, (gdouble) recorded->info->decided_ns / 1e9);
  for (guint i = 0; lines[i]; i++) {
    gchar *line = printable (lines[i]);

    printf ("%s%s", line, lines[i + 1] ? "\n" : "");
    g_free (line);
  }
  g_strfreev (lines);
}

static Outcome
differ (const SessionSample *recorded, const gchar *text)
{
  print_difference (recorded, text);
  return DIFFERS;
}

static Outcome
compare (Replay *replay, const SessionSample *recorded, GstSample *replayed)
{
  gchar *difference = sample_diff (recorded, replayed, describe_row, replay);

  if (difference) {
    print_difference (recorded, difference);
    g_free (difference);
    return DIFFERS;
  }
  if (replay->n_same++ == 0)
    replay->first_ns = recorded->info->tick_ns;
  replay->last_ns = recorded->info->tick_ns;
  return WENT_ON;
}

/* One that the recorded fuse decided, and so must the new one. */
static Outcome
decide (Replay *replay, const SessionSample *recorded, FuseJournalKind kind, GError **error)
{
  Outcome outcome = WENT_ON;
  GstSample *sample = NULL;

  switch (stepped_core_decide (&replay->core, &sample, error)) {
    case FUSE_SEND:
      if (kind == FUSE_JOURNAL_TICK)
        outcome = compare (replay, recorded, sample);
      else
        outcome = differ (recorded, "  the replay has a sample before it, where the recorded fuse dropped a tick\n");
      gst_sample_unref (sample);
      return outcome;
    case FUSE_DROP:
      return kind == FUSE_JOURNAL_DROPPED ? WENT_ON : differ (recorded, "  the replay drops a tick, which the recorded fuse did not\n");
    case FUSE_FAIL:
      return FAILED;
    default:
      return differ (recorded, kind == FUSE_JOURNAL_TICK ? "  the replay decides no tick then\n"
          : "  the replay does not drop a tick that the recorded fuse dropped before it\n");
  }
}

static Outcome
outcome_of (gboolean is_good)
{
  return is_good ? WENT_ON : FAILED;
}

/* The ticks moved, or began: the recorded fuse looked at the time, and may have decided the tick of the next entry at once. */
static Outcome
look (Replay *replay, GError **error)
{
  stepped_core_look (&replay->core, error);
  return outcome_of (*error == NULL);
}

/* The core's time at an entry. Rows and decisions without one came while no clock ran; of other entries it is not known. */
static void
set_time (Replay *replay, const FuseJournalEntry *entry)
{
  if (entry->kind == FUSE_JOURNAL_PLAYING || entry->kind == FUSE_JOURNAL_PAUSED || entry->kind == FUSE_JOURNAL_PTS)    /* is another time */
    return;
  if (entry->time >= 0) {
    replay->time_ns = entry->time;
    stepped_core_set_time (&replay->core, entry->time);
  } else if (entry->kind == FUSE_JOURNAL_ROWS || entry->kind == FUSE_JOURNAL_TICK || entry->kind == FUSE_JOURNAL_DROPPED) {
    stepped_core_set_time (&replay->core, ROBOCACHE_NO_TIME);
  }
}

static Outcome
run_entry (Replay *replay, const SessionSample *recorded, const FuseJournalEntry *entry, GError **error)
{
  set_time (replay, entry);
  switch (entry->kind) {
    case FUSE_JOURNAL_PTS:
      row_feed_set_buffer_times (find_feed (replay, recorded->info->pads[entry->pad]), entry);
      return WENT_ON;
    case FUSE_JOURNAL_ROWS:
    case FUSE_JOURNAL_GAP:
    case FUSE_JOURNAL_EVENT:
      return outcome_of (row_feed_take (find_feed (replay, recorded->info->pads[entry->pad]), entry, replay->session, &replay->core, error));
    case FUSE_JOURNAL_TICK:
    case FUSE_JOURNAL_DROPPED:
      return decide (replay, recorded, (FuseJournalKind) entry->kind, error);
    case FUSE_JOURNAL_MOVED:
    case FUSE_JOURNAL_STARTED:
      return look (replay, error);
    case FUSE_JOURNAL_SETTINGS:
      return outcome_of (change_settings (replay, entry->n, error));
    case FUSE_JOURNAL_LATENCY:
      fuse_core_set_latency (replay->core.fuse->core, entry->n < 0 ? ROBOCACHE_NO_TIME : entry->n);
      return WENT_ON;
    case FUSE_JOURNAL_RATE:
      return outcome_of (change_rate (replay, error));
    case FUSE_JOURNAL_PLAYING:
      stepped_core_play (&replay->core, MAX (entry->time, 0));
      return WENT_ON;
    case FUSE_JOURNAL_PAUSED:
      stepped_core_pause (&replay->core);
      return WENT_ON;
    default:
      replay->has_ended = TRUE;
      return WENT_ON;
  }
}

/* A tick that the core decided when it looked must be that of the next entry. */
static Outcome
run_next_entry (Replay *replay, const SessionSample *recorded, const FuseJournalEntry *entry, GError **error)
{
  if (replay->core.seen != FUSE_WAIT && entry->kind != FUSE_JOURNAL_TICK && entry->kind != FUSE_JOURNAL_DROPPED)
    return differ (recorded, "  the replay decides a tick before it at once, where the recorded fuse waited\n");
  return run_entry (replay, recorded, entry, error);
}

/* ---- samples ---- */

/* FALSE and an error: samples are missing, and with them what was taken in. */
static gboolean
check_start (const Replay *replay, const SessionSample *recorded, GError **error)
{
  const SessionTickInfo *info = recorded->info;

  if (info->journal_start == replay->n_entries && info->journal->len > 0)
    return TRUE;
  if (info->journal->len == 0)
    FAULT (error, "sample %" G_GUINT64_FORMAT " has no journal: the session was not live, or was recorded by an older version",
        recorded->number);
  else if (replay->n_entries == 0)
    FAULT (error, "the first sample at %.9f s has %" G_GINT64_FORMAT " entries of the journal before it: fragments are missing or "
        "out of order", (gdouble) info->tick_ns / 1e9, info->journal_start);
  else
    FAULT (error, "%" G_GINT64_FORMAT " entries of the journal are missing before sample %" G_GUINT64_FORMAT " at %.9f s: samples were "
        "not recorded, and what follows cannot be replayed", info->journal_start - replay->n_entries, recorded->number,
        (gdouble) info->tick_ns / 1e9);
  return FALSE;
}

static Outcome
run_sample (Replay *replay, const SessionSample *recorded, GError **error)
{
  const GArray *journal = recorded->info->journal;
  Outcome outcome = WENT_ON;

  if (!check_start (replay, recorded, error))
    return FAILED;
  replay->n_entries += journal->len;
  for (guint i = 0; i < journal->len && outcome == WENT_ON && !replay->has_ended; i++)
    outcome = run_next_entry (replay, recorded, &g_array_index (journal, FuseJournalEntry, i), error);
  if (outcome == FAILED)
    g_prefix_error (error, "before tick %.9f s, sample %" G_GUINT64_FORMAT ": ", (gdouble) recorded->info->tick_ns / 1e9,
        recorded->number);
  return outcome;
}

static Outcome
run_samples (Replay *replay, GError **error)
{
  Outcome outcome = WENT_ON;
  SessionSample *sample;

  while (outcome == WENT_ON && !replay->has_ended && (sample = session_next_sample (replay->session, error))) {
    outcome = run_sample (replay, sample, error);
    session_sample_free (sample);
  }
  return *error ? FAILED : outcome;
}

/* ---- the program ---- */

static gboolean
check_topics (const Replay *replay, GError **error)
{
  for (gchar **topic = replay->topics; topic && *topic; topic++) {
    if (strchr (*topic, '='))
      continue;
    FAULT (error, "--topic=%s: expected PAD=TOPIC, like proprio_0=/joints", *topic);
    return FALSE;
  }
  if (!replay->recordings || !*replay->recordings)
    FAULT (error, "expected a recording, or its fragments in their order");
  return *error == NULL;
}

static gboolean
parse_command_line (Replay *replay, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"topic", 0, 0, G_OPTION_ARG_STRING_ARRAY, &replay->topics, "Topic of a pad's stream, if ids and names do not identify it",
        "PAD=TOPIC"},
    {"samples", 0, 0, G_OPTION_ARG_STRING, &replay->samples, "Topic of the samples, if the recording has several", "TOPIC"},
    {"any-rules", 0, 0, G_OPTION_ARG_NONE, &replay->any_rules, "Also replay a session recorded with other rules; its samples may differ",
        NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &replay->recordings, NULL, "RECORDING..."},
    {NULL}
  };
  GOptionContext *context = program_option_context_new ("Replays a live session of robocachefuse that robocachemcapsink recorded, and compares all samples "
      "bit for bit.\nA recording is a file, its fragments in their order, or a folder of layout=rosbag2.\n"
      "Exit status: 0 all are the same, 1 there is a difference, 2 the recording cannot be replayed.", "robocache replay session.mcap");
  gboolean is_good;

  g_option_context_add_main_entries (context, entries, NULL);
  is_good = g_option_context_parse (context, &argc, &argv, error) && check_topics (replay, error);
  g_option_context_free (context);
  return is_good;
}

static gboolean
open_replay (Replay *replay, GError **error)
{
  GstStructure *settings;
  gboolean is_good;

  replay->files = session_paths (replay->recordings, error);
  if (!replay->files)
    return FALSE;
  replay->session = session_open (replay->files, replay->samples, error);
  if (!replay->session)
    return FALSE;
  settings = settings_for_replay (replay, 0, error);
  is_good = settings && recorded_settings_start (&replay->core, settings, error);
  g_clear_pointer (&settings, gst_structure_free);
  if (is_good)                  /* the journal alone decides the latency */
    fuse_core_set_latency (replay->core.fuse->core, ROBOCACHE_NO_TIME);
  return is_good;
}

static void
print_sum (const Replay *replay, gint64 since)
{
  const gdouble took = (gdouble) (g_get_monotonic_time () - since) / G_TIME_SPAN_SECOND;
  const gdouble span = (gdouble) (replay->last_ns - replay->first_ns) / 1e9;
  gchar *topic = printable (session_sample_topic (replay->session));

  printf ("%" G_GUINT64_FORMAT " samples of %s over %.3f s are the same, replayed in %.3f s\n", replay->n_same,
      topic, span, took);
  g_free (topic);
}

static int
run (Replay *replay, GError **error)
{
  const gint64 since = g_get_monotonic_time ();
  Outcome outcome;

  if (!open_replay (replay, error))
    return EXIT_FAULT;
  outcome = run_samples (replay, error);
  if (outcome != WENT_ON) {
    printf ("%" G_GUINT64_FORMAT " samples before are the same\n", replay->n_same);
    return outcome == DIFFERS ? EXIT_DIFFERENCE : EXIT_FAULT;
  }
  print_sum (replay, since);
  if (replay->has_ended)
    FAULT (error, "what follows is not replayed: at running time %.3f s all streams were flushed, or the pipeline's clock was set",
        (gdouble) replay->time_ns / 1e9);
  else if (replay->n_same == 0)
    FAULT (error, "the recording has no sample");
  return *error ? EXIT_FAULT : EXIT_SUCCESS;
}

static void
replay_clear (Replay *replay)
{
  g_hash_table_unref (replay->feeds);
  stepped_core_clear (&replay->core);
  g_clear_pointer (&replay->session, session_free);
  g_strfreev (replay->recordings);
  g_strfreev (replay->files);
  g_strfreev (replay->topics);
  g_free (replay->samples);
}

int
main (int argc, char **argv)
{
  Replay replay = { NULL };
  GError *error = NULL;
  int status = EXIT_FAULT;

  stepped_core_init_gst ();
  replay.feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) row_feed_free);
  if (parse_command_line (&replay, argc, argv, &error))
    status = run (&replay, &error);
  fflush (stdout);
  if (error)
    printable_report ("error", error->message);
  g_clear_error (&error);
  replay_clear (&replay);
  return status;
}
