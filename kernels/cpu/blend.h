/* robocache: weighted differences of rows, in REAL
 *
 * Included twice by align_stream.c, with REAL float and double; NAME (x) is x with a suffix for it, LOOSE is REAL at
 * any address, CANONICAL, LOADS and STORES are its conversions. docs/arithmetic.md fixes the order of operations.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The n channels of sources y with factors c. */
typedef void (*NAME (Blend)) (const LOOSE * const *y, const REAL * c, LOOSE * restrict out, int64_t n);

static void
NAME (copy) (const LOOSE *const *y, const REAL *c, LOOSE *restrict out, int64_t n)
{
  const LOOSE *y0 = y[0];
  int64_t i;

  for (i = 0; i < n; i++)
    out[i] = CANONICAL (y0[i]);
}

static void
NAME (linear) (const LOOSE *const *y, const REAL *c, LOOSE *restrict out, int64_t n)
{
  const LOOSE *y0 = y[0], *y1 = y[1];
  const REAL w = c[0];
  int64_t i;

  for (i = 0; i < n; i++)
    out[i] = CANONICAL (y0[i] + w * (y1[i] - y0[i]));
}

static void
NAME (cubic) (const LOOSE *const *y, const REAL *c, LOOSE *restrict out, int64_t n)
{
  const LOOSE *y0 = y[0], *y1 = y[1], *before = y[2], *after = y[3];
  const REAL c0 = c[0], c1 = c[1], c2 = c[2];
  int64_t i;

  for (i = 0; i < n; i++)
    out[i] = CANONICAL (((y0[i] + c0 * (y1[i] - y0[i])) + c1 * (before[i] - y0[i])) + c2 * (after[i] - y0[i]));
}

static void
NAME (hermite) (const LOOSE *const *y, const REAL *c, LOOSE *restrict out, int64_t n)
{
  const LOOSE *y0 = y[0], *y1 = y[1], *rate0 = y[2], *rate1 = y[3];
  const REAL c0 = c[0], c1 = c[1], c2 = c[2];
  int64_t i;

  for (i = 0; i < n; i++)
    out[i] = CANONICAL (((y0[i] + c0 * (y1[i] - y0[i])) + c1 * rate0[i]) + c2 * rate1[i]);
}

/* Blends n channels that begin at source[0 … n_sources) and out, through buffers where a dtype is not REAL. */
static void
NAME (blend_channels) (const RcAlignStream *stream, NAME (Blend) blend, int n_sources, const char *const *source,
    const REAL *c, char *out, int64_t n)
{
  const int direct_in = stream->in == REAL_DTYPE, direct_out = stream->out == REAL_DTYPE;
  const int64_t block = direct_in && direct_out ? n : RC_BLOCK;
  REAL loaded[4][RC_BLOCK], blended[RC_BLOCK];
  const LOOSE *y[4];
  int64_t done, m;
  int k;

  for (done = 0; done < n; done += m) {
    m = n - done < block ? n - done : block;
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

/* Positions with their rates, the other channels linear. */
static void
NAME (blend_hermite) (const RcAlignStream *stream, const char *y0, const char *y1, const RcBracket *bracket, char *out)
{
  const REAL c[3] = { (REAL) bracket->c[0], (REAL) bracket->c[1], (REAL) bracket->c[2] }, w = (REAL) bracket->w;
  const int64_t others = stream->n_velocities, in_size = stream->in_size;
  const char *linear[2] = { y0 + others * in_size, y1 + others * in_size };
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

/* The row between two rows of an episode, every channel taken as a plain number. */
static void
NAME (blend_row) (const RcAlignStream *stream, const char *rows, int64_t row_stride, const RcBracket *bracket,
    char *out)
{
  const char *y0 = rows + bracket->row * row_stride, *y1 = rows + bracket->next * row_stride;

  if (bracket->blend == RC_BLEND_LINEAR) {
    const char *source[2] = { y0, y1 };
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
NAME (copy_row) (const RcAlignStream *stream, const char *row, char *out)
{
  NAME (blend_channels) (stream, NAME (copy), 1, &row, NULL, out, stream->channels);
}
