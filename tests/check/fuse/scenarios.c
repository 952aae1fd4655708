/* robocache: robocachefuse, not live: segments, caps, flushes, seeks, samples and settings; what is decided: tests/core/tables/scenarios.c
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"

#define HELD_SETTING(word, name) "a+0..20/10 >0 " word " warning:" name " a+30..50/10 a:eos >10..50/10 >eos " \
    "caps.num_tensors=1 caps.dimensions=1 caps.types=float32 caps.window="

static const Scenario scenarios[] = {
  /* interpolations, computed by hand */
  {"mean: memory is for the rows of a tick that are there", "rate=1/1", "a,interpolation=mean",
      "a+0 a+0.000001=1 a+0.000002=2 a+1000=5 a:eos >0 a=1 >1000 a=5 >eos"},
  {"mean with a reference pad of no period", "reference-pad=sink_0", "a,interpolation=mean b=sink_0",
      "b+20..40/20 a+0..60/10 eos 'error:settings:proprio_0|mean|set rate'"},
  {"a quaternion by the name of its first channel", "rate=200/1", "a,bare,quaternions=qw",
      "a:stream a:caps=5[x,qw,qx,qy,qz] a:segment a+0=1,0,0,0,1 a+10=3,0,0,0.70710678,0.70710678 a:eos >0 a=1,0,0,0,1 >5 a=2,0,0,0.38268343,0.92387953"},
  {"a name that the caps do not have", "rate=200/1", "a,bare,angles=x;z",
      "a:stream a:caps=2[x,y] a:segment a+0=1,0 a:eos 'error:settings:proprio_0: angles: \"x;z\": there is no channel \"x;z\"; the caps have x,y'"},

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
  {"set while the element runs, it holds from the next start on", "rate=1/1800", "a",
      "a+0 set:allow-gaps=true warning:allow-gaps a+2h a:eos error:format:allow-gaps >0 >eos stop play a:start a+0 a+2h a:eos >0 "
      ">1800000..5400000/1800000 a=missing >7200000 >eos"},
};

static Suite *
robocachefusescenarios_suite (void)
{
  Suite *s = suite_create ("robocachefusescenarios");

  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), FALSE);
  return s;
}

GST_CHECK_MAIN (robocachefusescenarios);
