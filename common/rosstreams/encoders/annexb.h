/* robocache: NAL units of H.264 and H.265 in Annex B, and parameter sets at key frames
 *
 * Sources: ITU-T H.264 and H.265, annex B and tables 7-1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean is_h265;
  GByteArray *parameter_sets;   /* the last parameter sets, each after its start code; empty: none yet */
} RobocacheAnnexB;

void robocache_annexb_init (RobocacheAnnexB * annexb, gboolean is_h265);
void robocache_annexb_clear (RobocacheAnnexB * annexb);

typedef struct
{
  gboolean has_start_code;      /* the access unit begins with a start code of Annex B */
  gboolean has_all_sets;        /* has sequence and picture parameter sets; for H.265 also video parameter sets */
} RobocacheAnnexBUnit;

/* Scans the NAL units before the first slice, and keeps the parameter sets if the set is complete. */
RobocacheAnnexBUnit robocache_annexb_scan (RobocacheAnnexB * annexb, const guint8 * data, gsize size);
