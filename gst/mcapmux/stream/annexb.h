/* robocache: NAL units of H.264 and H.265 in Annex B, and parameter sets at key frames
 *
 * Sources: ITU-T H.264 and H.265, annex B and tables 7-1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_ANNEXB_H
#define MUX_ANNEXB_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean is_h265;
  GByteArray *parameter_sets;   /* the last parameter sets, each after its start code; empty: none yet */
} MuxAnnexB;

void mux_annexb_init (MuxAnnexB * annexb, gboolean is_h265);
void mux_annexb_clear (MuxAnnexB * annexb);

typedef struct
{
  gboolean has_start_code;      /* the access unit begins with a start code of Annex B */
  gboolean has_all_sets;        /* has sequence and picture parameter sets; for H.265 also video parameter sets */
} MuxAccessUnit;

/* Scans the NAL units before the first slice, and keeps the parameter sets if the set is complete. */
MuxAccessUnit mux_annexb_scan (MuxAnnexB * annexb, const guint8 * data, gsize size);

G_END_DECLS
#endif
