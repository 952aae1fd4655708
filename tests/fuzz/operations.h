/* robocache: what the fuzzers do to an element: caps, buffers, events, queries and properties, made of an input's bytes
 *
 * Most of it makes sense, or little of the element would be reached; the rest does not.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "bench.h"

/* Kinds of streams, or'ed: which caps make sense for a pad. */
enum
{
  CAPS_ROWS = 1 << 0,           /* other/tensors of rows */
  CAPS_EPISODES = 1 << 1,       /* rows, times and target times */
  CAPS_VIDEO = 1 << 2,
  CAPS_POINTS = 1 << 3
};

/* Something that happens to a feed, or to the element. */
typedef struct
{
  void (*on_feed) (Feed * feed, Input * input);
  void (*on_bench) (Bench * bench, Input * input);
} Operation;

/* Operations that use the next bytes of the input. */
GstCaps *choose_caps (Input * input, guint kinds);
void send_caps (Feed * feed, Input * input);    /* of the feed's kinds */
void send_these_caps (Feed * feed, GstCaps * caps);     /* takes caps */
void send_segment (Feed * feed, Input * input);
void send_buffer (Feed * feed, Input * input);
void send_gap (Feed * feed, Input * input);
void send_eos (Feed * feed, Input * input);
void send_other_event (Feed * feed, Input * input);
/* Upstream, into the element's src pad. */
void send_upstream_event (Bench * bench, Input * input);
/* A feed, or the element's src pad. */
void ask (Bench * bench, Input * input);
void ask_feed (Feed * feed, Input * input);
void ask_src (Bench * bench, Input * input);
void change_answer (Bench * bench, Input * input);
/* Any property that can be written, of any type; those that the bench leaves alone excepted. */
void set_property (Bench * bench, Input * input);
void set_pad_property (Feed * feed, Input * input);
void read_properties (Bench * bench, Input * input);
void read_pad_properties (Feed * feed, Input * input);
/* As when the element and its pads were made. */
void reset_properties (Bench * bench);
/* A rate of the grid, which the bench's steps follow. */
void choose_rate (Bench * bench, Input * input);
/* Nothing, or what downstream accepts. */
void choose_downstream (Bench * bench, Input * input);
