/* robocache: checks of the machine: GStreamer, the plugin, GPU, limits, clock, Python, network
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Prints a line for each check, with what to do. argv[0] is the command. Returns the exit status: 0 without a problem, 1 with one, 2 after
 * a wrong command line. */
int doctor_run (int argc, char **argv);
