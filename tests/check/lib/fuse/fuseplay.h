/* robocache: what a scenario puts into robocachefuse: its pads, rows and events. Its words are told in tests/core/words.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/originevent.h"
#include "tests/check/lib/fuse/fuseharness.h"

/* ---- pads ---- */

GstCaps *caps_of (const PlayedPad *pad);

void play_set (Play *play, PlayedPad *pad, const gchar *setting);

void play_set_source (Play *play, PlayedPad *pad);

void play_add (Play *play, PlayedPad *pad);

void play_remove (Play *play, PlayedPad *pad);

void play_start (Play *play);

/* ---- rows ---- */

const gchar *play_push (Play *play, PlayedPad *pad, const PlayedRows *rows);

/* ---- events ---- */

void play_begin_stream (Play *play, PlayedPad *pad);

gboolean play_send_caps (Play *play, PlayedPad *pad);

void play_send_segment (Play *play, PlayedPad *pad, const PlayedSegment *from);

void play_send_gap (Play *play, PlayedPad *pad, gint64 start, gint64 duration);

void play_send_origin (Play *play, PlayedPad *pad, gint64 origin, gboolean is_first_row);

void play_send_eos (Play *play, PlayedPad *pad);

void play_flush (Play *play, const gchar *letters);

gboolean play_follow_of_pad (Play *play, PlayedPad *pad, const gchar *what);
