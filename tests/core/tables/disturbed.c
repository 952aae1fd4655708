/* robocache: robocachefuse, when the pipeline is disturbed: its time, its state, its settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

static const Scenario scenarios[] = {
  /* rows that are far ahead */
  {"rows near 2^63 are dropped, and told of", "reference-pad=sink_0", "a=sink_0,live",
      "for:0..1500/10 { @t a+t+9223371936000 } warning:sink_0|ahead|max-lead|offset|clock-mode|timestamp-source . "
      "a.rows-in=151 a.rows-dropped=151 a.rows-dropped-ahead=51 balance"},
  {"a day ahead from the first row is told within two seconds, and an offset is a way out", "reference-pad=sink_0",
      "a=sink_0,live",
      "for:0..1010/10 { @t a+t+1d } warning:sink_0|86400.000|ahead|offset . a:offset=-86400000000000 latency=15ms "
      "for:1020..1040/10 { @t a+t+1d=t >t } balance"},
  {"ahead by less than max-lead is told, and kept", "reference-pad=sink_0", "a=sink_0,live",
      "for:0..1000/10 { @t a+t+60000 } warning:sink_0|60.000|ahead >61000 a.rows-dropped-ahead=0"},
  {"max-lead may be less", "rate=100/1", "a,live,max-lead=20ms b,live",
      "ab+0 >0 a+30=9 warning:proprio_0|0.030|max-lead a.rows-dropped-ahead=1 a+10 b+10 >10"},
  {"and in another pad of a grid it is missing", "rate=100/1", "a,live b,live",
      "for:0..1000/10 { a+t b+t+1d deadline:t+15 >t b=missing } warning:proprio_1|86399.995"},
  {"far behind is told, too", "rate=100/1", "a,live b,live", "@100000 a+100000 for:0..1010/10 { @t+100000 b+t } "
      "warning:proprio_1|behind"},
  {"a GAP of seconds to come: ticks near rows leave at once, and the others when their time comes", "rate=100/1", "a,live",
      "a+0 >0 a:gap:1,2999 >10..200/10 a=held:0 >210..1000/10 a=missing . deadline:1010 >1010? a=missing deadline:1020 >1020? a=missing "
      "ticks-out=103"},
  {"a GAP that ends near 2^63 is ignored", "rate=100/1", "a,live", "a+0..10/10 a:gap:20,9223371936000 a+20..30/10 >0..30/10 "
      "a.rows-late=0"},

  /* running time that jumps */
  {"three months ahead cost as little", "rate=1000/1", "a,live",
      "a+0..20/10 >0..20 jump:100d >21..1020 a=any warning:8639998964 >gap:1021,8639998964 ticks-dropped=8639998964"},
  {"a stall with its rows behind it loses nothing", "rate=100/1", "a,live", "a+0..10/10 >0..10/10 a+20..5000/10 >20..5000/10? "
      "@5000 . "
      "ticks-dropped=0"},
  {"an hour back, where ticks are rows", "reference-pad=sink_0", "a=sink_0,live", "@7200000 a+7200000..7200100/10 "
      ">7200000..7200100/10 base:3600000 a+3600100 warning:3600 >3600100! a+3600110..3600200/10 >3600110..3600200/10? balance"},
  {"back twice", "rate=100/1", "a,live", "@7200000 a+7200000..7200010/10 >7200000..7200010/10 base:3600000 a+3600000 "
      ">3600000! base:5400000 a+1800000 >1800000! >segment:1800000 drop:warning"},

  /* offsets there and back */
  {"the reference's offset to 10 s and back", "reference-pad=sink_0", "a=sink_0,live", "for:0..50/10 { @t a+t >t } "
      "a:offset=10000000000 for:60..100/10 { @t a+t >t+10000 a=t } a:offset=0 for:110..200/10 { @t a+t >t a=t } >segment:110"},
  {"and to 10 s before", "reference-pad=sink_0", "a=sink_0,live", "for:20000..20050/10 { @t a+t >t } "
      "a:offset=-10000000000 for:20060..20100/10 { @t a+t >t-10000 a=t } a:offset=0 for:20110..20200/10 { @t a+t >t a=t }"},
  {"that of the only pad of a grid", "rate=100/1", "a,live", "for:0..50/10 { @t a+t >t } "
      "a:offset=1000000000000 for:60..100/10 { jump:t a+t >t? a=missing } a:offset=0 for:110..150/10 { jump:t a+t >t? a=any }"},
  {"an offset that is back before a tick", "reference-pad=proprio_0", "a", "a+0..50/10 >0..30/10 a:offset=10000000000 a:offset=0 "
      "a+60..100/10 eos >40..100/10"},
  {"the greatest offset and back: no row is a tick twice", "reference-pad=sink_0", "a=sink_0,live", "for:0..50/10 { @t a+t >t } "
      "a:offset=9223372036854775807 a+60 warning:max-lead a:offset=0 for:70..100/10 { @t a+t >t? } ticks-out=10"},

  {"rows 54 minutes ahead, behind one just after now: ticks beyond a second leave at their times", "rate=100/1", "a,live b,live", "for:0..50/10 { @t ab+t >t } "
      "@3240050 drop ab:offset=3240010000000 ab+3240060 drop for:3241070..3241100/10 { jump:t >t? a=any b=any . }"},

  /* segments there and back */
  {"a segment 10 s ahead, and back", "rate=100/1", "a,live b,live", "for:0..50/10 { @t a+t b+t >t } a:segment:base=10000 "
      "for:60..100/10 { @t a+t b+t >t a=held:50 } a:segment for:110..200/10 { @t a+t b+t >t } a.rows-dropped=5 balance"},
  {"that of the reference", "reference-pad=proprio_0", "a,live b,live", "for:0..50/10 { @t a+t b+t >t } a:segment:base=10000 "
      "for:60..100/10 { @t a+t b+t } a:segment for:110..200/10 { @t a+t b+t >t } a.rows-dropped=5 balance"},
  {"that of the only pad", "reference-pad=sink_0", "a=sink_0,live", "for:0..50/10 { @t a+t >t } a:segment:base=10000 "
      "for:60..100/10 { @t a+t >t+10000 a=t } a:segment for:110..200/10 { @t a+t >t } >segment:110 balance"},

  /* errors and ends: flushes, and no READY */
  {"a setting of timestamps that is an error, and is put right", "rate=100/1", "a,live b,live", "for:0..50/10 { @t ab+t >t } "
      "a:timestamp-source=row-times @60 ab+60 >60 @70 ab+70!error error:settings:proprio_0 a:timestamp-source=auto ab:flush "
      "ab:start "
      "for:80..200/10 { @t ab+t >t }"},
  {"the end of all, and a flush", "rate=100/1", "a,live b,live", "for:0..50/10 { @t ab+t >t } ab:eos >eos @60 ab+60!eos renew "
      "ab:flush ab:start "
      "for:70..200/10 { @t ab+t >t }"},
  {"the end of the reference, and a flush", "reference-pad=proprio_0", "a,live b,live", "for:0..50/10 { @t ab+t >t } a:eos >eos "
      "@60 b+60!eos "
      "renew ab:flush ab:start for:70..200/10 { @t ab+t >t }"},

  /* other things that go back */
  {"a segment whose rows are earlier makes no ticks, and none twice", "reference-pad=sink_0", "a=sink_0,live",
      "for:20000..20050/10 { @t a+t >t } a:segment:start=0 for:20060..20100/10 { @t a+t-5000 } . a+20110 >20110 ticks-out=7"},
  {"a flush after running time went back", "rate=100/1", "a,live", "@7200100 a+7200100 >7200100 base:3600000 a+3600100 >3600100! "
      "warning:3600 a:flush base:7200100 a:start a+0..20/10 >0! >10..20/10? >segment:0"},

  /* sensors that do not follow running time are shifted, however little it has moved */
  {"a sensor that does not follow is shifted", "rate=100/1", "a,live", "@7200000 a+7200000..7200010/10 >7200000..7200010/10 "
      "base:1800000 for:7200020..7201100/10 { @t a+t } drop a.clock-jumps=1 a.clock-shift<-1799000000000 drop:warning "
      "a.rows-dropped-clock-jump>90 a.rows-dropped-clock-jump<110"},
#define BEFORE "@30000 base:20000 for:10000..10500/10 { @t+20000 a+t b+t >t } "
#define BACK BEFORE "base:25000 "       /* to 5.5 s */
#define FORWARDS BEFORE "base:18500 "   /* to 12 s */
  {"5 s back: one does not follow", "rate=100/1", "a,live b,live", BACK "for:5510..6000/10 { @t+25000 a+t b+t+5000 } past:5900 "
      "\"warning:running time\" "
      "for:6010..6520/10 { @t+25000 a+t b+t+5000 } warning:proprio_1|+5.000|-5.000 past:6520 "
      "for:6530..6600/10 { @t+25000 a+t b+t+5000 >t? b=t+5000 } b.clock-jumps=1 b.clock-shift=-5000ms a.clock-jumps=0 "
      "b.rows-dropped-clock-jump=100 balance"},
  {"and follows again", "rate=100/1", "a,live b,live", BACK "for:5510..6600/10 { @t+25000 a+t b+t+5000 } past:6600 drop:warning "
      "base:20000 "
      "for:11610..12610/10 { @t+20000 ab+t } past:12610 for:12620..12700/10 { @t+20000 ab+t >t? } b.clock-jumps=2 b.clock-shift=0 "
      "balance"},
  {"1.5 s forwards: one does not follow", "rate=100/1", "a,live b,live", FORWARDS "for:12010..13020/10 { @t+18500 a+t b+t-1500 } "
      "warning:proprio_1|-1.500|+1.500 past:13020 for:13030..13100/10 { @t+18500 a+t b+t-1500 >t? b=t-1500 } b.clock-jumps=1 "
      "b.clock-shift=1500ms a.clock-jumps=0 b.rows-dropped=0 balance"},
  {"an hour forwards: one does not follow", "rate=100/1", "a,live b,live", "@7200000 base:7190000 for:10000..10500/10 { "
      "@t+7190000 ab+t >t } "
      "base:3590000 for:3610510..3611520/10 { @t+3590000 a+t b+t-3600000 } past:3611520 "
      "for:3611530..3611600/10 { @t+3590000 a+t b+t-3600000 >t? b=t-3600000 } b.clock-shift=3600000ms drop:warning"},
  {"a clock that is set 5 s forwards: neither follows", "rate=100/1", "a,live b,live,clock-mode=track", "for:0..500/10 { @t a+t "
      "b+t+86400000=t } "
      "for:5510..6520/10 { @t a+t-5000 b+t+86395000=t } past:6520 for:6530..6600/10 { @t a+t-5000 b+t+86395000=t >t? a=t-5000 } "
      "a.clock-shift=5000ms b.clock-jumps=0 b.rows-late=0 drop:warning"},
  {"rows on their way are no such sensor's", "rate=100/1", "a,live b,live", BACK "for:5510..5800/10 { @t+25000 a+t b+t+5000 } "
      "for:5810..7000/10 { @t+25000 ab+t } past:7000 for:7010..7100/10 { @t+25000 ab+t >t? } b.clock-jumps=0 b.rows-late=0"},
  {"5 s back: the reference does not follow", "reference-pad=proprio_1", "a,live b,live", BACK "@30510 a+5510 b+10510 "
      "\"warning:running time\" for:5520..6500/10 { @t+25000 a+t b+t+5000 } "
      "@31510 a+6510 b+11510 >6510! b=11510 for:6520..6600/10 { @t+25000 a+t b+t+5000 >t? b=t+5000 } "
      "warning:proprio_1|+5.000|-5.000"},
  {"1.5 s forwards: the reference does not follow", "reference-pad=proprio_1", "a,live b,live", FORWARDS
      "for:12010..13000/10 { @t+18500 a+t b+t-1500 >t-1500 a=any b=t-1500 } "
      "for:13010..13100/10 { @t+18500 a+t b+t-1500 >t? b=t-1500 } warning:proprio_1|-1.500|+1.500"},
  {"5 s back: a clock that is tracked", "rate=100/1", "a,live b,live,clock-mode=track", "@30000 base:20000 "
      "for:10000..10500/10 { @t+20000 a+t b+t+86400000=t drop } " "base:25000 for:5510..6000/10 { @t+25000 a+t b+t+86405000=t } "
      "past:6000 "
      "for:6010..6100/10 { @t+25000 a+t b+t+86405000=t >t? } b.clock-jumps=0 b.rows-late=0"},
  {"1.5 s forwards: a clock that is tracked", "rate=100/1", "a,live b,live,clock-mode=track", "@30000 base:20000 "
      "for:10000..10500/10 { @t+20000 a+t b+t+86400000=t drop } base:18500 for:12010..12300/10 { @t+18500 a+t b+t+86398500=t } "
      "past:12300 for:12310..12400/10 { @t+18500 a+t b+t+86398500=t >t? } b.clock-jumps=0 b.rows-late=0"},
  {"another clock: a clock that is tracked", "rate=100/1", "a,live b,live,clock-mode=track", "@30000 base:20000 "
      "for:10000..10500/10 { @t+20000 a+t b+t+86400000=t drop } clock:40000 for:10510..11000/10 { @t+29500 a+t b+t+86400000=t } "
      "past:11000 "
      "for:11010..11100/10 { @t+29500 a+t b+t+86400000=t >t? } clock:20000 for:11110..11600/10 { @t+8900 a+t b+t+86400000=t } "
      "past:11600 "
      "for:11610..11700/10 { @t+8900 a+t b+t+86400000=t >t? } b.rows-late=0"},
  {"a pause: an origin that was measured", "rate=100/1", "a,live b,live,timestamp-source=reference", "for:0..500/10 { @t a+t "
      "b+t~ntp:t >t } "
      "pause:5500 for:510..1500/10 { @t+5000 a+t b+t~ntp:t+5000 >t? }"},

  /* sensors that were ahead from the beginning, and whose clocks are put right */
#define AHEAD(pads) "for:0..1010/10 { @t " pads "+t+700000 } drop:warning "
  {"the reference's", "reference-pad=sink_0", "a=sink_0,live", AHEAD ("a") ">701000..701010/10 for:1020..2010/10 { @t a+t } . "
      "@2020 a+2020 >2020! warning:sink_0|jumped for:2030..2100/10 { @t a+t >t? } >segment:2020 a.rows-dropped-clock-jump=200 "
      "balance"},
  {"the reference's, to 5 s ahead", "reference-pad=sink_0", "a=sink_0,live", AHEAD ("a") ">701000..701010/10 "
      "for:1020..2010/10 { @t a+t+5000 } . @2020 a+7020 >7020! warning:sink_0|jumped for:2030..2100/10 { @t a+t+5000 >t+5000? }"},
  {"the reference's, to 5 s behind", "reference-pad=sink_0", "a=sink_0,live", "@50000 " "for:50000..51010/10 { @t a+t+700000 } "
      "drop:warning "
      ">751000..751010/10 for:51020..52010/10 { @t a+t-5000 } . @52020 a+47020 >47020! warning:sink_0|jumped "
      "for:52030..52100/10 { @t a+t-5000 >t-5000? }"},
  {"the reference's, of a few seconds", "reference-pad=sink_0", "a=sink_0,live", "for:0..100/10 { @t a+t+5000 } >5000..5100/10 "
      "for:110..1100/10 { @t a+t } . @1110 a+1110 >1110! warning:sink_0|-5.000 for:1120..1200/10 { @t a+t >t? }"},
  {"one of two of a grid, and then the other", "rate=100/1", "a,live b,live", AHEAD ("ab") ">701000..701010/10 "
      "for:1020..2010/10 { @t a+t+700000 b+t } . @2020 b+2020 warning:proprio_1|jumped >2020! a=missing "
      "for:2030..2100/10 { @t a+t+700000 b+t >t? a=missing } >segment:2020 for:2110..3100/10 { @t ab+t >t? a=missing } "
      "for:3110..3200/10 { @t ab+t >t? } warning:proprio_0|jumped a.clock-jumps=1 b.clock-jumps=1 balance"},
  {"one of two of a grid, by an offset", "rate=100/1", "a,live b,live", AHEAD ("ab") ">701000..701010/10 b:offset=-700000000000 "
      ">1010! a=missing b=701010 for:1020..1100/10 { @t a+t+700000 b+t+700000=t >t? a=missing }"},
  {"one of two of a grid, of a few seconds", "rate=100/1", "a,live b,live", "for:0..100/10 { @t ab+t+5000 } >5000..5100/10 "
      "for:110..1100/10 { @t a+t+5000 b+t } . @1110 b+1110 >1110! a=missing for:1120..1200/10 { @t a+t+5000 b+t >t? a=missing }"},

  /* what is ahead, or late, and has rows */
  {"sensors of a grid that are ahead together", "rate=100/1", "a,live", "for:0..1010/10 { @t a+t+700000 } drop:warning "
      ">701000..701010/10 a:eos >eos"},
  {"sensors that were ahead together, and are put right", "rate=100/1", "a,live", "for:0..1010/10 { @t a+t+700000 } drop:warning "
      ">701000..701010/10 a:offset=-700000000000 >1010! a=701010 for:1020..1100/10 { @t a+t+700000=t >t? }"},
  {"sensors that are ahead together, with a hole", "rate=100/1", "a,live", "for:0..1010/10 { @t a+t+700000 } drop:warning "
      ">701000..701010/10 @4000 a+704000..704010/10 >701020..703990/10 a=any >704000..704010/10"},
  {"the end of a sensor that is ahead: one gap, one warning", "rate=100/1", "a,live b,live",
      "for:0..990/10 { a+t b+t+700000 deadline:t+15 >t b=missing } a+1000 b+701000 >1000 b=missing drop:warning ab:eos "
      ">1010..2000/10 a=any b=missing warning:69799|ended >gap:2010,697990 >700000! a=missing b=missing "
      ">700010..700990/10 a=missing b=missing >701000? a=missing >eos ticks-dropped=69799 ticks-out=302 balance"},
  {"the end of sensors that were ahead together, with a hole", "rate=100/1", "a,live,reorder-window=3600000ms",
      "for:0..1010/10 { @t a+t+700000 } drop:warning a+708000 a:eos >701000..701010/10 >701020..702010/10 a=any warning:498|ended "
      ">gap:702020,4980 >707000! a=missing "
      ">707010..707990/10 a=missing >708000? >eos ticks-dropped=498"},
  {"rows that are held for ever are held over a stall", "rate=100/1", "a,live,hold-limit=-1", "a+0..100/10 >0..100/10 jump:5000 "
      ">110..4980/10 a=held:100 ticks-dropped=0"},
  {"a window outlives a short hole", "rate=100/1 window=300", "a,live", "a+0..100/10 drop jump:2500 yield yield drop "
      "ticks-dropped=0"},
};

TABLE (disturbed);
