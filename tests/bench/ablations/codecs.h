/* robocache: numbers in few bits, on the host
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_CODECS_H
#define BENCH_CODECS_H

#include <stdint.h>

#include "storage.h"

typedef struct
{
  const char *name;
  int size;                     /* bytes */
  int mantissa, bias;           /* bits, of floats of 8 bits */
  double most;                  /* of those: the greatest number, which larger ones become */
} Codec;

extern const Codec codecs[STORAGE_KINDS];

/* Element i of memory; scale is that of int8 and not used by others. */
float codec_read (StorageKind kind, const void *memory, int64_t i, float scale);
/* Rounds to nearest even; inverse is that of int8's scale. */
void codec_write (StorageKind kind, void *memory, int64_t i, float x, float inverse);

#endif
