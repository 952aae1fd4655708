/* robocache: weighted differences of rows, in REAL
 *
 * Included twice by align_episode.c, with REAL float and double; NAME (x) is x with a suffix for the type, LOOSE is REAL at any address,
 * BITS a signed integer of the same size, and NAN_BITS the bits of the canonical NaN; CANONICAL, LOADS and STORES are the conversions of
 * REAL. docs/explanation/arithmetic.md fixes the order of operations.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Vectors of the level, and vectors half as wide for shorter rows. */
#ifdef __AVX2__
#define WIDE 32
#else
#define WIDE 16
#endif
#define NARROW 16

typedef REAL NAME (Wide) __attribute__ ((vector_size (WIDE), aligned (1), may_alias));
typedef REAL NAME (Narrow) __attribute__ ((vector_size (NARROW), aligned (1), may_alias));
typedef BITS NAME (WideMask) __attribute__ ((vector_size (WIDE)));
typedef BITS NAME (NarrowMask) __attribute__ ((vector_size (NARROW)));

/* Blends n channels of the four sources y with factors c. */
typedef void (*NAME (Blend)) (const LOOSE * const *y, const REAL * c, LOOSE * restrict out, int64_t n);

/* Vectors from channel 0 on; if n is not a multiple of the width, the last vector overlaps the one before it, and computes some channels
 * twice. */
#define EACH_VECTOR(Vector, Mask, BLEND) \
  const int64_t lanes = sizeof (Vector) / sizeof (REAL), last = n - lanes; \
\
  for (int64_t i = 0;; i = i + lanes < last ? i + lanes : last) { \
    const Vector blended = BLEND (Vector); \
    const Mask is_number = blended == blended; \
\
    *(Vector *) (out + i) = (Vector) (((Mask) blended & is_number) | (NAN_BITS & ~is_number)); \
    if (i == last) \
      return; \
  }

#define Y(Type, k) (*(const Type *) (from[k] + i))
#define COPY(Type) Y (Type, 0)
#define LINEAR(Type) (Y (Type, 0) + c[0] * (Y (Type, 1) - Y (Type, 0)))
#define CUBIC(Type) ((LINEAR (Type) + c[1] * (Y (Type, 2) - Y (Type, 0))) + c[2] * (Y (Type, 3) - Y (Type, 0)))
#define HERMITE(Type) ((LINEAR (Type) + c[1] * Y (Type, 2)) + c[2] * Y (Type, 3))

#define DEFINE_BLEND(name, BLEND) \
  static inline void \
  NAME (name) (const LOOSE *const *y, const REAL *c, LOOSE *restrict out, int64_t n) \
  { \
    const LOOSE *const from[4] = { y[0], y[1], y[2], y[3] }; \
\
    if (n >= (int64_t) (WIDE / sizeof (REAL))) { \
      EACH_VECTOR (NAME (Wide), NAME (WideMask), BLEND) \
    } else if (n >= (int64_t) (NARROW / sizeof (REAL))) { \
      EACH_VECTOR (NAME (Narrow), NAME (NarrowMask), BLEND) \
    } \
    for (int64_t i = 0; i < n; i++) \
      out[i] = CANONICAL (BLEND (LOOSE)); \
  }

DEFINE_BLEND (copy, COPY)
DEFINE_BLEND (linear, LINEAR)
DEFINE_BLEND (cubic, CUBIC)
DEFINE_BLEND (hermite, HERMITE)

/* Blends n channels that begin at source[0 … n_sources) and out; if a dtype is not REAL, it converts them in blocks. */
static __attribute__ ((noinline)) void
NAME (blend_converted) (const RcAlignStream *stream, NAME (Blend) blend, int n_sources, const char *const *source,
    const REAL *c, char *out, int64_t n)
{
  const int direct_in = stream->in == REAL_DTYPE, direct_out = stream->out == REAL_DTYPE;
  REAL loaded[4][RC_BLOCK], blended[RC_BLOCK];
  const LOOSE *y[4] = { NULL };
  int64_t done, m;
  int k;

  for (done = 0; done < n; done += m) {
    m = block_of (n - done);
    for (k = 0; k < n_sources; k++) {
      const char *from = source[k] + done * stream->in_size;

      if (direct_in) {
        y[k] = (const LOOSE *) from;
      } else {
        LOADS[stream->in] (from, loaded[k], m);
        y[k] = loaded[k];
      }
    }
    if (direct_out) {
      blend (y, c, (LOOSE *) (out + done * stream->out_size), m);
    } else {
      blend (y, c, blended, m);
      STORES[stream->out] (blended, out + done * stream->out_size, m);
    }
  }
}

/* Like blend_converted, but directly from rows to rows if no conversion is needed. */
static inline void
NAME (blend_channels) (const RcAlignStream *stream, NAME (Blend) blend, int n_sources, const char *const *source,
    const REAL *c, char *out, int64_t n)
{
  if (stream->in == REAL_DTYPE && stream->out == REAL_DTYPE)
    blend ((const LOOSE * const *) source, c, (LOOSE *) out, n);
  else
    NAME (blend_converted) (stream, blend, n_sources, source, c, out, n);
}

/* Blends positions with their rates, and the other channels linearly. */
static void
NAME (blend_hermite) (const RcAlignStream *stream, const char *y0, const char *y1, const RcBracket *bracket, char *out)
{
  const REAL c[3] = { (REAL) bracket->c[0], (REAL) bracket->c[1], (REAL) bracket->c[2] }, w = (REAL) bracket->w;
  const int64_t others = stream->n_velocities, in_size = stream->in_size;
  const char *linear[4] = { y0 + others * in_size, y1 + others * in_size };
  int64_t i;

  for (i = 0; i < stream->n_positions; i++) {
    const RcChannelRun *run = &stream->positions[i];
    const char *source[4] = { y0 + run->first * in_size, y1 + run->first * in_size, y0 + run->rate * in_size,
      y1 + run->rate * in_size
    };

    NAME (blend_channels) (stream, NAME (hermite), 4, source, c, out + run->first * stream->out_size, run->n);
  }
  NAME (blend_channels) (stream, NAME (linear), 2, linear, &w, out + others * stream->out_size,
      stream->channels - others);
}

/* Blends two rows of an episode; every channel is a plain number. */
static inline void
NAME (blend_row) (const RcAlignStream *stream, const char *rows, int64_t row_stride, const RcBracket *bracket,
    char *out)
{
  const char *y0 = rows + bracket->row * row_stride, *y1 = rows + bracket->next * row_stride;

  if (bracket->blend == RC_BLEND_LINEAR) {
    const char *source[4] = { y0, y1 };
    const REAL w = (REAL) bracket->w;

    NAME (blend_channels) (stream, NAME (linear), 2, source, &w, out, stream->channels);
  } else if (bracket->blend == RC_BLEND_CUBIC) {
    const char *source[4] = { y0, y1, rows + bracket->before * row_stride, rows + bracket->after * row_stride };
    const REAL c[3] = { (REAL) bracket->c[0], (REAL) bracket->c[1], (REAL) bracket->c[2] };

    NAME (blend_channels) (stream, NAME (cubic), 4, source, c, out, stream->channels);
  } else {
    NAME (blend_hermite) (stream, y0, y1, bracket, out);
  }
}

static void
NAME (copy_channels) (const RcAlignStream *stream, const char *from, char *out, int64_t n)
{
  const char *source[4] = { from };

  NAME (blend_channels) (stream, NAME (copy), 1, source, NULL, out, n);
}

#undef WIDE
#undef NARROW
#undef EACH_VECTOR
#undef Y
#undef COPY
#undef LINEAR
#undef CUBIC
#undef HERMITE
#undef DEFINE_BLEND
