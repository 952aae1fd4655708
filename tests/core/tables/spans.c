/* robocache: robocachefuse, not live: recordings that do not belong together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

#define WHAT_TO_SET "give all times one origin (start or time-origin of robocacheparse), set offset, or use allow-gaps"

static const Scenario scenarios[] = {
  /* first rows more than a day apart */
  {"two origins", "rate=100/1", "a b",
      "a+0..20/10 b+1700000000000..1700000000020/10!any 'error:format:the first row of proprio_1 is at 1700000000.000 s, and that of proprio_0 at "
      "0.000 s, more than a day apart: " WHAT_TO_SET "' eos >eos ticks-out=0"},
  {"two origins, the other way round", "rate=100/1", "a b",
      "b+0..20/10 a+1d+1..1d+20/10!any 'error:format:the first row of proprio_0 is at 86400.001 s, and that of proprio_1 at 0.000 s, more "
      "than a day apart' eos >eos"},
  {"an offset of more than a day", "rate=100/1", "a b,offset=86400001000000",
      "ab+0..20/10!any 'error:format:proprio_1 is at 86400.001 s' eos >eos"},
  {"an offset that brings them together", "rate=100/1", "a b,offset=-172800000000000",
      "a+0..20/10 b+2d..2d+20/10 eos >0..20/10 b=any >eos no:warning"},
  {"a day is no error, a gap of a day is one", "rate=100/1", "a b",
      "a+0..20/10 a:eos b+1d b:eos wait:warning 'error:format:no stream has a row between 0.230 s and 86400.000 s: " WHAT_TO_SET "' >0..20/10 "
      "b=missing >30..220/10 a=held:20 b=missing >eos"},
  {"a reference pad a day after another stream", "reference-pad=proprio_1", "a b",
      "a+0 b+2d a+2d b+2d+10 eos 'error:format:the first row of proprio_0 is at 0.000 s, and that of proprio_1 at 172800.000 s' >eos"},
  {"a pad that is added a day off", "rate=100/1", "a b,absent",
      "a+0..30/10 >0..10/10 b:add b:start b+2d!any a+40!any eos 'error:format:proprio_1 is at 172800.000 s' >eos"},
  {"allow-gaps, and two days", "rate=1/43200 allow-gaps=true", "a b",
      "a+0 a:eos b+2d b:eos >0 b=missing >43200000 a=missing b=missing >86400000 a=missing b=missing >129600000 a=missing b=missing "
      ">172800000 a=missing >eos no:warning"},
  {"live, a recording that is a day off waits", "rate=100/1", "a,live b", "a+0..30/10 b+2d >0..20/10 b=missing no:warning"},

  /* nothing but missing rows */
  {"a pause of a second more than an hour", "rate=100/1", "a",
      "a+0..20/10 a+3601000 a:eos 'error:format:no stream has a row between 0.230 s and 3601.000 s: " WHAT_TO_SET "' >0..20/10 "
      ">30..220/10 a=held:20 >eos"},
  {"an hour less than that", "rate=1/1", "a", "a+0 a+1h a:eos >0 >1000..3599000/1000 a=missing >3600000 >eos"},
  {"a pause that another stream fills", "rate=1/1800", "a b", "a+0 a+2h b+0..7200000/1800000 eos >0 >1800000..5400000/1800000 a=missing >7200000 >eos"},
  {"allow-gaps, and a pause", "rate=1/1800 allow-gaps=true", "a",
      "a+0 a+2h a:eos >0 >1800000..5400000/1800000 a=missing >7200000 >eos"},
  {"an hour of held rows", "rate=1/1800", "a,hold-limit=-1", "a+0 a+2h a:eos >0 >1800000..5400000/1800000 a=held:0 >7200000 >eos"},
  {"years of held rows", "rate=1/1800", "a,hold-limit=-1",
      "a+0 a+31708800000 a:eos 'error:format:no stream has a row between 1800.000 s and 31708800.000 s' >0 >eos"},
  {"ticks that are dropped fill nothing", "rate=1000/1", "a,required=true,hold-limit=0", "a+0..1/1 a+2h a+2h+1 a:eos >0..1/1 >7200000..7200001/1 >eos"},

  /* a stream that ends before another begins */
  {"one after the other, and the later one is read first", "rate=100/1", "a b",
      "b+60..80/10 b:eos a+0..20/10 a:eos 'warning:proprio_0 ends at 0.020 s, before proprio_1 begins at 0.060 s' >0..20/10 b=missing "
      ">30..50/10 a=held:20 b=missing >60..80/10 a=held:20 >eos no:warning"},
  {"one after the other, and no row is held", "rate=100/1", "a,hold-limit=0 b",
      "a+0..20/10 a:eos b+60..80/10 b:eos >0..20/10 b=missing >30..50/10 a=missing b=missing >60..80/10 a=missing >eos wait:warning no:warning"},
  {"each of three", "rate=100/1", "a b c",
      "a+0 a:eos b+20 b:eos c+40 c:eos 'warning:proprio_0 ends at 0.000 s, before proprio_1 begins' 'warning:proprio_1 ends at 0.020 s, before "
      "proprio_2 begins' >0 b=missing c=missing >10 a=held:0 b=missing c=missing >20 a=held:0 c=missing >30 a=held:0 b=held:20 c=missing "
      ">40 a=held:0 b=held:20 >eos no:warning"},
  {"the reference ends before another begins", "reference-pad=proprio_0", "a b",
      "a+0..20/10 a:eos b+60..80/10!any b:eos >0..20/10 b=missing >eos 'warning:proprio_0 ends at 0.020 s, before proprio_1 begins'"},
  {"one ends when the other begins", "rate=100/1", "a b",
      "a+0..20/10 a:eos b+20..30/10 b:eos >0..10/10 b=missing >20 >30 a=held:20 >eos no:warning"},
  {"allow-gaps, one after the other", "rate=100/1 allow-gaps=true", "a b",
      "a+0..20/10 a:eos b+60..80/10 b:eos >0..20/10 b=missing >30..50/10 a=held:20 b=missing >60..80/10 a=held:20 >eos no:warning"},
  {"again after a flush", "rate=100/1", "a b",
      "a+0 a:eos b+10 b:eos >0 b=missing >10 a=held:0 >eos wait:warning ab:flush renew ab:segment a+0 a:eos b+10 b:eos >0 b=missing "
      ">10 a=held:0 >eos wait:warning no:warning"},
  {"live, a stream that ends before another begins", "rate=100/1", "a,live b,live",
      "a+0..20/10 a:eos @35 b+40..60/10 >0..10/10 b=missing >20 b=missing >30 a=held:20 b=missing >40..50/10 a=held:20 no:warning"},
};

TABLE (spans);
