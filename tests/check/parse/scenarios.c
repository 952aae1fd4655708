/* robocache: robocacheparse: scenarios of bytes in, and rows, events and messages out, as a table
 *
 * Words are those of tests/check/lib/scenario.h. And:
 *
 *     +[!][@T:]'TEXT'   a buffer of that text, at T; ! with DISCONT      +[@T:]#N   a buffer of N bytes, all 0
 *     >origin:NS[,first-row]   the next event is an origin of NS, chosen by the element where it is the first row's
 *     >no-origin   no origin was announced
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/time/originevent.h"
#include "tests/check/lib/scenario.h"

/* Rows that arrive 100, 120 and 100 ms after they were captured. */
#define REPLAY "arrival-column=0 time-column=1 time-unit=ms"
#define THREE_ROWS "&'arrival,stamp,q\n1100,1000,1\n1130,1010,2\n1140,1040,3\n' "
/* A sensor whose clock says 1.7e18 ns. */
#define TRACK "clock-mode=track time-unit=ns"
#define FIRST_ROW "'1700000000000000000,1\n' "
#define SECOND_ROW "'1700000000010000000,1\n' "
#define PCD_OF(width) "FIELDS x y z\nWIDTH " width "\nDATA ascii\n"
#define FIVE_POINTS PCD_OF ("5") "1 2\n1 2 3\n1\n1 2 3 4\n1 2 3\n"

static const struct
{
  const gchar *name, *properties, *words;
  const gchar *caps;            /* NULL: text/csv */
} scenarios[] = {
  {"bytes of CSV", "", "+'0,1\n' >0=1"},
  {"bytes of anything", "", "+'0,1\n' >0=1", "application/octet-stream"},
  {"bytes of text", "", "+'0,1\n' >0=1", "text/x-raw,format=utf8"},
  {"rows are no bytes", "", "'error:negotiation:its input is other/tensors; rows need no parser: link them without robocacheparse' "
      "+'0,1\n' flow:error errors=0 buffers=0", "other/tensors,dimensions=(string)3"},
  {"clouds are no bytes of rows", "", "'error:negotiation:application/x-pointcloud; clouds need no parser' +'0,1\n' flow:error",
      "application/x-pointcloud"},
  {"frames are no bytes", "", "'error:negotiation:link frames of a camera to a camera pad of robocachefuse' +'0,1\n' flow:error",
      "video/x-raw,format=RGB"},
  {"clouds do not link to tensors", "format=kitti", "downstream:other/tensors +#16 flow:not-negotiated "
      "'error:negotiation:put robocachevoxelize between' errors=0", "application/octet-stream,framerate=10/1"},
  {"rows of another width", "", "downstream:other/tensors,dimensions=3 +'0,1\n' flow:not-negotiated "
      "'error:negotiation:set channels, or link another element'"},
  {"events in order", "", "tag +'0,1\n' >>stream-start,caps,segment,tag,tag >seg:0,0,1"},

  /* the origin of times */
  {"the first row's time is announced before the first row", "",
      "+'t,a\n' +'1700000000.5,1\n' >>stream-start,caps,segment >origin:1700000000500000000,first-row >0=1 "
      "+'1700000001.5,1\n' >>none >1000=1"},
  {"an origin that the user set is announced as such", "time-origin=-5", "+'0,1\n' >segment >origin:-5 >>none"},
  {"a clock that is kept has the origin 0", "start=keep", "+'7,1\n' >segment >origin:0 >7000=1"},
  {"an origin of its own is not announced", "start=own", "+'7,1\n8,2\n' >no-origin >0=1 >1000=2"},
  {"the origin follows each segment", "", "+'7,1\n' >origin flush bytes +'8,1\n' >segment >origin:7000000000,first-row >>none "
      "flush bytes +'9,1\n' >segment >origin:7000000000,first-row >0=1 >1000=1 >2000=1"},
  {"the origin of a replay is its first capture", "arrival-column=0 time-column=1 time-unit=ms",
      "&'arrival,stamp,q\n1100,1000,1\n' crank:1 join >origin:1000000000,first-row"},
  {"a sensor stamped by the pipeline's clock has none", "clock-mode=track time-unit=ns", "time:5 +'1700000000000000000,1\n' >no-origin"},
  {"another run has another origin", "", "+'7,1\n' >origin state:null state:playing start seg:0,0,0,1 +'9,1\n' "
      ">origin:9000000000,first-row"},

  /* the end of input */
  {"nothing after an error", "max-errors=0", "+'0,1\nx\n1,1\n' flow:error +'2,1\n' flow:error errors=1 buffers=1"},
  {"a header alone makes caps", "", "+'t,a,b\n' eos >caps:dimensions=2 warnings=1 errors=0"},
  {"all rows are before the origin", "time-origin=5000000000", "+'1,1\n2,2\n' eos . 'warning:failed:Dropped record 1' "
      "'warning:failed:All 2 rows are before running time 0, so none was sent' errors=0"},
  {"the last line needs no end", "", "+'0,1\n1,2' buffers=1 eos buffers=2 warnings=0"},
  {"stats messages", "stats-interval=1000000000",
      "+'0,1\n0.5,1\n1,1\n1.2,1\n2.5,1\n' stats-message:rows=3 stats-messages=1 eos stats-messages=1"},
  {"a flush forgets the partial line, and not the origin", "", "+'10,1\n11,' >0=1 flush bytes +'12,2\n' >2000=2"},
  {"a new segment drains the last line", "", "+'t,a\n0,1\n1,2' bytes buffers=2 +'t,a\n2,3\n' buffers=3"},
  {"names of a quaternion", "", "+'t,x,qx,qy,qz,qw\n0,1,0,0,0,1\n' >0=1,0,0,0,1 '>caps:kinds=\"real\\,quaternion\"'"},
  {"a mode", "", "+'t,mode,a\n0,1,2\n' >0=1,2 '>caps:kinds=\"hold\\,real\"'"},
  {"a quaternion in an order of its own", "", "+'t,qx,qy,qw,qz\n0,0,0,1,0\n' flow:not-negotiated 'error:settings:qx, qy, qz and qw are a "
      "quaternion by their names, but as channels 0, 1, 3 and 2 they are not adjacent in the order x, y, z, w or w, x, y, z: list "
      "them in one of these orders in channels, or set kinds=ignore' buffers=0"},
  {"a quaternion that is put in order", "channels=qx,qy,qz,qw", "+'t,qx,qy,qw,qz\n0,1,2,3,4\n' >0=1,2,4,3 >caps:kinds=quaternion"},
  {"names that are ignored", "kinds=ignore", "+'t,qx,qy,qw,qz,mode\n0,1,2,3,4,5\n' >0=1,2,3,4,5"},
  {"kinds of columns without names", "kinds=angle,hold", "+'0,1,2\n' >0=1,2 '>caps:kinds=\"angle\\,hold\"'"},
  {"kinds of other columns", "kinds=angle*3", "+'0,1,2\n' flow:not-negotiated 'error:negotiation:kinds=\"angle*3\" has 3 channels, but a row has 2'"},
  {"new columns are new caps", "", "+'t,a\n0,1\n' bytes +'t,a,b\n1,2,3\n' buffers=2 '>caps:channels=\"a\\,b\"'"},
  {"each longer duration is announced at the end", "",
      "+'0,1\n3,1\n' new-durations=0 duration=none position=3000 eos new-durations=1 duration=3000 "
      "flush bytes +'0,1\n3,1\n' new-durations=0 eos new-durations=0 duration=3000 "
      "flush bytes +'0,1\n5,1\n' new-durations=0 eos new-durations=1 duration=5000 "
      "flush bytes +'# nothing\n' new-durations=0 eos new-durations=0 duration=5000"},
  {"EOS of upstream ends the seek of a segment, and a GAP in bytes ends here", "",
      "seek:0,1000 bytes +'t,q\n0,1\n2,2\n' gap:0,0.000001 eos >>stream-start,caps,segment,tag,segment-done,none buffers=1 "
      "segment-messages=2"},
  {"settings wait for the next start", "",
      "+'0,1\n' set:stats-interval=1000000000 warnings=0 set:time-unit=ms set:format=pcd warnings=2 +'2,2\n' >0=1 >2000=2 "
      "state:null set:format=csv warnings=0 state:playing start seg:0,0,0,1 +'0,1\n2,2\n' >0=1 >2=2"},
  {"latency not live is upstream's", "", "upstream-latency:0.007 latency=0.007"},
  {"stats have no clock without tracking", "", "clock-offset=none"},

  /* recordings replayed live: rows are released at their arrival, with the time of capture */
  {"a replay", REPLAY, THREE_ROWS "wait:100 crank:1 >0=1 wait:130 crank:1 >10=2 wait:140 crank:1 >40=3 join"},
  {"a replay counts both times from the origin", REPLAY " time-origin=900000000",
      THREE_ROWS "wait:200 crank:1 >100=1 crank:2 join delay-max=120000000 buffers=3"},
  {"a stop ends the wait", REPLAY, THREE_ROWS "wait:100 state:null join flow:flushing buffers=0"},
  {"a flush ends the wait", REPLAY, THREE_ROWS "wait:100 flush join flow:flushing buffers=0"},
  {"a replay holds in PAUSED and goes on", REPLAY, THREE_ROWS
      "wait:100 'state:paused=NO PREROLL' time:1000 buffers=0 base:950 state:playing wait:1050 crank:3 join buffers=3"},
  {"a replay is live", REPLAY, "live=1 latency=0 latency-max=none seekable=0 no-seek:0"},

  /* a sensor with its own clock */
  {"the first row is at its arrival", TRACK, "time:1234 +" FIRST_ROW ">1234=1 time:1264 +" SECOND_ROW ">1244=1"},
  {"the base time counts", TRACK, "time:5000 base:5000 time:5020 +" FIRST_ROW ">20=1"},
  {"it waits for PLAYING", TRACK, "'state:paused=NO PREROLL' &" FIRST_ROW "time:700 buffers=0 state:playing join >700=1"},
  {"there is no clock", TRACK, "clock:- +'1,1\n' flow:error +'2,1\n' flow:error error:clock:clock-mode=track errors=0"},
  {"another clock shares nothing with the one before it", TRACK,
      "time:1000 +" FIRST_ROW ">1000=1 clock:5 +" SECOND_ROW ">5=1 clock-pairs=1"},
  {"rows that are stamped when they come are live", TRACK, "live=1 upstream-latency:30 live=1 latency=30 no-seek:0"},
  {"nothing of the estimate outlives NULL", TRACK,
      "time:1000 +" FIRST_ROW ">1000=1 state:null state:playing start seg:0,0,0,1 time:2000 +'5,1\n' >2000=1 clock-pairs=1"},
  {"running time 0 is the first arrival", TRACK " time-column=0 arrival-column=1",
      "&'sensor,arrival,q\n1700000000000000000,1700000000003000000,7\n' crank:1 >0=7 join"},

  /* clouds */
  {"events of a segment in time pass", "format=kitti",
      "+1234567890123456 gap:0,1000 segdone:1000 >>stream-start,caps,segment,gap,segment-done"},
  {"GAPs in a row before the first cloud are one", "format=kitti",
      "gap:0,1000 gap:1000,1000 tag gap:2000,1000 gap:3000,500 +@4000:#16 >>stream-start,caps,segment,gap,tag,gap,none"},
  {"times and segment of upstream are kept", "format=kitti",
      "seg:5000,0,0,1 +@5000:#48 +@7000:#32 >5000#48 >7000#32 >seg:5000,0,1"},
  {"a buffer's time is that of the first cloud that begins in it", "format=kitti points-per-cloud=2",
      "+@10:#60 +@20:#2 +@30:#34 >10#32 >-#32 >30#32"},
  {"other caps with another file", "format=pcd", "+'" PCD_OF ("1") "1 2 3\n' >-#12 "
      "'>caps=application/x-pointcloud, fields=(string)\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)0/1' "
      "+'FIELDS x y z\nTYPE F F U\nSIZE 4 4 1\nWIDTH 1\nHEIGHT 2\nVIEWPOINT 1 2 3 1 0 0 0\nDATA ascii\n1 2 3\n1 2 3\n' >-#18 "
      "'>caps=application/x-pointcloud, fields=(string)\"x\\,y\\,z\", types=(string)\"float32\\,float32\\,uint8\", width=(int)1, "
      "height=(int)2, viewpoint=(string)\"1\\,2\\,3\\,1\\,0\\,0\\,0\", framerate=(fraction)0/1'"},
  /* a line, a file that is cut in its points, and one in its header */
  {"clouds, points and malformed ones are counted", "format=pcd",
      "+'" PCD_OF ("3") "1 2 3\n1 2\n1 2 3\n' +'" PCD_OF ("1") "1 2 3\n' clouds=2 points=3 malformed=1 rows=0 "
      "+'" PCD_OF ("3") "1 2 3\n1 2' +'# .PCD v0.7\nVERSION 0.7\nFIEL' +'# .PCD v0.7\n" PCD_OF ("1") "1 2 3\n' "
      "clouds=3 points=4 malformed=3"},
  {"two malformed points in a row, after a good one", "format=pcd max-errors=2",
      "+'" FIVE_POINTS "' eos >-#24 . 'warning:decode:cloud 1 at byte 0: line 4 has 2 columns, expected 3' warnings=0 errors=0"},
  {"two malformed points in a row are an error", "format=pcd max-errors=1", "+'" FIVE_POINTS "' flow:error . "
      "'error:decode:2 consecutive malformed records, more than max-errors=1' 'warning:decode:line 4'"},
  {"PCD read as CSV", "", "+'# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n' flow:error "
      "'error:settings:set format=pcd'"},
  {"a discontinuity ends a cloud", "format=pcd cloud-end=stream",
      "+'" PCD_OF ("2") "1 2 3\n' +!'" PCD_OF ("1") "1 2 3\n' malformed=1 clouds=1"},
  {"a flush forgets a cloud", "format=pcd cloud-end=stream",
      "+'" PCD_OF ("2") "1 2 3\n' flush bytes +'" PCD_OF ("1") "1 2 3\n' malformed=0 clouds=1"},
};

static GstBuffer *
input_text (Scenario *s, const gchar *text)
{
  const gboolean is_discont = *text == '!';
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  GstBuffer *buffer;

  text += is_discont;
  if (*text == '@') {
    text++;
    pts = read_time (s, &text);
    text++;
  }
  if (*text == '#' && g_ascii_isdigit (text[1]))
    buffer = buffer_of ((const guint8[100]) { 0 }, g_ascii_strtoull (text + 1, NULL, 10), pts);
  else
    buffer = buffer_of (text, strlen (text), pts);
  if (is_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

static void
expect_origin (Scenario *s, const gchar *text)
{
  gint64 origin_ns = 0;
  gboolean from_first_row = FALSE;
  GstEvent *event;
  gchar *got;

  do
    event = gst_harness_try_pull_event (s->h);
  while (event && !robocache_origin_event_parse (event, &origin_ns, &from_first_row) && (gst_event_unref (event), TRUE));
  expect_in (s, event != NULL, "there is no origin");
  got = g_strdup_printf (":%" G_GINT64_FORMAT "%s", origin_ns, from_first_row ? ",first-row" : "");
  expect_in (s, *text == '\0' || g_str_equal (text, got), "it is %s", got);
  gst_event_unref (event);
  g_free (got);
}

static gboolean
follow_origin_word (Scenario *s, const gchar *word)
{
  if (g_str_equal (word, ">no-origin"))
    expect_in (s, pull_event (s->h, GST_EVENT_TAG) == NULL, "there is one");
  else if (g_str_has_prefix (word, ">origin"))
    expect_origin (s, word + strlen (">origin"));
  else
    return FALSE;
  return TRUE;
}

GST_START_TEST (scenario)
{
  const gchar *caps = scenarios[__i__].caps ? scenarios[__i__].caps : "text/csv";
  Scenario s = {.name = scenarios[__i__].name,.caps = caps,.input = input_text,.extra = follow_origin_word };

  s.h = element_open ("robocacheparse", scenarios[__i__].properties);
  follow_word (&s, "start");
  if (!g_str_has_prefix (scenarios[__i__].words, "seg:"))
    follow_word (&s, "seg:0,0,0,1");
  scenario_run (&s, scenarios[__i__].words);
  harness_close (s.h);
}

GST_END_TEST;

CHECK_MAIN (robocacheparsescenarios, NULL, NULL, EACH (scenarios, scenario))
