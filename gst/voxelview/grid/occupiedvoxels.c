/* robocache: the occupied voxels of a grid, whatever form it is in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "occupiedvoxels.h"

#include <string.h>

#include "kernels/arithmetic.h"
#include "common/device/budget.h"

#define WORD_BITS 32

/* ---- elements ---- */

/* Which of n voxels of so many channels each have an element that is not zero, as bits. significant leaves out the sign
 * of a float: -0 is 0. */
#define DEFINE_PACK(name, type, significant) \
static guint32 \
pack_##name (const guint8 *data, guint n, guint64 channels) \
{ \
  guint32 word = 0; \
\
  for (guint i = 0; i < n; i++) { \
    type any = 0, element; \
\
    for (guint64 c = 0; c < channels; c++, data += sizeof (type)) { \
      memcpy (&element, data, sizeof (type)); \
      any |= (type) (element & (significant)); \
    } \
    word |= (guint32) (any != 0) << i; \
  } \
  return word; \
}

DEFINE_PACK (int8, guint8, 0xff)
DEFINE_PACK (int16, guint16, 0xffff)
DEFINE_PACK (int32, guint32, 0xffffffff)
DEFINE_PACK (int64, guint64, G_MAXUINT64)
DEFINE_PACK (float16, guint16, 0x7fff)
DEFINE_PACK (float32, guint32, 0x7fffffff)
DEFINE_PACK (float64, guint64, G_MAXINT64)

#define DEFINE_READ(name, type, expression) \
static gfloat \
read_##name (const guint8 *data) \
{ \
  type x; \
\
  memcpy (&x, data, sizeof (x)); \
  return (gfloat) (expression); \
}

DEFINE_READ (int8, gint8, x)
DEFINE_READ (uint8, guint8, x)
DEFINE_READ (int16, gint16, x)
DEFINE_READ (uint16, guint16, x)
DEFINE_READ (int32, gint32, x)
DEFINE_READ (uint32, guint32, x)
DEFINE_READ (int64, gint64, x)
DEFINE_READ (uint64, guint64, x)
DEFINE_READ (float16, guint16, rc_float32_from_float16 (x))
DEFINE_READ (bfloat16, guint16, rc_float32_from_bfloat16 (x))
DEFINE_READ (float32, gfloat, x)
DEFINE_READ (float64, gdouble, x)

static const struct
{
  guint32 (*pack) (const guint8 * data, guint n, guint64 channels);
  gfloat (*read) (const guint8 * data);
} elements[] = {
  [RC_INT8] = {pack_int8, read_int8},
  [RC_UINT8] = {pack_int8, read_uint8},
  [RC_INT16] = {pack_int16, read_int16},
  [RC_UINT16] = {pack_int16, read_uint16},
  [RC_INT32] = {pack_int32, read_int32},
  [RC_UINT32] = {pack_int32, read_uint32},
  [RC_INT64] = {pack_int64, read_int64},
  [RC_UINT64] = {pack_int64, read_uint64},
  [RC_FLOAT16] = {pack_float16, read_float16},
  [RC_BFLOAT16] = {pack_float16, read_bfloat16},
  [RC_FLOAT32] = {pack_float32, read_float32},
  [RC_FLOAT64] = {pack_float64, read_float64},
};

static gsize
voxel_bytes (const RobocacheVoxelLayout *layout)
{
  return (gsize) layout->n_channels * rc_dtype_size (layout->dtype);
}

/* ---- occupancy as bits ---- */

static gsize
row_words (const RobocacheVoxelLayout *layout)
{
  return (gsize) (layout->frame.grid[0] + WORD_BITS - 1) / WORD_BITS;
}

/* Voxels of the last word of a row that there are. */
static guint
last_voxels (const RobocacheVoxelLayout *layout)
{
  return (guint) (layout->frame.grid[0] - 1) % WORD_BITS + 1;
}

static gboolean
reserve (RobocacheOccupiedVoxels *voxels, GError **error)
{
  const gint64 *n = voxels->layout->frame.grid;
  const guint64 words = robocache_bytes_multiply (row_words (voxels->layout), (guint64) n[1] * (guint64) n[2]);
  const guint64 bytes = robocache_bytes_multiply (words, sizeof (guint32));

  voxels->n_words = (gsize) words;
  if (words <= voxels->capacity)
    return TRUE;
  robocache_occupied_voxels_clear (voxels);
  voxels->words = bytes < G_MAXUINT64 ? g_try_malloc (bytes) : NULL;
  if (voxels->words == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for the %" G_GUINT64_FORMAT " bytes "
        "of the bitmap of a grid of %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ": send a smaller grid",
        bytes, n[0], n[1], n[2]);
    return FALSE;
  }
  voxels->capacity = voxels->n_words = (gsize) words;
  return TRUE;
}

/* Four words at a time, since this reads the whole grid. */
static gboolean
is_zero (const guint8 *data, gsize n)
{
  guint64 any = 0, words[4];

  for (; any == 0 && n >= sizeof (words); data += sizeof (words), n -= sizeof (words)) {
    memcpy (words, data, sizeof (words));
    any = words[0] | words[1] | words[2] | words[3];
  }
  while (any == 0 && n-- > 0)
    any = *data++;
  return any == 0;
}

static void
pack_row (const RobocacheVoxelLayout *layout, const guint8 *data, guint32 *words)
{
  const gsize n_row = row_words (layout), bytes = voxel_bytes (layout);

  for (gsize w = 0; w < n_row; w++, data += WORD_BITS * bytes) {
    const guint n = w + 1 == n_row ? last_voxels (layout) : WORD_BITS;

    words[w] = is_zero (data, n * bytes) ? 0 : elements[layout->dtype].pack (data, n, layout->n_channels);
  }
}

/* Most rows are empty, and that is soon seen. */
static void
pack_dense (RobocacheOccupiedVoxels *voxels)
{
  const RobocacheVoxelLayout *layout = voxels->layout;
  const gsize n_row = row_words (layout), bytes = (gsize) layout->frame.grid[0] * voxel_bytes (layout);
  const guint8 *data = voxels->values;

  for (gsize w = 0; w < voxels->n_words; w += n_row, data += bytes) {
    if (is_zero (data, bytes))
      memset (voxels->words + w, 0, n_row * sizeof (guint32));
    else
      pack_row (layout, data, voxels->words + w);
  }
}

/* Bits beyond the grid mean nothing. */
static void
copy_bits (RobocacheOccupiedVoxels *voxels, const guint8 *data)
{
  const gsize n_row = row_words (voxels->layout);
  const guint32 last = G_MAXUINT32 >> (WORD_BITS - last_voxels (voxels->layout));

  memcpy (voxels->words, data, voxels->n_words * sizeof (guint32));
  for (gsize w = n_row - 1; w < voxels->n_words; w += n_row)
    voxels->words[w] &= last;
}

static guint64
count_bits (const RobocacheOccupiedVoxels *voxels)
{
  guint64 n = 0;

  for (gsize w = 0; w < voxels->n_words; w++)
    n += (guint) __builtin_popcount (voxels->words[w]);
  return n;
}

/* ---- read ---- */

static gboolean
read_sparse (RobocacheOccupiedVoxels *voxels, const guint8 *number, GError **error)
{
  const gint64 *grid = voxels->layout->frame.grid;
  guint32 n;

  memcpy (&n, number, sizeof (n));
  if (n > voxels->layout->capacity) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a sparse grid has %u voxels, but its tensors have space for %"
        G_GUINT64_FORMAT, n, voxels->layout->capacity);
    return FALSE;
  }
  voxels->n_occupied = n;
  for (guint32 i = 0; i < n; i++) {
    gint32 at[3];

    memcpy (at, voxels->coordinates + i * sizeof (at), sizeof (at));
    for (guint axis = 0; axis < 3; axis++) {
      if (at[axis] >= 0 && at[axis] < grid[axis])
        continue;
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "voxel %u of a sparse grid is %d, %d, %d: expected one "
          "in a grid of %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, i, at[0], at[1], at[2], grid[0],
          grid[1], grid[2]);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
robocache_occupied_voxels_read (RobocacheOccupiedVoxels *voxels, const RobocacheVoxelLayout *layout,
    gpointer const *tensors, guint64 item, guint64 channel, GError **error)
{
  const gint64 *n = layout->frame.grid;

  voxels->layout = layout;
  voxels->channel = channel;
  voxels->values = voxels->coordinates = NULL;
  if (layout->frame.output == RC_VOXEL_SPARSE) {
    voxels->coordinates = (const guint8 *) tensors[1] + item * layout->capacity * 3 * sizeof (gint32);
    if (layout->dtype != RC_N_DTYPES)
      voxels->values = (const guint8 *) tensors[layout->values] + item * layout->capacity * voxel_bytes (layout);
    return read_sparse (voxels, (const guint8 *) tensors[0] + item * sizeof (guint32), error);
  }
  if (!reserve (voxels, error))
    return FALSE;
  if (layout->frame.output == RC_VOXEL_BITS) {
    copy_bits (voxels, (const guint8 *) tensors[0] + item * voxels->n_words * sizeof (guint32));
  } else {
    voxels->values = (const guint8 *) tensors[0]
        + item * (guint64) n[0] * (guint64) n[1] * (guint64) n[2] * voxel_bytes (layout);
    pack_dense (voxels);
  }
  voxels->n_occupied = count_bits (voxels);
  return TRUE;
}

void
robocache_occupied_voxels_clear (RobocacheOccupiedVoxels *voxels)
{
  g_clear_pointer (&voxels->words, g_free);
  voxels->capacity = 0;
}

/* ---- visit ---- */

static gfloat
value_at (const RobocacheOccupiedVoxels *voxels, guint64 index)
{
  const RobocacheVoxelLayout *layout = voxels->layout;

  if (voxels->values == NULL)
    return 1.0f;
  return elements[layout->dtype].read (voxels->values + index * voxel_bytes (layout)
      + voxels->channel * rc_dtype_size (layout->dtype));
}

static void
visit_list (const RobocacheOccupiedVoxels *voxels, guint sides, RobocacheVoxelVisit visit, gpointer data)
{
  for (guint64 i = 0; i < voxels->n_occupied; i++) {
    gint32 at[3];

    memcpy (at, voxels->coordinates + i * sizeof (at), sizeof (at));
    visit (data, at, sides, value_at (voxels, i));
  }
}

/* 32 voxels of a row, and whether there are neighbours beside them. */
typedef struct
{
  const guint32 *word;
  gsize row, plane;             /* words to the next row and plane */
  gboolean has[6];              /* a neighbouring word, in the order of the sides */
} Block;

/* The voxels that have a neighbour on each side, as bits. */
static void
find_neighbours (const Block *block, guint32 beside[6])
{
  const guint32 *w = block->word;

  beside[0] = w[0] >> 1 | (block->has[0] ? w[1] << (WORD_BITS - 1) : 0);
  beside[1] = w[0] << 1 | (block->has[1] ? w[-1] >> (WORD_BITS - 1) : 0);
  beside[2] = block->has[2] ? w[block->row] : 0;
  beside[3] = block->has[3] ? *(w - block->row) : 0;
  beside[4] = block->has[4] ? w[block->plane] : 0;
  beside[5] = block->has[5] ? *(w - block->plane) : 0;
}

static void
visit_block (const RobocacheOccupiedVoxels *voxels, const Block *block, const gint32 first[3], guint sides,
    RobocacheVoxelVisit visit, gpointer data)
{
  const gint64 *n = voxels->layout->frame.grid;
  const guint64 row = ((guint64) first[2] * (guint64) n[1] + (guint64) first[1]) * (guint64) n[0];
  guint32 beside[6], open[6], any = 0;

  find_neighbours (block, beside);
  for (guint side = 0; side < 6; side++) {
    open[side] = sides & 1u << side ? *block->word & ~beside[side] : 0;
    any |= open[side];
  }
  for (; any != 0; any &= any - 1) {
    const guint bit = (guint) __builtin_ctz (any);
    const gint32 at[3] = { first[0] + (gint32) bit, first[1], first[2] };
    guint mask = 0;

    for (guint side = 0; side < 6; side++)
      mask |= (open[side] >> bit & 1u) << side;
    visit (data, at, mask, value_at (voxels, row + (guint64) at[0]));
  }
}

static void
visit_words (const RobocacheOccupiedVoxels *voxels, guint sides, RobocacheVoxelVisit visit, gpointer data)
{
  const gint64 *n = voxels->layout->frame.grid;
  const gsize n_row = row_words (voxels->layout);
  Block block = { voxels->words, n_row, n_row * (gsize) n[1], { FALSE } };
  gint32 at[3];

  for (at[2] = 0; at[2] < n[2]; at[2]++) {
    block.has[4] = at[2] + 1 < n[2];
    block.has[5] = at[2] > 0;
    for (at[1] = 0; at[1] < n[1]; at[1]++) {
      block.has[2] = at[1] + 1 < n[1];
      block.has[3] = at[1] > 0;
      for (gsize w = 0; w < n_row; w++, block.word++) {
        if (*block.word == 0)
          continue;
        block.has[0] = w + 1 < n_row;
        block.has[1] = w > 0;
        at[0] = (gint32) (w * WORD_BITS);
        visit_block (voxels, &block, at, sides, visit, data);
      }
    }
  }
}

void
robocache_occupied_voxels_visit (const RobocacheOccupiedVoxels *voxels, guint sides, RobocacheVoxelVisit visit,
    gpointer data)
{
  if (voxels->coordinates)
    visit_list (voxels, sides, visit, data);
  else
    visit_words (voxels, sides, visit, data);
}
