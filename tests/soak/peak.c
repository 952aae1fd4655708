/* robocache: the greatest resident size of a program, in KiB, on standard output
 *
 *   peak PROGRAM [ARGUMENT...]
 *
 * What the system says of a child includes the program that started it, until then: so this one is small.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  struct rusage usage;
  int status;
  pid_t child;

  if (argc < 2) {
    fprintf (stderr, "peak: expected a program\n");
    return EXIT_FAILURE;
  }
  child = fork ();
  if (child == 0) {
    execvp (argv[1], argv + 1);
    perror (argv[1]);
    _exit (127);
  }
  if (child < 0 || wait4 (child, &status, 0, &usage) != child) {
    perror ("peak");
    return EXIT_FAILURE;
  }
  printf ("%ld\n", usage.ru_maxrss);
  return WIFEXITED (status) ? WEXITSTATUS (status) : EXIT_FAILURE;
}
