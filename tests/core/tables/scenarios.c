/* robocache: robocachefuse, not live: ticks, segments, caps, ends, flushes, samples and pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

#define PARABOLA "a+0 a+10=1 a+20=4 a+40=16 a:eos "     /* ticks of 200 Hz from 0 to 40 ms */
#define STEP " a+0 a+100 a:eos b+0..300/50 b:eos "       /* a row at 0 and 100 ms; ticks each 50 ms up to 300 */

static const Scenario scenarios[] = {
  /* interpolations, computed by hand */
  {"nearest", "rate=200/1", "a,interpolation=nearest",
      PARABOLA ">0 >5 a=0 >10 a=1 >15 a=1 >20 a=4 >25 a=4 >30 a=4 >35 a=16 >40 a=16 >eos"},
  {"previous", "rate=200/1", "a,interpolation=previous",
      PARABOLA ">0 >5 a=0 >10 a=1 >15 a=1 >20 a=4 >25 a=4 >30 a=4 >35 a=4 >40 a=16 >eos"},
  {"cubic: tangents at the ends are one-sided", "rate=200/1", "a,interpolation=cubic",
      PARABOLA ">0 >5 a=0.375 >10 a=1 >15 a=2.25 >20 a=4 >25 a=6.4375 >30 a=9.5 >35 a=12.8125 >40 a=16 >eos"},
  {"hermite", "rate=200/1", "a,interpolation=hermite",
      PARABOLA ">0 >5 a=0.5 >10 a=1 >15 a=2.5 >20 a=4 >25 a=7 >30 a=10 >35 a=13 >40 a=16 >eos"},
  {"mean", "rate=200/1", "a,interpolation=mean",
      PARABOLA ">0 >5 a=0.5 >10 a=1 >15 a=2.5 >20 a=4 >25 a=7 >30 a=10 >35 a=13 >40 a=16 >eos"},
  /* whatever the other thread gets to do meanwhile */
  {"mean: the first tick waits for its whole interval, too", "rate=10/1", "a,interpolation=mean b",
      "b+0..100/10 a+0..24/8 for:1..20/1 { yield ticks-out=0 } a+32..200/8 eos >0 a=24 >100 >200 a=176 b=held:100 >eos"},
  {"mean with a reference pad is over its nominal period", "reference-pad=sink_0", "a,interpolation=mean b=sink_0,caps:1@50/1",
      "b+20..40/20 a+12=0 a+16=6 a+24=9 a+60=9 eos >20:20 a=5 b=20 caps.framerate=50/1"},
  {"a reference pad that does not exist", "reference-pad=proprio_7", "a b", "a+0!not-negotiated 'error:settings:reference-pad=proprio_7: expected one of "
      "the sink pads, which are proprio_0, proprio_1'"},
  {"q and -q are the same rotation", "rate=200/1", "a,caps:4,quaternions=0",
      "a+0=0,0,0,1 a+10=0,0,-0.70710678,-0.70710678 a:eos >0 a=0,0,0,1 >5 a=0,0,0.38268343,0.92387953"},

  /* gaps and holding */
  {"max-gap 100 ms, no holding", "rate=20/1", "a,max-gap=100ms,hold-limit=0 b",
      STEP ">0..100/50 >150..300/50 a=missing >eos a.ticks-aligned=3 a.ticks-held=0 a.ticks-missing=4"},
  {"a little less than the gap, no holding", "rate=20/1", "a,max-gap=99999999,hold-limit=0 b",
      STEP ">0 >50 a=missing >100 >150..300/50 a=missing >eos a.ticks-aligned=2 a.ticks-held=0 a.ticks-missing=5"},
  {"a little less than the gap, held once", "rate=20/1", "a,max-gap=99999999,hold-limit=50ms b",
      STEP ">0 >50 a=held:0 >100 >150 a=held:100 >200..300/50 a=missing >eos a.ticks-aligned=2 a.ticks-held=2 a.ticks-missing=3"},
  {"a little less than the gap, and than holding", "rate=20/1", "a,max-gap=99999999,hold-limit=49999999 b",
      STEP ">0 >50 a=missing >100 >150..300/50 a=missing >eos a.ticks-aligned=2 a.ticks-held=0 a.ticks-missing=5"},
  {"no blending, held for ever", "rate=20/1", "a,max-gap=0,hold-limit=-1 b",
      STEP ">0 >50 a=held:0 >100 >150..300/50 a=held:100 >eos a.ticks-aligned=2 a.ticks-held=5 a.ticks-missing=0"},
  {"blended over any gap, held for 100 ms", "rate=20/1", "a,max-gap=-1,hold-limit=100ms b",
      STEP ">0..100/50 >150..200/50 a=held:100 >250..300/50 a=missing >eos a.ticks-aligned=3 a.ticks-held=2 a.ticks-missing=2"},
  {"blended over any gap, not held", "rate=20/1", "a,max-gap=-1,hold-limit=0 b",
      STEP ">0..100/50 >150..300/50 a=missing >eos a.ticks-aligned=3 a.ticks-held=0 a.ticks-missing=4"},
  {"blended over any gap, held for ever", "rate=20/1", "a,max-gap=-1,hold-limit=-1 b",
      STEP ">0..100/50 >150..300/50 a=held:100 >eos a.ticks-aligned=3 a.ticks-held=4 a.ticks-missing=0"},
  {"max-gap is the greatest age for previous", "rate=20/1", "a,interpolation=previous,max-gap=60ms,hold-limit=120ms",
      "a+0=1 a+200=2 a:eos >0 a=1 >50 a=1 >100 a=held:1 >150 a=missing >200 a=2 >eos"},
  {"missing before the first row, whatever the hold-limit", "rate=100/1", "a,hold-limit=-1 b",
      "b+0..30/10 a+15..25/10 eos >0..10/10 a=missing >20 >30 a=held:25 >eos"},
  {"required accepts held", "rate=100/1", "a b,required=true", "a+0..10/10 b+0=5 eos >0 b=5 >10 b=held:5 >eos"},

  /* times of rows */
  {"no time and nothing to go on from: dropped, and warned about once", "rate=100/1", "a",
      "a+-=1 a+-=2 a+0=3 a+-=4 a:eos >0 a=3 >eos a.rows-dropped=3 wait:warning no:warning"},
  {"of equal times the last wins", "rate=100/1", "a",
      "a+0=1 a+10=2 a+10=3 a+10=4 a+20=5 a:eos >0 a=1 >10 a=4 >20 a=5 >eos a.rows-duplicate=2"},
  {"backwards is late", "rate=100/1", "a", "a+0 a+20 a+10=99 a+30 a:eos >0..30/10 >eos a.rows-late=1"},
  {"a late row of the reference pad within its window is a tick", "reference-pad=proprio_0", "a,reorder-window=200ms b=force_0",
      "a+300 b+0..500/10 a+150 a+600 a+900 b+510..700/10 eos >150 >300 >600 >900 a=900 b=held:700 >eos"},
  /* rows that no tick needs go, while a stream that is reordered stands between the first row of all and the first one kept */
  {"the first tick outlives the row that told it", "rate=1000/7", "a,reorder-window=15ms b=force_0,interpolation=mean",
      "a+23 b+8..25/1 a+30..60/10 >14 a=missing >21 a=missing b+26..30/1 eos"},
  {"offset", "rate=100/1", "a,offset=-10ms b", "a+10..30/10 b+0..20/10 eos >0..20/10 a=t+10 >eos"},
  {"no ticks before running time 0", "rate=100/1", "a,offset=-15ms", "a+0..30/10 a:eos >0 a=15 >10 a=25 >eos"},
  {"dropped ticks that are known together are one GAP, found by arithmetic", "rate=1000/1 qos-interval=1000ms",
      "a,required=true,hold-limit=0",
      "a+0..2/1 a+86400000=7 a+86400001=8 a:eos >0..2/1 >86400000 a=7 >86400001 a=8 >eos >gap:3,86399997 >nogap "
      "ticks-dropped=86399997 a.ticks-missing=86399997 wait:qos no:qos"},

  /* where ticks come from */
  {"the reference pad: a duplicate makes no tick, nor does a late row", "reference-pad=proprio_0", "a,offset=1ms b",
      "b+0..40/10 a+3=0 a+3=0 a+2=99 a+7=1 a+7=1 a+6=99 a+18=2 a+18=2 a+17=99 a+29=3 a+29=3 a+28=99 eos "
      ">4 a=0 >8 a=1 >19 a=2 >30 a=3 >eos caps.framerate=0/1"},
  {"the reference pad goes: it is the end of the ticks, not an error", "reference-pad=sink_0", "a b=sink_0",
      "a+0..30/10 b+5..25/10 >5 b:remove a+40 a:eos >eos"},
  {"the end of the reference pad is the end, though others go on", "reference-pad=proprio_0", "a b",
      "a+0=1 a:eos b+0..20/10 >0 a=1 >eos b+30!eos"},
  {"neither rate nor camera", "", "a b",
      "a+0!not-negotiated b+0!not-negotiated error:negotiation:rate|reference-pad|camera"},
  {"the reference pad does not exist", "reference-pad=force_7", "a=force_0",
      "a+0!not-negotiated error:settings:reference-pad|force_7"},

  /* segments */
  {"segment: PTS is running time", "rate=100/1", "a", "a+1000..1020/10 a:eos >1000..1020/10 >eos"},
  {"rows outside the segment", "rate=100/1", "a,bare",
      "a:start:start=100,stop=120 a+80..140/10 a:eos >0..20/10 a=t+100 >eos a.rows-dropped=4"},
  {"a new segment drains, and nothing is blended across", "rate=100/1", "a,hold-limit=10ms",
      "a+0..20/10 a:segment:start=500,base=50 a+500..510/10 a:eos "
      ">0..20/10 >30 a=held:20 >40 a=missing >50 a=500 >60 a=510 >eos"},

  /* caps that change */
  {"three formats, and no row between two of them", "rate=100/1", "a",
      "a+0..20/10 a:caps=7 a:caps=float64:1 a+30 a:eos >0..20/10 >30 a=any >eos caps.types=float64"},
  /* at 10 the caps have come, but the tick's rows are older */
  {"a flush while rows of an older format are handed out", "rate=100/1", "a b",
      "ab+0..20/10 >0 a:caps=4 a+100=1,2,3,4 b+30 >10 a:flush a:segment a+20..40/10=1,2,3,4 b+40 eos "
      ">20..40/10 a=1,2,3,4 >eos caps.dimensions=4,1"},

  /* GAP events: no row comes before their end */
  {"a row within a GAP is late", "rate=100/1", "a", "a+0 a:gap:1,19 a+10=99 a+20 a:eos >0..20/10 >eos a.rows-late=1"},
  {"nothing but GAPs", "rate=100/1", "a b", "a+0..20/10 b:gap:0,100 >0 b=missing"},

  /* ends */
  {"EOS without data, and without caps", "rate=100/1", "a b,bare", "b:stream eos >eos ticks-out=0"},
  {"EOS without a segment", "rate=100/1", "a,bare", "a:stream a:caps=1 a:eos >eos"},
  {"EOS on one pad", "rate=100/1", "a,hold-limit=10ms b",
      "a+0=1 a:eos b+0..50/10 >0 a=1 >10 a=held:1 >20 a=missing b:eos >30..50/10 a=missing >eos"},
  {"a stream begins anew after its end, while another goes on", "rate=100/1", "a,hold-limit=0 b",
      "a+0=1 a:eos b+0..20/10 >0 a=1 a:start a+40=4 b+30..40/10 eos >10..30/10 a=missing >40 a=4 >eos"},
  {"rows inside at the end", "rate=100/1", "a", "a+0..300/100"},
  {"no pads", "rate=100/1", "", "."},

  /* flushes; #N numbers those of one seek */
  {"a flush of one pad", "rate=100/1", "a b",
      "ab+0..20/10 >0 a:flush a:segment a+20=77 b+30 eos >10 a=missing >20 a=77 >30 a=held:77 >eos a.rows-dropped>0"},

  /* pads that come and go */
  {"a pad is removed, and ticks wait for it no more", "rate=100/1", "a b",
      "ab+0..20/10 >0 b:remove a+30 >10 caps.num_tensors=1 caps.streams=proprio_0 a:eos >20..30/10 >eos"},
  {"the last pad is removed: the element waits", "rate=100/1", "a",
      "a+0..20/10 >0 a:remove a:add a:start a+20..30/10 a:eos >20..30/10 >eos"},
  {"live, a declared pad without a source is missing, and waited for neither by ticks nor by EOS", "rate=100/1",
      "a,live b,unlinked,expects:2", "a+0..30/10 >0..30/10 b=missing a:eos >eos caps.dimensions=1,2"},
  {"a pad is declared while playing", "rate=100/1", "a b,absent,unlinked,expects:2",
      "a+0..30/10 >0..10/10 b:add a+40..50/10 a:eos >20..50/10 b=missing >eos"},
  {"a declared reference pad is waited for", "reference-pad=proprio_1", "a,live b,live,bare,caps:1@100,expects:1@100",
      "a+0..20/10 . b:start b+10..20/10 >10..20/10 ab+30 >30"},
  {"but not when the others have ended", "reference-pad=proprio_1", "a,live b,unlinked,expects:1", "a+0..20/10 a:eos >eos"},

  /* samples */
  {"concat leaves cameras out", "layout=concat type=float32", "a=camera_0,caps:gray@100/1 b=proprio_0",
      "a+0=1 b+0=7 eos >0 a=none b=7 caps.streams=proprio_0"},
};

TABLE (scenarios);
