/* robocache: programs that join live topics of ROS 2: robocache inspect --ros and robocache align --ros, with a publisher in another process
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/ddspeer.h"

#define WRENCH "geometry_msgs/WrenchStamped"
/* Between messages, which the publisher stamps as they are sent. */
#define PERIOD_US 10000

/* ---- a program ---- */

typedef struct
{
  GPid pid;
  gint status;
  gboolean has_ended;
  gchar *folder;                /* where it runs, and where its outputs go */
} Program;

/* arguments: of the program in that variable of the environment. Standard output and error go to the files said and errors. */
static void
program_start (Program *program, const gchar *variable, const gchar *arguments)
{
  gchar *line = g_strdup_printf ("exec \"$%s\" %s > said 2> errors", variable, arguments);
  gchar *argv[] = { (gchar *) "/bin/sh", (gchar *) "-c", line, NULL };

  *program = (Program) {.folder = g_dir_make_tmp ("robocache-XXXXXX", NULL) };
  fail_unless (g_spawn_async (program->folder, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &program->pid, NULL));
  g_free (line);
}

static gboolean
has_ended (Program *program)
{
  if (!program->has_ended)
    program->has_ended = waitpid (program->pid, &program->status, WNOHANG) == program->pid;
  return program->has_ended;
}

static gchar *
read_output (const Program *program, const gchar *name)
{
  gchar *path = g_build_filename (program->folder, name, NULL), *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    text = g_strdup ("");
  g_free (path);
  return text;
}

/* Waits for its end, and checks its exit status and that a line of an output matches. */
static void
expect_line (const Program *program, const gchar *name, const gchar *pattern)
{
  gchar *text = read_output (program, name), *errors = read_output (program, "errors");

  fail_unless (g_regex_match_simple (pattern, text, G_REGEX_MULTILINE, 0), "no line of \"%s\" matches \"%s\"; %s", text, pattern, errors);
  g_free (errors);
  g_free (text);
}

static void
expect_status (Program *program, gint status)
{
  gchar *errors;

  while (!has_ended (program))
    g_usleep (PERIOD_US);
  errors = read_output (program, "errors");
  fail_unless (WIFEXITED (program->status) && WEXITSTATUS (program->status) == status, "status %d: %s", program->status, errors);
  g_free (errors);
}

static void
program_clear (Program *program)
{
  gchar *command = g_strdup_printf ("rm -rf '%s'", program->folder);

  fail_unless_equals_int (system (command), 0);
  g_free (command);
  g_free (program->folder);
}

/* ---- a publisher ---- */

static void
send_wrench (Peer *peer, guint writer, guint force, guint ahead_s)
{
  const gint64 now_us = g_get_real_time () + ahead_s * G_USEC_PER_SEC;

  peer_do (peer, "text %u 1 (((%" G_GINT64_FORMAT " %u) 'base') ((%u 0 0) (0 0 0)))", writer, now_us / G_USEC_PER_SEC,
      (guint) (now_us % G_USEC_PER_SEC) * 1000, force);
}

/* Two topics, the second of half the rate, whose stamps may be ahead, until the program ends. interrupt_after: messages before SIGINT; 0: none. */
static void
publish (Peer *peer, Program *program, guint ahead_s, guint interrupt_after)
{
  for (guint i = 0; !has_ended (program); i++) {
    send_wrench (peer, 0, i, 0);
    if (i % 2 == 0)
      send_wrench (peer, 1, i, ahead_s);
    if (interrupt_after > 0 && i == interrupt_after)
      kill (program->pid, SIGINT);
    g_usleep (PERIOD_US);
  }
}

static Peer *
publisher_start (guint domain)
{
  Peer *peer = peer_start (domain);

  peer_do (peer, "open /wrist " WRENCH " reliable volatile 10 -");
  peer_do (peer, "open /base " WRENCH " best volatile 10 -");
  peer_do (peer, "open /odd my_msgs/Odd best volatile 10 -");
  return peer;
}

/* ---- tests ---- */

GST_START_TEST (test_inspect)
{
  Peer *peer = publisher_start (31);
  Program program;

  program_start (&program, "ROBOCACHE_INSPECT", "--ros --domain 31 --watch 3s");
  publish (peer, &program, 3600, 0);
  expect_status (&program, 0);
  expect_line (&program, "said", "^ROS 2: live topics, 2 streams, from 20\\d\\d-");
  expect_line (&program, "said", "^/wrist +geometry_msgs/msg/WrenchStamped +\\w+ +6: fx, fy, fz, … +\\d+\\.?\\d* Hz .* 1: the timeline$");
  expect_line (&program, "said", "^/base +geometry_msgs/msg/WrenchStamped .* Hz .* 2: -3600s ± \\d");
  expect_line (&program, "said", "^refused: /odd of type my_msgs/msg/Odd cannot be read: ");
  program_clear (&program);
  peer_stop (peer);
}

GST_END_TEST;

GST_START_TEST (test_inspect_nothing)
{
  Program program;

  program_start (&program, "ROBOCACHE_INSPECT", "--ros --domain 32 --watch 1s --json");
  expect_status (&program, 0);
  expect_line (&program, "said", "\"streams\": \\[\\], \"refused\": \\[\\], \"notes\": \\[\"nothing on this host in domain 32; for other hosts: discovery=subnet\"\\]");
  program_clear (&program);
}

GST_END_TEST;

GST_START_TEST (test_align_for_a_time)
{
  Peer *peer = publisher_start (33);
  Program program;

  program_start (&program, "ROBOCACHE_ALIGN", "--ros --domain 33 --watch 2s --duration 2s --rate 20 --max-gap 1s --report= --output out.csv /wrist,interpolation=nearest /base");
  publish (peer, &program, 0, 0);
  expect_status (&program, 0);
  expect_line (&program, "said", "^/wrist +geometry_msgs/msg/WrenchStamped ");
  expect_line (&program, "said", "^2 streams of 12 channels at 20/1 Hz$");
  expect_line (&program, "said", "^\\d+ ticks of 12 channels written to out\\.csv$");
  expect_line (&program, "out.csv", "^# origin_ns=\\d{19}: ");
  expect_line (&program, "out.csv", "^tick_ns,wrist\\.fx,wrist\\.fy,.*,base\\.tz,wrist\\.status,wrist\\.age_ns,base\\.status,base\\.age_ns$");
  /* a row where both are aligned */
  expect_line (&program, "out.csv", "^\\d+,\\d+,0,0,0,0,0,\\d+(\\.\\d+)?,0,0,0,0,0,0,-?\\d+,0,-?\\d+$");
  program_clear (&program);
  peer_stop (peer);
}

GST_END_TEST;

GST_START_TEST (test_align_until_interrupt)
{
  Peer *peer = publisher_start (34);
  Program program, inspect;
  gchar *arguments;

  program_start (&program, "ROBOCACHE_ALIGN", "--ros --domain 34 --watch 2s --rate 20 --max-gap 1s --output out.mcap");
  publish (peer, &program, 0, 500);
  expect_status (&program, 0);
  expect_line (&program, "said", "^2 streams of 12 channels at 20/1 Hz; Ctrl-C ends it$");
  expect_line (&program, "said", "^\\d+ ticks of 12 channels written to out\\.mcap$");
  expect_line (&program, "said", "^report: out\\.html$");
  /* ticks are at the times of the system clock */
  arguments = g_strdup_printf ("'%s/out.mcap'", program.folder);
  program_start (&inspect, "ROBOCACHE_INSPECT", arguments);
  expect_status (&inspect, 0);
  expect_line (&inspect, "said", "/out\\.mcap: bag, \\d streams, from 20[2-9]\\d-");
  expect_line (&inspect, "said", "^/aligned/sink_0 +\\S+ +\\w+ +\\S+ .* 20 Hz ");
  program_clear (&inspect);
  g_free (arguments);
  program_clear (&program);
  peer_stop (peer);
}

GST_END_TEST;

GST_START_TEST (test_align_another_clock)
{
  Peer *peer = publisher_start (36);
  Program program;

  program_start (&program, "ROBOCACHE_ALIGN", "--ros --domain 36 --watch 2s --duration 1s --rate 20 --report= --output out.csv");
  publish (peer, &program, 3600, 0);
  expect_status (&program, 0);
  expect_line (&program, "errors", "^warning: /base is stamped by another clock, \\+3600\\.0\\d\\d s from the others, so its rows are missing: ");
  /* the other topic is aligned */
  expect_line (&program, "out.csv", "^\\d+,nan,nan,nan,nan,nan,nan,\\d+(\\.\\d+)?,0,0,0,0,0,2,nan,0,\\d+$");
  program_clear (&program);
  peer_stop (peer);
}

GST_END_TEST;

GST_START_TEST (test_align_nothing)
{
  Program program;

  program_start (&program, "ROBOCACHE_ALIGN", "--ros --domain 35 --watch 500ms");
  expect_status (&program, 1);
  expect_line (&program, "errors", "^error: no topic of rows of numbers sent a message: choose others, or set a longer --watch$");
  program_clear (&program);
}

GST_END_TEST;

static const struct
{
  const gchar *arguments, *error;
  gint status;
} wrong[] = {
  {"--ros --watch 3", "^error: --watch 3: expected a time above 0 with a unit, like 5s$", 2},
  {"--ros --duration 3", "^error: --duration 3: expected a time above 0 with a unit, like 10s$", 2},
  {"--ros /imu,time-column=2", "^error: /imu: time-column is an option of files", 2},
  {"--ros --max-message-bytes 5", "^error: --ros: max-message-bytes is an option of files", 2},
  {"--ros --domain 500", "^error: --domain 500: expected 0 to 232$", 2},
  {"--ros --discovery everywhere", "^error: discovery=everywhere: expected ", 1},
};

GST_START_TEST (test_wrong)
{
  Program program;

  program_start (&program, "ROBOCACHE_ALIGN", wrong[__i__].arguments);
  expect_status (&program, wrong[__i__].status);
  expect_line (&program, "errors", wrong[__i__].error);
  program_clear (&program);
}

GST_END_TEST;

CHECK_MAIN_IF (liveprograms, dds_network_begin ("liveprograms"), NULL, NULL,
    ONCE (test_inspect);
    ONCE (test_inspect_nothing);
    ONCE (test_align_for_a_time);
    ONCE (test_align_until_interrupt);
    ONCE (test_align_another_clock);
    ONCE (test_align_nothing);
    EACH (wrong, test_wrong));
