/* robocache: robocachefuse warns of pads without rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define SOURCE "check its source (the file, device or address)"
#define NO_BUFFER "it has caps, but no buffer has arrived: " SOURCE "; if one element feeds several pads, put a queue before each"

static const Scenario scenarios[] = {
  /* two seconds without a row */
  {"no pad", "rate=100/1", "a,absent", "wall:1999 no:warning @2000 wall:2000 'warning:fuse has no sink pad, so no sample leaves: link streams to it, like "
      "\"robocachetestsrc ! fuse.proprio_0\"' wall:9000 no:warning"},
  {"a pad in time", "rate=100/1", "a,absent", "wall:1000 a:add a:start a+0 wall:3000 no:warning"},
  {"caps alone", "rate=100/1", "a b", "a+0 wall:1999 no:warning @2000 wall:2000 'warning:proprio_1 has no row after 2 s, and samples wait for it; "
      NO_BUFFER "' wall:9000 no:warning"},
  {"nothing at all", "rate=100/1", "a b,bare", "a+0 @2000 wall:2000 'warning:proprio_1 has no row after 2 s, and samples wait for it; it has no caps "
      "yet: " SOURCE "' no:warning"},
  {"not linked", "rate=100/1", "a b,unlinked", "a+0 @2000 wall:2000 'warning:proprio_1 has no row after 2 s, and samples wait for it; the pad is not "
      "linked: link a stream to it, or release it' no:warning"},
  {"each of two", "rate=100/1", "a b,bare", "@2000 wall:2000 warning:proprio_0 warning:proprio_1 no:warning"},
  {"rows outside the segment", "rate=100/1", "a b", "a+0 b:segment:stop=500 b+600..620/10 @2000 wall:2000 'warning:proprio_1 has no row after 2 s, and "
      "samples wait for it; all 3 rows were dropped (stats: rows-dropped-outside-segment): correct the times of its source' no:warning"},
  {"a GAP is no silence", "rate=100/1", "a b", "a+0 b:gap:0,10 @2000 wall:2000 no:warning"},
  {"live, an expected stream may be late", "rate=100/1", "a,live b,bare,live,expects:1@100", "a+0 @2000 wall:2000 no:warning"},
  {"an expected stream", "rate=100/1", "a b,bare,expects:1@100", "a+0 @2000 wall:2000 'warning:proprio_1 has no row after 2 s, and samples wait for "
      "it; it has no caps yet: " SOURCE "' no:warning"},
  {"an expected stream that is not linked", "rate=100/1", "a b,unlinked,expects:1@100", "a+0 @2000 wall:2000 'warning:proprio_1 has no row after "
      "2 s, and samples wait for it; the pad is not linked: link a stream to it, or release it' no:warning"},
  {"a pad that is added while it plays and declared", "rate=100/1", "a b,absent,unlinked,expects:1", "a+0..20/10 >0 b:add @2000 wall:2000 no:warning"},
  {"live", "rate=100/1", "a,live b,bare,live",
      "a+0 wall:2000 no:warning @1999 wall:4000 no:warning @2000 wall:6000 'warning:proprio_1 has no row after 2 s, and samples leave "
      "without it; it has no "
      "caps yet' no:warning"},
  {"live and required", "rate=100/1", "a,live b,bare,live,required=true", "a+0 @2000 wall:2000 'warning:proprio_1 has no row after 2 s, and no sample "
      "leaves, since it is required; it has no caps yet' no:warning"},
  {"live, a recording in the future", "rate=100/1", "a,live b", "a+0 b+5000 @2000 wall:2000 'warning:the first row of proprio_1 is "
      "at 5.000 s, 3.000 s ahead of the live streams' no:warning"},
  {"live, a recording an hour ahead", "rate=100/1", "a,live b", "a+0 b+3600000 @2000 wall:2000 'warning:the first row of proprio_1 is at 3600.000 s' "
      "no:warning"},
  {"live, a recording in UTC", "rate=100/1", "a,live b", "a+0 b+1700000000000 @2000 wall:2000 'warning:the first row of proprio_1 is at 1700000000.000 s' "
      "no:warning"},
  {"live, a recording that is on time", "rate=100/1", "a,live b", "a+0 b+2500 @2000 wall:2000 no:warning"},
  {"once a start", "rate=100/1", "a,bare", "@2000 wall:2000 wait:warning wall:9000 no:warning stop play wall:10999 no:warning wall:11000 "
      "warning:proprio_0 no:warning"},
  {"a pad that is added while it plays", "rate=100/1", "a b,absent", "a+0 @2000 wall:2000 no:warning b:add wall:3999 no:warning wall:4000 "
      "'warning:proprio_1 has no row after 2 s' wall:9000 no:warning"},
  {"a pad that is added before the look", "rate=100/1", "a b,absent", "wall:1000 b:add @2000 wall:2000 no:warning wall:3000 warning:proprio_0 "
      "warning:proprio_1 no:warning"},
  {"nobody looks when the element has stopped", "rate=100/1", "a,bare", "stop wall:3000 no:warning play"},

  /* an end without a row: at once */
  {"an end without a row", "rate=100/1", "a b", "b:eos 'warning:proprio_1 ended without a row, so it is missing in all samples; " SOURCE "' a+0 "
      "a:eos >0 b=missing >eos no:warning wall:3000 no:warning"},
  {"an end without rows", "rate=100/1", "a b",
      "a:eos 'warning:proprio_0 ended without a row, so it is missing in all samples; check its source' b+20..30/10 b:eos "
      ">20..30/10 a=missing >eos no:warning"},
  {"an end without caps", "rate=100/1", "a b,bare", "b:stream b:eos 'warning:proprio_1 ended without a row, so samples have no "
      "tensor for it; "
      SOURCE "' a+0 a:eos >0 b=none >eos no:warning"},
  {"an end after rows outside the segment", "rate=100/1", "a b", "b:segment:stop=500 b+600..620/10 b:eos 'warning:proprio_1 ended without a row, so "
      "it is missing in all samples; all 3 rows were dropped (stats: rows-dropped-outside-segment)' no:warning"},
  {"an end after a row", "rate=100/1", "a", "a+0 a:eos >0 >eos no:warning"},

  /* quaternions of another length */
  {"by name", "rate=100/1", "a,bare,quaternions=qw",
      "a:stream a:caps=5[x,qw,qx,qy,qz] a:segment a+0=0,0,0,0,7 'warning:channels 1 to 4 has length 7' a:eos "
      "a.quaternions-not-unit=1"},
};

/* A pipeline of recordings does not get out of PAUSED until every stream has a row. */
static const struct
{
  const gchar *launch, *words;
} paused[] = {
  {"robocachefuse name=fuse rate=50/1 ! fakesink", "fuse has no sink pad"},
  {"appsrc name=a format=time caps=\"" ONE_CHANNEL "\" ! fuse.proprio_0 robocachefuse name=fuse rate=50/1 ! fakesink",
      "proprio_0 has no row after 2 s, and samples wait for it; it has caps, but no buffer has arrived"},
};

GST_START_TEST (test_paused)
{
  GstElement *pipeline = gst_parse_launch (paused[__i__].launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *warning;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, paused[__i__].words) != NULL, "%s", warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

GST_END_TEST;

CHECK_MAIN (robocachefusesilence, NULL, NULL, EACH (paused, test_paused), add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE))
