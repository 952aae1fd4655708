/* robocache: scenarios of robocachefuse that both play, its core by itself and the element: they show that one is the other
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/core/words.h"

static const Scenario smoke_scenarios[] = {
  {"linear", "rate=200/1", "a,interpolation=linear",
      "a+0 a+10=1 a+20=4 a+40=16 a:eos >0 >5 a=0.5 >10 a=1 >15 a=2.5 >20 a=4 >25 a=7 >30 a=10 >35 a=13 >40 a=16 >eos"},
  {"mean over T - p/2 <= t < T + p/2", "rate=100/1", "a,interpolation=mean",
      "a+0..30/2 a:eos >0 a=2 >10 >20 >30 a=28 >eos"},
  {"half of a quarter turn about z", "rate=200/1", "a,caps:5,quaternions=1",
      "a+0=1,0,0,0,1 a+10=3,0,0,0.70710678,0.70710678 a:eos >0 a=1,0,0,0,1 >5 a=2,0,0,0.38268343,0.92387953"},
  {"from 170 to -160 degrees is 30 degrees through 180; the middle is at most pi", "rate=200/1", "a,caps:2,angles=0",
      "a+0=2.9670597,1 a+10=-2.7925268,2 a:eos >0 a=2.9670597,1 >5 a=-3.0543262,1.5"},
  {"velocities: from rest to rest, at a quarter 5/32 - 3/32 of the way", "rate=4/1",
      "a,caps:2,interpolation=hermite,velocities=1,max-gap=-1", "a+0=0,0 a+1000=1,2 a:eos >0 a=0,0 >250 a=0.0625,0.5"},
  {"max-gap 200 ms, hold-limit 200 ms", "rate=20/1", "a,max-gap=200ms,hold-limit=200ms b",
      "a+0 a+100 a:eos b+0..300/50 b:eos >0..100/50 >150..300/50 a=held:100 >eos a.ticks-aligned=3 a.ticks-held=4 a.ticks-missing=0"},
  {"required: dropped ticks are one GAP, and none before the first sample", "rate=100/1",
      "a b,required=true,hold-limit=0,max-gap=10ms",
      "a+0..60/10 b+10..20/10 b+50..60/10 eos >10! >20? >50! >60? >eos >gap:30,20 >nogap ticks-dropped=3 ticks-out=4"},
  {"a block and its duration", "rate=100/1", "a=force_0,caps:1:4", "a+0:40=0,10,20,30 a:eos >0..30/10 >eos a.rows-in=4"},
  {"the reorder window is 10 ms", "rate=100/1", "a,reorder-window=10ms",
      "a+0 a+20 a+10=99 a+9=98 a+30 a:eos >0 >10 a=99 >20 >30 >eos a.rows-late=1"},
  {"the lowest camera is the default reference", "", "a=camera_3,caps:gray@10/1 b=camera_1,caps:gray@40/1",
      "a+0=1 a+100=2 b+0=10 b+25=11 b+50=12 b+75=13 eos "
      ">0:25 a=1 b=10 >25:25 a=1 b=11 >50:25 a=1 b=12 >75:25 a=2 b=13 >eos "
      "caps.framerate=40/1 caps.dimensions=1:4:2,1:4:2 caps.types=uint8,uint8"},
  {"another rate while playing", "rate=50/1", "a",
      "a+0..55/5 >0..40/20 set:rate=100/1 a+60..100/5 a:eos >50:10! caps.framerate=100/1 >60..100/10 >eos"},
  {"segment: start, base and offset", "rate=100/1", "a,bare",
      "a:start:start=900,base=50,offset=30 a+1000..1020/10 a:eos >120..140/10 a=t+880 >eos"},
  {"new caps", "rate=100/1", "a,hold-limit=-1",
      "a+0..20/10 a:caps=2 a+40..50/10=100,200 a:eos >0..20/10 >30 a=held:20 >40..50/10 a=100,200 >eos caps.dimensions=2"},
  {"a GAP lets the other streams' ticks go on", "rate=100/1", "a b,max-gap=20ms,hold-limit=30ms",
      "b+0=5 b:gap:1,99 a+0..70/10 >0 b=5 >10..30/10 b=held:5 >40..50/10 b=missing ."},
  {"flushes of all pads: after EOS, and amid rows", "rate=100/1", "a b",
      "for:1..10/1 { a+0..20/10 b+10..20/10 eos >0! b=missing >10 >20 >eos ab:flush renew ab:segment "
      "a+500..540/10 b+500=5 ab:flush drop ab:segment }"},
  {"a pad is added", "rate=100/1", "a b,absent c=camera_0,absent",
      "a+0..20/10 >0 c:add c:remove b:add b:start b+10..30/10 a+30 eos >10..30/10 >eos caps.streams=proprio_0,proprio_1"},
  {"an incomplete tick leaves at its deadline", "rate=100/1", "a,live",
      "a+0=7 >0 a=7 for:10..200/10 { deadline:t+15 >t a=held:7 } deadline:225 >210 a=missing a+220=8 >220 a=8"},
  {"a message after each of two changes", "rate=50/1", "a,live",
      "drop:latency a:required=true no:latency a:interpolation=cubic wait:latency latency=25ms "
      "a:offset=-1ms wait:latency latency=26ms"},
  {"reference: senders with different delays share a measured origin", "rate=100/1",
      "a,live,timestamp-source=reference b,live,timestamp-source=reference",
      "for:0..40/10 { a+t+50~ntp:t=t b+t+180~ntp:t=t } >50..90/10 a=t-50 b=t-50"},
  {"track: the sender's clock needs no origin; the least delay is 30 ms", "rate=100/1",
      "a,live,timestamp-source=reference,clock-mode=track",
      "for:0..960/40 { @t+30 a+-~unix:0=0 a+-~ntp:t=t @t+41 a+-~unix:0=0 a+-~ntp:t+10=t+10 "
      "@t+52 a+-~unix:0=0 a+-~ntp:t+20=t+20 @t+63 a+-~unix:0=0 a+-~ntp:t+30=t+30 } @1030 a+-~unix:0=0 a+-~ntp:1000=1000 "
      "a:eos >30 a=0 a.clock-pairs=101 a.rows-dropped-no-reference=101"},
  {"lateness of rows, of all pads, and those that are gone", "rate=100/1", "a,live",
      "a+0 >0 deadline:25 >10 a=held:0 a+4 a+8 a+28 >20 a+38..48/10 >30..40/10 a+58 >50 a.rows-late=1 a.lateness-max=6ms "
      "a.lateness-p50=6ms row-lateness-max=6ms balance a:remove row-lateness-max=6ms"},
  {"an hour ahead: one gap, one warning", "rate=100/1", "a,live",
      "a+0..100/10 >0..100/10 jump:3600200 >110..1100/10 a=any warning:359908|3599.075 >gap:1110,3599080 ticks-dropped=359908 "
      "a+3600190..3600210/10 >3600190! >3600200..3600210/10? balance"},
  {"an hour back: a new segment", "rate=100/1", "a,live", "@7200000 a+7200000..7200100/10 >7200000..7200100/10 @7200100 "
      "base:3600000 "
      "a+3600100..3600120/10 warning:3599.900 >3600100! >3600110..3600120/10? >segment:3600100 a.rows-dropped-clock-jump=0 "
      "balance"},
  {"a pause: one does not follow", "rate=100/1", "a,live b,live", "for:0..500/10 { @t ab+t >t } pause:5500 for:510..1520/10 { "
      "@t+5000 a+t b+t+5000 } "
      "warning:proprio_1|+5.000|-5.000 past:1520 "
      "for:1530..1600/10 { @t+5000 a+t b+t+5000 >t? b=t+5000 } b.clock-shift=-5000ms"},
  {"another clock", "rate=100/1", "a,live b,live", "a+0..10/10 deadline:15 >0 b=missing deadline:25 >10 b=missing a+20 waits "
      "clock:9000000 "
      "deadline:9000010 >20 b=missing a+30 b+30 >30 ticks-out=4 no:warning"},
  {"three, of which the last is the earliest", "rate=100/1", "a b c",
      "a:origin=1030 a+0..10/10 b:origin=1020 b+0..20/10 c:origin=1000 c+0..40/10 eos >0..10/10 a=missing b=missing "
      ">20 a=missing b=0 >30 a=0 b=10 >40 a=10 b=20 >eos a.origin-shift=30ms b.origin-shift=20ms c.origin-shift=0"},
  {"a hole of 190 ms in rows of 1 kHz", "rate=100/1", "a,caps:1@1000/1 b", "b+0..400/20 a+0..100/1 a+290..400/1 eos >0..100/10 "
      "for:110..280/10 { >t a=held:100 } >290..400/10 >eos a.max-gap=20ms a.ticks-held=18"},
  {"removed", "rate=20/1", "a,live b,live",
      "for:0..500/50 { @t ab+t >t } b:remove for:550..700/50 { @t a+t >t } caps.num_tensors=1 caps.streams=proprio_0 rows-in=26 "
      "lateness-max=0"},
  {"one after the other", "rate=100/1", "a b",
      "a+0..20/10 a:eos b+60..80/10 b:eos 'warning:proprio_0 ends at 0.020 s, before proprio_1 begins at 0.060 s, so no tick has rows of both: "
      "give all times one origin (start or time-origin of robocacheparse), set offset, or use allow-gaps' >0..20/10 b=missing >30..50/10 a=held:20 b=missing >60..80/10 a=held:20 >eos no:warning"},
};
