/* robocache: robocacheresample: scenarios of rows in and rows out, as a table
 *
 * Words are those of tests/check/lib/scenario.h. The value of a row is its time unless others are given. And:
 *
 *     +T[/D][=V,V...][!]   a row or rows at T, of duration D; ! with DISCONT
 *     +T=V,V@T,T[@T,T]     the same and, in a memory each, times of rows, and target times; inf is the greatest
 *     +T#N[#N]             memories of N bytes, all 0      ++   the same, in one memory
 *     live:A..B/STEP[@AHEAD]   the clock is at A, A + STEP, ... B, and at each a row comes whose stamp is AHEAD later
 *     good:A..B/STEP[@AHEAD]   the same, and each row is out at once, at the time of the clock
 *     burst:A..B/STEP          the same, but the clock stays where it is
 *     late:A..B/STEP           as live, and after each row one that is 1 ms older
 *
 * After each word all rows are accounted for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/resampleharness.h"

#include <stdio.h>

#include "tests/check/lib/scenario.h"

enum
{
  FILE_LIKE = 1 << NOT_LIVE,
  LIVE_LIKE = 1 << LIVE,
  BOTH = FILE_LIKE | LIVE_LIKE
};

#define GAP_ROWS "+0 +10 +20 +60 +70 eos >0 >10? >20? "     /* 30, 40 and 50 lie in a gap of max-gap=15000000 */
#define CURVE "+2=0 +18=10 +30=22 eos "
/* a mean of (1, 0, 0, 0) / 5: at right angles to it, both signs are as near */
#define SCATTERED "+0=1,0,0,0,1 +1=0,1,0,0,2 +2=0,-1,0,0,3 +3=0,0,1,0,4 +4=0,0,-1,0,5 "
#define TIMED(n) TENSORS ("2", "float32,int64", "1:" n "," n, "0/1")
#define BATCH(type, dims) TENSORS ("3", type ",int64,int64", dims, "0/1")
#define EPISODES BATCH ("float32", "2:4:3,4:3,5:3")
#define FOUR_EPISODES "+0#312 >0#120 +100#312 >100#120 +200#312 >200#120 +300#312 >300#120 stats-messages=3 " \
    "gap:400,10 eos stats-messages=1 "
#define DISORDERED "+0=0,10,20,100,110,120,200,210,220@0,10,20,100,110,109.999999,200,210,220@5,25,105,125,205,225 "
#define TOO_LARGE(words) "+0#64 flow:not-negotiated error:no-space-left:'" words "'"
#define JUMPING "rate=20/1 max-gap=200000000", F32 ("1", "20/1")
#define STEADY "rate=20/1", F32 ("1", "20/1")
#define CLOCK_JUMPS(by) "from:172800000 good:0..500/50 live:550..1500/50@" by " . good:1550..2000/50@" by \
    " clock-jumps=1 rows-dropped-clock-jump=20 rows-late=0 warnings=1 qos=2 "
#define ONE_WILD_ROW(by) "from:172800000 good:0..500/50 live:550..550/50@" by " . live:600..600/50 >550 >600 " \
    "good:650..1000/50 rows-dropped-clock-jump=1 clock-jumps=0 warnings=0"
#define FIRST_ROW_WILD(by) "from:172800000 live:0..0/50@" by " good:50..500/50 rows-dropped-clock-jump=1"
#define HOLE_OF_A_DAY "+0 time:86400000 +86400000 +86400001 eos "
#define NO_ROW_HELD "ticks-out=3 ticks-dropped=86399999 >gap:1,86399999 >nogap qos=1"
/* A property keeps a value set late; the output changes only at the next start, and not when downstream renegotiates. */
#define SET_LATE(name, value, kept) "+0 >0 set:" name "=" value " " name "=" kept \
    " warning:settings:'" name " was set while the element runs: the value takes effect at the next start' " UNCHANGED
#define REFUSED_LATE(name, value) "+0 >0 set:" name "=" value " " name "= warning:settings:'" name ": \"" value \
    "\" is not a channel list' " UNCHANGED
#define UNCHANGED "reconfigure +20 >10 >20 +10=5 rows-late=1 >caps:types=float32 warnings=0 errors=0"
#define TWO_CLOCKS "+0 +1700000000000 +1700000000001 flow:error " \
    "error:format:'rows at 0.000 s and 1700000000.001 s are years apart'"

static const struct
{
  const gchar *name;
  guint modes;
  const gchar *properties, *caps, *words;
} scenarios[] = {
  /* when a tick is output, and which ones there are */
  {"live, as soon as the row after it is there", LIVE_LIKE, "rate=100/1", ONE,
      "+0 >0 +9 . +10 >10 +15 . +41 >20 >30 >40 ."},
  {"not live, when no row can change it: the row after it may come twice", FILE_LIKE, "rate=100/1", ONE,
      "+0 +20=1 . +20 . +21 >0 >10 . eos >20 . >eos"},
  {"ticks run from the first row to the last", BOTH, "rate=100/1", ONE, "+31 +59 eos >40 >50 ."},
  {"no rows", BOTH, "rate=100/1", ONE, "eos . >eos errors=0"},
  {"one row", FILE_LIKE, "rate=100/1", ONE, "+20=7 eos >20=7 . >eos"},
  {"the rate of the property wins", BOTH, "rate=1000/3", F32 ("1", "50/1"), "+0 +6 eos >0 >3 >6 ."},
  {"the rate of the input", BOTH, "", F32 ("1", "100/1"), "+5 +15 eos >10 ."},

  /* times of rows */
  {"no time at first", BOTH, "rate=100/1", ONE,
      "+-=1 +-=2 warnings=1 rows-dropped=2 rows-dropped-no-time=2 +0=5 eos >0=5"},
  {"no time, continued by the framerate", BOTH, "rate=100/1", F32 ("1", "100/1"),
      "+0 +-=10 +-=20 +-=30 eos >0 >10 >20 >30 rows-dropped=0"},
  {"no time, and no duration before", BOTH, "rate=100/1", ONE, "+0 +-=1 rows-dropped-no-time=1 warnings=1"},
  {"of equal times the last wins", FILE_LIKE, "rate=100/1", ONE, "+0=1 +0=2 +0=3 +20=5 eos >0=3 >10=4 >20=5 rows-duplicate=2"},
  {"live, the first of a pair is output", LIVE_LIKE, "rate=40/1", ONE,
      "+0=0 +0=10 >0=0 +50=20 >25=15 >50=20 rows-duplicate=1"},
  {"backwards is late", FILE_LIKE, "rate=100/1", ONE, "+0 +20 +10=99 +30 eos >0 >10 >20 >30 rows-late=1 rows-late-overtaken=1"},
  {"the reorder window is 12 ms", BOTH, "rate=100/1 reorder-window=12000000", ONE,
      "+0 +20 +8 +7=99 +12 +40 eos >0 >10 >20 >30 >40 rows-late=1"},
  {"the first row may come second", FILE_LIKE, "rate=100/1 reorder-window=50000000", ONE,
      "+40 +20 +60 eos >20 >30 >40 >50 >60 ."},
  {"lateness is beyond the reorder window", LIVE_LIKE, "rate=100/1 reorder-window=10000000", ONE,
      "+50 +33 rows-late=1 lateness-max=7000000 lateness-p50=7000000"},
  {"age of the row at or before a tick", LIVE_LIKE, "rate=100/1", ONE, "+6 +13 +27 age-max=7000000"},
  {"each kind of row", FILE_LIKE, "rate=100/1 interpolation=previous reorder-window=5000000", ONE,
      "+-=9 +0=0 +4=1 +8=2 +8=3 +2=4 +30=5 eos >0=0 >10=3 >20=3 >30=5 "
      "rows-in=7 rows-used=3 rows-late=1 rows-duplicate=1 rows-superseded=1 rows-dropped=1"},

  /* gaps */
  {"a gap is dropped", BOTH, "rate=100/1 max-gap=15000000", ONE,
      GAP_ROWS ">60! >70? >gap:30,30 >nogap ticks-dropped=3 ticks-out=5"},
  {"a gap is NaN", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan", ONE,
      GAP_ROWS ">30=nan? >40=nan >50=nan >60? >70 ticks-nan=3 >nogap"},
  {"a gap is held", BOTH, "rate=100/1 max-gap=15000000 gap-policy=hold", ONE,
      GAP_ROWS ">30=20 >40=20 >50=20 >60 >70 ticks-held=3 >nogap"},
  {"max-gap is the greatest age for previous", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan interpolation=previous", ONE,
      GAP_ROWS ">30=20 >40=nan >50=nan >60 >70"},
  {"nearest does not cross a gap", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan interpolation=nearest", ONE,
      GAP_ROWS ">30=nan >40=nan >50=nan >60 >70"},
  {"10 minutes without rows, by default", BOTH, "rate=100/1", ONE, "+0 +10 +20 +30 +40 +50 +60 +70 +80 +90 time:600000 +600000 +600010 eos >0 >10? >20? >30? "
      ">40? >50? >60? >70? >80? >90? >600000! >600010? >gap:100,599900 >nogap ticks-dropped=59990 ticks-out=12"},
  {"8 periods of caps, by default", FILE_LIKE, "rate=10/1 gap-policy=nan", F32 ("1", "50/1"),
      "+0 +160 +321 +400 eos >0 >100 >200=nan >300=nan >400 ticks-nan=2"},
  {"no GAP event before the first buffer", LIVE_LIKE, "rate=100/1 max-gap=5000000", ONE,
      "+5 +35 gap:35,1 . >nogap ticks-dropped=3 +38 +42 >40"},

  /* GAP events */
  {"a GAP decides ticks", FILE_LIKE, "rate=100/1", ONE,
      "+0 +20 . gap:20,30 >0 >10 >20 . +45=99 rows-late=1 +60 eos >30 >40 >50 >60"},
  {"a GAP passes where no row waits", FILE_LIKE, "rate=100/1", ONE,
      "+0 +10 seg:0,100,0,1 >0 >10 gap:20,30 >gap:20,30"},
  {"GAPs before a segment, outside it, without a duration, beyond its end", FILE_LIKE, "rate=100/1", ONE,
      "gap:0,10 seg:100,0,0,1,200 gap:0,10 +100 +120 gap:150,- >100 gap:150,1000 eos >110 >120 ."},

  /* QoS messages: of the element, with times and counts of rows or ticks */
  {"QoS of a late row", LIVE_LIKE, "rate=50/1", F32 ("1", "100/1"), "+50 +30 qos:30,10,20,1,1 qos=0"},
  {"QoS of a run of ticks", FILE_LIKE, "rate=100/1 max-gap=5000000", ONE, "+0 +30 eos qos:10,10,0,1,2 qos=0"},
  {"QoS of a live tick has its lateness", LIVE_LIKE, "rate=100/1 max-gap=5000000", ONE, "+0 time:23 +20 qos:10,10,13,1,1 qos=0"},
  {"no QoS of rows between ticks, equal times, a flush", LIVE_LIKE, "rate=100/1", ONE, "+0 +4 +8 +10 +13 +20 +20 flush qos=0"},
  /* every second row of 1 kHz is late for 2.5 s: messages an interval apart, the first at once, the last at EOS */
  {"QoS messages are a second apart", BOTH, "rate=100/1", ONE, "late:1..2499/2 eos rows-late=1250 qos=4"},
  {"QoS messages are half a second apart", BOTH, "rate=100/1 qos-interval=500000000", ONE,
      "late:1..2499/2 eos rows-late=1250 qos=6"},
  {"QoS messages are far apart", BOTH, "rate=100/1 qos-interval=18446744073709551615", F32 ("1", "1000/1"),
      "late:1..2499/2 eos rows-late=1250 qos:0,1,1,1,1 qos:2,1,1,1250,1250 qos=0"},
  {"each QoS message", BOTH, "rate=100/1 qos-interval=0", ONE, "late:1..2499/2 eos rows-late=1250 qos=1250"},
  {"QoS is off", LIVE_LIKE, "rate=100/1 max-gap=5000000 qos-messages=false", ONE,
      "+0 +20 +10 rows-late=1 ticks-dropped=1 qos=0"},

  /* messages of stats, which the end adds one to; setting the interval restarts it */
  {"no stats messages", LIVE_LIKE, "rate=100/1", ONE, "live:0..2000/10 eos stats-messages=0"},
  {"stats messages every 100 ms", LIVE_LIKE, "rate=100/1", ONE, "set:stats-interval=100000000 live:0..490/10 "
      "set:stats-interval=100000000 live:500..1490/10 set:stats-interval=100000000 live:1500..2000/10 "
      "stats-message:rows-in=11 stats-message:rows-in=21 stats-messages=16 eos stats-message:rows-in=201 stats-messages=0"},
  {"stats messages for a second", LIVE_LIKE, "rate=100/1", ONE, "live:0..490/10 set:stats-interval=100000000 "
      "live:500..1490/10 set:stats-interval=0 live:1500..2000/10 stats-messages=9 eos stats-messages=0"},
  {"a stats message at the end alone", LIVE_LIKE, "rate=100/1 stats-interval=3600000000000", ONE,
      "live:0..2000/10 stats-messages=0 eos stats-message:rows-in=201 stats-messages=0"},
  {"rows in system memory are copied: no buffer of upstream is held", FILE_LIKE, "rate=100/1", ONE, "+0 +5 rows-kept=2 drain"},

  /* sensors that misbehave */
  {"not live a day is a day: rows behind one of tomorrow are late", FILE_LIKE, "rate=1/3600 gap-policy=nan max-gap=1000000000", ONE,
      "+0=1 +86400000=2 +10=3 eos ticks-out=25 ticks-nan=23 rows-late=1 rows-dropped=0"},
  {"NaN is a value", LIVE_LIKE, "rate=40/1", ONE, "+0 >0 +50=nan >25=nan >50=nan +100 >75=nan >100"},

  /* segments */
  {"start and base: running time is PTS - 997", FILE_LIKE, "rate=100/1", ONE,
      "seg:1000,3,0,1 +1002=5 +1032=35 eos >1007=10 >1017=20 >1027=30 ."},
  {"offset: running time is PTS - 1004", FILE_LIKE, "rate=100/1", ONE,
      "seg:1000,0,4,1 +1002=99 +1008=4 +1032=28 eos >1014=10 >1024=20 . rows-dropped-outside-segment=1 rows-dropped=1"},
  {"double rate", FILE_LIKE, "rate=100/1", ONE, "seg:0,0,0,2 +0 +80 eos >0 >20 >40 >60 >80 ."},
  {"double rate, a GAP", FILE_LIKE, "rate=100/1 max-gap=15000000", ONE,
      "seg:0,0,0,2 +0 +80 eos >0 >80! >gap:20,60 >nogap"},
  {"rows outside the segment", BOTH, "rate=100/1", ONE,
      "seg:50,0,0,1 +20=99 +50 +60 eos >50 >60 rows-dropped-outside-segment=1 rows-dropped=1"},
  {"a new segment drains, and nothing is blended across", FILE_LIKE, "rate=100/1", ONE,
      "+0 +18 seg:0,18,0,1 >0 >10 . +7=107 +27=127 eos >12=112 >22=122 ."},

  /* streams and flushes */
  {"STREAM_START drains", FILE_LIKE, "rate=100/1", ONE,
      "+0 +10 stream >0 >10 seg:0,0,0,1 +20=5 +40=7 eos >20=5 >30=6 >40=7"},
  {"the same caps again change nothing", FILE_LIKE, "rate=100/1", ONE,
      "+0 +20=1 caps . +20 +40 +41 >0 >10 >20 >30 ."},
  {"a flush forgets", FILE_LIKE, "rate=100/1", ONE,
      "+0 +15 flush seg:0,0,0,1 . +-=99 +5=105 +25=125 eos >10=110 >20=120 . rows-dropped-no-time=1 rows-dropped-flush=2"},
  {"a flush forgets, live", LIVE_LIKE, "rate=100/1", ONE,
      "+1 +2 flush seg:0,0,0,1 rows-dropped-flush=2 rows-dropped=2 +-=99 +5=105 +25=125 eos >10=110 >20=120 ."},
  {"a seek: running time begins anew", FILE_LIKE, "rate=100/1", ONE,
      "+0 +7 +14 >0! flush seg:2000,0,0,1 +2004=4 +2014=14 +2015=15 >2010=10! . flush seg:0,0,0,1 +4 +14 eos >10!"},

  /* caps and sizes */
  {"a buffer before its caps", LIVE_LIKE, "rate=100/1", NULL,
      "+0 flow:not-negotiated error:negotiation:'a buffer arrived before caps' rows-dropped-refused=1 rows-dropped=1"},
  {"no caps at all", LIVE_LIKE, "rate=100/1", NULL, "eos >eos errors=0"},
  {"half a row", FILE_LIKE, "rate=100/1", F32 ("2", "0/1"), "+0#4 flow:error error:format:'4 bytes'"},
  {"a row and a half", FILE_LIKE, "rate=100/1", F32 ("2", "0/1"), "+0#12 flow:error error:format:'12 bytes'"},
  {"a row of three", FILE_LIKE, "rate=100/1", F32 ("2:3", "0/1"), "+0#8 flow:error error:format:'describe 24 bytes'"},
  {"a row without its time", FILE_LIKE, "rate=100/1", TENSORS ("2", "float32,int64", "2,1", "0/1"),
      "+0#8 flow:error error:format:'describe 16 bytes in 2 tensors'"},
  {"no bytes", FILE_LIKE, "rate=100/1", F32 ("2", "0/1"), "+0#0 flow:error error:format:'0 bytes'"},
  {"a block of three rows, and one that is a byte short", FILE_LIKE, "rate=100/1", F32 ("1:3", "0/1"),
      "+0#12 +30#11 flow:error rows-dropped-refused=3 rows-dropped=3 rows-in=6"},
  {"live, a malformed buffer costs its rows alone", LIVE_LIKE, "rate=100/1", ONE,
      "+0 +5#3 warning:format:'3 bytes' +6#0 +7#400 +10 +20 warnings=0 errors=0 >0 >10 >20 . rows-dropped-malformed=3 "
      "rows-dropped-refused=0 rows-in=6"},
  {"live, a flexible buffer without a header", LIVE_LIKE, "rate=100/1", "other/tensors,format=(string)flexible,framerate=(fraction)0/1",
      "+0#8 warning:format:'less than its header' rows-dropped-malformed=1 errors=0"},
  {"live, caps that cannot be read, until others", LIVE_LIKE, "rate=100/1", ONE,
      "+0 +10 >0 >10 caps:'" F32 ("1:2:3", "0/1") "' warning:format:1:2:3 +20 +30 caps:'" F32 ("0", "0/1") "' +40 warnings=0 caps:'" ONE "' +50 +60 "
      ">50! >60 . rows-dropped-malformed=3 errors=0"},
  {"live, the first caps cannot be read", LIVE_LIKE, "rate=100/1", F32 ("1:2:3", "0/1"), "error:negotiation:1:2:3 +20 flow:not-negotiated"},
  {"live, episodes of a byte less", LIVE_LIKE, "gap-policy=nan", EPISODES, "+0#311 warning:format:'in 3 tensors' rows-dropped-malformed=1 "
      "errors=0"},
  {"no row after an error", FILE_LIKE, "rate=100/1", ONE,
      "+0 +15 +25 >0 >10 +30#8 flow:error gap:40,0 eos ."},
  {"other caps drain", FILE_LIKE, "rate=100/1", ONE,
      "+0 +18 caps:'" F32 ("2", "0/1") "' >0 >10 . >caps:dimensions=2 +25=1,2 +35=3,6 eos >30=2,4 ."},
  {"caps of another kind", FILE_LIKE, "rate=100/1", ONE,
      "+0 caps:'application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32' error:negotiation:'put robocachevoxelize between. The pad accepts' "
      "errors=0"},
  {"caps of another kind, once more after READY", FILE_LIKE, "rate=100/1", ONE,
      "+0 caps:text/csv error:negotiation:'sink: caps are text/csv: put robocacheparse between' caps:text/csv errors=0 state:ready state:playing stream "
      "caps:text/csv error:negotiation:'put robocacheparse between' errors=0"},
  {"caps that turn bad", FILE_LIKE, "rate=100/1", ONE,
      "+0 +10 caps:'" F32 ("1:2:3", "0/1") "' >0 >10 error:negotiation:1:2:3 +20 flow:not-negotiated eos . errors=0"},

  /* channel lists, from READY on */
  {"a quaternion past the end", LIVE_LIKE, "rate=100/1 quaternions=2", F32 ("5", "0/1"),
      "error:settings:'quaternions: 2: expected a channel from 0 to 1' errors=0"},
  {"quaternions that overlap", LIVE_LIKE, "rate=100/1 quaternions=0,3", F32 ("8", "0/1"),
      "error:settings:'quaternions: 3: expected no overlap with the quaternion at channel 0, which takes 4 channels' errors=0"},
  {"quaternions that overlap, the later one first", LIVE_LIKE, "rate=100/1 quaternions=4,3", F32 ("8", "0/1"),
      "error:settings:'quaternions: 4: expected no overlap with the quaternion at channel 3, which takes 4 channels' errors=0"},
  {"an angle past the end", LIVE_LIKE, "rate=100/1 angles=5", F32 ("5", "0/1"), "error:settings:5 errors=0"},
  {"an angle of a quaternion", LIVE_LIKE, "rate=100/1 quaternions=0 angles=2", F32 ("5", "0/1"),
      "error:settings:'angles: 2: expected no channel of the quaternion at channel 0' errors=0"},
  {"a velocity past the end", LIVE_LIKE, "rate=100/1 interpolation=hermite velocities=7", F32 ("5", "0/1"),
      "error:settings:7 errors=0"},
  {"more velocities than channels", LIVE_LIKE, "rate=100/1 interpolation=hermite velocities=0-9", F32 ("5", "0/1"),
      "error:settings:velocities errors=0"},
  {"quaternions", LIVE_LIKE, "rate=100/1 quaternions=1", F32 ("5", "0/1"),
      "+0=1,1,0,0,0 +20=3,0.70710678,0,0,0.70710678 "
      ">0~1,1,0,0,0 >10~2,0.9238795325,0,0,0.3826834324 >20~3,0.70710678,0,0,0.70710678"},
  {"quaternions of another length", BOTH, "rate=100/1 quaternions=1", F32 ("5", "0/1"),
      "+0=1,2,0,0,0 warning:format:'the quaternion in channels 1 to 4 has length 2 instead of 1' +20=3,0,0,0,1 +40=5,0,0,0,0 "
      "warning:format:'the quaternion in channels 1 to 4 has length 0: interpolation gives NaN' +60=7,0,0,0,0 +80=9,0,3,0,0 eos "
      "quaternions-not-unit=2 quaternions-zero=2 warnings=0"},
  {"quaternions that are NaN, and channels that are none", BOTH, "rate=100/1 quaternions=1", F32 ("5", "0/1"),
      "+0=77,1,0,0,0 +20=0,nan,nan,nan,nan +40=1,0,0,1,0 eos quaternions-not-unit=0 quaternions-zero=0 warnings=0"},
  {"an angle by its name", LIVE_LIKE, "rate=100/1 angles=turn", F32 ("2", "0/1") ", channels=(string)\"way,turn\"",
      "+0=3,3 +20=-3,-2.9 >0~3,3 >10~0,-3.09159265 >20~-3,-2.9"},
  {"a name that the caps do not have", LIVE_LIKE, "rate=100/1 quaternions=qx,qz", F32 ("4", "0/1") ", channels=(string)\"qw,qx,qy,q\"",
      "error:settings:'quaternions: \"qx,qz\": there is no channel \"qz\"; the caps have qw,qx,qy,q' errors=0"},
  {"a name, and caps without names", LIVE_LIKE, "rate=100/1 angles=turn", F32 ("2", "0/1"),
      "error:settings:'\"turn\" is not a channel list: set zero-based numbers and ranges, like \"0\" or \"3-6,9\", since the caps name no "
      "channels' errors=0"},
  {"angles", LIVE_LIKE, "rate=100/1 angles=1", F32 ("2", "0/1"), "+0=3,3 +20=-3,-2.9 >0~3,3 >10~0,-3.09159265 >20~-3,-2.9"},
  {"kinds of caps", LIVE_LIKE, "rate=100/1", F32 ("6", "0/1") ", kinds=(string)\"quaternion,angle,hold\"",
      "+0=1,0,0,0,3,7 +20=-0.70710678,-0.70710678,0,0,-2.9,8 >0~1,0,0,0,3,7 >10~0.9238795325,0.3826834324,0,0,-3.09159265,7 "
      ">20~-0.70710678,-0.70710678,0,0,-2.9,8 '>caps:kinds=\"quaternion\\,angle\\,hold\"' kinds-source=caps"},
  {"kinds that are ignored", LIVE_LIKE, "rate=100/1 kinds=ignore", F32 ("2", "0/1") ", kinds=(string)\"angle,hold\"",
      "+0=3,7 +20=-3,8 >0~3,7 >10~0,7.5 >20~-3,8 kinds-source=ignored"},
  {"a list in place of kinds", LIVE_LIKE, "rate=100/1 angles=1", F32 ("2", "0/1") ", kinds=(string)\"angle,hold\"",
      "+0=3,3 +20=-3,-2.9 >0~3,3 >10~0,-3.09159265 >20~-3,-2.9"},
  {"kinds of other caps", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan kinds=hold", ONE,
      "+0=1 +20=2 +60=3 eos >0=1 >10=1 >20=2 >30=2 >40=2 >50=2 >60=3 ticks-nan=0 kinds-source=property"},
  {"the mean of what is held", BOTH, "rate=50/1 interpolation=mean", F32 ("2", "0/1") ", kinds=(string)\"real,hold\"",
      "+0=0,5 +9=2,6 +21=4,7 +29=6,8 +45=8,9 eos >0=1,5 >20=5,6 >40=8,8 ."},
  {"kinds of more channels", BOTH, "rate=100/1", F32 ("2", "0/1") ", kinds=(string)\"real*3\"",
      "error:negotiation:'kinds=\"real*3\" has 3 channels, but a row has 2' errors=0"},
  {"a word that is no kind", BOTH, "rate=100/1", F32 ("2", "0/1") ", kinds=(string)\"real,switch\"",
      "error:negotiation:'\"switch\" is not a kind: expected real, angle' errors=0"},
  {"rates of names that change", FILE_LIKE, "rate=100/1 interpolation=hermite",
      F32 ("3", "0/1") ", channels=(string)\"a,b,va\", kinds=(string)\"real*2,velocity:a\"",
      "+0=0,0,800 +20=2,4,0 caps:'" F32 ("3", "0/1") ", channels=(string)\"b,a,va\", kinds=(string)\"real*2,velocity:a\"' "
      ">0=0,0,800 >10=3,2,400 >20=2,4,0 +40=0,0,800 +60=2,4,0 eos >40=0,0,800 >50=1,2,400 >60=2,4,0"},
  {"a quaternion of names that change", FILE_LIKE, "rate=100/1 quaternions=qw",
      F32 ("5", "0/1") ", channels=(string)\"qw,qx,qy,qz,x\"",
      "+0=1,0,0,0,1 +20=0.70710678,0,0,0.70710678,3 caps:'" F32 ("5", "0/1") ", channels=(string)\"x,qw,qx,qy,qz\"' "
      ">0~1,0,0,0,1 >10~0.9238795325,0,0,0.3826834324,2 >20~0.70710678,0,0,0.70710678,3 "
      "+40=1,1,0,0,0 +60=3,0.70710678,0,0,0.70710678 eos "
      ">40~1,1,0,0,0 >50~2,0.9238795325,0,0,0.3826834324 >60~3,0.70710678,0,0,0.70710678"},
  {"kinds that change", FILE_LIKE, "rate=100/1", F32 ("1", "0/1") ", kinds=(string)hold",
      "+0=1 +20=2 caps:'" F32 ("1", "0/1") ", kinds=(string)real' >0=1 >10=1 >20=2 +40=2 +60=4 eos >40=2 >50=3 >60=4"},
  {"an angle that stays at 4 rad", BOTH, "rate=100/1 angles=0", ONE, "+0=4 +15=4 +30=4 eos >0=4 >10=4 >20=4 >30=4"},
  {"an angle of several turns", BOTH, "rate=100/1 angles=0", ONE, "+0=8 +20=9 eos >0=8 >10=8.5 >20=9"},
  {"a mean of angles over pi", FILE_LIKE, "rate=50/1 angles=0 interpolation=mean", ONE,
      "+0=3 +1=-3 +2=3.1 +3=-3 +20=1 eos >0~-3.11659265 >20=1"},
  {"a mean of q and -q", FILE_LIKE, "rate=50/1 quaternions=0 interpolation=mean", F32 ("5", "0/1"),
      "+0=0,1,0,0,2 +1=0,-1,0,0,4 +20=1,0,0,0,6 eos >0=0,1,0,0,3 >20=1,0,0,0,6 quaternions-scattered=0 warnings=0"},
  {"scattered orientations are dropped, no tick after them is", FILE_LIKE, "rate=50/1 quaternions=0 interpolation=mean", F32 ("5", "0/1"),
      SCATTERED "+20=1,0,0,0,6 eos warning:format:'the orientations within a tick differ too much' >20=1,0,0,0,6 "
          "quaternions-scattered=1 ticks-dropped=1 ticks-out=1 warnings=0"},
  {"scattered orientations are missing", FILE_LIKE, "rate=50/1 quaternions=0 interpolation=mean gap-policy=nan", F32 ("5", "0/1"),
      SCATTERED "+20=1,0,0,0,6 eos warning:format:'Set interpolation=linear or a higher rate' >0=nan,nan,nan,nan,3 >20=1,0,0,0,6 "
      "quaternions-scattered=1 ticks-nan=1 ticks-out=2 warnings=0"},
  {"scattered orientations are not held", FILE_LIKE, "rate=50/1 quaternions=0 interpolation=mean gap-policy=hold", F32 ("5", "0/1"),
      SCATTERED "+20=1,0,0,0,6 eos warning:format:orientations >0=nan,nan,nan,nan,3 >20=1,0,0,0,6 ticks-held=0 ticks-nan=1"},
  /* x = t^3 in units of 20 ms, with its rate: a cubic Hermite is exact */
  {"velocities", LIVE_LIKE, "rate=100/1 interpolation=hermite velocities=1", F32 ("2", "0/1"),
      "+0=0,0 +20=1,150 >0~0,0 >10~0.125,75 >20~1,150"},

  /* interpolations */
  {"linear", FILE_LIKE, "rate=200/1 interpolation=linear", ONE, CURVE ">5=1.875 >10=5 >15=8.125 >20=12 >25=17 >30=22 ."},
  {"nearest", FILE_LIKE, "rate=200/1 interpolation=nearest", ONE, CURVE ">5=0 >10=0 >15=10 >20=10 >25=22 >30=22 ."},
  {"previous", FILE_LIKE, "rate=200/1 interpolation=previous", ONE, CURVE ">5=0 >10=0 >15=0 >20=10 >25=10 >30=22 ."},
  {"mean", FILE_LIKE, "rate=200/1 interpolation=mean", ONE, CURVE ">5=1.875 >10=5 >15=8.125 >20=10 >25=17 >30=22 ."},
  {"lowpass", FILE_LIKE, "rate=50/1 interpolation=lowpass lobes=2", F32 ("1:10", "0/1"),
      "+0/100=0,10,20,30,40,50,60,70,80,90 +100/100=100,110,120,130,140,150,160,170,180,190 eos "
      ">0 >20 >40 >60~60 >80~80 >100~100 >120~120 >140 >160 >180 ."},
  {"lowpass: a cutoff of a day", LIVE_LIKE, "rate=50/1 interpolation=lowpass cutoff=0.00001", ONE,
      "error:settings:'cutoff=1e-05: expected 0 (automatic) or 0.001 to 1e+06' errors=0"},
  {"a parabola is its own cubic away from the ends", FILE_LIKE, "rate=100/1 interpolation=cubic", ONE,
      "+0=0 +20=400 +40=1600 +60=3600 +80=6400 eos "
      ">0~0 >10=any >20~400 >30~900 >40~1600 >50~2500 >60~3600 >70=any >80~6400"},
  {"a mean of rows however close", FILE_LIKE, "rate=1/1 interpolation=mean", ONE,
      "+0=0 +0.000001=3 +0.000002=6 +1000=9 eos >0=3 >1000=9 errors=0"},

  /* blocks of rows, times of rows */
  {"many rows a buffer", FILE_LIKE, "rate=100/1", F32 ("1:5", "0/1"),
      "+0/50=0,10,20,30,40 +50/50=50,60,70,80,90 eos >0 >10 >20 >30 >40 >50 >60 >70 >80 >90 ."},
  {"times of rows win over PTS and duration", FILE_LIKE, "rate=100/1", TIMED ("3"), "+500=3,13,33@3,13,33 eos >10 >20 >30 ."},
  {"times of rows at an odd address", FILE_LIKE, "rate=100/1", TIMED ("3"), "++500=3,13,33@3,13,33 eos >10 >20 >30 ."},
  {"times of rows without PTS", FILE_LIKE, "rate=100/1", TIMED ("3"), "++-=3,13,33@3,13,33 eos >10 >20 >30 ."},
  {"times of rows that are none", FILE_LIKE, "rate=100/1", TIMED ("2"), "+0=1,2@-0.000005,inf eos . rows-dropped=2"},
  {"DISCONT passes", LIVE_LIKE, "rate=100/1", ONE, "+0 +10 >0 >10 +20! >20!"},
  {"rows before a first tick that is far away do not pile up", BOTH, "rate=1/3600 max-gap=-1", ONE,
      "live:1..4999/1 rows-kept=2 time:3601000 +3601000 eos ticks-out=1"},

  {"latency holds the longest reorder window", LIVE_LIKE, "rate=100/1 reorder-window=3600000000000", F32 ("1", "100/1"),
      "live=1 latency=3600010"},

  /* a rate that changes */
  {"downstream asks for another rate: the next tick is the first after the last", FILE_LIKE, "", ONE,
      "downstream:other/tensors,framerate=(fraction)100/1 caps +0 +20 +21 >0 >10 "
      "downstream:other/tensors,framerate=(fraction)200/1 +25 >15 >20 >caps:framerate=200/1 +35 +36 >25 >30 ."},
  {"without a rate that of the input holds", LIVE_LIKE, "rate=50/1", F32 ("1", "100/1"),
      "+0 set:rate=0/1 +10 >0 >10 >caps:framerate=100/1"},
  {"without any rate there is an error", LIVE_LIKE, "rate=50/1", ONE,
      "+0 set:rate=0/1 +10 flow:not-negotiated error:negotiation:'set rate'"},
  {"a type that was set late is that of the next start", LIVE_LIKE, "rate=100/1", ONE,
      "set:type=float64 state:ready state:playing start seg:0,0,0,1 >caps:types=float64"},
  {"interpolation is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("interpolation", "previous", "previous")},
  {"max-gap is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("max-gap", "1", "1")},
  {"gap-policy is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("gap-policy", "nan", "nan")},
  {"reorder-window is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("reorder-window", "1000000000", "1000000000")},
  {"type is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("type", "float64", "float64")},
  {"backend is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("backend", "cpu", "cpu")},
  {"device-id is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("device-id", "3", "3")},
  {"devices is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("devices", "7", "7")},
  {"max-device-memory is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("max-device-memory", "1", "1")},
  {"n-threads is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("n-threads", "2", "2")},
  {"quaternions is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("quaternions", "99", "99")},
  {"angles is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("angles", "0", "0")},
  {"velocities is set late", LIVE_LIKE, "rate=100/1", ONE, SET_LATE ("velocities", "0", "0")},
  {"malformed quaternions are refused late", LIVE_LIKE, "rate=100/1", ONE, REFUSED_LATE ("quaternions", "1-")},
  {"malformed angles are refused late", LIVE_LIKE, "rate=100/1", ONE, REFUSED_LATE ("angles", "3-1")},
  {"malformed velocities are refused late", LIVE_LIKE, "rate=100/1", ONE, REFUSED_LATE ("velocities", ",")},
  {"counts begin anew", FILE_LIKE, "rate=100/1", ONE,
      "+0 +10 rows-in=2 state:null rows-dropped=2 state:playing rows-in=0"},

  /* clocks that jump, live, with rows and ticks 50 ms apart: ticks until the jump is known have no rows, and are dropped */
  {"the clock jumps by a day", LIVE_LIKE, JUMPING, CLOCK_JUMPS ("86400000") "clock-shift=-86400000000000"},
  {"the clock jumps back by a day", LIVE_LIKE, JUMPING, CLOCK_JUMPS ("-86400000") "clock-shift=86400000000000"},
  {"the clock jumps by an hour", LIVE_LIKE, JUMPING, CLOCK_JUMPS ("3600000") "clock-shift=-3600000000000"},
  {"the clock jumps back by an hour", LIVE_LIKE, JUMPING, CLOCK_JUMPS ("-3600000") "clock-shift=3600000000000"},
  {"a flush forgets what was learnt of the clock", LIVE_LIKE, JUMPING,
      CLOCK_JUMPS ("86400000") "flush seg:0,0,0,1 good:2050..3000/50 clock-shift=0"},
  /* one wild timestamp is no tick of a day, and nothing after it is late: the tick is between its neighbours */
  {"one row is a day ahead", LIVE_LIKE, STEADY, ONE_WILD_ROW ("86400000")},
  {"one row is a day behind", LIVE_LIKE, STEADY, ONE_WILD_ROW ("-86400000")},
  {"one row is an hour ahead", LIVE_LIKE, STEADY, ONE_WILD_ROW ("3600000")},
  {"one row is an hour behind", LIVE_LIKE, STEADY, ONE_WILD_ROW ("-3600000")},
  {"the first row is a day ahead", LIVE_LIKE, STEADY, FIRST_ROW_WILD ("86400000")},
  {"the first row is a day behind", LIVE_LIKE, STEADY, FIRST_ROW_WILD ("-86400000")},
  {"the first row is an hour ahead", LIVE_LIKE, STEADY, FIRST_ROW_WILD ("3600000")},
  {"the first row is an hour behind", LIVE_LIKE, STEADY, FIRST_ROW_WILD ("-3600000")},
  {"a GAP of tomorrow", LIVE_LIKE, STEADY, "from:172800000 good:0..500/50 gap:86400000,10 good:550..1000/50 rows-late=0"},
  {"a hole of half a second is filled when the next row comes", LIVE_LIKE, "rate=20/1 max-gap=200000000 gap-policy=hold",
      F32 ("1", "20/1"), "from:172800000 good:0..500/50 live:1000..1000/50 >550=500 >600=500 >650=500 >700=500 >750=500 >800=500 "
      ">850=500 >900=500 >950=500 >1000 . ticks-held=9"},
  /* nobody waited for them */
  {"none of a burst after a minute is late", LIVE_LIKE, STEADY,
      "from:172800000 good:0..500/50 time:60500 burst:550..60500/50 rows-late=0 rows-dropped=0 clock-jumps=0"},

  /* holes of 86 million ticks: one GAP event, one message. Counting them takes minutes. */
  {"a hole of a day, linear", BOTH, "rate=1000/1 max-gap=1000000000 interpolation=linear", ONE, HOLE_OF_A_DAY NO_ROW_HELD},
  {"a hole of a day, nearest", BOTH, "rate=1000/1 max-gap=1000000000 interpolation=nearest", ONE, HOLE_OF_A_DAY NO_ROW_HELD},
  {"a hole of a day, previous: a row is held for a second", BOTH, "rate=1000/1 max-gap=1000000000 interpolation=previous", ONE,
      HOLE_OF_A_DAY "ticks-out=1003 ticks-dropped=86398999 >gap:1001,86398999 >nogap qos=1"},
  {"a hole of a day, cubic", BOTH, "rate=1000/1 max-gap=1000000000 interpolation=cubic", ONE, HOLE_OF_A_DAY NO_ROW_HELD},
  {"a hole of a day, hermite", BOTH, "rate=1000/1 max-gap=1000000000 interpolation=hermite", ONE, HOLE_OF_A_DAY NO_ROW_HELD},
  {"a hole of a day, mean", BOTH, "rate=1000/1 max-gap=1000000000 interpolation=mean", ONE, HOLE_OF_A_DAY NO_ROW_HELD},
  {"a first row of another clock, drop", FILE_LIKE, "rate=1000/1", ONE, TWO_CLOCKS},
  {"a first row of another clock, drop after max-gap", FILE_LIKE, "rate=1000/1 max-gap=1000000000", ONE, TWO_CLOCKS},
  {"a first row of another clock, nan", FILE_LIKE, "rate=1000/1 gap-policy=nan max-gap=1000000000", ONE, TWO_CLOCKS},
  {"a first row of another clock, hold", FILE_LIKE, "rate=1000/1 gap-policy=hold max-gap=1000000000", ONE, TWO_CLOCKS},
  {"a NaN is 0 in integers", LIVE_LIKE, "rate=100/1 max-gap=15000000 gap-policy=nan type=int32", ONE,
      "+0=5 +30=7 >0=5 >10=0 >20=0 >30=7"},

  /* a max-gap below the interval of the rows */
  {"ns for ms", BOTH, "rate=100/1 max-gap=100", ONE, "+0 +25 +50 +75 +100 +125 +150 +175 warnings=0 +200 warning:settings:'max-gap is 100ns, but the "
      "rows are 25ms apart, so ticks between rows are not aligned: set max-gap above 25ms (a number without a unit is in ns)' +225 eos warnings=0"},
  {"ns for ms, and few rows", BOTH, "rate=100/1 max-gap=20000000", ONE,
      "+0 +25 +50 +75 warnings=0 eos warning:settings:'max-gap is 20ms, but the rows are "
      "25ms apart, so ticks between rows are not aligned: set max-gap above 25ms' warnings=0"},

  /* seeks, and segments that end or are none */
  {"SEGMENT_DONE outputs what EOS does, and the next segment goes on from there", BOTH, "rate=100/1", ONE,
      "+0 +10 +20 +30 segdone:500 >0 >10 >20 >30 . >segment-done seg:0,500,0,1 "
      "+0 +10 +20 +30 segdone:500 >0 >10 >20 >30 . >segment-done"},
  {"a seek goes upstream", FILE_LIKE, "rate=100/1", ONE, "seek:1000"},
  {"a segment in bytes", LIVE_LIKE, "rate=100/1", ONE, "bytes error:format:'a segment in bytes' +0 flow:error errors=0"},

  /* recorded episodes: data, times of rows and target times in, one buffer out for one in */
  {"episodes cannot drop", LIVE_LIKE, "", EPISODES, "error:settings:'gap-policy=drop cannot'"},
  {"a lowpass of episodes has no cutoff", LIVE_LIKE, "gap-policy=nan interpolation=lowpass", EPISODES, "error:settings:'set cutoff (Hz) or rate'"},
  {"a mean of episodes has no window", LIVE_LIKE, "gap-policy=nan interpolation=mean", EPISODES, "error:settings:'set rate'"},
  {"a quaternion of two channels", LIVE_LIKE, "gap-policy=nan quaternions=0", EPISODES,
      "error:settings:'quaternions: 0: expected no entry: a row has 2 channels, fewer than 4'"},
  {"episodes of a byte less", FILE_LIKE, "gap-policy=nan", EPISODES, "+0#311 flow:error error:format:'in 3 tensors'"},
  {"memories of episodes that are right in sum and wrong one by one", FILE_LIKE, "gap-policy=nan", EPISODES,
      "+0#96#120#96 flow:error error:format:'tensor 1 of the buffer has 120 bytes'"},
  {"episodes of quaternions", LIVE_LIKE, "gap-policy=nan quaternions=0", BATCH ("float32", "4:4,4,1"),
      "+0=1,0,0,0,2,0,0,0,0,0,0,0,0,0,0,3@0,10,20,30@15 warning:format:'length 0' warning:format:'channels 0 to 3 has length 2 instead of 1' "
      "quaternions-not-unit=2 quaternions-zero=1 warnings=0"},
  {"an episode larger than the machine", LIVE_LIKE, "gap-policy=nan", BATCH ("float32", "10000000:1:1,1:1,10000000:1"),
      TOO_LARGE ("float32 of dimensions 10000000:10000000 needs 400000000000000 bytes")},
  {"an episode of bytes larger than the machine", LIVE_LIKE, "gap-policy=nan", BATCH ("uint8", "10000000:1:1,1:1,10000000:1"),
      TOO_LARGE ("float32 of dimensions 10000000:10000000")},
  {"an episode larger than 64 bits", LIVE_LIKE, "gap-policy=nan", BATCH ("float16", "1000000000:1:1000,1:1000,1000000000:1000"),
      TOO_LARGE ("1000000000:1000000000:1000 needs 184467440737")},
  {"one memory of odd rows: the times start 4 bytes off", LIVE_LIKE, "gap-policy=nan", BATCH ("float32", "1:3,3,2"),
      "++0=1,2,3@0,10,20@5,20 >0=1.5,3"},
  {"one memory of two episodes", LIVE_LIKE, "gap-policy=nan", BATCH ("float32", "1:2:2,2:2,1:2"),
      "++0=0,10,100,110@0,10,100,110@5,105 >0=5,105"},
  {"of three episodes one whose times decrease, nan", LIVE_LIKE, "gap-policy=nan", BATCH ("float32", "1:3:3,3:3,2:3"),
      DISORDERED ">0=5,nan,nan,nan,205,nan " DISORDERED ">0=5,nan,nan,nan,205,nan disordered-episodes=2 errors=0"},
  {"of three episodes one whose times decrease, hold", LIVE_LIKE, "gap-policy=hold", BATCH ("float32", "1:3:3,3:3,2:3"),
      DISORDERED ">0=5,20,nan,nan,205,220 " DISORDERED ">0=5,20,nan,nan,205,220 disordered-episodes=2 errors=0"},
  {"of equal times in an episode the last row wins", LIVE_LIKE, "gap-policy=nan", BATCH ("float32", "1:4,4,5"),
      "+0=77,0,40,20@0,0,15,65@-5,0,15,40,65.000001 >0=nan,0,40,30,nan"},
  {"float64 to int32: 2.5 to even, a row, nothing", LIVE_LIKE, "gap-policy=nan type=int32", BATCH ("float64", "1:2,2,3"),
      "+0=1,4@0,10@5,10,11 >caps:types=int32 >0=2,4,0"},
  {"episodes need no time of their own; rows in order of arrival do", LIVE_LIKE, "gap-policy=nan", BATCH ("float32", "1:3,3,2"),
      "bytes +-=1,2,3@0,10,20@5,20 >-=1.5,3 errors=0 "
      "caps:'" F32 ("1", "100/1") "' +0 flow:error error:format:'a segment in bytes'"},
  {"episodes have no latency", LIVE_LIKE, "gap-policy=nan interpolation=cubic", EPISODES, "upstream-latency:5 latency=5"},
  {"episodes, EOS, a flush, and again", LIVE_LIKE, "gap-policy=nan stats-interval=100000000", EPISODES,
      FOUR_EPISODES "flush seg:0,0,0,1 " FOUR_EPISODES "flush seg:0,0,0,1 " FOUR_EPISODES},
};

/* ---- input ---- */

/* Reads numbers of float32 or float64, or times in ms, and appends them as a memory. */
static void
append_numbers (GstBuffer *buffer, const gchar **text, gboolean are_times, gboolean are_float64)
{
  const gsize length = strcspn (*text, "@#!");
  gchar *list = g_strndup (*text, length), **numbers = g_strsplit (list, ",", -1);
  GByteArray *bytes = g_byte_array_new ();

  for (gchar **number = numbers; *number; number++) {
    const gdouble value = g_ascii_strtod (*number, NULL);
    const gint64 time_ns = isinf (value) ? G_MAXINT64 : llround (value * 1e6);
    const gfloat as_float = (gfloat) value;

    if (are_times)
      g_byte_array_append (bytes, (const guint8 *) &time_ns, sizeof time_ns);
    else if (are_float64)
      g_byte_array_append (bytes, (const guint8 *) &value, sizeof value);
    else
      g_byte_array_append (bytes, (const guint8 *) &as_float, sizeof as_float);
  }
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (bytes->data, bytes->len));
  *text += length;
  g_byte_array_unref (bytes);
  g_strfreev (numbers);
  g_free (list);
}

static GstBuffer *
input_rows (Scenario *s, const gchar *text)
{
  const gboolean is_one_memory = *text == '+', are_float64 = s->caps && strstr (s->caps, "\"float64") != NULL;
  GstBuffer *buffer = gst_buffer_new ();
  const gchar *start = text += is_one_memory;

  GST_BUFFER_PTS (buffer) = read_time (s, &text);
  if (*text == '/') {
    text++;
    GST_BUFFER_DURATION (buffer) = read_time (s, &text);
  }
  if (*text == '=') {
    text++;
    append_numbers (buffer, &text, FALSE, are_float64);
  } else if (*text != '#') {
    append_numbers (buffer, &start, FALSE, are_float64);
  }
  while (*text == '@' || *text == '#') {
    const gboolean are_times = *text++ == '@';
    const gsize size = are_times ? 0 : g_ascii_strtoull (text, (gchar **) &text, 10);

    if (are_times)
      append_numbers (buffer, &text, TRUE, FALSE);
    else if (size > 0)
      buffer = gst_buffer_append (buffer, gst_buffer_new_memdup ((const guint8[1000]) { 0 }, size));
  }
  if (is_one_memory)
    gst_buffer_replace_all_memory (buffer, gst_buffer_get_all_memory (buffer));
  if (*text == '!')
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

/* "live:A..B/STEP[@AHEAD]", "good:" and "burst:" */
static gboolean
follow_live_rows (Scenario *s, const gchar *word)
{
  gint first, last, step, ahead = 0;
  gchar name[6];

  expect_balance (s->h);
  if (sscanf (word, "%5[a-z]:%d..%d/%d@%d", name, &first, &last, &step, &ahead) < 4)
    return FALSE;
  for (gint ms = first; ms <= last; ms += step) {
    const GstClockTime now = (GstClockTime) s->origin + NS (ms);
    gchar *row = g_strdup_printf ("%d", ms);

    if (*name != 'b')
      gst_harness_set_time (s->h, now);
    push_ns (s->h, now + (GstClockTime) (ahead * G_GINT64_CONSTANT (1000000)), (gfloat) ms);
    if (*name == 'g' || *name == 'b')
      expect_buffer (s, row);
    if (g_str_equal (name, "late"))
      push_ns (s->h, now - GST_MSECOND, 0);
    g_free (row);
  }
  return TRUE;
}

GST_START_TEST (test_scenario)
{
  const guint i = __i__ / 2;
  const gboolean is_live = __i__ % 2;
  const gchar *words = scenarios[i].words;
  Scenario s = {.name = scenarios[i].name,.caps = scenarios[i].caps,.input = input_rows,.extra = follow_live_rows,
    .value_is_time = TRUE,.is_live = is_live };

  if (!(scenarios[i].modes & 1 << is_live))
    return;
  s.h = harness_open (is_live, scenarios[i].properties);
  follow_word (&s, "start");
  if (!g_str_has_prefix (words, "seg:") && !g_str_has_prefix (words, "gap:") && !g_str_has_prefix (words, "bytes"))
    follow_word (&s, "seg:0,0,0,1");
  scenario_run (&s, words);
  expect_balance (s.h);
  harness_close (s.h);
}

GST_END_TEST;

CHECK_MAIN (robocacheresamplescenarios, NULL, NULL, TIMES (2 * G_N_ELEMENTS (scenarios), test_scenario))
