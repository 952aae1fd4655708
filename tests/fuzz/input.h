/* robocache: the bytes of a fuzzer, read as numbers and choices
 *
 * At the end of the bytes every number is 0, so each input means something, and shorter ones are simpler.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* Functions that libFuzzer, or the program that replays a corpus, calls. */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * bytes, size_t n);

typedef struct
{
  const guint8 *bytes;
  gsize n;
} Input;

static inline gboolean
input_is_empty (const Input *input)
{
  return input->n == 0;
}

static inline guint8
input_byte (Input *input)
{
  if (input->n == 0)
    return 0;
  input->n--;
  return *input->bytes++;
}

static inline guint16
input_two_bytes (Input *input)
{
  const guint16 low = input_byte (input);

  return (guint16) (low | input_byte (input) << 8);
}

/* 0 … n - 1, n at most 256 */
static inline guint
input_below (Input *input, guint n)
{
  return input_byte (input) % n;
}

static inline gboolean
input_one_in (Input *input, guint n)
{
  return input_below (input, n) == n - 1;
}

/* The next bytes, as many as the two before them say, in memory of their own: a sanitizer sees reads beyond them. Free with g_free. */
static inline guint8 *
input_exact (Input *input, gsize *length)
{
  const gsize announced = input_two_bytes (input);
  guint8 *bytes;

  *length = MIN (announced, input->n);
  bytes = g_malloc (*length);
  if (*length > 0)
    memcpy (bytes, input->bytes, *length);
  input->bytes += *length;
  input->n -= *length;
  return bytes;
}

#define input_pick(input, table) ((table)[input_below (input, G_N_ELEMENTS (table))])
