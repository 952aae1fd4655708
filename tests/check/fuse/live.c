/* robocache: robocachefuse, live: deadlines, latency, clocks, and what is counted, in the words of fusescenario.h
 *
 * Rows come at 100 Hz unless caps say otherwise. A tick leaves 15 ms after its time at the latest: the element's own 5 ms, and
 * the 10 ms that linear waits for the next row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"

/* One tick left at its deadline; a row of before it comes and is of no use any more, and the one after it is. */
#define LATE_ROW "a+0 >0 deadline:25 >10 a=held:0 a+4 a+8 a+28 >20 a+38..48/10 >30..40/10 a+58 >50 "
#define ROW_TIMES "for:0..30/10 { a+t+100~row:t=t } a:eos"

static const Scenario scenarios[] = {
  /* deadlines */
  {"a complete tick leaves early", "rate=100/1", "a,live", "a+0 >0 a+12 >10 now=0"},
  {"an incomplete tick leaves at its deadline", "rate=100/1", "a,live",
      "a+0=7 >0 a=7 for:10..200/10 { deadline:t+15 >t a=held:7 } deadline:225 >210 a=missing a+220=8 >220 a=8"},
  {"a silent pad beside a busy one", "rate=100/1", "a,live b,live,hold-limit=10ms",
      "b+0=5 a+0..30/10 >0 b=5 deadline:25 >10 b=held:5 deadline:35 >20 b=missing"},
  {"a pad that never had caps has no tensor, and holds nothing up beyond the deadline", "rate=100/1", "a,live b,live,bare",
      "a+0..10/10 deadline:15 >0 caps.num_tensors=1"},
  /* caps that come before find nothing live, and the pipeline asks again */
  {"sources that start after their caps", "rate=100/1", "a,caps:1@100/1 b,caps:1@100/1",
      "ab:live latency=15ms a+0=1 deadline:15 >0 a=1 b=missing"},
  {"a required pad without caps holds output back", "rate=100/1", "a,live b,live,bare,required=true",
      "a+0..30/10 deadline:15 deadline:25 deadline:35 b:start b+30=1 >30 b=1 ticks-dropped=3"},
  {"ticks begin with the first row, though the base time was an hour ago", "rate=100/1", "a,live",
      "stop @1h play a:start a+1h+3=3 a+1h+13=13 >1h+10 a=10 a+1h+23=23 >1h+20 a=20 ticks-out=2"},
  {"data that is old when it begins to come makes no ticks whose deadlines have passed", "rate=100/1", "a,live",
      "@1h a+1h-300=1 deadline:1h+5 >1h-10 a=missing a+1h=2 >1h a=2 ticks-out=2"},
  {"nor after the last stream has gone", "rate=100/1", "a,live",
      "a+0 >0 a:remove @1h a:add a:start a+1h-300=1 a+1h=2 >1h-10 a=missing >1h a=2 ticks-out=3"},
  {"the last pad is removed: ticks between are not made up for", "rate=100/1", "a,live,caps:1 b,live,bare,caps:1",
      "a+0 deadline:5 >0 a:remove b:start b+5000=7 >5000! b=7"},
  {"an earlier row of the reference pad is a tick with an earlier deadline", "reference-pad=sink_0",
      "a=sink_0,live,caps:1,reorder-window=20ms,interpolation=previous",
      "a+20 waits a+9 waits:34 deadline:34 >9 deadline:45 >20"},
  {"so is an earlier first row of another stream", "rate=100/1", "a,live b,live",
      "a+5000=5 waits b+8 waits:25 deadline:25 >10 a=missing b=held:8"},
  {"rows that no later tick uses are late", "rate=100/1", "a,live", LATE_ROW "a.rows-late=1"},
  {"a busy pad beside a silent camera never blocks", "rate=50/1", "a=camera_0,live,caps:gray@30/1 b=force_0,live,caps:1:10",
      "for:0..99990/10 { b+t:10=0 } b.rows-in=100000 b.rows-kept<65537"},
  {"with no latency, a tick a frame: nobody waits, and nothing is lost", "latency=0",
      "a=camera_0,live,caps:gray@30/1,interpolation=previous b=force_0,live,caps:1,interpolation=previous",
      "for:0..2970/33 { @t b+t a+t=0 >t a=0 for:t+1..t+32/1 { @t b+t } } "
      "ticks-out=91 b.rows-in=3003 b.ticks-aligned=91 rows-dropped=0 rows-late=0"},
  {"EOS drains at once", "rate=100/1", "a,live b,live", "a+0..30/10 b+0=5 eos >0 b=5 >10..30/10 b=held:5 >eos now=0"},
  {"EOS without data", "rate=100/1", "a,live", "a:eos >eos"},
  {"a row of the reference pad waits for older ones; equal and older ones make no tick", "reference-pad=sink_0",
      "a=sink_0,live,caps:1,reorder-window=20ms,interpolation=previous",
      "a+7 deadline:32 >7 a+7=8 a+5 a+19 deadline:44 >19 . ticks-out=2"},
  {"each row of the reference pad leaves at once", "reference-pad=sink_0", "a=sink_0,live,caps:1",
      "for:7..98/13 { a+t >t } now=0"},
  {"a declared pad adds no latency before it has caps", "rate=100/1", "a,live b,unlinked,expects:2,reorder-window=1000ms",
      "latency=15ms a+0=1 >0 a=1 b=missing"},

  /* the LATENCY query: 5 ms of the element's own, and what interpolation and source need */
  {"latency of previous", "rate=50/1", "a,live,interpolation=previous", "latency=5ms live=1"},
  {"latency of nearest", "rate=50/1", "a,live,interpolation=nearest", "latency=15ms live=1"},
  {"latency of linear", "rate=50/1", "a,live,interpolation=linear", "latency=15ms live=1"},
  {"latency of hermite", "rate=50/1", "a,live,interpolation=hermite", "latency=15ms live=1"},
  {"latency of cubic", "rate=50/1", "a,live,interpolation=cubic", "latency=25ms live=1"},
  {"latency of mean", "rate=50/1", "a,live,interpolation=mean", "latency=25ms live=1"},
  {"latency of a reorder window", "rate=50/1", "a,live,reorder-window=7ms", "latency=22ms live=1"},
  {"latency of a negative offset", "rate=50/1", "a,live,offset=-3ms", "latency=18ms live=1"},
  {"latency of a positive offset", "rate=50/1", "a,live,offset=3ms", "latency=15ms live=1"},
  {"latency of the source", "rate=50/1", "a,live:33,required=true", "latency=48ms live=1"},
  {"latency, not live", "rate=50/1", "a,caps:1@100/1", "latency=15ms live=0"},
  {"latency is that of the slowest pad", "rate=50/1 latency=0", "a=force_0,live b=camera_0,live,bare,caps:gray@25/1",
      "latency=10ms b:start latency=40ms b:remove latency=10ms"},
  /* rows with no nominal rate: their spacing is measured */
  {"latency of a measured rate", "rate=50/1", "a,live,caps:1", "latency=5ms a+0..16/4 latency=9ms wait:latency"},

  /* a LATENCY message follows each change, and only a change */
  {"a message after each of two changes", "rate=50/1", "a,live",
      "drop:latency a:required=true no:latency a:interpolation=cubic wait:latency latency=25ms "
      "a:offset=-1ms wait:latency latency=26ms"},
  {"previous while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=previous wait:latency latency=5ms a:interpolation=previous no:latency"},
  {"cubic while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=cubic wait:latency latency=25ms a:interpolation=cubic no:latency"},
  {"mean while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=mean wait:latency latency=25ms a:interpolation=mean no:latency"},
  {"a reorder window while playing", "rate=50/1", "a,live",
      "drop:latency a:reorder-window=7ms wait:latency latency=22ms a:reorder-window=7ms no:latency"},
  {"a negative offset while playing", "rate=50/1", "a,live",
      "drop:latency a:offset=-3ms wait:latency latency=18ms a:offset=-3ms no:latency"},
  {"a slower pad comes and goes", "rate=50/1", "a,live b,live,absent,caps:1@20/1",
      "drop:latency b:add b:start wait:latency latency=55ms drop:latency b:remove wait:latency latency=15ms"},
  {"the element's own latency", "rate=50/1", "a,live", "drop:latency set:latency=40ms wait:latency latency=50ms"},
  /* the rate of the reference pad is the tick's, over which the other one takes its mean: at 100 of the rows from 50 to 140 */
  {"another rate of the reference pad", "reference-pad=sink_0",
      "a=sink_0,live,interpolation=previous b=force_0,live,interpolation=mean",
      "a+0 b+0..10/10 >0 latency=20ms drop:latency a:caps=1@10/1 a+100 b+20..200/10 >100 b=95 wait:latency latency=65ms"},
  {"the slowest source goes, and no pad's own settings matter", "rate=50/1", "a,live b=force_0,live:30",
      "latency=45ms drop:latency b:remove wait:latency latency=15ms"},

  /* settings while playing */
  {"offset takes effect at a tick, and none is in between", "rate=100/1", "a,live",
      "a+0..30/10 >0..30/10 a:offset=-5ms a+40..80/10 >40..70/10 a=t+5 a:offset=5ms a+90..120/10 >80..120/10 a=t-5"},
  {"offset while a tick waits", "rate=100/1", "a,live", "a+0..10/10 >0..10/10 a:offset=10ms a+20 >20 a=10 >30 a=20"},
  {"offset while playing", "rate=100/1", "a,live", "a+0..10/10 >0..10/10 a:offset=-5ms a+20..30/10 >20 a=25"},
  {"interpolation while playing", "rate=100/1", "a,live", "a+0 >0 a+18 >10 a:interpolation=previous a+28 >20 a=18"},

  /* reference timestamps: PTS is when a row arrived here */
  {"reference: the pipeline's clock", "rate=100/1", "a,live,timestamp-source=reference,reference-clock=pipeline",
      "stop @100000 base:100000 play a:start "
      "a+23~raw:100000=0 a+34~raw:100010=10 a+45~raw:100020=20 a+53~raw:100030=30 a+64~raw:100040=40 >0..40/10"},
  {"reference: an origin", "rate=100/1", "a,caps:1@100/1,timestamp-source=reference,reference-origin=3908988800000000000",
      "for:0..40/10 { a+-~ntp:t=t } a:eos >0..40/10 >eos"},
  {"reference: of a block", "rate=100/1", "a=sink_0,caps:1:4,timestamp-source=reference,reference-origin=3908988800000000000",
      "a+0:40~ntp:0=0,10,20,30 a:eos >0..30/10 >eos"},
  {"reference: rows before the origin", "rate=100/1",
      "a,caps:1@100/1,timestamp-source=reference,reference-origin=3908988800000000000",
      "a+-~ntp:-0.000001=9 a+-~ntp:0=1 a:eos >0 a=1 >eos a.rows-dropped-outside-segment=1"},
  {"reference: the first row's PTS says where running time 0 is", "rate=100/1", "a,live,timestamp-source=reference",
      "a+50~ntp:0=0 for:10..40/10 { a+t+57~ntp:t=t } >50..90/10 a=t-50 a.reference-origin=3908988799950000000"},
  {"reference: senders with different delays share a measured origin", "rate=100/1",
      "a,live,timestamp-source=reference b,live,timestamp-source=reference",
      "for:0..40/10 { a+t+50~ntp:t=t b+t+180~ntp:t=t } >50..90/10 a=t-50 b=t-50"},
  {"reference: other clocks have other origins", "rate=100/1",
      "a,live,timestamp-source=reference b,live,timestamp-source=reference,reference-caps=timestamp/x-unix",
      "for:0..40/10 { a+t+50~ntp:t=t b+t+50~unix:t+3000=t } >50..90/10 a=t-50 b=t-50"},
  {"reference: rows without one, or with another one", "rate=100/1", "a,live,timestamp-source=reference",
      "a+0=100 a+10~unix:0=110 for:20..40/10 { a+t~ntp:t=t } >20..40/10 a.rows-dropped-no-reference=2 a.rows-dropped=2 "
      "warning:timestamp/x-ntp no:warning"},
  {"reference: what is not live must not depend on which buffer comes first", "rate=100/1",
      "a,caps:1@100/1,timestamp-source=reference", "a+0!error error:settings:proprio_0|reference-origin"},
  /* the row at 40 is taken with the settings of the last tick, and makes one with the new ones */
  {"reference while playing", "rate=100/1", "a,live",
      "a+0..30/10 >0..30/10 a:timestamp-source=reference a:reference-origin=3908988800000000000 a+40 >40 "
      "for:50..70/10 { a+t+33~ntp:t=t } >50..70/10"},
  {"row times win over PTS", "rate=100/1", "a=sink_0,caps:1+times", ROW_TIMES " >0..30/10 >eos"},
  {"row times, asked for", "rate=100/1", "a=sink_0,caps:1+times,timestamp-source=row-times", ROW_TIMES " >0..30/10 >eos"},
  {"PTS instead of row times", "rate=100/1",
      "a=sink_0,caps:1+times,timestamp-source=pts", ROW_TIMES " >100..130/10 a=t-100 >eos"},
  {"row times that are not there", "rate=100/1", "a=sink_0,timestamp-source=row-times",
      "a+0!error a+10!error error:settings:sink_0|row-times|int64 a.rows-dropped-refused=2"},

  /* clocks that are tracked */
  {"track: the sender's clock needs no origin; the least delay is 30 ms", "rate=100/1",
      "a,live,timestamp-source=reference,clock-mode=track",
      "for:0..960/40 { @t+30 a+-~unix:0=0 a+-~ntp:t=t @t+41 a+-~unix:0=0 a+-~ntp:t+10=t+10 "
      "@t+52 a+-~unix:0=0 a+-~ntp:t+20=t+20 @t+63 a+-~unix:0=0 a+-~ntp:t+30=t+30 } @1030 a+-~unix:0=0 a+-~ntp:1000=1000 "
      "a:eos >30 a=0 a.clock-pairs=101 a.rows-dropped-no-reference=101"},
  {"track needs a live source", "rate=100/1", "a=force_0,clock-mode=track",
      "a+0!error error:settings:force_0|clock-mode=track|live"},
  {"track: a GAP is on the sensor's clock, too", "rate=100/1", "a,live b=force_0,live,clock-mode=track,interpolation=previous",
      "for:100..120/10 { @t a+t b+t+5000000=t } >100..120/10 b:gap:5000120,30 a+130..140/10 >130..140/10 b=120 now=120ms"},
  {"track: a new start forgets the estimate", "rate=100/1",
      "a=force_0,live,caps:1,clock-mode=track,reorder-window=50ms,max-gap=-1",
      "@50 a+5000000=0 stop play a.clock-pairs=0 a:start @70 a+1000=5 a:eos >70 a=5"},

  /* why rows are dropped */
  {"dropped: no time", "rate=100/1", "a,live", "a+-=1 a.rows-dropped-no-time=1 a.rows-dropped=1"},
  {"dropped: outside the segment", "rate=100/1", "a,live",
      "a:segment:start=100 a+80..110/10 a.rows-dropped-outside-segment=2 a.rows-dropped=2"},
  {"dropped: overflow, since a silent reference pad takes nothing", "reference-pad=sink_0", "a=sink_0,live b=force_0,live",
      "b+0..65540/1 b.rows-dropped-overflow=5 b.rows-dropped=5"},
  {"dropped: a flush, before the first tick", "rate=100/1", "a,live", "a+1..5/2 a:flush a.rows-dropped-flush=3 a.rows-dropped=3"},
  {"dropped: without caps", "rate=100/1", "a,live,bare",
      "a:stream a:segment a+0!not-negotiated 'error:negotiation:proprio_0: a buffer before its caps: put robocacheparse before' a.rows-dropped-refused=1 "
      "a.rows-dropped=1 a+1!not-negotiated no:error"},
  {"pads that are gone stay in the account, and a new one's counters begin at 0", "rate=100/1", "a,live b,live",
      "a+0 b+0..8/4 >0 b:remove removed.rows-in=3 removed.rows-used=1 removed.rows-dropped-removed=2 removed.rows-kept=0 "
      "removed.ticks-aligned=1 rows-in=4 balance b:add b:start b+20 b.rows-in=1 b:remove removed.rows-in=4"},
  {"a new start begins a new account", "rate=100/1", "a,live", "a+0 a:remove stop play removed.rows-in=0 rows-in=0"},

  /* distributions */
  {"lag and lateness of ticks", "rate=100/1", "a,live", "a+0 >0 deadline:25 >10 a=held:0 lag-max=15ms lateness-max=0"},
  {"age", "rate=100/1", "a,live",
      "a+6=0 deadline:25 >10 a=held:0 a.age-max=4ms age-max=4ms age-p99=4ms a:remove age-max=4ms"},
  {"lateness of rows, of all pads, and those that are gone", "rate=100/1", "a,live",
      LATE_ROW "a.rows-late=1 a.lateness-max=6ms a.lateness-p50=6ms row-lateness-max=6ms balance a:remove row-lateness-max=6ms"},
  {"lateness of disorder", "rate=100/1", "a,live", "a+50 a+18 a.lateness-max=32ms"},

  /* QoS messages */
  {"QoS of a late row", "rate=100/1", "a,live",
      "a:segment:start=1000,time=5000 a+1050=50 no:qos a+1018=18 qos:from=proprio_0,live=1,running=18,stream=5018,"
      "timestamp=1018,duration=10,jitter=32,processed=1,dropped=1 no:qos"},
  {"QoS of a row whose tick had left", "rate=100/1", "a,live", LATE_ROW "qos:running=4,jitter=6,dropped=1 no:qos"},
  {"QoS of a block is one message, of its first row and with the greatest lateness", "rate=100/1", "a,live,caps:1:4",
      "a+100=0 drop:qos a+10:8=0 qos:running=10,jitter=90,dropped=4 no:qos"},
  {"QoS of a row without a time", "rate=100/1", "a,live", "a+-=0 qos:running=-,timestamp=-,jitter=0,dropped=1"},
  {"QoS of ticks at which a required stream is missing", "rate=100/1", "a,live b,live,bare,required=true",
      "a+0..30/10 "
      "deadline:15 qos:from=fuse,live=1,running=0,stream=0,timestamp=0,duration=10,jitter=15,processed=0,dropped=1 "
      "deadline:25 qos:from=fuse,live=1,running=10,stream=10,timestamp=10,duration=10,jitter=15,processed=0,dropped=2 "
      "deadline:35 qos:from=fuse,live=1,running=20,stream=20,timestamp=20,duration=10,jitter=15,processed=0,dropped=3 no:qos"},
  {"QoS not live: there is no clock to be late by", "rate=100/1", "a b,required=true,hold-limit=0",
      "a+0..10/10 b+0 eos >0 >eos qos:live=0,running=10,jitter=0,processed=1,dropped=1"},
  {"no QoS of rows between ticks, equal times, a flush, a seek", "rate=100/1", "a,live",
      "a+0..21/1 a+21=3 >0..20/10 a:flush a:segment:start=100 a+90=0 a.rows-superseded>10 a.rows-duplicate=1 "
      "a.rows-dropped-outside-segment=1 no:qos"},
  {"QoS is off: what is counted stays, and nothing is told afterwards", "rate=100/1 qos-messages=false",
      "a,live b,live,bare,required=true",
      "a+10=50 a+0=18 deadline:25 waits ticks-dropped=1 a.rows-late=1 no:qos balance "
      "set:qos-messages=true a+0=18 qos:dropped=2 no:qos"},
};

/* ---- sources that wait, or go on until they are refused ---- */

/* One live stream among others makes the element live; it never waits, and takes the recording along. */
GST_START_TEST (test_live_and_not)
{
  Play *play = play_new ("rate=50/1", "a,caps:1@100/1 b,live");
  GThread *source = start_source (play, 'a', 33);

  play_words (play, "live=1 b+0..10000/10");
  while (count_of (play->rig->fuse, "ticks-out") < 490)
    g_thread_yield ();
  play_words (play, "a.rows-dropped=0 a.ticks-missing=0 a.rows-in<1050");
  gst_element_set_state (play->rig->fuse, GST_STATE_NULL);
  g_thread_join (source);
  play_free (play);
}

GST_END_TEST;

/* A live source that needs latency and one that cannot hold anything back: the base class has no latency then. */
GST_START_TEST (test_latencies_that_contradict)
{
  Play *play = play_new ("rate=50/1", "a,live,holds-nothing b,live:30");

  push_until_refused (play->pads[0].feed);
  play_words (play, "error:negotiation:proprio_0|proprio_1|queue");
  play_free (play);
}

GST_END_TEST;

static void
stay_awake (void)
{
  rig_busy_wait = "3000000";
}

static void
sleep_at_once (void)
{
  rig_busy_wait = "0";
}

static Suite *
robocachefuselive_suite (void)
{
  Suite *s = suite_create ("robocachefuselive");
  TCase *cases[] = { add_case (s, "asleep"), add_case (s, "awake") };

  tcase_add_checked_fixture (cases[1], stay_awake, sleep_at_once);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    tcase_add_test (cases[i], test_live_and_not);
    tcase_add_test (cases[i], test_latencies_that_contradict);
  }
  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), TRUE);
  return s;
}

GST_CHECK_MAIN (robocachefuselive);
