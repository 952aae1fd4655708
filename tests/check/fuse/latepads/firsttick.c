/* robocache: before its first tick, when not live, robocachefuse waits for pads that are declared, or that pads names
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define NAMED "rate=100/1 pads=proprio_1"

static const Scenario scenarios[] = {
  /* declared by expected-caps */
  {"a declared pad is waited for until it has caps", "rate=100/1", "a b,unlinked,caps:2,expects:2",
      "a+0..30/10 idle . b:link b:start b+10..30/10 eos >0 b=missing >10..30/10 >eos caps.dimensions=1,2"},
  {"a declared pad is waited for until it ends", "rate=100/1", "a b,bare,expects:2",
      "a+0..30/10 a:eos idle . b:stream b:eos >0..30/10 b=missing >eos caps.dimensions=1,2"},
  {"a declared pad is waited for until it is released", "rate=100/1", "a b,unlinked,expects:2",
      "a+0..30/10 a:eos idle . b:remove >0..30/10 >eos caps.dimensions=1"},
  {"a declared pad that is alone", "rate=100/1", "a,bare,expects:1", ". a:start a+0..20/10 a:eos >0..20/10 >eos"},
  {"a declared reference pad", "reference-pad=proprio_1", "a b,unlinked,expects:1", "a+0..30/10 a:eos idle . b:link b:start b+0..20/20 b:eos >0..20/20 >eos"},

  /* named by pads */
  {"a named pad is waited for until it has caps", NAMED, "a b,absent", "a+0..30/10 idle . b:add idle . b:start b+0..30/10 eos >0..30/10 >eos"},
  {"a named pad is waited for until it ends", NAMED, "a b,absent,bare", "a+0..30/10 a:eos idle . b:add b:stream b:eos >0..30/10 >eos"},
  {"a named pad is waited for until it is released", NAMED, "a b,absent", "a+0..30/10 a:eos idle . b:add idle . b:remove >0..30/10 >eos"},
  {"a named pad with a row before all others", NAMED, "a b,absent", "a+20..30/10 a:eos idle . b:add b:start b+0..30/10 b:eos >0..10/10 a=missing >20..30/10 "
      ">eos"},
  {"two named pads", "rate=100/1 pads=proprio_1;proprio_2", "a b,absent c,absent", "a+0..30/10 b:add b:start b+0..30/10 ab:eos idle . c:add c:start "
      "c+0..30/10 c:eos >0..30/10 >eos"},
  {"a named pad is waited for at each start", NAMED, "a b,absent", "b:add b:start ab+0..10/10 eos >0..10/10 >eos stop b:remove play a:start "
      "a+0..10/10 a:eos idle . b:add b:start b+0..10/10 b:eos >0..10/10 >eos"},
  {"a named pad is not waited for once ticks have begun", NAMED, "a b,absent", "b:add b:start ab+0..20/10 >0 b:remove a+30 a:eos >10..30/10 >eos"},
  {"the settings of the next start name no pad yet", "rate=100/1", "a", "set:pads=proprio_1 warning:pads a+0..20/10 a:eos >0..20/10 >eos"},
  {"live, a named pad is not waited for", NAMED, "a,live b,absent", "a+0..20/10 >0..20/10"},

  /* rows meanwhile */
  {"more rows than a pad may be ahead", NAMED, "a b,absent", "a+0..3000/10 idle . b:add b:start b+0 b:eos a:eos >0 >10..200/10 b=held:0 >210..3000/10 "
      "b=missing >eos"},
  {"rows that a later origin moves to other ticks", NAMED, "a b,absent", "a:origin=1003 a+1..97/1 b:add b:start b:origin=1000 b+0..100/10 eos >0 a=missing "
      "for:10..100/10 { >t a=t-3 } >eos"},
  {"a flush", NAMED, "a b,absent", "a+0..10/10 a:flush a:segment a+20..30/10 a:eos idle . b:add b:start b+0..30/10 b:eos >0..10/10 a=missing "
      ">20..30/10 >eos"},
  {"a stop", NAMED, "a b,absent", "a+0..3000/10 stop play a:start a+10..20/10 b:add b:start b+10..20/10 eos >10..20/10 >eos"},
  {"an error meanwhile", NAMED, "a b,absent", "a+0..10/10 a:segment:format=bytes error:format:bytes a+20!error"},

  /* what makes the ticks */
  {"the camera is named", "pads=camera_0", "a b=camera_0,absent,caps:gray@100", "a+0..20/10 no:error b:add b:start b+0..20/10 eos >0..20/10 >eos"},
  {"the camera with the lowest number is named", "pads=camera_0", "a=camera_0,absent,caps:gray@100 b=camera_1,caps:gray@50",
      "b+0..40/20 a:add a:start a+0..40/10 eos >0 >10 b=any >20 >30 b=any >40 >eos"},
  {"a slow camera has no tick in its gaps", "pads=proprio_1", "a=camera_0,caps:gray@1/1 b,absent", "a+0..9000/1000 b:add b:start b+0..9000/100 eos "
      "no:warning"},
  {"no camera comes", "pads=proprio_1", "a b,absent", "a+0..20/10 no:error b:add b:remove error:negotiation:rate"},

  /* what is reported after two seconds */
  {"a named pad that never comes", NAMED, "a", "a+0 wall:1999 no:warning wall:2000 'warning:the property pads names proprio_1, but "
      "no such pad exists, so no sample leaves: correct the name, or link a stream to it' wall:9000 no:warning"},
  {"live, a named pad that never comes", NAMED, "a,live", "a+0 wall:1999 no:warning wall:2000 'warning:the property pads names proprio_1, but no "
      "such pad exists: correct the name, or link a stream to it' wall:9000 no:warning"},
};

CHECK_MAIN (robocachefusefirsttick, NULL, NULL, add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE))
