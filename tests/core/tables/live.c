/* robocache: robocachefuse, live: deadlines, latency, clocks, and what is counted
 *
 * Rows come at 100 Hz unless caps say otherwise. A tick leaves 15 ms after its time at the latest: the 5 ms of the property latency, and
 * the 10 ms that linear waits for the next row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

/* One tick left at its deadline; a row of before it comes and is of no use any more, and the one after it is. */
#define LATE_ROW "a+0 >0 deadline:25 >10 a=held:0 a+4 a+8 a+28 >20 a+38..48/10 >30..40/10 a+58 >50 "

static const Scenario scenarios[] = {
  /* deadlines */
  {"a complete tick leaves early", "rate=100/1", "a,live", "a+0 >0 a+12 >10 now=0"},
  {"a silent pad beside a busy one", "rate=100/1", "a,live b,live,hold-limit=10ms",
      "b+0=5 a+0..30/10 >0 b=5 deadline:25 >10 b=held:5 deadline:35 >20 b=missing"},
  {"a pad that never had caps has no tensor, and holds nothing up beyond the deadline", "rate=100/1", "a,live b,live,bare",
      "a+0..10/10 deadline:15 >0 caps.num_tensors=1"},
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
  {"ticks start at PLAYING, with expected caps and no data: a robot that boots before its cameras", "rate=100/1 force-live=true",
      "a,unlinked,expects:1@100/1", "for:0..30/10 { deadline:t+5 >t a=missing }"},
  {"a declared pad adds no latency before it has caps", "rate=100/1", "a,live b,unlinked,expects:2,reorder-window=1000ms",
      "latency=15ms a+0=1 >0 a=1 b=missing"},

  /* a tick leaves when the end of its filter is due, 405 ms after it: the row that would be next may be missing, no more */
  {"lowpass does not wait for the row after its filter", "rate=25/2", "a,live,caps:1@25/1,interpolation=lowpass",
      "a+0..360/40 deadline:405 >0 a=held:0 a+400..440/40 deadline:485 >80 a=held:80 a+480..520/40 deadline:565 >160 a=held:160 "
      "a+560..600/40 deadline:645 >240 a=held:240 a+640..680/40 deadline:725 >320 a=held:320 a+720..760/40 deadline:805 >400 a=400 "
      "a+800..840/40 deadline:885 >480 a=480 deadline:965 >560 a=held:560"},

  /* the LATENCY query: 5 ms of the element's own, and what interpolation and source need */
  {"latency of previous", "rate=50/1", "a,live,interpolation=previous", "latency=5ms live=1"},
  {"latency of nearest", "rate=50/1", "a,live,interpolation=nearest", "latency=15ms live=1"},
  {"latency of linear", "rate=50/1", "a,live,interpolation=linear", "latency=15ms live=1"},
  {"latency of hermite", "rate=50/1", "a,live,interpolation=hermite", "latency=15ms live=1"},
  {"latency of cubic", "rate=50/1", "a,live,interpolation=cubic", "latency=25ms live=1"},
  {"latency of mean", "rate=50/1", "a,live,interpolation=mean", "latency=25ms live=1"},
  {"latency of lowpass", "rate=50/1", "a,live,interpolation=lowpass", "latency=105ms live=1"},
  {"latency of a cutoff", "rate=50/1", "a,live,interpolation=lowpass,cutoff=25", "latency=85ms live=1"},
  {"latency of two lobes", "rate=50/1", "a,live,interpolation=lowpass,lobes=2,reorder-window=7ms", "latency=62ms live=1"},
  {"latency of lowpass of slow rows", "rate=200/1", "a,live,interpolation=lowpass", "latency=55ms live=1"},
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
  {"previous while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=previous wait:latency latency=5ms a:interpolation=previous no:latency"},
  {"cubic while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=cubic wait:latency latency=25ms a:interpolation=cubic no:latency"},
  {"mean while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=mean wait:latency latency=25ms a:interpolation=mean no:latency"},
  {"lowpass while playing", "rate=50/1", "a,live",
      "drop:latency a:interpolation=lowpass wait:latency latency=105ms a:cutoff=25 wait:latency latency=85ms a:lobes=8 wait:latency latency=165ms"},
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
  {"reference: rows before the origin", "rate=100/1",
      "a,caps:1@100/1,timestamp-source=reference,reference-origin=3908988800000000000",
      "a+-~ntp:-0.000001=9 a+-~ntp:0=1 a:eos >0 a=1 >eos a.rows-dropped-outside-segment=1"},
  {"reference: the first row's PTS says where running time 0 is", "rate=100/1", "a,live,timestamp-source=reference",
      "a+50~ntp:0=0 for:10..40/10 { a+t+57~ntp:t=t } >50..90/10 a=t-50 a.reference-origin=3908988799950000000"},
  {"reference: rows without one, or with another one", "rate=100/1", "a,live,timestamp-source=reference",
      "a+0=100 a+10~unix:0=110 for:20..40/10 { a+t~ntp:t=t } >20..40/10 a.rows-dropped-no-reference=2 a.rows-dropped=2 "
      "warning:timestamp/x-ntp no:warning"},
  {"reference: what is not live must not depend on which buffer comes first", "rate=100/1",
      "a,caps:1@100/1,timestamp-source=reference", "a+0!error error:settings:proprio_0|reference-origin"},
  /* the row at 40 is taken with the settings of the last tick, and makes one with the new ones */
  {"reference while playing", "rate=100/1", "a,live",
      "a+0..30/10 >0..30/10 a:timestamp-source=reference a:reference-origin=3908988800000000000 a+40 >40 "
      "for:50..70/10 { a+t+33~ntp:t=t } >50..70/10"},
  {"row times that are not there", "rate=100/1", "a=sink_0,timestamp-source=row-times",
      "a+0!error a+10!error error:settings:sink_0|row-times|int64 a.rows-dropped-refused=2"},

  /* clocks that are tracked */
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
  {"pads that are gone stay in the account, and a new one's counters begin at 0", "rate=100/1", "a,live b,live",
      "a+0 b+0..8/4 >0 b:remove removed.rows-in=3 removed.rows-used=1 removed.rows-dropped-removed=2 removed.rows-kept=0 "
      "removed.ticks-aligned=1 rows-in=4 balance b:add b:start b+20 b.rows-in=1 b:remove removed.rows-in=4"},
  {"a new start begins a new account", "rate=100/1", "a,live", "a+0 a:remove stop play removed.rows-in=0 rows-in=0"},

  /* distributions */
  {"lag and lateness of ticks", "rate=100/1", "a,live", "a+0 >0 deadline:25 >10 a=held:0 lag-max=15ms lateness-max=0"},
  {"age", "rate=100/1", "a,live",
      "a+6=0 deadline:25 >10 a=held:0 a.age-max=4ms age-max=4ms age-p99=4ms a:remove age-max=4ms"},
  {"lateness of disorder", "rate=100/1", "a,live", "a+50 a+18 a.lateness-max=32ms"},

  /* starvation: how late a tick was, and which rows may give way */
  {"a tick before its deadline", "rate=100/1", "a,live", "a+0 >0 tick-lateness=-15ms"},
  {"a tick at its deadline", "rate=100/1", "a,live", "a+0 >0 deadline:25 >10 a=held:0 tick-lateness=0"},
  {"a tick after its deadline", "rate=100/1", "a,live", "a+0 >0 jump:28 >10 a=held:0 tick-lateness=3ms"},
  {"a tick that is dropped, after its deadline", "rate=100/1", "a,live b,live,required=true,hold-limit=0", "ab+0 >0 jump:28 . ticks-dropped=1 tick-lateness=3ms"},
  {"the latency of a source is part of the deadline", "rate=100/1", "a,live:20", "a+0 >0 tick-lateness=-35ms"},
  {"recordings have no deadline", "rate=100/1", "a", "a+0..10/10 eos >0..10/10 >eos tick-lateness=0"},
  {"rows of live pads may be thinned to half a period, but those of other pads not", "rate=100/1", "a,live b",
      "ab+0 >0 a.thinned-spacing=5ms b.thinned-spacing=0"},
  {"ticks that are rows are not thinned", "reference-pad=sink_0", "a=sink_0,live,caps:1@50 b,live",
      "ab+0 >0 a.thinned-spacing=0 b.thinned-spacing=10ms"},
  {"recordings are not thinned", "rate=100/1", "a", "a+0 a.thinned-spacing=0"},

  /* QoS messages */
  {"no QoS of rows between ticks, equal times, a flush, a seek", "rate=100/1", "a,live",
      "a+0..21/1 a+21=3 >0..20/10 a:flush a:segment:start=100 a+90=0 a.rows-superseded>10 a.rows-duplicate=1 "
      "a.rows-dropped-outside-segment=1 no:qos"},
};

TABLE (live);
