/* robocache: robocachefuse and sensors that misbehave, a scenario for each line of the table in its documentation
 *
 * Live: beside a good sensor, a, there is one that fails, b. Both have a row every 50 ms, and so have the ticks. However b fails, no tick
 * leaves after its deadline, and every row is accounted for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

/* Ticks from first to last at which both have a row, or b has none since `newest`: held for 200 ms, then missing. */
#define BOTH(first, last) "for:" first ".." last "/50 { @t a+t b+t >t } "
#define HELD_FOR(first, last, newest) "for:" first ".." last "/50 { @t a+t deadline:t+15 >t b=held:" newest " } "
#define MISSING_FOR(first, last) "for:" first ".." last "/50 { @t a+t deadline:t+15 >t b=missing } "
#define IN_TIME " lateness-max=0"
#define DUO "rate=20/1", "a,live b,live"

static const Scenario scenarios[] = {
  /* silence */
  {"silent from the start", DUO, MISSING_FOR ("0", "1000") "b.ticks-missing=21 " BOTH ("1050", "1200") IN_TIME},
  {"silent without caps: it has no tensor until it has, and then the caps change", "rate=20/1", "a,live b,live,bare",
      "for:0..500/50 { @t a+t deadline:t+15 >t } caps.num_tensors=1 b:start " BOTH ("550", "700") "caps.num_tensors=2" IN_TIME},
  {"required and silent", DUO,
      "b:required=true " BOTH ("0", "500") HELD_FOR ("550", "700", "500")
      "for:750..1000/50 { @t a+t deadline:t+15 wait:qos } " BOTH ("1050", "1200") "ticks-dropped=6" IN_TIME},
  {"silent for two seconds, then back", DUO,
      BOTH ("0", "500") HELD_FOR ("550", "700", "500") MISSING_FOR ("750", "2500") BOTH ("2550", "3000")
      "b.ticks-held=4 b.ticks-missing=36 b.age-max=200ms b.rows-late=0" IN_TIME},
  {"EOS early: the end is known, so no tick waits for more", DUO,
      BOTH ("0", "500") "b:eos for:550..700/50 { @t a+t >t b=held:500 } for:750..1000/50 { @t a+t >t b=missing } "
      "lag-max=0 a:eos >eos" IN_TIME},
  {"EOS and back", DUO, BOTH ("0", "500") "b:eos @550 a+550 >550 b=held:500 b:start " BOTH ("600", "1000") IN_TIME},

  /* pads that flush, go and come */
  {"added again under its old name, three times: nothing of before is left", DUO,
      "for:0..600/300 { " BOTH ("t", "t+100") "b:remove @t+150 a+t+150 >t+150 b:add b:start " MISSING_FOR ("t+200", "t+250") "} "
      "rows-in=27" IN_TIME},

  /* rows that come late */
  {"a burst after a stall: only the newest row is of use", DUO,
      BOTH ("0", "500") HELD_FOR ("550", "700", "500") MISSING_FOR ("750", "1450")
      "@1500 a+1500 b+550..1500/50 >1500 " BOTH ("1550", "2000") "b.rows-late=19 b.lateness-max=900ms b.clock-jumps=0" IN_TIME},
  {"a burst after a minute, longer than any jump of the clock may be", DUO,
      BOTH ("0", "500") HELD_FOR ("550", "700", "500") MISSING_FOR ("750", "60450")
      "@60500 a+60500 b+550..60500/50 >60500 " BOTH ("60550", "60800")
      "b.rows-late=1199 b.rows-dropped=0 b.clock-jumps=0" IN_TIME},
  {"every row comes 300 ms after its time, too late for every tick", DUO,
      MISSING_FOR ("0", "250") "for:300..2000/50 { b+t-300=t @t a+t deadline:t+15 >t b=missing } "
      "b.rows-late>29 b.rows-used=0 b.lateness-max=250ms" IN_TIME},
  {"with that much latency no row is late", "rate=20/1 latency=300ms", "a,live b,live",
      "for:0..250/50 { @t a+t } for:300..2000/50 { @t a+t b+t-300=t >t-300 b=t } b.rows-late=0 b.ticks-aligned=35" IN_TIME},

  /* odd rows */
  {"NaN is a value: it takes part, and nothing else is touched", DUO,
      BOTH ("0", "100") "for:150..300/50 { @t a+t b+t=nan >t b=nan } @350 a+350 b+360 >350 b=nan " BOTH ("400", "500") IN_TIME},
  {"equal times in pairs: the last one wins", DUO,
      "for:0..1000/50 { @t b+t=-1 b+t=t+1 a+t >t b=t+1 } b.rows-duplicate=21 b.rows-late=0" IN_TIME},

  /* rates that change: the latency follows with a message, and rows of before are not blended with those after */
  {"the nominal rate changes", DUO,
      BOTH ("0", "500") "b+540 drop:latency latency=15ms b:caps=1@50/1 wait:latency latency=25ms "
      "@550 a+550 b+560 >550 b=held:540 "
      BOTH ("600", "1000") "b:caps=1@1000/1 wait:latency latency=15ms " BOTH ("1050", "1500") IN_TIME},
  {"the measured rate changes, when the last 64 spacings say so", DUO,
      "b:caps=1 " BOTH ("0", "3500") "latency=55ms drop:latency for:3550..7000/50 { @t a+t b+t-40..t/10 >t } "
      "wait:latency latency=15ms" IN_TIME},
  {"not live a day is a day: rows behind one of tomorrow are late", "rate=1/3600 allow-gaps=true", "a,caps:1@100/1",
      "a+0=1 a+1d=2 a+10=3 a:eos >0 a=1 >1h..23h/1h a=missing >1d a=2 >eos a.rows-late=1 a.rows-dropped=0"},

  /* clocks: after two days, so that rows can be a day before */
  {"a wild GAP hides nothing", DUO,
      "stop @2d play ab:start " BOTH ("2d", "2d+500") "b:gap:3d+550,10 " BOTH ("2d+550", "2d+1000") "b.rows-late=0" IN_TIME},
  {"a new segment says where times are: what was learnt of the clock is over", DUO,
      "stop @2d play ab:start " BOTH ("2d", "2d+500")
      "for:2d+550..2d+700/50 { @t a+t b+t+1d=t deadline:t+15 >t b=held:2d+500 } "
      "for:2d+750..2d+1500/50 { @t a+t b+t+1d=t deadline:t+15 >t b=missing } "
      "for:2d+1550..2d+2000/50 { @t a+t b+t+1d=t >t } b:segment:base=2d "
      "for:2d+2050..2d+3000/50 { @t a+t b+t-2d=t >t } b.clock-shift=0 b.clock-jumps=1" IN_TIME},
};

TABLE (sensorfaults);

/* Clocks that jump by JUMP. For a second rows are dropped and the stream is held from before, and then its clock is known. */
#define JUMPED(first, last) "for:" first ".." last "/50 { @t a+t b+t+JUMP=t >t } "
#define AT_2D "stop @2d play ab:start "
static const Scenario jumping[] = {
  {"the clock jumps", DUO,
      AT_2D BOTH ("2d", "2d+500") "for:2d+550..2d+700/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=held:2d+500 } "
      "for:2d+750..2d+1500/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=missing } " JUMPED ("2d+1550", "2d+2000")
      "b.clock-jumps=1 clock-jumps=1 b.clock-shift=-JUMP b.rows-dropped-clock-jump=20 a.ticks-aligned=41 "
      "warning:proprio_1|clock-jumps no:warning" IN_TIME},
  {"the clock jumps, and is put right: times are read as they are again", DUO,
      AT_2D BOTH ("2d", "2d+500") "for:2d+550..2d+700/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=held:2d+500 } "
      "for:2d+750..2d+1500/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=missing } " JUMPED ("2d+1550", "2d+5000")
      "for:2d+5050..2d+5200/50 { @t a+t b+t deadline:t+15 >t b=held:2d+5000 } "
      "for:2d+5250..2d+6000/50 { @t a+t b+t deadline:t+15 >t b=missing } " BOTH ("2d+6050", "2d+7000")
      "b.clock-jumps=2 b.clock-shift=0 b.rows-dropped-clock-jump=40 warning:proprio_1|clock-jumps no:warning" IN_TIME},
  {"one wild timestamp costs one row", DUO,
      AT_2D BOTH ("2d", "2d+500") "@2d+550 a+2d+550 b+2d+550+JUMP=0 deadline:2d+565 >2d+550 b=held:2d+500 " BOTH ("2d+600", "2d+1000")
      "b.clock-jumps=0 b.rows-dropped-clock-jump=1 no:warning" IN_TIME},
  {"also when it is the first", DUO,
      AT_2D "b+2d+JUMP=0 " BOTH ("2d", "2d+500") "b.rows-dropped-clock-jump=1 ticks-out=11" IN_TIME},
  {"wild timestamps of the reference pad: no tick of another day", "reference-pad=proprio_0", "a,live",
      "stop @2d play a:start @2d a+2d+JUMP=0 for:2d+50..2d+450/50 { @t a+t >t } @2d+500 a+2d+500+JUMP=0 "
      "for:2d+550..2d+950/50 { @t a+t >t } "
      "ticks-out=18 a.rows-dropped-clock-jump=2"},
  {"the clock of the reference pad jumps: no tick until that is known", "reference-pad=proprio_0", "a,live",
      "stop @2d play a:start for:2d..2d+450/50 { @t a+t >t } for:2d+500..2d+1450/50 { @t a+t+JUMP=t } "
      "for:2d+1500..2d+2950/50 { @t a+t+JUMP=t >t } "
      "ticks-out=40 a.rows-dropped-clock-jump=20"},
};

const Table jumping_table = { "jumping", jumping, G_N_ELEMENTS (jumping) };
