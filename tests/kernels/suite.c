/* robocache: a table of test cases, run on every backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/kernels/suite.h"

#include <inttypes.h>
#include <stdlib.h>

uint64_t
suite_next_seed (Suite *suite)
{
  return suite->seed + (uint64_t) suite->cases++;
}

int
suite_fewer (const Suite *suite, int n)
{
  return suite->few ? (n + 9) / 10 : suite->is_gpu ? n : (n + 2) / 3;
}

void
suite_print_sum (const Suite *suite)
{
  if (suite->sums)
    printf ("sum %016" PRIx64 "\n", arena_sum (suite->arena));
}

void
suite_end (Suite *suite, const Test *test)
{
  suite->failures += test_end (test);
}

/* ---- places ---- */

/* RC_NO_DEVICE where the places are a GPU and this machine has none. */
static RcStatus
open_places (Suite *suite, int separate, RcError *error)
{
  static const struct
  {
    const char *name;
    RcWhere where;
  } cpus[] = {
    {"AVX2", {.cpu_level = RC_CPU_AVX2}}, {"AVX-512", {.cpu_level = RC_CPU_AVX512}}, {"a thread pool", {.threads = &reverse_pool}},
  };
  const RcWhere reference = {.cpu_level = suite->is_gpu ? RC_CPU_BEST : RC_CPU_BASELINE }, gpu = {.kind = RC_BACKEND_CUDA };
  RcStatus status = place_open (&suite->reference, "the CPU", &reference, error);

  suite->reference.number = MAX_PLACES - 1;
  for (size_t i = 0; status == RC_OK && !suite->is_gpu && !suite->sums && i < COUNT (cpus); i++) {
    status = place_open (&suite->places[suite->n_places], cpus[i].name, &cpus[i].where, error);
    suite->places[suite->n_places].number = suite->n_places;
    suite->n_places += status == RC_OK;
    if (status == RC_UNSUPPORTED)       /* this machine lacks the instruction set */
      status = RC_OK;
  }
  if (status == RC_OK && suite->is_gpu) {
    suite->places[0].separate = separate;
    status = place_open (&suite->places[0], "the GPU", &gpu, error);
    suite->n_places = status == RC_OK;
  }
  return status;
}

int
suite_main (const char *name, int argc, char **argv, const Section *sections, size_t n_sections, uint64_t seed,
    size_t arena_bytes)
{
  Suite suite = {.seed = seed };
  const char *only = NULL;
  int separate = 0;
  RcStatus status;
  RcError error;

  for (int i = 1; i < argc; i++) {
    const int lists = strcmp (argv[i], "--sections") == 0;

    for (size_t s = 0; s < n_sections && lists; s++)
      puts (sections[s].name);
    if (lists)
      return 0;
    if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      suite.seed = strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    suite.is_gpu |= strcmp (argv[i], "--gpu") == 0;
    separate |= strcmp (argv[i], "--separate") == 0;
    suite.small |= strcmp (argv[i], "--small") == 0;
    suite.sums |= strcmp (argv[i], "--sums") == 0;
    suite.few |= suite.small || strcmp (argv[i], "--few") == 0;
  }
  status = open_places (&suite, separate, &error);
  suite.arena = arena_new (arena_bytes);
  if (status == RC_NO_DEVICE) {
    test_skip (name, error.message);
  } else if (status != RC_OK || suite.arena == NULL) {
    printf ("FAIL %s: %s\n", name, status != RC_OK ? error.message : "no memory");
    suite.failures++;
  } else {
    printf ("seed %" PRIu64 "\n", suite.seed);
    for (size_t s = 0; s < n_sections; s++) {
      if (only == NULL || strcmp (only, sections[s].name) == 0)
        sections[s].check (&suite);
    }
    printf ("%d cases compared from seed %" PRIu64 " on %d backends\n", suite.cases, suite.seed, suite.n_places + 1);
  }
  arena_free (suite.arena);
  for (int i = 0; i < suite.n_places; i++)
    place_close (&suite.places[i]);
  place_close (&suite.reference);
  return suite.failures != 0;
}
