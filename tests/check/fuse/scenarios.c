/* robocache: robocachefuse, not live: segments, caps, flushes, seeks, samples and settings; what is decided: tests/core/tables/scenarios.c
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define HELD_SETTING(word, name) "a+0..20/10 >0 " word " warning:" name " a+30..50/10 a:eos >10..50/10 >eos " \
    "caps.num_tensors=1 caps.dimensions=1 caps.types=float32 caps.window="

static const Scenario scenarios[] = {
  /* interpolations, computed by hand */
  {"mean: memory is for the rows of a tick that are there", "rate=1/1", "a,interpolation=mean",
      "a+0 a+0.000001=1 a+0.000002=2 a+1000=5 a:eos >0 a=1 >1000 a=5 >eos"},
  {"mean with a reference pad of no period", "reference-pad=sink_0", "a,interpolation=mean b=sink_0",
      "b+20..40/20 a+0..60/10 eos 'error:settings:proprio_0|mean|set rate'"},
  {"lowpass with a reference pad of no period", "reference-pad=sink_0", "a,interpolation=lowpass b=sink_0",
      "b+20..40/20 a+0..60/10 eos 'error:settings:proprio_0|lowpass|proprio_0::cutoff'"},
  {"lowpass of a cutoff with a reference pad of no period", "reference-pad=sink_0", "a,interpolation=lowpass,cutoff=20 b=sink_0",
      "b+100..200/20 a+0..300/10 eos >100..200/20 >eos"},
  {"lowpass of a cutoff of a day", "rate=50/1", "a,interpolation=lowpass,cutoff=0.00001",
      "a+0..60/10 a:eos 'error:settings:cutoff=1e-05: expected 0 (automatic) or 0.001 to 1e+06'"},
  {"fast rows that ticks fold", "rate=30/1", "a=force_0,caps:1:4@250/1", "for:0..4996/4 { a+t=0,1,0,1 } no:warning a+5000..5008/4=0,1,0,1 "
      "'warning:force_0: 100 % of the variance of channel 0 lies above 15 Hz, half of the rate of ticks, and is aliased: set "
      "interpolation=lowpass, which looks 166.7ms ahead, or interpolation=mean, which looks half a tick ahead' "
      "a+5012..11000/4=0,1,0,1 a:eos no:warning"},
  {"fast rows of which two channels are folded", "rate=30/1", "a=force_0,caps:3@250/1", "for:0..2000/8 { a+t=0,0,t a+t+4=1,2,t } a:eos "
      "'warning:force_0: 100 % of the variance of channel 0, 100 % of channel 1 lies above 15 Hz, half of the rate of ticks' no:warning"},
  /* NaN */
  {"rows with NaN are copied, and told of once", "rate=20/1", "a,live b,live,caps:2@100",
      "for:0..200/50 { @t a+t b+t >t } for:250..400/50 { @t a+t b+t=-,1 >t b=-,1 } 'warning:proprio_1|channels 0|nan=missing' "
      "for:450..600/50 { @t a+t b+t >t } for:650..800/50 { @t a+t b+t=-,- >t b=-,- } no:warning b.rows-dropped=0 b.ticks-missing=0 b.nan-values=12 "
      "a.nan-values=0"},
  {"rows with NaN are no value: held, then missing", "rate=20/1", "a,live b,live,caps:2@100,nan=missing",
      "for:0..200/50 { @t a+t b+t >t } for:250..400/50 { @t a+t b+t=1,- deadline:t+15 >t b=held:200 } "
      "'warning:proprio_1|channels 1|rows-dropped-nan' for:450..600/50 { @t a+t b+t=1,- deadline:t+15 >t b=missing } "
      "for:650..800/50 { @t a+t b+t >t } no:warning b.rows-dropped-nan=8 b.rows-dropped=8 b.nan-values=8 b.ticks-held=4 b.ticks-missing=4 balance"},
  {"not live, a row with NaN is interpolated across", "rate=20/1", "a b,nan=missing", "a+0..200/50 b+0..50/50 b+100=- b+150..200/50 eos "
      ">0..200/50 >eos b.rows-dropped-nan=1 b.ticks-aligned=5 balance"},
  {"a tensor of more axes has NaN as pixels have it", "rate=20/1", "a b,caps:1:1:2,nan=missing,interpolation=previous", "a+0..200/50 b+0..50/50=1 b+100=- b+150..200/50=1 eos "
      ">0..50/50 b=1 >100 b=- >150..200/50 b=1 >eos no:warning b.rows-dropped-nan=0 b.nan-values=0 balance"},
  {"the first 64 channels with NaN have counts", "rate=20/1", "a,caps:70", "a+0=- a+50=- a:eos >0 a=- >50 a=- >eos warning:proprio_0|channels|62 "
      "a.nan-values=140 a.nan-channels=64"},
  {"a quaternion by the name of its first channel", "rate=200/1", "a,bare,quaternions=qw",
      "a:stream a:caps=5[x,qw,qx,qy,qz] a:segment a+0=1,0,0,0,1 a+10=3,0,0,0.70710678,0.70710678 a:eos >0 a=1,0,0,0,1 >5 a=2,0,0,0.38268343,0.92387953"},
  {"a name that the caps do not have", "rate=200/1", "a,bare,angles=x;z",
      "a:stream a:caps=2[x,y] a:segment a+0=1,0 a:eos 'error:settings:proprio_0: angles: \"x;z\": there is no channel \"x;z\"; the caps have x,y'"},

  /* kinds of channels */
  {"a gripper's switch is no number between", "rate=100/1", "a,kinds=hold", "a+0=0 a+25=1 a+60=0 a+70=0 a:eos >0 a=0 >10 a=0 >20 a=0 "
      ">30 a=1 >40 a=1 >50 a=1 >60 a=0 >70 a=0 >eos"},
  {"a switch between two numbers", "rate=100/1", "a", "a+0=0 a+20=1 a:eos >0 a=0 >10 a=0.5 >20 a=1 >eos"},
  {"a mode that is published when it changes stays known", "rate=1/1", "a,kinds=hold b,max-gap=-1",
      "a+0=2 b+0 b+9000 a+4500=3 eos >0 a=2 >1000..4000/1000 a=2 >5000..9000/1000 a=3 >eos a.hold-limit=-1"},
  {"a hold limit that is set counts", "rate=1/1", "a,kinds=hold,hold-limit=1000000000 b,max-gap=-1",
      "a+0=2 b+0 b+4000 a+1500=3 eos >0 a=2 >1000 a=2 >2000 a=3 >3000 a=missing >4000 a=missing >eos"},
  {"a hold limit that is set counts, whatever the interpolation", "rate=1/1", "a,kinds=hold,interpolation=previous,hold-limit=5000000000 b,max-gap=-1",
      "a+0=2 b+0 b+9000 eos >0..5000/1000 a=2 >6000..9000/1000 a=missing >eos a.hold-limit=5000000000"},
  {"a switch that is held for ever waits for no row", "rate=1/1", "a,live,kinds=hold,hold-limit=-1",
      "a+0=2 >0 a=2"},

  {"a fast switch is not folded", "rate=30/1", "a=force_0,caps:1:4@250/1,kinds=hold", "for:0..5996/4 { a+t=0,1,0,1 } a:eos no:warning"},
  {"a pose whose driver keeps w positive", "rate=200/1", "a,caps:4,kinds=quaternion",
      "a+0=1,0,0,0 a+10=-0.70710678,-0.70710678,0,0 a:eos >0 a=1,0,0,0 >5 a=0.92387953,0.38268343,0,0 >10 "
      "a=-0.70710678,-0.70710678,0,0 >eos no:warning"},
  {"a wrist that wraps", "rate=200/1", "a,kinds=angle", "a+0=3.1 a+10=-3 a:eos >0 a=3.1 >5 a=-3.0915927 >10 a=-3 >eos"},
  {"the means of a wrist and of a switch", "rate=50/1", "a,kinds=angle,interpolation=mean b,kinds=hold,interpolation=mean",
      "a+0..40/10=3 b+0=0 b+5=1 b+19=2 b+21=3 eos >0 a=3 b=0 >20 a=3 b=2 >40 a=3 b=3 >eos"},
  {"ticks before a change of kinds follow the old ones, of which one channel is held", "rate=100/1", "a,bare,interpolation=nearest b,max-gap=-1",
      "a:stream a:caps=2<real,hold> a:segment a+0=0,0 a+12=2,2 a:caps=2<real,real> a+40=4,4 a+52=6,6 b+0 b+60 eos "
      ">0 a=0,0 >10 a=2,0 >20 a=held:2,2 >30 a=held:2,2 >40 a=4,4 >50 a=6,6 >60 a=held:6,6 >eos"},
  {"of which all are held", "rate=100/1", "a,bare,interpolation=linear,max-gap=5ms b,max-gap=-1",
      "a:stream a:caps=2<hold,hold> a:segment a+0=0,0 a+20=2,2 a:caps=2<real,real> a+40=4,4 a+60=6,6 b+0 b+60 eos "
      ">0 a=0,0 >10 a=0,0 >20 a=2,2 >30 a=2,2 >40 a=4,4 >50 a=held:4,4 >60 a=6,6 >eos a.hold-limit=200ms"},
  {"and the other way round", "rate=100/1", "a,bare,interpolation=mean b,max-gap=-1",
      "a:stream a:caps=2<real,real> a:segment a+0=0,0 a+8=2,2 a+12=4,4 a+20=6,6 a:caps=2<hold,hold> a+28=8,8 a+32=9,9 b+0 b+40 eos "
      ">0 a=0,0 >10 a=3,3 >20 a=6,6 >30 a=8,8 >40 a=9,9 >eos a.hold-limit=-1"},
  {"kinds that expected caps had not stay hidden", "rate=100/1", "a,bare,expects:1",
      "a:stream a:caps=1<hold> a:segment a+0=1 a+10=2 a+20=3 >0 a=1 caps.kinds= a:caps=1:2<hold> renew a+30:20=4,5 a:eos past:30 caps.kinds= >40 a=5 >eos"},
  {"kinds that are none", "rate=200/1", "a,kinds=reel", "a+0=1!any a:eos 'error:negotiation:proprio_0|\"reel\" is not a kind'"},
  {"kinds of fewer channels", "rate=200/1", "a,caps:2,kinds=hold", "a+0=1!any a:eos 'error:negotiation:proprio_0|1 channels|a row has 2'"},

  /* times of rows */
  {"a block at a nominal rate, which is of buffers", "rate=100/1", "a=force_0,caps:1:2@25/1",
      "a+0=0,2 a:eos >0 >10 a=1 >20 a=2 >eos"},
  {"no time: goes on where the buffer before it ended", "rate=100/1", "a",
      "a+0:10=1 a+-:10=2 a+-:10=3 a:eos >0 a=1 >10 a=2 >20 a=3 >eos no:warning"},

  /* segments */
  {"segment: start", "rate=100/1", "a,bare", "a:start:start=1000 a+1000..1020/10 a:eos >0..20/10 a=t+1000 >eos"},
  {"segment: start and base", "rate=100/1", "a,bare",
      "a:start:start=1000,base=500 a+1000..1020/10 a:eos >500..520/10 a=t+500 >eos"},
  {"segment: start before the rows", "rate=100/1", "a,bare", "a:start:start=900 a+1000..1020/10 a:eos >100..120/10 a=t+900 >eos"},
  {"a segment of bytes", "rate=100/1", "a,bare", "a:start:format=bytes a+0!error a+0!error error:format:proprio_0|bytes|robocacheparse"},
  {"a segment of the default format", "rate=100/1", "a,bare",
      "a:start:format=default a+0!error a+0!error error:format:proprio_0|default|robocacheparse"},
  {"a segment of percent", "rate=100/1", "a,bare",
      "a:start:format=percent a+0!error a+0!error error:format:proprio_0|percent|robocacheparse"},
  {"the same segment again, wherever it has got to: rows on both sides are blended", "rate=100/1", "a",
      "a+0 a:segment:position=10 a+20 a:eos >0..20/10 >eos"},

  /* caps that change */
  {"the same caps again", "rate=100/1", "a", "a+0 a:caps=1 a+20 a:eos >0..20/10 >eos"},
  {"more memory than the machine has", "rate=100/1", "a b,caps:10000000000000",
      "a+0..50/10!any eos error:memory:proprio_1|640000000000064"},
  {"a window of more memory than the machine has", "rate=100/1 window=4096", "a b,caps:50000000",
      "a+0..50/10 eos error:memory:200000004|window=4096"},

  /* GAP events: no row comes before their end */
  {"a GAP beyond the segment tells about all of it", "rate=100/1", "a b,bare",
      "b:start:stop=50 a+0..20/10 b:gap:0,100 >0 b=missing"},
  {"GAPs before caps and segment", "rate=100/1", "a,bare",
      "a:stream a:gap:0,100 a:caps=1 a:gap:0,100 a:segment a+0=1 a:eos >0 a=1 >eos"},

  /* ends */
  {"EOS of a file that is linked without a parser", "rate=100/1", "a,bare",
      "a:start:format=bytes error:format:proprio_0|bytes a:eos >eos"},
  {"no sample after an error", "rate=100/1", "a b", "a+0..50/10 b:caps=0 error:negotiation:proprio_1|0 eos >eos ticks-out=0"},

  /* flushes; #N numbers those of one seek */
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
  {"a source that cannot seek does not stop one that can", "rate=100/1", "a,on-seek:flush b,on-seek:never",
      "ab+0..30/10 >0..10/10 seek:0 drop a:sought=0 a:segment a+0..60/10 b+40..60/10 eos >0..30/10 b=any >40..60/10 >eos"},
  {"live, such a source continues at the running time of after the seek", "rate=100/1", "a,on-seek:flush b,live,on-seek:never",
      "@1000 base:1000 ab+0..30/10 >0..20/10 @1500 base:1500 seek:0 drop a:segment ab+0..30/10 >0..20/10"},
  {"a seek does not begin anew what has ended and cannot seek", "rate=100/1", "a,on-seek:flush b,on-seek:never",
      "ab+0..30/10 eos >0..30/10 >eos seek:0 renew a:segment a+0..30/10 a:eos >0..30/10 b=any >eos"},
  {"a seek while the first tick waits for a pad is refused, since that would not get it", "rate=100/1 pads=proprio_0;proprio_1",
      "a,on-seek:flush b,absent,on-seek:flush",
      "a+0..30/10 seek:20! b:add b:start b+0..30/10 >0..10/10 seek:20 drop ab:segment:start=20 ab+20..40/10 eos >20..40/10 >eos"},
  {"EOS after SEGMENT_DONE", "rate=100/1", "a", "a+0..20/10 a:done >0..20/10 done a:eos >eos"},

  /* seeks without a flush */
  {"a loop continues in running time", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab:segment:stop=30 ab+0..20/10 ab:done >0..20/10 begins:0,0 done "
      "loop:0..30 ab:sought=0..30 ab:segment:stop=30,base=30 ab+0..20/10 ab:done >0..20/10 begins:0,30 done "
      "loop:10..30 ab:segment:start=10,stop=30,base=60 ab+10..20/10 ab:done >10..20/10 begins:10,60 done"},
  {"ticks of a loop wait for all streams, whichever is first", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab:segment:stop=30 ab+0..20/10 ab:done >0..20/10 done loop:0..30 a:segment:stop=30,base=30 a+0..20/10 idle . "
      "b:segment:stop=30,base=30 b+0..20/10 ab:done >0..20/10 done"},
  {"a seek that comes before all streams are done loses neither ticks nor SEGMENT_DONE", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab:segment:stop=30 ab+0..20/10 a:done loop:0..30 b:done ab:segment:stop=30,base=30 a+0..20/10 idle b+0..20/10 ab:done "
      ">0..20/10 >0! >10..20/10 begins:0,30 earlier-done done"},
  {"a loop of no multiple of the period", "rate=100/1", "a,on-seek:take",
      "a:segment:stop=25 a+0..25/5 a:done >0..20/10 done loop:0..25 a:segment:stop=25,base=25 a+0..25/5 a:done >5..15/10 begins:0,25 done"},
  {"a reference's ticks in a loop", "reference-pad=proprio_0", "a,on-seek:take b,on-seek:take",
      "ab:segment:stop=30 a+5..25/10 b+0..20/10 ab:done >5..25/10 b=any done loop:0..30 ab:segment:stop=30,base=30 "
      "a+5..25/10 b+0..20/10 ab:done >5..25/10 b=any begins:0,30 done"},
  {"a seek while streams flow begins where the first one continues", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab+0..40/10 >0..20/10 loop:100 a:segment:start=100,base=50 b:segment:start=100,base=45 ab+100..130/10 eos >30..40/10 >105 a=100 "
      "begins:100,45 >115 a=110 >125 a=120 >135 a=130 b=held:130 >eos"},
  {"two seeks, of which streams begin the last one alone", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab+0..40/10 >0..20/10 loop:200 loop:100 ab:segment:start=100,base=50 ab+100..130/10 eos >30..40/10 >100..130/10 begins:100,50 >eos"},
  {"a source that fails in a seek without a flush continues, and so does one that does not", "rate=100/1", "a,on-seek:take b,on-seek:refuse",
      "ab+0..20/10 loop:0! a:segment:base=30 a+0..20/10 b+30..50/10 eos >0..20/10 >0..20/10 b=t+30 >eos"},
  {"a source that cannot seek continues in loops", "rate=100/1", "a,on-seek:take b,on-seek:never",
      "a:segment:stop=30 ab+0..20/10 b+30..50/10 a:done >0..20/10 >30 a=held:20 loop:0..30 a:segment:stop=30,base=60 b+60..100/10 a+0..20/10 "
      "a:done >40..50/10 a=held:20 >0..20/10 b=t+60 begins:0,60 earlier-done done"},
  {"a flush begins anew after loops", "rate=100/1", "a,on-seek:flush",
      "a:segment:stop=30 a+0..20/10 a:done >0..20/10 done seek:0 drop a:segment a+0..30/10 >0..10/10 begins:0,0"},
  {"no loop after the end", "rate=100/1", "a,on-seek:take", "a+0..20/10 a:eos >0..20/10 >eos loop:0!"},
  {"a pad goes while its segment is awaited", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab+0..30/10 >0..10/10 loop:0 a:segment:base=40 a+0..20/10 b:remove eos >20..30/10 >0..20/10 >eos"},
  {"a stream ends while its segment is awaited", "rate=100/1", "a,on-seek:take b,on-seek:take",
      "ab+0..30/10 >0..10/10 loop:0 a:segment:base=40 a+0..20/10 b:eos a:eos >20..30/10 >0..20/10 b=held:30 >eos"},

  {"a source that cannot seek", "rate=100/1", "a,on-seek:never", "a+0..20/10 seek:0! a+30..40/10 a:eos >0..40/10 >eos"},

  /* pads that come and go */
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
  {"concat of cameras only", "layout=concat", "a=camera_0,caps:gray@100/1", "a+0=1 a:eos error:negotiation:layout=concat|camera"},
  {"the rows of dropped ticks are in the window", "rate=100/1 window=2", "a b,required=true",
      "a+0..20/10 b+20=5 eos >20 a=10,20 b=nan,5 >eos ticks-dropped=2"},
  {"a missing frame is black", "rate=100/1", "a=camera_0,caps:gray@100/1 b", "b+0=1 a+10=200 eos >0 a=missing b=1"},
  {"linear frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=linear", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=20"},
  {"nearest frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=nearest", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=10"},
  {"previous frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=previous", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=10"},
  {"cubic frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=cubic", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=20"},
  {"mean frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=mean", "a+0=10 a+20=30 a:eos >0 a=10 >10 a=20"},
  {"lowpass frames", "rate=100/1", "a=camera_0,caps:gray@50/1,interpolation=lowpass", "a+0=10 a+20=30 a:eos 'error:settings:camera_0|lowpass|tensors'"},
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
  {"kinds holds", "rate=100/1", "a", HELD_SETTING ("a:kinds=hold", "kinds")},
  {"no messages of statistics by default", "rate=100/1", "a", "a+0..200/10 a:eos >0..200/10 >eos no:element"},
  {"set while the element runs, it holds from the next start on", "rate=1/1800", "a",
      "a+0 set:allow-gaps=true warning:allow-gaps a+2h a:eos error:format:allow-gaps >0 >eos stop play a:start a+0 a+2h a:eos >0 "
      ">1800000..5400000/1800000 a=missing >7200000 >eos"},
};

CHECK_MAIN (robocachefusescenarios, NULL, NULL, add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE))
