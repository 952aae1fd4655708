/* robocache: registers, shared memory and occupancy of every kernel, as they are for this GPU
 *
 *   bench-resources FILE [--csv FILE]
 *
 * FILE: the plugin, or any program with kernels. They are in its section .nv_fatbin, one part a source file; the driver loads
 * each part and says what the kernels in it are called and take. Dynamic shared memory is not known here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/loaded.h"

#include <cuda_runtime_api.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_MAGIC UINT32_C (0xBA55ED50)
#define MAX_KERNELS 512        /* of a part */

/* The beginning of a part, as nvcc writes it. */
typedef struct
{
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;               /* that follow the header */
} PartHeader;

static void __attribute__ ((noreturn))
fail (const char *what, const char *why)
{
  fprintf (stderr, "%s: %s\n", what, why);
  exit (1);
}

/* ---- the driver ---- */

static struct
{
  CUresult (*load) (CUlibrary *, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void **, unsigned);
  CUresult (*unload) (CUlibrary);
  CUresult (*count) (unsigned *, CUlibrary);
  CUresult (*enumerate) (CUkernel *, unsigned, CUlibrary);
  CUresult (*function) (CUfunction *, CUkernel);
} driver;

static void
find_functions (void)
{
  bench_find_function ("cuLibraryLoadData", &driver.load);
  bench_find_function ("cuLibraryUnload", &driver.unload);
  bench_find_function ("cuLibraryGetKernelCount", &driver.count);
  bench_find_function ("cuLibraryEnumerateKernels", &driver.enumerate);
  bench_find_function ("cuKernelGetFunction", &driver.function);
}

/* ---- kernels ---- */

static void
say_kernel (CUkernel kernel, int most_threads, FILE *csv)
{
  CUfunction function;
  BenchLoaded is;
  double share;

  bench_must_driver (driver.function (&function, kernel), "cuKernelGetFunction");
  bench_loaded (function, 0, 0, &is);
  share = (double) is.blocks * is.threads / most_threads;
  printf ("| %s | %d | %d | %d | %d | %d | %.0f %% |\n", is.name, is.threads, is.registers, is.shared_bytes, is.local_bytes,
      is.blocks, 100 * share);
  if (csv != NULL)
    fprintf (csv, "\"%s\",%d,%d,%d,%d,%d,%.3f\n", is.name, is.threads, is.registers, is.shared_bytes, is.local_bytes,
        is.blocks, share);
}

static void
say_part (const void *part, int most_threads, FILE *csv)
{
  CUkernel kernels[MAX_KERNELS];
  CUlibrary library;
  unsigned n, i;

  bench_must_driver (driver.load (&library, part, NULL, NULL, 0, NULL, NULL, 0), "cuLibraryLoadData");
  bench_must_driver (driver.count (&n, library), "cuLibraryGetKernelCount");
  if (n > MAX_KERNELS)
    fail ("kernels", "a file has more of them than expected");
  bench_must_driver (driver.enumerate (kernels, n, library), "cuLibraryEnumerateKernels");
  for (i = 0; i < n; i++)
    say_kernel (kernels[i], most_threads, csv);
  bench_must_driver (driver.unload (library), "cuLibraryUnload");
}

/* ---- the file ---- */

typedef struct
{
  const char *first;
  size_t bytes;
} Section;

static Section
map_file (const char *path)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  void *file;

  if (fd < 0 || fstat (fd, &status) != 0)
    fail (path, "cannot be read");
  file = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close (fd);
  if (file == MAP_FAILED || (size_t) status.st_size < sizeof (Elf64_Ehdr) || memcmp (file, ELFMAG, SELFMAG) != 0)
    fail (path, "expected a program or a library");
  return (Section) { file, (size_t) status.st_size };
}

/* Of a file that a linker has written, whose numbers are believed. */
static Section
find_section (const char *path, const char *wanted)
{
  const Section file = map_file (path);
  const Elf64_Ehdr *header = (const Elf64_Ehdr *) (const void *) file.first;
  const Elf64_Shdr *sections = (const Elf64_Shdr *) (const void *) (file.first + header->e_shoff);
  const char *names = file.first + sections[header->e_shstrndx].sh_offset;
  int i;

  for (i = 0; i < header->e_shnum; i++) {
    if (strcmp (names + sections[i].sh_name, wanted) == 0)
      return (Section) { file.first + sections[i].sh_offset, sections[i].sh_size };
  }
  fail (path, "it has no kernels");
}

static void
say_all (const char *path, int most_threads, FILE *csv)
{
  const Section section = find_section (path, ".nv_fatbin");
  PartHeader header;
  size_t at;

  for (at = 0; at + sizeof (header) <= section.bytes; at += 8) {
    memcpy (&header, section.first + at, sizeof (header));
    if (header.magic != PART_MAGIC)
      continue;                 /* parts are aligned to 8 */
    say_part (section.first + at, most_threads, csv);
    at += header.header_bytes + header.bytes - 8;
  }
}

int
main (int argc, char **argv)
{
  const char *path = argc == 4 && strcmp (argv[2], "--csv") == 0 ? argv[3] : NULL;
  struct cudaDeviceProp properties;
  FILE *csv = NULL;

  if (argc < 2 || (argc > 2 && path == NULL))
    fail ("bench-resources", "expected FILE [--csv FILE]");
  if (cudaFree (NULL) != cudaSuccess || cudaGetDeviceProperties (&properties, 0) != cudaSuccess) {
    printf ("SKIP bench-resources: no GPU: %s\n", cudaGetErrorString (cudaGetLastError ()));
    return 0;
  }
  find_functions ();
  if (path != NULL && (csv = fopen (path, "w")) == NULL)
    fail (path, "cannot be written");
  printf ("%s, %d registers and %d threads a multiprocessor\n\n| kernel | threads of a block | registers | shared, bytes "
      "| local, bytes | blocks at once | threads at once |\n|---|---|---|---|---|---|---|\n", properties.name,
      properties.regsPerMultiprocessor, properties.maxThreadsPerMultiProcessor);
  if (csv != NULL)
    fprintf (csv, "kernel,threads_of_a_block,registers,static_shared_memory,local_memory,blocks_at_once,"
        "share_of_threads_at_once\n");
  say_all (argv[1], properties.maxThreadsPerMultiProcessor, csv);
  if (csv != NULL && fclose (csv) != 0)
    fail (path, "cannot be written");
  printf ("PASS bench-resources\n");
  return 0;
}
