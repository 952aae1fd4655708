/* robocache: a message of another encoding, and the message in CDR that it becomes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/ros/cdr.h"
#include "common/ros/schema.h"

/* Bytes of a message, and where it goes. */
typedef struct
{
  const RobocacheRosSchema *schema;
  const guint8 *message;
  gsize size;
  RobocacheCdrWriter *writer;
  gsize max_bytes;              /* maximum bytes of the written message */
} RobocacheConversion;

/* Writes one number of a kind as an integer, whose low bytes are those of the kind. */
void robocache_conversion_write_integer (RobocacheConversion * conversion, RobocacheRosKind kind, guint64 number);
/* Writes the value of a field that a message lacks: its number, an empty text, or an empty sequence. FALSE and an error: the message would become too
 * large. */
gboolean robocache_conversion_write_default (RobocacheConversion * conversion, const RobocacheRosField * field, GError ** error);
void robocache_conversion_write_text (RobocacheConversion * conversion, const guint8 * text, gsize size);
/* FALSE and an error: the message becomes too large. */
gboolean robocache_conversion_check (const RobocacheConversion * conversion, GError ** error);
/* Writes a count before items of unknown number; returns its place, for robocache_conversion_end_items. */
gsize robocache_conversion_begin_items (RobocacheConversion * conversion);
void robocache_conversion_end_items (RobocacheConversion * conversion, gsize place, guint32 count);
