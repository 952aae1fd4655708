/* robocache: registers, shared memory and occupancy of every kernel, as they are for this GPU
 *
 *   bench-resources FILE [--csv FILE]
 *
 * FILE: the plugin, or any program with kernels. Its section .nv_fatbin has a part for each source file. CUDA loads each part
 * and reports the names and resources of its kernels. Dynamic shared memory is not known here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/common/table.h"

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

static void
must (cudaError_t result, const char *what)
{
  if (result != cudaSuccess)
    fail (what, cudaGetErrorString (result));
}

/* ---- kernels ---- */

#define NAMELESS "(anonymous namespace)::"

/* As in the source, without arguments. Without a C++ library it stays mangled. */
static void
readable_name (const char *name, char *readable, size_t size)
{
  void *library = dlopen ("libstdc++.so.6", RTLD_LAZY);
  char *(*demangle) (const char *, char *, size_t *, int *) = NULL;
  char *told = NULL;
  const char *at;
  size_t n = 0;
  int depth = 0;

  if (library != NULL)
    *(void **) &demangle = dlsym (library, "__cxa_demangle");
  if (demangle != NULL)
    told = demangle (name, NULL, NULL, NULL);
  at = told != NULL ? told : name;
  if (strncmp (at, "void ", 5) == 0)
    at += 5;
  while (*at != '\0' && n + 1 < size) {
    if (strncmp (at, NAMELESS, strlen (NAMELESS)) == 0) {
      at += strlen (NAMELESS);
      continue;
    }
    if (*at == '(' && depth == 0)
      break;
    depth += (*at == '<') - (*at == '>');
    readable[n++] = *at++;
  }
  readable[n] = '\0';
  free (told);
  if (library != NULL)
    dlclose (library);
}

/* With as many threads as it can have, without dynamic shared memory. */
static void
put_kernel (cudaKernel_t kernel, int max_threads, Table *table)
{
  struct cudaFuncAttributes is;
  const char *mangled;
  char name[256];
  int blocks;

  must (cudaFuncGetName (&mangled, kernel), "cudaFuncGetName");
  must (cudaFuncGetAttributes (&is, kernel), mangled);
  must (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&blocks, kernel, is.maxThreadsPerBlock, 0), mangled);
  readable_name (mangled, name, sizeof (name));
  table_put (table, "%s|%d|%d|%zu|%zu|%d|%.3f", name, is.maxThreadsPerBlock, is.numRegs, is.sharedSizeBytes, is.localSizeBytes, blocks,
      (double) blocks * is.maxThreadsPerBlock / max_threads);
}

static void
put_part (const void *part, int max_threads, Table *table)
{
  cudaKernel_t kernels[MAX_KERNELS];
  cudaLibrary_t library;
  unsigned n;

  must (cudaLibraryLoadData (&library, part, NULL, NULL, 0, NULL, NULL, 0), "cudaLibraryLoadData");
  must (cudaLibraryGetKernelCount (&n, library), "cudaLibraryGetKernelCount");
  if (n > MAX_KERNELS)
    fail ("kernels", "a file has more of them than expected");
  must (cudaLibraryEnumerateKernels (kernels, n, library), "cudaLibraryEnumerateKernels");
  for (unsigned i = 0; i < n; i++)
    put_kernel (kernels[i], max_threads, table);
  must (cudaLibraryUnload (library), "cudaLibraryUnload");
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

  for (int i = 0; i < header->e_shnum; i++) {
    if (strcmp (names + sections[i].sh_name, wanted) == 0)
      return (Section) { file.first + sections[i].sh_offset, sections[i].sh_size };
  }
  fail (path, "it has no kernels");
}

static void
put_all (const char *path, int max_threads, Table *table)
{
  const Section section = find_section (path, ".nv_fatbin");
  PartHeader header;

  for (size_t at = 0; at + sizeof (header) <= section.bytes; at += 8) {
    memcpy (&header, section.first + at, sizeof (header));
    if (header.magic != PART_MAGIC)
      continue;                 /* parts are aligned to 8 */
    put_part (section.first + at, max_threads, table);
    at += header.header_bytes + header.bytes - 8;
  }
}

int
main (int argc, char **argv)
{
  const char *csv = argc == 4 && strcmp (argv[2], "--csv") == 0 ? argv[3] : NULL;
  struct cudaDeviceProp properties;
  Table table;

  if (argc < 2 || (argc > 2 && csv == NULL))
    fail ("bench-resources", "expected FILE [--csv FILE]");
  if (cudaFree (NULL) != cudaSuccess || cudaGetDeviceProperties (&properties, 0) != cudaSuccess) {
    printf ("SKIP bench-resources: no GPU: %s\n", cudaGetErrorString (cudaGetLastError ()));
    return 0;
  }
  table_open (&table, csv, "kernel,threads_of_a_block,registers,static_shared_memory,local_memory,blocks_at_once,"
      "share_of_threads_at_once");
  put_all (argv[1], properties.maxThreadsPerMultiProcessor, &table);
  table_end (&table);
  return 0;
}
