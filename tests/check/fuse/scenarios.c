/* robocache: robocachefuse, not live: ticks, segments, caps, ends, flushes, samples and pads, in the words of fusescenario.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"

#define PARABOLA "a+0 a+10=1 a+20=4 a+40=16 a:eos "     /* ticks of 200 Hz from 0 to 40 ms */
#define STEP " a+0 a+100 a:eos b+0..300/50 b:eos "       /* a row at 0 and 100 ms; ticks each 50 ms up to 300 */
#define HELD_SETTING(word, name) "a+0..20/10 >0 " word " warning:" name " a+30..50/10 a:eos >10..50/10 >eos " \
    "caps.num_tensors=1 caps.dimensions=1 caps.types=float32 caps.window="

static const Scenario scenarios[] = {
  /* interpolations, computed by hand */
  {"linear", "rate=200/1", "a,interpolation=linear",
      PARABOLA ">0 >5 a=0.5 >10 a=1 >15 a=2.5 >20 a=4 >25 a=7 >30 a=10 >35 a=13 >40 a=16 >eos"},
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
  {"mean over T - p/2 <= t < T + p/2", "rate=100/1", "a,interpolation=mean",
      "a+0..30/2 a:eos >0 a=2 >10 >20 >30 a=28 >eos"},
  {"mean: memory is for the rows of a tick that are there", "rate=1/1", "a,interpolation=mean",
      "a+0 a+0.000001=1 a+0.000002=2 a+1000=5 a:eos >0 a=1 >1000 a=5 >eos"},
  /* whatever the other thread gets to do meanwhile */
  {"mean: the first tick waits for its whole interval, too", "rate=10/1", "a,interpolation=mean b",
      "b+0..100/10 a+0..24/8 for:1..20/1 { yield ticks-out=0 } a+32..200/8 eos >0 a=24 >100 >200 a=176 b=held:100 >eos"},
  {"mean with a reference pad is over its nominal period", "reference-pad=sink_0", "a,interpolation=mean b=sink_0,caps:1@50/1",
      "b+20..40/20 a+12=0 a+16=6 a+24=9 a+60=9 eos >20:20 a=5 b=20 caps.framerate=50/1"},
  {"a reference pad that does not exist", "reference-pad=proprio_7", "a b", "a+0!not-negotiated 'error:settings:reference-pad=proprio_7: expected one of "
      "the sink pads, which are proprio_0, proprio_1'"},
  {"mean with a reference pad of no period", "reference-pad=sink_0", "a,interpolation=mean b=sink_0",
      "b+20..40/20 a+0..60/10 eos 'error:settings:proprio_0|mean|set rate'"},
  {"half of a quarter turn about z", "rate=200/1", "a,caps:5,quaternions=1",
      "a+0=1,0,0,0,1 a+10=3,0,0,0.70710678,0.70710678 a:eos >0 a=1,0,0,0,1 >5 a=2,0,0,0.38268343,0.92387953"},
  {"q and -q are the same rotation", "rate=200/1", "a,caps:4,quaternions=0",
      "a+0=0,0,0,1 a+10=0,0,-0.70710678,-0.70710678 a:eos >0 a=0,0,0,1 >5 a=0,0,0.38268343,0.92387953"},
  {"a quaternion by the name of its first channel", "rate=200/1", "a,bare,quaternions=qw",
      "a:stream a:caps=5[x,qw,qx,qy,qz] a:segment a+0=1,0,0,0,1 a+10=3,0,0,0.70710678,0.70710678 a:eos >0 a=1,0,0,0,1 >5 a=2,0,0,0.38268343,0.92387953"},
  {"a name that the caps do not have", "rate=200/1", "a,bare,angles=x;z",
      "a:stream a:caps=2[x,y] a:segment a+0=1,0 a:eos 'error:settings:proprio_0: angles: \"x;z\": there is no channel \"x;z\"; the caps have x,y'"},
  {"from 170 to -160 degrees is 30 degrees through 180; the middle is at most pi", "rate=200/1", "a,caps:2,angles=0",
      "a+0=2.9670597,1 a+10=-2.7925268,2 a:eos >0 a=2.9670597,1 >5 a=-3.0543262,1.5"},
  {"velocities: from rest to rest, at a quarter 5/32 - 3/32 of the way", "rate=4/1",
      "a,caps:2,interpolation=hermite,velocities=1,max-gap=-1", "a+0=0,0 a+1000=1,2 a:eos >0 a=0,0 >250 a=0.0625,0.5"},

  /* gaps and holding */
  {"max-gap 200 ms, hold-limit 200 ms", "rate=20/1", "a,max-gap=200ms,hold-limit=200ms b",
      STEP ">0..100/50 >150..300/50 a=held:100 >eos a.ticks-aligned=3 a.ticks-held=4 a.ticks-missing=0"},
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
  {"required: dropped ticks are one GAP, and none before the first sample", "rate=100/1",
      "a b,required=true,hold-limit=0,max-gap=10ms",
      "a+0..60/10 b+10..20/10 b+50..60/10 eos >10! >20? >50! >60? >eos >gap:30,20 >nogap ticks-dropped=3 ticks-out=4"},
  {"required accepts held", "rate=100/1", "a b,required=true", "a+0..10/10 b+0=5 eos >0 b=5 >10 b=held:5 >eos"},

  /* times of rows */
  {"a block and its duration", "rate=100/1", "a=force_0,caps:1:4", "a+0:40=0,10,20,30 a:eos >0..30/10 >eos a.rows-in=4"},
  {"a block at a nominal rate, which is of buffers", "rate=100/1", "a=force_0,caps:1:2@25/1",
      "a+0=0,2 a:eos >0 >10 a=1 >20 a=2 >eos"},
  {"no time: goes on where the buffer before it ended", "rate=100/1", "a",
      "a+0:10=1 a+-:10=2 a+-:10=3 a:eos >0 a=1 >10 a=2 >20 a=3 >eos no:warning"},
  {"no time and nothing to go on from: dropped, and warned about once", "rate=100/1", "a",
      "a+-=1 a+-=2 a+0=3 a+-=4 a:eos >0 a=3 >eos a.rows-dropped=3 wait:warning no:warning"},
  {"of equal times the last wins", "rate=100/1", "a",
      "a+0=1 a+10=2 a+10=3 a+10=4 a+20=5 a:eos >0 a=1 >10 a=4 >20 a=5 >eos a.rows-duplicate=2"},
  {"backwards is late", "rate=100/1", "a", "a+0 a+20 a+10=99 a+30 a:eos >0..30/10 >eos a.rows-late=1"},
  {"the reorder window is 10 ms", "rate=100/1", "a,reorder-window=10ms",
      "a+0 a+20 a+10=99 a+9=98 a+30 a:eos >0 >10 a=99 >20 >30 >eos a.rows-late=1"},
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
  {"the lowest camera is the default reference", "", "a=camera_3,caps:gray@10/1 b=camera_1,caps:gray@40/1",
      "a+0=1 a+100=2 b+0=10 b+25=11 b+50=12 b+75=13 eos "
      ">0:25 a=1 b=10 >25:25 a=1 b=11 >50:25 a=1 b=12 >75:25 a=2 b=13 >eos "
      "caps.framerate=40/1 caps.dimensions=1:4:2,1:4:2 caps.types=uint8,uint8"},
  {"neither rate nor camera", "", "a b",
      "a+0!not-negotiated b+0!not-negotiated error:negotiation:rate|reference-pad|camera"},
  {"the reference pad does not exist", "reference-pad=force_7", "a=force_0",
      "a+0!not-negotiated error:settings:reference-pad|force_7"},
  {"another rate while playing", "rate=50/1", "a",
      "a+0..55/5 >0..40/20 set:rate=100/1 a+60..100/5 a:eos >50:10! caps.framerate=100/1 >60..100/10 >eos"},

  /* segments */
  {"segment: PTS is running time", "rate=100/1", "a", "a+1000..1020/10 a:eos >1000..1020/10 >eos"},
  {"segment: start", "rate=100/1", "a,bare", "a:start:start=1000 a+1000..1020/10 a:eos >0..20/10 a=t+1000 >eos"},
  {"segment: start and base", "rate=100/1", "a,bare",
      "a:start:start=1000,base=500 a+1000..1020/10 a:eos >500..520/10 a=t+500 >eos"},
  {"segment: start before the rows", "rate=100/1", "a,bare", "a:start:start=900 a+1000..1020/10 a:eos >100..120/10 a=t+900 >eos"},
  {"segment: start, base and offset", "rate=100/1", "a,bare",
      "a:start:start=900,base=50,offset=30 a+1000..1020/10 a:eos >120..140/10 a=t+880 >eos"},
  {"rows outside the segment", "rate=100/1", "a,bare",
      "a:start:start=100,stop=120 a+80..140/10 a:eos >0..20/10 a=t+100 >eos a.rows-dropped=4"},
  {"a segment of bytes", "rate=100/1", "a,bare", "a:start:format=bytes a+0!error a+0!error error:format:proprio_0|bytes|robocacheparse"},
  {"a segment of the default format", "rate=100/1", "a,bare",
      "a:start:format=default a+0!error a+0!error error:format:proprio_0|default|robocacheparse"},
  {"a segment of percent", "rate=100/1", "a,bare",
      "a:start:format=percent a+0!error a+0!error error:format:proprio_0|percent|robocacheparse"},
  {"a new segment drains, and nothing is blended across", "rate=100/1", "a,hold-limit=10ms",
      "a+0..20/10 a:segment:start=500,base=50 a+500..510/10 a:eos "
      ">0..20/10 >30 a=held:20 >40 a=missing >50 a=500 >60 a=510 >eos"},
  {"the same segment again, wherever it has got to: rows on both sides are blended", "rate=100/1", "a",
      "a+0 a:segment:position=10 a+20 a:eos >0..20/10 >eos"},

  /* caps that change */
  {"new caps", "rate=100/1", "a,hold-limit=-1",
      "a+0..20/10 a:caps=2 a+40..50/10=100,200 a:eos >0..20/10 >30 a=held:20 >40..50/10 a=100,200 >eos caps.dimensions=2"},
  {"three formats, and no row between two of them", "rate=100/1", "a",
      "a+0..20/10 a:caps=7 a:caps=float64:1 a+30 a:eos >0..20/10 >30 a=any >eos caps.types=float64"},
  {"the same caps again", "rate=100/1", "a", "a+0 a:caps=1 a+20 a:eos >0..20/10 >eos"},
  /* at 10 the caps have come, but the tick's rows are older */
  {"a flush while rows of an older format are handed out", "rate=100/1", "a b",
      "ab+0..20/10 >0 a:caps=4 a+100=1,2,3,4 b+30 >10 a:flush a:segment a+20..40/10=1,2,3,4 b+40 eos "
      ">20..40/10 a=1,2,3,4 >eos caps.dimensions=4,1"},
  {"more memory than the machine has", "rate=100/1", "a b,caps:10000000000000",
      "a+0..50/10!any eos error:memory:proprio_1|640000000000064"},
  {"a window of more memory than the machine has", "rate=100/1 window=4096", "a b,caps:50000000",
      "a+0..50/10 eos error:memory:200000004|window=4096"},

  /* GAP events: no row comes before their end */
  {"a GAP lets the other streams' ticks go on", "rate=100/1", "a b,max-gap=20ms,hold-limit=30ms",
      "b+0=5 b:gap:1,99 a+0..70/10 >0 b=5 >10..30/10 b=held:5 >40..50/10 b=missing ."},
  {"a row within a GAP is late", "rate=100/1", "a", "a+0 a:gap:1,19 a+10=99 a+20 a:eos >0..20/10 >eos a.rows-late=1"},
  {"nothing but GAPs", "rate=100/1", "a b", "a+0..20/10 b:gap:0,100 >0 b=missing"},
  {"a GAP beyond the segment tells about all of it", "rate=100/1", "a b,bare",
      "b:start:stop=50 a+0..20/10 b:gap:0,100 >0 b=missing"},
  {"GAPs before caps and segment", "rate=100/1", "a,bare",
      "a:stream a:gap:0,100 a:caps=1 a:gap:0,100 a:segment a+0=1 a:eos >0 a=1 >eos"},

  /* ends */
  {"EOS without data, and without caps", "rate=100/1", "a b,bare", "b:stream eos >eos ticks-out=0"},
  {"EOS without a segment", "rate=100/1", "a,bare", "a:stream a:caps=1 a:eos >eos"},
  {"EOS of a file that is linked without a parser", "rate=100/1", "a,bare",
      "a:start:format=bytes error:format:proprio_0|bytes a:eos >eos"},
  {"EOS on one pad", "rate=100/1", "a,hold-limit=10ms b",
      "a+0=1 a:eos b+0..50/10 >0 a=1 >10 a=held:1 >20 a=missing b:eos >30..50/10 a=missing >eos"},
  {"a stream begins anew after its end, while another goes on", "rate=100/1", "a,hold-limit=0 b",
      "a+0=1 a:eos b+0..20/10 >0 a=1 a:start a+40=4 b+30..40/10 eos >10..30/10 a=missing >40 a=4 >eos"},
  {"no sample after an error", "rate=100/1", "a b", "a+0..50/10 b:caps=0 error:negotiation:proprio_1|0 eos >eos ticks-out=0"},
  {"rows inside at the end", "rate=100/1", "a", "a+0..300/100"},
  {"no pads", "rate=100/1", "", "."},

  /* flushes; #N numbers those of one seek */
  {"a flush of one pad", "rate=100/1", "a b",
      "ab+0..20/10 >0 a:flush a:segment a+20=77 b+30 eos >10 a=missing >20 a=77 >30 a=held:77 >eos a.rows-dropped>0"},
  {"flushes of all pads: after EOS, and amid rows", "rate=100/1", "a b",
      "for:1..10/1 { a+0..20/10 b+10..20/10 eos >0! b=missing >10 >20 >eos ab:flush renew ab:segment "
      "a+500..540/10 b+500=5 ab:flush drop ab:segment }"},
  {"after EOS the first pad may push before the last one is flushed", "rate=100/1", "a b",
      "a+0..20/10 b+10..20/10 eos >0! b=missing >10 >20 >eos renew a:flush-start#1 a:flush-stop#1 a:segment a+0..20/10 "
      "b:flush-start#1 b:flush-stop#1 b:segment b+0..20/10 eos >0..20/10 >eos"},
  {"all rows between the flushes of a seek are those of after it", "rate=100/1", "a b",
      "ab+0..190/10 >0..170/10 ab:flush-start#1 a:flush-stop#1 a:segment a+0..100/10 "
      "b:flush-stop#1 b:segment b+0..100/10 >0..80/10"},
  {"a pad goes within a flush", "rate=100/1", "a b",
      "ab+0..50/10 >0..30/10 ab:flush-start#1 a:flush-stop#1 a:segment b:remove a+0..50/10 >0..10/10"},
  {"a pad is flushed once more before the flush of all has ended", "rate=100/1", "a b",
      "ab+0..50/10 >0..30/10 ab:flush-start#1 a:flush-stop#1 a:segment a:flush-start#2 a:flush-stop#3 a:segment "
      "b:flush-stop#1 b:segment b+0..50/10 a+0..50/10 >0..10/10"},
  {"the only pad goes within its flush, and another one comes", "rate=100/1", "a b,absent",
      "a+0..30/10 >0 a:flush-start#1 a:remove drop b:add b:start b+0..50/10 >0..10/10"},
  /* ticks wait for the first rows of the new pad, and nothing of the others' is lost */
  {"a new pad sees the end of a flush before the others", "rate=100/1", "a b c,absent",
      "ab+0..50/10 >0..30/10 ab:flush-start#1 drop c:add c:flush-stop#1 ab:flush-stop#1 ab:segment ab+0..50/10 "
      "c:start c+0..50/10 >0..30/10"},
  {"a new pad sees the end of a flush after the others", "rate=100/1", "a b c,absent",
      "ab+0..50/10 >0..30/10 ab:flush-start#1 drop c:add ab:flush-stop#1 ab:segment ab+0..50/10 c:flush-stop#1 "
      "c:start c+0..50/10 >0..30/10"},
  {"a pad is deactivated within a flush and comes back: nothing of before is left", "rate=100/1", "a b",
      "ab+0..50/10 >0..30/10 ab:flush-start#1 drop b.rows-dropped-flush=0 b:deactivate b.rows-dropped-flush>0 b:activate "
      "a:flush-stop#1 a:segment a+0..50/10 b:flush-stop#1 b:segment b+0..50/10=t+100 >0..30/10 b=t+100"},
  {"a new start within a flush", "rate=100/1", "a",
      "a+0=1 a:flush-start#1 stop play a:start a+0..30/10 a:eos >0..30/10 >eos"},

  /* seeks */
  {"a new start within the flush of a seek", "rate=100/1", "a,on-seek:flush-start",
      "a+0=1 seek:0..25 stop play a:start a+0..30/10 a:eos >0..30/10 >eos"},
  {"ticks end where the seek says, of which the source knows nothing", "rate=100/1", "a,on-seek:flush",
      "seek:0..25 a+0..50/10!any a:eos >0..20/10 >eos"},
  {"a source that promised it could seek", "rate=100/1", "a,on-seek:refuse", "a+0..20/10 >0 seek:0! a+30..60/10 >10..30/10"},
  {"a seek with no source", "rate=100/1", "a,absent", "seek:0! a:add a:start a+10..20/10 a+30..60/10 >10..30/10"},
  {"a source that cannot seek", "rate=100/1", "a,on-seek:never", "a+0..20/10 seek:0! a+30..40/10 a:eos >0..40/10 >eos"},

  /* pads that come and go */
  {"a pad is removed, and ticks wait for it no more", "rate=100/1", "a b",
      "ab+0..20/10 >0 b:remove a+30 >10 caps.num_tensors=1 caps.streams=proprio_0 a:eos >20..30/10 >eos"},
  {"a pad is added", "rate=100/1", "a b,absent c=camera_0,absent",
      "a+0..20/10 >0 c:add c:remove b:add b:start b+10..30/10 a+30 eos >10..30/10 >eos caps.streams=proprio_0,proprio_1"},
  {"the last pad is removed: the element waits", "rate=100/1", "a",
      "a+0..20/10 >0 a:remove a:add a:start a+20..30/10 a:eos >20..30/10 >eos"},
  {"live, a declared pad without a source is missing, and waited for neither by ticks nor by EOS", "rate=100/1",
      "a,live b,unlinked,expects:2", "a+0..30/10 >0..30/10 b=missing a:eos >eos caps.dimensions=1,2"},
  {"a pad is declared while playing", "rate=100/1", "a b,absent,unlinked,expects:2",
      "a+0..30/10 >0..10/10 b:add a+40..50/10 a:eos >20..50/10 b=missing >eos"},
  {"a declared reference pad is waited for", "reference-pad=proprio_1", "a,live b,live,bare,caps:1@100,expects:1@100",
      "a+0..20/10 . b:start b+10..20/10 >10..20/10 ab+30 >30"},
  {"but not when the others have ended", "reference-pad=proprio_1", "a,live b,unlinked,expects:1", "a+0..20/10 a:eos >eos"},
  {"caps other than expected", "rate=100/1", "a,bare,expects:2",
      "a:stream a:caps=3 error:negotiation:proprio_0|dimensions=(string)3|dimensions=(string)2"},

  /* samples */
  {"the order of tensors", "rate=100/1", "a=sink_0 b=force_2 c=proprio_10 d=proprio_9 e=force_0",
      "a+0=1 b+0=2 c+0=3 d+0=4 e+0=5 eos >0 a=1 b=2 c=3 d=4 e=5 caps.num_tensors=5 caps.dimensions=1,1,1,1,1 "
      "caps.streams=proprio_9,proprio_10,force_0,force_2,sink_0"},
  {"concat", "rate=100/1 layout=concat", "a=force_0,bare b,bare",
      "a:stream a:caps=float64:3[fx,fy,fz] a:segment b:stream b:caps=2[q0,q1] b:segment b+0=1,2 a+0=3,4,5 eos "
      ">0 a=3,4,5 b=1,2 caps.dimensions=5 caps.types=float32 caps.channels=q0,q1,fx,fy,fz"},
  {"concat: not all channels have names", "rate=100/1 layout=concat", "a b,caps:2",
      "a:caps=2[a,b] ab+0=1,2 eos >0 a=1,2 b=1,2 caps.channels="},
  {"concat: a name too few", "rate=100/1 layout=concat", "a b",
      "a:caps=2[a,b] b:caps=2[q0] ab+0=1,2 eos >0 a=1,2 b=1,2 caps.channels="},
  {"concat: a name too much", "rate=100/1 layout=concat", "a b",
      "a:caps=2[a,b] b:caps=2[q0,q1,q2] ab+0=1,2 eos >0 a=1,2 b=1,2 caps.channels="},
  {"concat is float32", "rate=100/1 layout=concat type=float64", "a=sink_0", "a+0 a:eos error:negotiation:concat|float64|type"},
  {"concat leaves cameras out", "layout=concat type=float32", "a=camera_0,caps:gray@100/1 b=proprio_0",
      "a+0=1 b+0=7 eos >0 a=none b=7 caps.streams=proprio_0"},
  {"concat of cameras only", "layout=concat", "a=camera_0,caps:gray@100/1", "a+0=1 a:eos error:negotiation:layout=concat|camera"},
  {"the rows of dropped ticks are in the window", "rate=100/1 window=2", "a b,required=true",
      "a+0..20/10 b+20=5 eos >20 a=10,20 b=nan,5 >eos ticks-dropped=2"},
  {"a missing frame is black", "rate=100/1", "a=camera_0,caps:gray@100/1 b", "b+0=1 a+10=200 eos >0 a=missing b=1"},
  {"linear frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=linear", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=20"},
  {"nearest frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=nearest", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=10"},
  {"previous frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=previous", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=10"},
  {"cubic frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=cubic", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=20"},
  {"mean frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=mean", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=20"},
  {"a window of frames", "rate=100/1 window=2", "a=camera_0,caps:gray@100/1",
      "a+0=1 a+10=2 a:eos >0 a=0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1 >10 a=1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2 caps.dimensions=1:4:2:2"},

  /* settings that hold until the element starts anew */
  {"window holds", "rate=100/1", "a", HELD_SETTING ("set:window=3", "window")},
  {"layout holds", "rate=100/1", "a", HELD_SETTING ("set:layout=concat", "layout")},
  {"info holds", "rate=100/1", "a", HELD_SETTING ("set:info=tensor", "info")},
  {"type holds", "rate=100/1", "a", HELD_SETTING ("set:type=float64", "type")},
  {"reference-pad holds", "rate=100/1", "a", HELD_SETTING ("set:reference-pad=nobody", "reference-pad")},
  {"quaternions holds", "rate=100/1", "a", HELD_SETTING ("a:quaternions=99", "quaternions")},
  {"angles holds", "rate=100/1", "a", HELD_SETTING ("a:angles=x", "angles")},
  {"no messages of statistics by default", "rate=100/1", "a", "a+0..200/10 a:eos >0..200/10 >eos no:element"},
};

static Suite *
robocachefusescenarios_suite (void)
{
  Suite *s = suite_create ("robocachefusescenarios");

  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), FALSE);
  return s;
}

GST_CHECK_MAIN (robocachefusescenarios);
