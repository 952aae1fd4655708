/* robocache: sources that feed an element's sink pads, each from a thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sources.h"

#include "tests/fuzz/operations.h"

#define US_PATIENCE 10000       /* of a source that was refused; then it begins again */

static void
begin_stream (Feed *feed, Input *input)
{
  const Target *target = ((Attack *) feed->bench)->target;
  GstSegment segment;

  feed_send (feed, gst_event_new_stream_start (input_one_in (input, 4) ? "other" : "attack"));
  if (target->send_caps)
    target->send_caps (feed, input);
  gst_segment_init (&segment, target->format);
  feed_send (feed, gst_event_new_segment (&segment));
  if (input_one_in (input, 2))
    feed->time = 0;
}

/* A live source stamps what is now. */
static void
push (Feed *feed, Input *input)
{
  Attack *attack = (Attack *) feed->bench;

  if (feed->live && !input_one_in (input, 16)) {
    GstClock *clock = GST_ELEMENT_CLOCK (feed->bench->element);

    feed->time = MAX (GST_CLOCK_DIFF (gst_element_get_base_time (feed->bench->element), gst_clock_get_time (clock)), 0);
  }
  attack->target->send (feed, input);
}

static void
change_caps (Feed *feed, Input *input)
{
  const Target *target = ((Attack *) feed->bench)->target;

  if (target->send_caps)
    target->send_caps (feed, input);
}

/* Those of the target's format, mostly. */
static void
change_segment (Feed *feed, Input *input)
{
  GstSegment segment;

  if (((Attack *) feed->bench)->target->format == GST_FORMAT_TIME && input_one_in (input, 2)) {
    send_segment (feed, input);
    return;
  }
  gst_segment_init (&segment, ((Attack *) feed->bench)->target->format);
  segment.base = input_byte (input) * (guint64) GST_MSECOND;
  feed_send (feed, gst_event_new_segment (&segment));
}

/* Nothing comes behind it, until a flush. */
static void
end (Feed *feed, Input *input)
{
  send_eos (feed, input);
  feed->over = TRUE;
}

static const Deed by_sources[N_SOURCE_OPERATIONS] = {
  {"buffer", 200,.on_feed = push}, {"gap", 8,.on_feed = send_gap}, {"caps", 3,.on_feed = change_caps},
  {"segment", 3,.on_feed = change_segment}, {"event", 6,.on_feed = send_other_event}, {"query", 6,.on_feed = ask_feed},
  {"eos", 1,.on_feed = end},
};

/* Its pushes are refused: it waits until it is flushed, and where nobody does that, it begins again itself. */
static void
wait_for_renewal (Attacker *attacker)
{
  const gint64 end = g_get_monotonic_time () + US_PATIENCE;
  Feed *feed = attacker->feed;
  gboolean over = TRUE;

  /* as sources do that post an error */
  if (feed->flow <= GST_FLOW_NOT_NEGOTIATED)
    g_atomic_int_set (&feed->bench->has_failed, TRUE);
  while (over && !attacker_must_stop (attacker)) {
    if (g_get_monotonic_time () > end && !g_atomic_int_get (&feed->bench->has_failed))
      feed_flush (feed, TRUE);
    g_usleep (200);
    GST_PAD_STREAM_LOCK (feed->pad);
    over = feed->over;
    GST_PAD_STREAM_UNLOCK (feed->pad);
  }
}

static gpointer
run_source (gpointer data)
{
  Attacker *attacker = data;
  Feed *feed = attacker->feed;
  gboolean over;

  while (!attacker_must_stop (attacker)) {
    Input input = attacker_next_input (attacker);

    GST_PAD_STREAM_LOCK (feed->pad);
    if (feed->is_flushed) {
      feed->is_flushed = FALSE;
      begin_stream (feed, &input);
    }
    attacker_act (attacker, &input);
    over = feed->over;
    GST_PAD_STREAM_UNLOCK (feed->pad);
    if (over)
      wait_for_renewal (attacker);
  }
  return NULL;
}

void
source_add (Attack *attack, GstPad *pad, gboolean requested, Input *input)
{
  Feed *feed = feed_new (&attack->bench, pad, requested);
  Attacker *attacker;

  if (requested)
    feed->kinds = GST_OBJECT_NAME (pad)[0] == 'c' ? CAPS_VIDEO : CAPS_ROWS;
  feed->live = attack->is_live != input_one_in (input, 16);
  if (input_one_in (input, 8))
    feed->min_latency = (GstClockTime) attack->bench.step_ns;
  feed->is_flushed = TRUE;
  feed_link (feed);
  attacker = attacker_new (attack, feed, by_sources, G_N_ELEMENTS (by_sources), 0, 16 + attack->n_feeds++);
  g_ptr_array_add (attack->threads, attacker);
  attacker_start (attacker, "source", run_source);
}

void
source_remove (Attack *attack, Feed *feed)
{
  Attacker *attacker;
  guint i;

  g_ptr_array_find (attack->bench.feeds, feed, &i);
  attacker = g_ptr_array_index (attack->threads, i);
  g_atomic_int_set (&attacker->stop, TRUE);
  feed_unlink (feed);
  g_thread_join (attacker->thread);
  attack->n_pushed += feed->n_pushed;
  attack->n_accepted += feed->n_accepted;
  bench_remove_feed (&attack->bench, feed);
  g_ptr_array_remove (attack->threads, attacker);
}
