/* robocache: robocachefuse, not live: ticks, segments, caps, ends, flushes, samples and pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

#define PARABOLA "a+0 a+10=1 a+20=4 a+40=16 a:eos "     /* ticks of 200 Hz from 0 to 40 ms */
#define STEP " a+0 a+100 a:eos b+0..300/50 b:eos "       /* a row at 0 and 100 ms; ticks each 50 ms up to 300 */

/* a mean of (1, 0, 0, 0) / 5: at right angles to it, both signs are as near */
#define SCATTERED "a+0=1,0,0,0 a+1=0,1,0,0 a+2=0,-1,0,0 a+3=0,0,1,0 a+4=0,0,-1,0 "

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
  /* its filter reaches 100 ms to either side; of a ramp it is the ramp */
  {"lowpass", "rate=50/1", "a,interpolation=lowpass", "a+0..400/2 a:eos for:0..80/20 { >t a=held:t } >100..300/20 for:320..400/20 { >t a=held:t } >eos"},
  {"lowpass, not held", "rate=50/1", "a,interpolation=lowpass,hold-limit=0 b", "b+0..500/20 a+40..400/2 eos >0..20/20 a=missing "
      "for:40..120/20 { >t a=held:t } >140..300/20 for:320..400/20 { >t a=held:t } >420..500/20 a=missing >eos a.ticks-aligned=9 a.ticks-held=10"},
  {"lowpass: shorter filters", "rate=50/1", "a,interpolation=lowpass,lobes=2 b,interpolation=lowpass,cutoff=50",
      "for:0..200/2 { ab+t } eos for:0..20/20 { >t a=held:t b=held:t } >40 a=held:40 >60..140/20 >160 a=held:160 for:180..200/20 { >t a=held:t b=held:t } >eos"},
  {"lowpass: no filter reaches over a gap", "rate=50/1", "a,interpolation=lowpass,max-gap=10ms,hold-limit=0",
      "a+0..300/2 a+320..700/2 a:eos for:0..80/20 { >t a=held:t } >100..200/20 for:220..400/20 { >t a=held:t } >420..600/20 for:620..700/20 { >t a=held:t } >eos"},
  {"lowpass: nothing above the rate of ticks", "rate=20/1", "a,interpolation=lowpass,lobes=8",
      "for:0..2000/4 { a+t=1 } a:eos for:0..450/50 { >t a=held:1 } >500..1500/50 a=1 for:1550..2000/50 { >t a=held:1 } >eos"},
  {"lowpass: rows slower than ticks", "rate=100/1", "a,interpolation=lowpass,lobes=2",
      "a+0..400/20 a:eos for:0..40/10 { >t a=held:t } >50..350/10 for:360..400/10 { >t a=held:t } >eos"},
  {"lowpass: a cutoff above half the rate of rows", "rate=10/1", "a,interpolation=lowpass,cutoff=30",
      "a+0..400/20 a:eos for:0..400/100 { >t a=held:t } >eos"},
  /* 500 Hz at ticks of 30 Hz, which linear would fold */
  {"fast rows that lowpass filters", "rate=30/1", "a=force_0,caps:1:4@250/1,interpolation=lowpass", "a+0..5100/4=0,1,0,1 a:eos no:warning"},
  {"fast rows that mean averages", "rate=30/1", "a=force_0,caps:1:4@250/1,interpolation=mean", "a+0..5100/4=0,1,0,1 a:eos no:warning"},
  {"fast rows and fast ticks", "rate=400/1", "a=force_0,caps:1:4@250/1", "a+0..5100/4=0,1,0,1 a:eos no:warning"},
  {"fast rows of a slow motion", "rate=30/1", "a=force_0,caps:1:4@250/1", "a+0..5100/4 a:eos no:warning"},
  /* whatever the other thread gets to do meanwhile */
  {"mean: the first tick waits for its whole interval, too", "rate=10/1", "a,interpolation=mean b",
      "b+0..100/10 a+0..24/8 for:1..20/1 { yield ticks-out=0 } a+32..200/8 eos >0 a=24 >100 >200 a=176 b=held:100 >eos"},
  {"mean with a reference pad is over its nominal period", "reference-pad=sink_0", "a,interpolation=mean b=sink_0,caps:1@50/1",
      "b+20..40/20 a+12=0 a+16=6 a+24=9 a+60=9 eos >20:20 a=5 b=20 caps.framerate=50/1"},
  {"a reference pad that does not exist", "reference-pad=proprio_7", "a b", "a+0!not-negotiated 'error:settings:reference-pad=proprio_7: expected one of "
      "the sink pads (proprio_0, proprio_1)'"},
  {"q and -q are the same rotation", "rate=200/1", "a,caps:4,quaternions=0",
      "a+0=0,0,0,1 a+10=0,0,-0.70710678,-0.70710678 a:eos >0 a=0,0,0,1 >5 a=0,0,0.38268343,0.92387953"},
  {"an angle that stays at 4 rad", "rate=100/1", "a,angles=0", "a+0=4 a+15=4 a+30=4 a:eos >0..30/10 a=4 >eos"},
  {"an angle from below pi to above", "rate=100/1", "a,angles=0", "a+0=3 a+20=-2.9 a:eos >0 a=3 >10 a=-3.0915926 >20 a=-2.9 >eos"},
  {"a mean of angles over pi", "rate=50/1", "a,angles=0,interpolation=mean",
      "a+0=3 a+1=-3 a+2=3.1 a+3=-3 a+20=1 a:eos >0 a=-3.1165926 >20 a=1 >eos"},
  {"a mean of q and -q", "rate=50/1", "a,caps:4,quaternions=0,interpolation=mean",
      "a+0=0,1,0,0 a+1=0,-1,0,0 a+20=1,0,0,0 a:eos >0 a=0,1,0,0 >20 a=1,0,0,0 >eos a.quaternions-scattered=0 no:warning"},
  {"scattered orientations are missing, and not held", "rate=50/1", "a,caps:4,quaternions=0,interpolation=mean,hold-limit=-1 b",
      "b+0..40/20 " SCATTERED "a+20=1,0,0,0 a+40=1,0,0,0 eos >0 a=missing >20 a=1,0,0,0 >40 a=1,0,0,0 >eos a.ticks-missing=1 "
      "a.quaternions-scattered=1 'warning:proprio_0: the orientations within a tick differ too much' no:warning"},
  {"scattered orientations of a required pad drop their tick alone", "rate=50/1", "a,caps:4,quaternions=0,interpolation=mean,required=true b",
      "b+0..40/20 " SCATTERED "a+20=1,0,0,0 a+40=1,0,0,0 eos >20 a=1,0,0,0 >40 a=1,0,0,0 >eos ticks-dropped=1"},

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

  /* max-gap in periods: 8 of them, from 20 ms to 1 s, and never below two; 200 ms before 8 spacings */
  {"190 ms without rows of 1 kHz", "rate=100/1", "a,caps:1@1000/1 b", "b+0..400/20 a+0..100/1 a+290..400/1 eos >0..100/10 "
      "for:110..280/10 { >t a=held:100 } >290..400/10 >eos a.max-gap=20ms a.ticks-held=18 a.ticks-aligned=23"},
  {"190 ms without rows of 1 kHz, which caps do not tell", "rate=100/1", "a,hold-limit=50ms b", "b+0..400/20 a+0..100/1 a+290..400/1 eos "
      ">0..100/10 for:110..150/10 { >t a=held:100 } >160..280/10 a=missing >290..400/10 >eos a.max-gap=20ms"},
  {"8 periods of 10 ms", "rate=100/1", "a,hold-limit=0 b", "b+0..500/20 a+0..200/10 a+280..300/10 a+381..500/1 eos >0..300/10 "
      ">310..380/10 a=missing >390..500/10 >eos a.max-gap=20ms"},
  {"8 periods of 10 ms by caps", "rate=100/1", "a,caps:1@100/1,hold-limit=0 b", "b+0..400/20 a+0..20/10 a+100..200/10 a+281..400/1 eos >0..200/10 "
      ">210..280/10 a=missing >290..400/10 >eos a.max-gap=80ms"},
  {"two periods of 700 ms", "rate=10/1", "a,caps:1@10/7,hold-limit=0 b", "b+0..4900/175 a+0..700/700 a+2100=2100 a+3501=3501 a+4201=4201 a+4901=4901 eos "
      ">0..2100/100 >2200..3500/100 a=missing >3600..4900/100 >eos a.max-gap=1400ms"},
  {"200 ms with few rows", "rate=50/1", "a,hold-limit=0 b", "b+0..1000/40 a+0..20/10 a+220=220 a+421=421 a+440=440 eos >0..220/20 >240..420/20 a=missing "
      ">440 >460..1000/20 a=missing >eos a.max-gap=200ms"},
  {"the age of previous, in periods", "rate=100/1", "a,interpolation=previous,hold-limit=0 b", "b+0..200/10 a+0..100/5=1 a+200=2 eos >0..140/10 a=1 "
      ">150..190/10 a=missing >200 a=2 >eos a.max-gap=40ms"},
  {"the age is that of the frame", "rate=100/1", "a,interpolation=nearest b", "b+0..30/10 a+1..31/10=1 eos >0 a=missing >10..30/10 a=1 >eos a.age-max=0"},

  /* times of rows */
  {"no time and nothing to go on from: dropped, and warned about once", "rate=100/1", "a",
      "a+-=1 a+-=2 a+0=3 a+-=4 a:eos >0 a=3 >eos a.rows-dropped=3 wait:warning no:warning"},
  {"of equal times the last wins", "rate=100/1", "a",
      "a+0=1 a+10=2 a+10=3 a+10=4 a+20=5 a:eos >0 a=1 >10 a=4 >20 a=5 >eos a.rows-duplicate=2"},
  {"backwards is late", "rate=100/1", "a", "a+0 a+20 a+10=99 a+30 a:eos >0..30/10 >eos a.rows-late=1 a.rows-late-overtaken=1"},
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
      "a:start:start=100,stop=120 a+80..140/10 a:eos >0..20/10 a=t+100 >eos a.rows-dropped=2 a.rows-superseded=2"},
  {"live, rows before the segment are of no use", "rate=100/1", "a,live,bare",
      "a:start:start=100,stop=120 a+80..90/10 a.rows-dropped=2 a+100..120/10 a:eos >0..20/10 a=t+100 >eos"},
  {"the row before the segment is in force where it starts", "rate=200/1", "a,bare,interpolation=previous b,bare",
      "ab:start:start=100 a+70..130/30 b+95..130/5 eos >0..25/5 a=100 b=t+100 >30 a=130 b=130 >eos"},
  {"the row before the segment is interpolated from", "rate=200/1", "a,bare",
      "a:start:start=105 a+70..130/30 a:eos >0..25/5 a=t+105 >eos a.ticks-aligned=6"},
  {"a row before the segment is as old as it is", "rate=100/1", "a,bare,hold-limit=25ms,max-gap=0 b,bare",
      "ab:start:start=100 a+90 b+100..130/10 eos >0..10/10 a=held:90 b=t+100 >20..30/10 a=missing b=t+100 >eos"},
  {"rows before the segment make no ticks", "reference-pad=proprio_0", "a,bare b,bare",
      "ab:start:start=100 a+70..140/35 b+90..150/10 eos >5 a=105 b=105 >40 a=140 b=140 >eos"},
  {"a second segment has its own row before it", "rate=100/1", "a,bare,interpolation=previous",
      "a:start:stop=20 a+0..20/10 a:segment:start=100,base=45 a+80..90/10=7 a+110 a:eos "
      ">0..20/10 >30..40/10 a=20 >50 a=7 >eos"},
  {"many rows before the segment are dropped before the first tick is known", "rate=1000/1", "a,bare b,bare",
      "ab:start:start=10000 a+7000..10000/1 b+10000 eos >0 a=10000 b=10000 >eos"},
  {"a row days before the segment is no error", "rate=100/1", "a,bare,hold-limit=-1 b,bare",
      "ab:start:start=600000000 a+3=1 b+600000000..600000010/10 eos >0..10/10 a=held:1 b=t+600000000 >eos"},
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
