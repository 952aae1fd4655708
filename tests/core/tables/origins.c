/* robocache: robocachefuse, streams that count from their own first rows, on one clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

#define TWO_CLOCKS(why) "'warning:|proprio_1|proprio_0|0.030 s|" why "|time-origin=1000000000|start=own'"

static const Scenario scenarios[] = {
  {"two streams, the later origin is announced last", "rate=100/1", "a b",
      "a:origin=1000 a+0..50/10 b:origin=1020 b+0..50/10 eos >0..10/10 b=missing >20..50/10 b=t-20 >60..70/10 a=held:50 b=t-20 >eos "
      "a.origin-shift=0 b.origin-shift=20ms"},
  {"two streams, the later origin is announced first", "rate=100/1", "a b",
      "b:origin=1020 b+0..50/10 a:origin=1000 a+0..50/10 eos >0..10/10 b=missing >20..50/10 b=t-20 >60..70/10 a=held:50 b=t-20 >eos"},
  {"equal origins", "rate=100/1", "a b", "ab:origin=1000 ab+0..20/10 eos >0..20/10 >eos a.origin-shift=0 b.origin-shift=0 no:warning"},
  {"a UTC origin and one of a counter are years apart", "rate=100/1", "a b",
      "a:origin=1700000000000 b:origin=5 a.origin-shift=1699999999995000000"},
  {"the ends of time", "rate=100/1", "a b",
      "a:origin=9223372036854 b:origin=-9223372036854 a.origin-shift=9223372036854775807"},
  {"a stream without an origin stays", "rate=100/1", "a b c",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 c+0..30/10 eos >0..10/10 b=missing >20..30/10 b=t-20 >40..50/10 a=held:30 b=t-20 "
      "c=held:30 >eos"},
  {"offset is added", "rate=100/1", "a b,offset=-20ms",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 eos >0..30/10 >eos"},
  {"ticks are the rows of a stream that is shifted", "reference-pad=proprio_1", "a b",
      "b:origin=1020 b+0..20/10 a:origin=1000 a+0..50/10 eos >20..40/10 b=t-20 >eos"},
  {"ticks are the rows of a stream, and another is shifted", "reference-pad=proprio_0", "a b",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..10/10 eos >0..10/10 b=missing >20..30/10 b=t-20 >eos"},
  {"a GAP is shifted as rows are", "rate=100/1", "a b,max-gap=20ms,hold-limit=0",
      "a:origin=1000 a+0..70/10 b:origin=1020 b+0 b:gap:1,49 >0..10/10 b=missing >20 b=0 >30..50/10 b=missing ."},
  {"the origin again, after each segment", "rate=100/1", "a b",
      "a:origin=1000 a+0..20/10 b:origin=1010 b+0 b:segment b:origin=1010 b+10 eos >0 b=missing >10..20/10 b=t-10 >eos no:warning"},
  {"another origin after rows: they stay where they are", "rate=100/1", "a b",
      "a:origin=1000 a+0..20/10 b:origin=1010 b+0 b:segment b:origin=1015 b+10 eos 'warning:proprio_1|1015000000' "
      ">0 b=missing >10..20/10 b=t-10 >eos no:warning"},
  {"an origin after rows", "rate=100/1", "a b",
      "a:origin=1000 ab+0..20/10 b:origin=1010 eos 'warning:proprio_1|1010000000' >0..20/10 >eos"},
  {"a pad that comes later, with an earlier origin: ticks go on", "rate=100/1", "a b,absent",
      "a:origin=1000 a+0..30/10 >0..10/10 b:add b:start b:origin=990 b+0..50/10 a+40 eos >20..40/10 b=t+10 >eos b.origin-shift=-10000000"},
  {"a pad that comes later, with the first origin of all: ticks go on", "rate=100/1", "a b,absent",
      "a+0..30/10 >0..10/10 b:add b:start b:origin=990 b+0..50/10 a+40 eos >20..40/10 >50 a=held:40 >eos"},
  {"the pad with the earliest origin goes before the first tick", "rate=100/1", "a b c",
      "a:origin=1000 b:origin=1010 c:origin=1020 a:remove b+0..30/10 c+0..20/10 eos >0 c=missing >10..30/10 c=t-10 >eos"},
  {"a flush keeps the shift", "rate=100/1", "a b",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 >0..10/10 b=missing ab:flush ab:segment a:origin=1000 "
      "b:origin=1020 a+0..30/10 b+0..30/10 eos >0..10/10 b=missing >20..30/10 b=t-20 >40..50/10 a=held:30 b=t-20 >eos no:warning"},
  {"another recording after a flush", "rate=100/1", "a b",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 >0..10/10 b=missing ab:flush ab:segment a:origin=1005 "
      "b:origin=1015 a+0..30/10 b+0..30/10 eos >0 b=missing >10..30/10 b=t-10 >40 a=held:30 b=30 >eos no:warning"},
  {"a new start forgets origins", "rate=100/1", "a b",
      "a:origin=1000 b:origin=1020 stop play ab:start ab+0..20/10 eos >0..20/10 >eos b.origin-shift=0"},

  /* what is not shifted is told */
  {"one was set by hand", "rate=100/1", "a b",
      "a:origin-set=1000 a+0..20/10 b:origin=1030 " TWO_CLOCKS ("set by hand") " b+0..20/10 eos >0..20/10 >eos no:warning"},
  {"all were set by hand", "rate=100/1", "a b", "a:origin-set=1000 b:origin-set=1030 ab+0..20/10 eos >0..20/10 >eos no:warning"},
  {"one was set by hand, and is the same", "rate=100/1", "a b",
      "a:origin-set=1000 b:origin=1000 ab+0..20/10 eos >0..20/10 >eos no:warning"},
  {"two live sources", "rate=100/1", "a,live b,live",
      "a:origin=1000 b:origin=1030 " TWO_CLOCKS ("live") " ab+0..30/10 >0..20/10 no:warning b.origin-shift=0"},
  {"two recordings beside a live source are shifted", "rate=100/1", "a b c,live",
      "a:origin=1000 b:origin=1010 b.origin-shift=10ms a+0..40/10 b+0..30/10 c+0..40/10 >0 b=missing >10..30/10 b=t-10 no:warning"},
};

TABLE (origins);
