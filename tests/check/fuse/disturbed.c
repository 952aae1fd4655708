/* robocache: robocachefuse, when the pipeline is disturbed: its time, its state, its settings
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"

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
  {"a GAP that ends near 2^63 is ignored", "rate=100/1", "a,live", "a+0..10/10 a:gap:20,9223371936000 a+20..30/10 >0..30/10 "
      "a.rows-late=0"},

  /* running time that jumps */
  {"an hour ahead: one gap, one warning", "rate=100/1", "a,live",
      "a+0..100/10 >0..100/10 jump:3600200 >110..1100/10 a=any warning:359908|3599.075 >gap:1110,3599080 ticks-dropped=359908 "
      "a+3600190..3600210/10 >3600190! >3600200..3600210/10? balance"},
  {"three months ahead cost as little", "rate=1000/1", "a,live",
      "a+0..20/10 >0..20 jump:100d >21..1020 a=any warning:8639998964 >gap:1021,8639998964 ticks-dropped=8639998964"},
  {"a stall with its rows behind it loses nothing", "rate=100/1", "a,live", "a+0..10/10 >0..10/10 a+20..5000/10 >20..5000/10? "
      "@5000 . "
      "ticks-dropped=0"},
  {"an hour back: a new segment", "rate=100/1", "a,live", "@7200000 a+7200000..7200100/10 >7200000..7200100/10 @7200100 "
      "base:3600000 "
      "a+3600100..3600120/10 warning:3599.900 >3600100! >3600110..3600120/10? >segment:3600100 a.rows-dropped-clock-jump=0 "
      "balance"},
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

  /* segments there and back */
  {"a segment 10 s ahead, and back", "rate=100/1", "a,live b,live", "for:0..50/10 { @t a+t b+t >t } a:segment:base=10000 "
      "for:60..100/10 { @t a+t b+t >t a=held:50 } a:segment for:110..200/10 { @t a+t b+t >t } a.rows-dropped=5 balance"},
  {"that of the reference", "reference-pad=proprio_0", "a,live b,live", "for:0..50/10 { @t a+t b+t >t } a:segment:base=10000 "
      "for:60..100/10 { @t a+t b+t } a:segment for:110..200/10 { @t a+t b+t >t } a.rows-dropped=5 balance"},
  {"that of the only pad", "reference-pad=sink_0", "a=sink_0,live", "for:0..50/10 { @t a+t >t } a:segment:base=10000 "
      "for:60..100/10 { @t a+t >t+10000 a=t } a:segment for:110..200/10 { @t a+t >t } >segment:110 balance"},

  /* errors and ends: flushes, and no READY */
#define FAILS "for:0..50/10 { @t ab+t >t } a:segment:format=bytes error:format:proprio_0 @60 ab+60!error "
  {"an error of a pad, and a flush of all", "rate=100/1", "a,live b,live", FAILS "ab:flush ab:start for:70..200/10 { @t ab+t >t }"},
  {"an error where ticks are rows, and a flush of all", "reference-pad=proprio_0", "a,live b,live", FAILS "ab:flush ab:start "
      "for:70..200/10 { @t ab+t >t }"},
  {"and a flush of each", "rate=100/1", "a,live b,live", FAILS "a:flush a:start b:flush b:start for:70..200/10 { @t ab+t >t }"},
  {"and the pad goes", "rate=100/1", "a,live b,live", FAILS "a:remove @70 b+70!error b:flush b:start for:80..200/10 { @t b+t >t }"},
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
  {"a pause: one does not follow", "rate=100/1", "a,live b,live", "for:0..500/10 { @t ab+t >t } pause:5500 for:510..1520/10 { "
      "@t+5000 a+t b+t+5000 } "
      "warning:proprio_1|+5.000|-5.000 past:1520 "
      "for:1530..1600/10 { @t+5000 a+t b+t+5000 >t? b=t+5000 } b.clock-shift=-5000ms"},
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
  {"another clock", "rate=100/1", "a,live b,live", "a+0..10/10 deadline:15 >0 b=missing deadline:25 >10 b=missing a+20 waits "
      "clock:9000000 "
      "deadline:9000010 >20 b=missing a+30 b+30 >30 ticks-out=4 no:warning"},
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

/* ---- settings there and back ---- */

#define PERIOD MS (10)
#define MAX_WAIT MS (500)       /* a clock of GStreamer spins, with its lock, in a wait until near 2^63 */

/* Of the samples that come out; written by the element's thread. */
static struct
{
  GstClockTime last, from, to;
  gint n_disorder;              /* not after the one before them in a segment */
  gint n_between;               /* after from and not after to */
} seen;

static GstPadProbeReturn
look_at_sample (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const GstClockTime pts = GST_IS_BUFFER (info->data) ? GST_BUFFER_PTS (info->data) : GST_CLOCK_TIME_NONE;

  if (GST_IS_EVENT (info->data)) {
    if (GST_EVENT_TYPE (info->data) == GST_EVENT_SEGMENT)
      seen.last = GST_CLOCK_TIME_NONE;
    return GST_PAD_PROBE_OK;
  }
  if (!GST_CLOCK_TIME_IS_VALID (pts) || (GST_CLOCK_TIME_IS_VALID (seen.last) && pts <= seen.last))
    g_atomic_int_inc (&seen.n_disorder);
  seen.last = pts;
  if (pts > seen.from && pts <= seen.to)
    g_atomic_int_inc (&seen.n_between);
  return GST_PAD_PROBE_OK;
}

static void
look_at_samples (Play *play, gint64 from, gint64 to)
{
  memset (&seen, 0, sizeof (seen));
  seen.last = GST_CLOCK_TIME_NONE;
  seen.from = (GstClockTime) from;
  seen.to = (GstClockTime) to;
  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_sample, NULL, NULL);
}

/* Whatever the deadline of the next tick is. */
static void
assert_waits_are_short (GstTestClock *clock, gint64 now)
{
  GList *waits = NULL;

  gst_test_clock_wait_for_multiple_pending_ids (clock, 0, &waits);
  for (GList *wait = waits; wait; wait = wait->next) {
    const GstClockTime time = GST_CLOCK_ENTRY_TIME ((GstClockEntry *) wait->data);

    fail_unless (time <= (GstClockTime) (now + MAX_WAIT), "it waits for %" G_GUINT64_FORMAT, time);
  }
  g_list_free_full (waits, gst_clock_id_unref);
}

/* A row of each pad, and the clock at its time. */
static void
step (Play *play, gint64 t)
{
  GstTestClock *clock = play->rig->clock;
  const gfloat value = 1;
  GstClockID id;

  set_clock (play->rig, t);
  for (guint i = 0; i < play->n_pads; i++)
    feed_row (play->pads[i].feed, t, &value, 1);
  assert_waits_are_short (clock, t);
  while (gst_test_clock_peek_next_pending_id (clock, NULL) && gst_test_clock_get_next_entry_time (clock) <= (GstClockTime) t
      && (id = gst_test_clock_process_next_clock_id (clock)))
    gst_clock_id_unref (id);
  drop_samples (play->rig);
}

static void
run_steps (Play *play, gint64 *t, guint n)
{
  for (guint i = 0; i < n; i++)
    step (play, *t += PERIOD);
}

static const struct
{
  const gchar *name, *value;
  gboolean is_pads;
} settings[] = {
  {"rate", "1/1000", FALSE}, {"rate", "20000/1", FALSE}, {"rate", "1000/7", FALSE}, {"latency", "9223372036854775807", FALSE},
  {"min-upstream-latency", "9223372036854775807", FALSE}, {"stats-interval", "1", FALSE}, {"qos-messages", "false", FALSE},
  {"qos-interval", "18446744073709551615", FALSE}, {"interpolation", "previous", TRUE}, {"interpolation", "cubic", TRUE},
  {"interpolation", "mean", TRUE}, {"max-gap", "0", TRUE}, {"max-gap", "-1", TRUE}, {"hold-limit", "0", TRUE},
  {"hold-limit", "9223372036854775807", TRUE}, {"required", "true", TRUE}, {"reorder-window", "3600000000000", TRUE},
  {"max-lead", "0", TRUE}, {"max-lead", "9223372036854775807", TRUE}, {"timestamp-source", "reference", TRUE},
  {"clock-mode", "track", TRUE}, {"offset", "9223372036854775807", TRUE}, {"offset", "-9223372036854775808", TRUE},
  {"offset", "10000000000", TRUE}, {"offset", "-10000000000", TRUE}, {"offset", "3000000000000", TRUE},
  {"offset", "-3000000000000", TRUE}, {"offset", "1", TRUE}, {"offset", "500000000", TRUE}, {"offset", "-500000000", TRUE},
};

static const gchar *const shapes[][2] = {
  {"rate=100/1", "a,live b,live"}, {"reference-pad=proprio_0", "a,live b,live"}, {"reference-pad=proprio_0", "a,live"}
};

/* A second after a setting is back, ticks are at the rate: of a grid, and where they are rows. */
GST_START_TEST (test_there_and_back)
{
  const guint i = (guint) __i__ / G_N_ELEMENTS (shapes), shape = (guint) __i__ % G_N_ELEMENTS (shapes);
  Play *play = play_new (shapes[shape][0], shapes[shape][1]);
  GObject *object = settings[i].is_pads ? G_OBJECT (play->pads[0].feed->sink) : G_OBJECT (play->rig->fuse);
  GValue before = G_VALUE_INIT;
  gint64 t = MS (50000), end;

  if (shape > 0 && g_str_equal (settings[i].name, "rate")) {
    play_free (play);
    return;
  }
  look_at_samples (play, t + 300 * PERIOD, t + 400 * PERIOD);
  run_steps (play, &t, 50);
  g_object_get_property (object, settings[i].name, &before);
  gst_util_set_object_arg (object, settings[i].name, settings[i].value);
  run_steps (play, &t, 150);
  g_object_set_property (object, settings[i].name, &before);
  run_steps (play, &t, 200);
  end = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  while (g_atomic_int_get (&seen.n_between) < 97) {     /* some may be on their way */
    fail_unless (g_get_monotonic_time () < end, "%s=%s, and back: %d ticks a second, not 100", settings[i].name,
        settings[i].value, g_atomic_int_get (&seen.n_between));
    g_thread_yield ();
  }
  drop_messages (play->rig, GST_MESSAGE_ANY & ~GST_MESSAGE_ERROR);
  g_value_unset (&before);
  play_free (play);
  fail_unless (seen.n_between <= 100 && seen.n_disorder == 0, "%s=%s, and back: %d ticks a second, %d of them out of order",
      settings[i].name, settings[i].value, seen.n_between, seen.n_disorder);
}

GST_END_TEST;

/* ---- times from everywhere ---- */

static gint64
random_time (GRand *rand, gint64 now)
{
  const gint64 far = (gint64) (((guint64) g_rand_int (rand) << 32 | g_rand_int (rand)) >> g_rand_int_range (rand, 0, 64));

  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      return far;
    case 1:
      return -far;
    case 2:
      return now + far / 1000;
    default:
      return now;
  }
}

/* Rows, GAPs, offsets, clocks and base times of any int64: rows are accounted for, there are no more samples than time for
 * them, in order, and the state reaches NULL. */
GST_START_TEST (test_any_times)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 1);
  Play *play = play_new (__i__ % 2 ? "reference-pad=proprio_0 window=3" : "rate=100/1", "a,live b,live");
  const gfloat value = 1;
  gint64 clock = 0;

  look_at_samples (play, 0, 0);
  for (guint i = 0; i < 2000; i++) {
    Feed *feed = play->pads[g_rand_int_range (rand, 0, 2)].feed;
    gint64 t = random_time (rand, clock);

    switch (g_rand_int_range (rand, 0, 40)) {
      case 0:
        g_object_set (feed->sink, "offset", t, NULL);
        break;
      case 1:
        clock = MAX (clock, t / 4);
        step (play, clock);
        break;
      case 2:
        gst_element_set_base_time (play->rig->fuse, (GstClockTime) CLAMP (t, 0, clock));
        break;
      case 3:
        feed_event (feed, gst_event_new_gap ((GstClockTime) t & G_MAXINT64, (GstClockTime) random_time (rand, clock)));
        break;
      default:
        feed_row (feed, t & G_MAXINT64, &value, 1);
        clock += g_rand_int_range (rand, 0, MS (20));
        step (play, clock);
        break;
    }
  }
  drop_messages (play->rig, GST_MESSAGE_ANY);
  fail_unless (count_of (play->rig->fuse, "ticks-out") < 20000, "it spins");
  for (guint i = 0; i < play->n_pads; i++)
    assert_rows_balance (play->pads[i].feed);
  g_rand_free (rand);
  play_free (play);
  fail_unless_equals_int (seen.n_disorder, 0);
}

GST_END_TEST;

static Suite *
robocachefusedisturbed_suite (void)
{
  Suite *s = suite_create ("robocachefusedisturbed");

  TCase *tc = add_case (s, "any");

  tcase_add_loop_test (tc, test_there_and_back, 0, G_N_ELEMENTS (shapes) * G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, test_any_times, 0, 8);
  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), FALSE);
  return s;
}

GST_CHECK_MAIN (robocachefusedisturbed);
