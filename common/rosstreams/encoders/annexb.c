/* robocache: NAL units of H.264 and H.265 in Annex B, and parameter sets at key frames
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "annexb.h"

#include <string.h>

enum
{ SEQUENCE = 1, PICTURE = 2, VIDEO = 4 };

void
robocache_annexb_init (RobocacheAnnexB *annexb, gboolean is_h265)
{
  annexb->is_h265 = is_h265;
  annexb->parameter_sets = g_byte_array_new ();
}

void
robocache_annexb_clear (RobocacheAnnexB *annexb)
{
  g_byte_array_unref (annexb->parameter_sets);
}

/* Where the next 00 00 01 is; size: none. */
static gsize
find_start_code (const guint8 *data, gsize size, gsize from)
{
  for (gsize i = from; i + 3 <= size; i++) {
    const guint8 *one = memchr (data + i + 2, 1, size - i - 2);

    if (!one)
      return size;
    i = (gsize) (one - data) - 2;
    if (data[i] == 0 && data[i + 1] == 0)
      return i;
  }
  return size;
}

/* The parameter set that a NAL unit is, as a bit; 0: none. */
static guint
parameter_set (const RobocacheAnnexB *annexb, guint8 header)
{
  static const guint8 h265[] = { VIDEO, SEQUENCE, PICTURE };    /* 32 to 34 */
  const guint type = annexb->is_h265 ? header >> 1 & 0x3f : header & 0x1f;

  if (annexb->is_h265)
    return type >= 32 && type <= 34 ? h265[type - 32] : 0;
  return type == 7 ? SEQUENCE : type == 8 ? PICTURE : 0;
}

static gboolean
is_slice (const RobocacheAnnexB *annexb, guint8 header)
{
  const guint type = annexb->is_h265 ? header >> 1 & 0x3f : header & 0x1f;

  return annexb->is_h265 ? type < 32 : type >= 1 && type <= 5;
}

/* Zeros before the next start code belong to neither unit. */
static void
append_unit (GByteArray *sets, const guint8 *unit, gsize size)
{
  static const guint8 start_code[] = { 0, 0, 0, 1 };

  while (size > 0 && unit[size - 1] == 0)
    size--;
  g_byte_array_append (sets, start_code, sizeof (start_code));
  g_byte_array_append (sets, unit, (guint) size);
}

RobocacheAnnexBUnit
robocache_annexb_scan (RobocacheAnnexB *annexb, const guint8 *data, gsize size)
{
  const guint all = annexb->is_h265 ? SEQUENCE | PICTURE | VIDEO : SEQUENCE | PICTURE;
  GByteArray *sets = g_byte_array_new ();
  gsize start = find_start_code (data, size, 0), end;
  RobocacheAnnexBUnit found = { start <= 1 && start < size };
  guint kinds = 0;

  for (; start + 3 < size && !is_slice (annexb, data[start + 3]); start = end) {
    const guint kind = parameter_set (annexb, data[start + 3]);

    end = find_start_code (data, size, start + 3);
    kinds |= kind;
    if (kind)
      append_unit (sets, data + start + 3, end - start - 3);
  }
  found.has_all_sets = kinds == all;
  if (found.has_all_sets) {
    g_byte_array_unref (annexb->parameter_sets);
    annexb->parameter_sets = sets;
  } else {
    g_byte_array_unref (sets);
  }
  return found;
}
