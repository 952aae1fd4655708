/* robocache: numbers in few bits, on the host
 *
 * Floats of 8 bits as in "FP8 Formats for Deep Learning", arXiv 2209.05433, with saturation.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "codecs.h"

#include <math.h>

#include "kernels/arithmetic.h"

const Codec codecs[STORAGE_KINDS] = {
  [STORAGE_FLOAT32] = {"float32", 4, 0, 0, 0},
  [STORAGE_BFLOAT16] = {"bfloat16", 2, 0, 0, 0},
  [STORAGE_FLOAT16] = {"float16", 2, 0, 0, 0},
  [STORAGE_E4M3] = {"fp8 e4m3", 1, 3, 7, 448},
  [STORAGE_E5M2] = {"fp8 e5m2", 1, 2, 15, 57344},
  [STORAGE_INT8] = {"int8, scaled", 1, 0, 0, 0},
};

/* Of a finite number. */
static uint8_t
encode_small (const Codec *codec, double x)
{
  const double size = fmin (fabs (x), codec->most);
  const int least = 1 - codec->bias, exponent = size > 0 && ilogb (size) > least ? ilogb (size) : least;
  const int digits = (int) rint (ldexp (size, codec->mantissa - exponent));

  /* rounding up to the next exponent carries into it */
  return (uint8_t) ((digits + ((exponent - least) << codec->mantissa)) | (signbit (x) ? 0x80 : 0));
}

static float
decode_small (const Codec *codec, uint8_t code)
{
  const int exponent = (code & 0x7F) >> codec->mantissa, fraction = code & ((1 << codec->mantissa) - 1);
  const int implied = exponent > 0 ? 1 << codec->mantissa : 0;
  const double size = ldexp (implied + fraction, (exponent > 0 ? exponent : 1) - codec->bias - codec->mantissa);

  return (float) (code & 0x80 ? -size : size);
}

float
codec_read (StorageKind kind, const void *memory, int64_t i, float scale)
{
  switch (kind) {
    case STORAGE_BFLOAT16:
      return rc_float32_from_bfloat16 (((const uint16_t *) memory)[i]);
    case STORAGE_FLOAT16:
      return rc_float32_from_float16 (((const uint16_t *) memory)[i]);
    case STORAGE_E4M3:
    case STORAGE_E5M2:
      return decode_small (&codecs[kind], ((const uint8_t *) memory)[i]);
    case STORAGE_INT8:
      return (float) ((const int8_t *) memory)[i] * scale;
    default:
      return ((const float *) memory)[i];
  }
}

void
codec_write (StorageKind kind, void *memory, int64_t i, float x, float inverse)
{
  switch (kind) {
    case STORAGE_BFLOAT16:
      ((uint16_t *) memory)[i] = rc_bfloat16_from_float32 (x);
      break;
    case STORAGE_FLOAT16:
      ((uint16_t *) memory)[i] = rc_float16_from_float32 (x);
      break;
    case STORAGE_E4M3:
    case STORAGE_E5M2:
      ((uint8_t *) memory)[i] = encode_small (&codecs[kind], x);
      break;
    case STORAGE_INT8:
      ((int8_t *) memory)[i] = (int8_t) fmaxf (-127, fminf (127, rintf (x * inverse)));
      break;
    default:
      ((float *) memory)[i] = x;
  }
}
