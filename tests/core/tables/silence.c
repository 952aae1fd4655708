/* robocache: robocachefuse warns of odd quaternions, and of a max-gap below the interval of the rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tables.h"

static const Scenario scenarios[] = {
  /* quaternions of another length */
  {"twice as long", "rate=100/1", "a,caps:4,quaternions=0", "a+0=2,0,0,0 'warning:proprio_0: the quaternion in channels 0 to 3 has length 2 instead of "
      "1' a+10=1,0,0,0 a+20=0,0,0,0 'warning:proprio_0: the quaternion in channels 0 to 3 has length 0' a+30=3,0,0,0 a+40=0,0,0,0 a:eos "
      "a.quaternions-not-unit=2 a.quaternions-zero=2 quaternions-not-unit=2 quaternions-zero=2 no:warning"},
  {"after other caps", "rate=100/1", "a,caps:4,quaternions=0", "a+0=1,0,0,0 a:caps=5 a+10=0.5,0,0,0,9 'warning:channels 0 to 3 has length 0.5' "
      "no:warning"},
  {"no list", "rate=100/1", "a,caps:4", "a+0=2,0,0,0 a:eos a.quaternions-not-unit=0 no:warning"},

  /* max-gap below the interval of rows */
  {"ns for ms", "rate=100/1", "a,max-gap=100", "a+0..70/10 no:warning a+80 'warning:proprio_0: max-gap is 100ns, but the rows are 10ms apart, so ticks "
      "between rows are not aligned: set max-gap above 10ms (a number without a unit is in ns)' a+90..300/10 no:warning"},
  {"a recording of four rows", "rate=100/1", "a,max-gap=20ms", "a+0..90/30 no:warning a:eos 'warning:max-gap is 20ms, but the rows are 30ms apart, so "
      "ticks between rows are not aligned: set max-gap above 30ms' no:warning"},
  {"a recording of three rows proves nothing", "rate=100/1", "a,max-gap=20ms", "a+0..60/30 a:eos no:warning"},
  {"a hole is no interval", "rate=100/1", "a,max-gap=20ms", "a+0..20/10 a+1000..1020/10 a+2000..2040/10 a:eos no:warning"},
  {"the default for a slow sensor", "rate=10/1", "a", "a+0..8000/1000 'warning:proprio_0: max-gap is 200ms, but the rows are 1s apart' no:warning"},
  {"as far apart as it allows", "rate=100/1", "a,max-gap=10ms", "a+0..200/10 a:eos no:warning"},
  {"a reference has no tick between its rows", "reference-pad=proprio_0", "a", "a+0..9000/1000 a:eos no:warning"},
  {"no limit", "rate=10/1", "a,max-gap=-1", "a+0..8000/1000 a:eos no:warning"},
  {"an age", "rate=100/1", "a,max-gap=5ms,interpolation=previous", "a+0..200/10 a:eos no:warning"},
  {"a tiny age", "rate=100/1", "a,max-gap=1ms,interpolation=previous", "a+0..80/10 'warning:max-gap is 1ms, but the rows are 10ms apart' no:warning"},
  {"a mean needs no gap", "rate=100/1", "a,max-gap=1ms,interpolation=mean", "a+0..200/10 a:eos no:warning"},
  {"once, whatever else is set", "rate=100/1", "a,max-gap=100", "a+0..80/10 wait:warning a:offset=5ms a+90 a:max-gap=100 a+100..200/10 no:warning"},
  {"set while it runs", "rate=100/1", "a", "a+0..100/10 no:warning a:max-gap=100 a+110 'warning:max-gap is 100ns, but the rows are 10ms' a:max-gap=1s "
      "a+120..200/10 no:warning"},
};

TABLE (silence);
