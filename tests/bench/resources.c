/* robocache: registers, shared memory and occupancy of every kernel, as they are for this GPU
 *
 *   bench-resources FILE [--csv FILE]
 *
 * FILE: the plugin, or any program with kernels. They are in its section .nv_fatbin, one part a source file; the driver loads
 * each part and says what the kernels in it are called and take. Dynamic shared memory is not known here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda.h>
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

#define PART_MAGIC UINT32_C (0xBA55ED50)
#define MOST_KERNELS 512        /* of a part */

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
  CUresult (*name) (const char **, CUkernel);
  CUresult (*function) (CUfunction *, CUkernel);
  CUresult (*attribute) (int *, CUfunction_attribute, CUfunction);
  CUresult (*occupancy) (int *, CUfunction, int, size_t);
} driver;

static void
find_function (const char *name, void *function)
{
  enum cudaDriverEntryPointQueryResult found;

  if (cudaGetDriverEntryPointByVersion (name, function, 12040, cudaEnableDefault, &found) != cudaSuccess
      || found != cudaDriverEntryPointSuccess)
    fail (name, "this driver has no such function; expected one for CUDA 12.4 or newer");
}

static void
find_functions (void)
{
  find_function ("cuLibraryLoadData", &driver.load);
  find_function ("cuLibraryUnload", &driver.unload);
  find_function ("cuLibraryGetKernelCount", &driver.count);
  find_function ("cuLibraryEnumerateKernels", &driver.enumerate);
  find_function ("cuKernelGetName", &driver.name);
  find_function ("cuKernelGetFunction", &driver.function);
  find_function ("cuFuncGetAttribute", &driver.attribute);
  find_function ("cuOccupancyMaxActiveBlocksPerMultiprocessor", &driver.occupancy);
}

static void
must (CUresult result, const char *what)
{
  if (result != CUDA_SUCCESS)
    fail (what, "the driver refuses it");
}

/* ---- names ---- */

#define NAMELESS "(anonymous namespace)::"

/* As it is in the source, without arguments. The C++ library tells, where there is one; or else it stays as it is. */
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

/* ---- kernels ---- */

static int
attribute (CUfunction function, CUfunction_attribute which)
{
  int value;

  must (driver.attribute (&value, which, function), "cuFuncGetAttribute");
  return value;
}

static void
say_kernel (CUkernel kernel, int most_threads, FILE *csv)
{
  const char *name;
  CUfunction function;
  char readable[256];
  int threads, registers, shared, local, blocks;

  must (driver.name (&name, kernel), "cuKernelGetName");
  must (driver.function (&function, kernel), name);
  readable_name (name, readable, sizeof (readable));
  threads = attribute (function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  registers = attribute (function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  shared = attribute (function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  local = attribute (function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  must (driver.occupancy (&blocks, function, threads, 0), name);
  printf ("| %s | %d | %d | %d | %d | %d | %.0f %% |\n", readable, threads, registers, shared, local, blocks,
      100.0 * blocks * threads / most_threads);
  if (csv != NULL)
    fprintf (csv, "\"%s\",%d,%d,%d,%d,%d,%.3f\n", readable, threads, registers, shared, local, blocks,
        (double) blocks * threads / most_threads);
}

static void
say_part (const void *part, int most_threads, FILE *csv)
{
  CUkernel kernels[MOST_KERNELS];
  CUlibrary library;
  unsigned n, i;

  must (driver.load (&library, part, NULL, NULL, 0, NULL, NULL, 0), "cuLibraryLoadData");
  must (driver.count (&n, library), "cuLibraryGetKernelCount");
  if (n > MOST_KERNELS)
    fail ("kernels", "a file has more of them than expected");
  must (driver.enumerate (kernels, n, library), "cuLibraryEnumerateKernels");
  for (i = 0; i < n; i++)
    say_kernel (kernels[i], most_threads, csv);
  must (driver.unload (library), "cuLibraryUnload");
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
