/* robocache: plays scenarios of robocachefuse on a core by itself
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "player.h"

#include <setjmp.h>
#include <string.h>
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/ticklatency.h"

/* Where a scenario that fails goes, and why. */
static jmp_buf failed;
static gchar *failure;

static void G_GNUC_NORETURN
fail (const gchar *text)
{
  failure = g_strdup (text);
  longjmp (failed, 1);
}

/* ---- pads ---- */

static void
add (Play *play, PlayedPad *pad)
{
  pad->feed = feed_new (play->rig, pad);
  pad->feed->source = (FuseSource) { TRUE, pad->is_live, ns_of_ms (pad->latency), pad->holds_nothing ? 0 : ROBOCACHE_NO_TIME };
}

static void
remove_pad (Play *play, PlayedPad *pad)
{
  feed_free (pad->feed);
  pad->feed = NULL;
  rig_report (play->rig);
  rig_update_latency (play->rig);
}

static void
set_source (Play *play, PlayedPad *pad)
{
  pad->feed->source.live = pad->is_live;
  pad->feed->source.min = ns_of_ms (pad->latency);
}

static void
set (Play *play, PlayedPad *pad, const gchar *setting)
{
  Rig *rig = play->rig;

  if (pad) {
    play_expect (play, feed_parse_setting (pad->feed, setting), "\"%s\" sets nothing", setting);
    feed_send_settings (pad->feed);
    return;
  }
  play_expect (play, rig_parse_setting (rig, setting), "\"%s\" sets nothing", setting);
  fuse_core_set_settings (rig->core, &rig->settings);
  if (strstr (setting, "latency="))
    rig_update_latency (rig);
}

static void
start (Play *play)
{
  play->rig->play = play;
  rig_start (play->rig);
}

/* ---- rows and events ---- */

static const gchar *
push (Play *play, PlayedPad *pad, const PlayedRows *rows)
{
  return feed_push (pad->feed, rows);
}

static void
begin_stream (Play *play, PlayedPad *pad)
{
  const FuseEvent event = {.kind = FUSE_EVENT_STREAM_START };

  feed_event (pad->feed, &event);
}

static gboolean
send_caps (Play *play, PlayedPad *pad)
{
  play_expect (play, feed_set_caps (pad->feed, &pad->caps), "caps differ from those that were expected");
  return TRUE;
}

static void
send_segment (Play *play, PlayedPad *pad, const PlayedSegment *segment)
{
  play_expect (play, segment->format == NULL, "only segments of TIME are the core's");
  feed_set_segment (pad->feed, segment);
}

static void
send_gap (Play *play, PlayedPad *pad, gint64 start, gint64 duration)
{
  feed_gap (pad->feed, start, duration);
}

static void
send_origin (Play *play, PlayedPad *pad, gint64 origin, gboolean is_first_row)
{
  const FuseEvent event = {.kind = FUSE_EVENT_ORIGIN,.origin = {origin, is_first_row} };

  feed_event (pad->feed, &event);
}

static void
send_eos (Play *play, PlayedPad *pad)
{
  const FuseEvent event = {.kind = FUSE_EVENT_EOS };

  feed_event (pad->feed, &event);
}

static void
flush (Play *play, const gchar *letters)
{
  GPtrArray *feeds = g_ptr_array_new ();

  for (; *letters; letters++)
    g_ptr_array_add (feeds, play->pads[*letters - 'a'].feed);
  rig_flush (play->rig, feeds);
  g_ptr_array_unref (feeds);
}

static gboolean
follow_of_pad (Play *play, PlayedPad *pad, const gchar *what)
{
  if (!g_str_equal (what, "link"))
    return FALSE;
  pad->feed->is_linked = TRUE;
  return TRUE;
}

/* ---- what comes out ---- */

static gboolean
pull (Play *play, PlayedSample *sample)
{
  PlayedSample *next = g_queue_pop_head (&play->rig->samples);

  play_expect (play, next || play->rig->is_over, "no sample is out");
  if (next)
    *sample = *next;
  g_free (next);
  return next != NULL;
}

static gboolean
pull_gap (Play *play, gint64 *start, gint64 *duration)
{
  Gap *gap = g_queue_pop_head (&play->rig->gaps);

  if (gap == NULL)
    return FALSE;
  *start = gap->start;
  *duration = gap->duration;
  g_free (gap);
  return TRUE;
}

static gint64
get_segment_start (Play *play)
{
  return play->rig->segment_start;
}

static gint64
get_number (Play *play, const gchar *name)
{
  Rig *rig = play->rig;
  gboolean ok, live;
  gint64 number = 0;

  if (g_str_equal (name, "now"))
    return rig->clock;
  if (g_str_equal (name, "latency") || g_str_equal (name, "live")) {
    rig_query_sources (rig, NULL);
    number = fuse_core_report_latency (rig->core, &live);
    return name[1] == 'i' ? live : number;
  }
  if (is_of_pads (play, name, '.'))
    ok = feed_get_number (play->pads[*name - 'a'].feed, name + 2, &number);
  else if (g_str_has_prefix (name, "removed."))
    ok = rig_get_removed_number (rig, strchr (name, '.') + 1, &number);
  else
    ok = rig_get_number (rig, name, &number);
  play_expect (play, ok, "there is no number %s", name);
  return number;
}

static gchar *
get_caps_field (Play *play, const gchar *field)
{
  return rig_caps_field (play->rig, field);
}

static void
forget_samples_up_to (Play *play, gint64 time)
{
  PlayedSample sample;

  do
    play_expect (play, pull (play, &sample), "EOS before it");
  while (sample.time != time);
}

/* ---- messages ---- */

/* The next one of that type; NULL: there is none. */
static Message *
pop_message (Rig *rig, const gchar *type)
{
  for (GList *link = rig->messages.head; link; link = link->next) {
    Message *message = link->data;

    if (g_str_equal (message->type, type)) {
      g_queue_delete_link (&rig->messages, link);
      return message;
    }
  }
  return NULL;
}

/* TRUE: there was one, of that kind if one is given, with these words. */
static gboolean
take_message (Play *play, const gchar *type, const gchar *kind, const gchar *words)
{
  Message *message = pop_message (play->rig, type);
  gchar *missing;

  if (message == NULL)
    return FALSE;
  play_expect (play, kind == NULL || g_strcmp0 (message->kind, kind) == 0, "of another kind: %s", message->text);
  missing = words ? missing_word (message->text, words) : NULL;
  play_expect (play, missing == NULL, "\"%s\" does not say \"%s\"", message->text, missing);
  g_free (message->text);
  g_free (message);
  return TRUE;
}

static void
expect_error (Play *play, const gchar *text)
{
  gchar **parts = g_strsplit (text, ":", 2);

  play_expect (play, take_message (play, "error", parts[0], parts[1]), "no error");
  play_expect (play, !take_message (play, "error", NULL, NULL), "a second error");
  g_strfreev (parts);
}

/* ---- time ---- */

/* The core waits for a running time, which the clock reaches. */
static void
pass_deadline (Play *play, gint64 time)
{
  Rig *rig = play->rig;
  const gint64 deadline = fuse_core_next_deadline (rig->core);

  play_expect (play, rig->is_running && deadline != ROBOCACHE_NO_TIME, "the core waits for no time");
  play_expect (play, deadline + rig->base_time == time, "the core waits for %.9g", (gdouble) (deadline + rig->base_time) / 1e6);
  rig->clock = time;
  rig_run (rig);
}

static void
jump (Play *play, gint64 time)
{
  play_expect (play, fuse_core_next_deadline (play->rig->core) != ROBOCACHE_NO_TIME, "the core waits for no time");
  play->rig->clock = time;
  rig_run (play->rig);
}

static void
pause_until (Rig *rig, gint64 time, gboolean on_another_clock)
{
  fuse_core_pause (rig->core, rig->base_time);
  rig_run (rig);
  rig->base_time += time - rig->clock;
  rig->clock = time;
  rig->clock_number += on_another_clock;
  fuse_core_play (rig->core, rig->base_time);
}

static void
expect_wait (Play *play, const gchar *time)
{
  const gint64 deadline = fuse_core_next_deadline (play->rig->core);

  play_expect (play, deadline != ROBOCACHE_NO_TIME, "the core waits for no time");
  play_expect (play, *time == '\0' || deadline + play->rig->base_time == ns_at (play, time), "the core waits for %g",
      (gdouble) (deadline + play->rig->base_time) / 1e6);
}

/* ---- words ---- */

static gboolean
follow_time (Play *play, const gchar *word, const gchar *rest)
{
  if (*word == '@')
    play->rig->clock = ns_at (play, word + 1);
  else if (g_str_has_prefix (word, "base:"))
    play->rig->base_time = ns_at (play, rest);
  else if (g_str_has_prefix (word, "deadline:"))
    pass_deadline (play, ns_at (play, rest));
  else if (g_str_has_prefix (word, "jump:"))
    jump (play, ns_at (play, rest));
  else if (g_str_has_prefix (word, "pause:") || g_str_has_prefix (word, "clock:"))
    pause_until (play->rig, ns_at (play, rest), *word == 'c');
  else if (g_str_equal (word, "waits") || g_str_has_prefix (word, "waits:"))
    expect_wait (play, rest);
  else
    return FALSE;
  return TRUE;
}

static gboolean
follow_messages (Play *play, const gchar *word, const gchar *rest)
{
  if (g_str_has_prefix (word, "error:"))
    expect_error (play, rest);
  else if (g_str_has_prefix (word, "warning:"))
    play_expect (play, take_message (play, "warning", NULL, rest), "no warning");
  else if (g_str_has_prefix (word, "wait:"))
    play_expect (play, take_message (play, rest, NULL, NULL), "no message");
  else if (g_str_has_prefix (word, "no:"))
    play_expect (play, !take_message (play, rest, NULL, NULL), "an unexpected message");
  else if (g_str_has_prefix (word, "drop:"))
    while (take_message (play, rest, NULL, NULL));
  else
    return FALSE;
  return TRUE;
}

static void
end_all (Play *play)
{
  const FuseEvent eos = {.kind = FUSE_EVENT_EOS };

  for (guint i = 0; i < play->rig->feeds->len; i++)
    feed_event (g_ptr_array_index (play->rig->feeds, i), &eos);
}

static gboolean
follow_word (Play *play, const gchar *word, const gchar *rest)
{
  Rig *rig = play->rig;

  if (g_str_equal (word, "."))
    play_expect (play, rig->samples.length == 0, "a sample");
  else if (g_str_equal (word, "eos"))
    end_all (play);
  else if (g_str_equal (word, "balance"))
    rig_check_balance (rig);
  else if (g_str_equal (word, "drop"))
    g_queue_clear_full (&rig->samples, g_free);
  else if (g_str_equal (word, "renew"))
    rig->is_over = FALSE;
  else if (g_str_equal (word, "stop"))
    rig_stop (rig);
  else if (g_str_equal (word, "play"))
    rig_start (rig);
  else if (g_str_has_prefix (word, "past:"))
    forget_samples_up_to (play, ns_at (play, rest));
  else
    return g_str_equal (word, "yield") || follow_time (play, word, rest) || follow_messages (play, word, rest);
  return TRUE;
}

static void
word_is_over (Play *play)
{
  rig_report (play->rig);
  rig_look (play->rig);
}

static const Player player = {
  .fail = fail,
  .add = add,
  .remove = remove_pad,
  .set = set,
  .start = start,
  .push = push,
  .begin_stream = begin_stream,
  .send_caps = send_caps,
  .send_segment = send_segment,
  .send_gap = send_gap,
  .send_origin = send_origin,
  .send_eos = send_eos,
  .flush = flush,
  .set_source = set_source,
  .follow_of_pad = follow_of_pad,
  .follow = follow_word,
  .word_is_over = word_is_over,
  .pull = pull,
  .pull_gap = pull_gap,
  .get_segment_start = get_segment_start,
  .get_number = get_number,
  .get_caps_field = get_caps_field,
};

/* ---- plays ---- */

Play *
core_play_new (RigMode mode, const gchar *settings, const gchar *pads)
{
  return play_of_rig (&player, rig_new (mode, settings), pads);
}

void
core_play_free (Play *play)
{
  Rig *rig = play->rig;

  play_expect (play, pop_message (rig, "error") == NULL, "an error");
  rig_check_balance (rig);
  rig_free (rig);
  play_expect (play, n_buffers == 0, "%d buffers were not released", n_buffers);
  play_release (play);
}

gchar *
core_try (void (*test) (gpointer data), gpointer data)
{
  failure = NULL;
  n_buffers = 0;
  if (setjmp (failed) == 0)
    test (data);
  return failure;
}
