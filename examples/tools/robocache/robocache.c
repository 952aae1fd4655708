/* robocache: one program for all of them: robocache COMMAND [OPTION...]
 *
 * A command is a program robocache-COMMAND beside this one, which takes this one's place. `doctor` is part of this program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "examples/tools/program.h"

/* Beside EXIT_SUCCESS, EXIT_FAILURE and EXIT_USAGE: something to run with is missing. */
#define EXIT_MISSING 77

typedef struct
{
  const gchar *name, *program;  /* program NULL: run is called */
  int (*run) (int argc, char **argv);
  const gchar *what, *example;
} Command;

static const Command commands[] = {
  {"align", "robocache-align", NULL, "aligns recordings on common ticks", "robocache align joints.csv imu.csv --rate 100"},
  {"coverage", "robocache-coverage", NULL, "shows what each latency gains, on recordings", "robocache coverage run.mcap --rate 50"},
  {"doctor", NULL, doctor_run, "checks this machine, and prints what to do", "robocache doctor"},
  {"export", "robocache-export", NULL, "makes training sets from recordings", "robocache export run.mcap --mapping arm.toml "
      "--output set"},
  {"inspect", "robocache-inspect", NULL, "shows what is in a file or on a robot: streams, rates, clocks, gaps", "robocache inspect run.mcap"},
  {"offset", "robocache-offset", NULL, "finds the delay between two sensors", "robocache offset imu.csv odometry.csv"},
  {"record", "robocache-record", NULL, "records a running robot with marks of episodes", "robocache record run.mcap /joints='SOURCE'"},
  {"recover", "robocache-recover", NULL, "saves the readable part of a cut or damaged MCAP file", "robocache recover cut.mcap"},
  {"replay", "robocache-replay", NULL, "replays a recorded live session and compares its samples", "robocache replay session.mcap"},
  {"report", "robocache-report", NULL, "shows a recording as a page of HTML", "robocache report run.mcap"},
  {"sample-data", "robocache-sample-data", NULL, "writes the files that the pages use", "robocache sample-data data"},
  {"simulate", "robocache-simulate", NULL, "runs a simulated robot through the elements", "robocache simulate"},
  {"top", "robocache-top", NULL, "shows a running pipeline in a terminal: streams, ages, losses", "robocache top 192.168.1.7:8765"},
  {"two-hosts", "robocache-two-hosts", NULL, "sends sensors to another host and fuses them there", "robocache two-hosts --help"},
};

static void
print_help (void)
{
  printf ("Usage: robocache COMMAND [OPTION...]\n\nAligns the sensors of a robot in time, live and over recordings.\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    printf ("  %-12s %s\n", commands[i].name, commands[i].what);
  printf ("\nExamples:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    printf ("  %s\n", commands[i].example);
  printf ("\nOptions:\n  --help       this text; robocache COMMAND --help and man robocache-COMMAND show the options of a command\n"
      "  --version    the version and the options of this build\n\n"
      "Exit status: 0 done, 1 failed or a finding, 2 a wrong command line, 77 a package is missing. Where a command has others,\n"
      "its --help lists them.\n");
}

/* Replaces this process by the program of the command: beside this program, or on the PATH. Returns after a failure. */
static int
execute (const Command *command, char **argv)
{
  gchar *self = g_file_read_link ("/proc/self/exe", NULL), *folder = self ? g_path_get_dirname (self) : g_strdup (".");
  gchar *beside = g_build_filename (folder, command->program, NULL);

  execv (beside, argv);
  if (errno == ENOENT)
    execvp (command->program, argv);
  printable_report ("error", errno == ENOENT ? "this build lacks the program of this command: robocache --version lists its options"
      : g_strerror (errno));
  g_free (beside);
  g_free (folder);
  g_free (self);
  return EXIT_MISSING;
}

/* The command of a name, or NULL after an error that names the closest ones. */
static const Command *
find_command (const gchar *name)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].name, name) || g_strcmp0 (commands[i].program, name) == 0) {
      g_string_free (text, TRUE);
      return &commands[i];
    }
  g_string_printf (text, "\"%s\" is no command: expected", name);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_string_append_printf (text, "%s %s", i > 0 ? "," : "", commands[i].name);
  printable_report ("error", text->str);
  g_string_free (text, TRUE);
  return NULL;
}

int
main (int argc, char **argv)
{
  const gchar *name = argc > 1 ? argv[1] : "--help";
  const Command *command;

  if (g_str_equal (name, "--help") || g_str_equal (name, "-h") || (g_str_equal (name, "help") && argc == 2)) {
    print_help ();
    return argc > 1 ? EXIT_SUCCESS : EXIT_USAGE;
  }
  if (g_str_equal (name, "--version")) {
    printf ("robocache %s\n%s\n", ROBOCACHE_VERSION, ROBOCACHE_BUILD_OPTIONS);
    return EXIT_SUCCESS;
  }
  /* help COMMAND */
  if (g_str_equal (name, "help")) {
    argv[1] = argv[2];
    argv[2] = g_strdup ("--help");
    name = argv[1];
  }
  command = find_command (name);
  if (!command)
    return EXIT_USAGE;
  argv[1] = g_strdup_printf ("robocache %s", command->name);    /* lives as long as this process */
  return command->program ? execute (command, argv + 1) : command->run (argc - 1, argv + 1);
}
