/* robocache: the encodings that a transcoder reads
 *
 * A function that parses returns NULL and a ROBOCACHE_ERROR_CAPS if the definition cannot be read. A function that converts writes one
 * message after the header of the writer; FALSE and a ROBOCACHE_ERROR_DATA: the message is damaged, or has another definition.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ENCODINGS_H
#define ROBOCACHE_ENCODINGS_H

#include "common/ros/cdr.h"
#include "common/ros/schema.h"

G_BEGIN_DECLS

/* Bytes of a message, and where it goes. */
typedef struct
{
  const RobocacheRosSchema *schema;
  const guint8 *message;
  gsize size;
  RobocacheCdrWriter *writer;
  gsize max_bytes;              /* of the message that is written */
} RobocacheConversion;

/* Writes one number of a kind as an integer, whose low bytes are those of the kind. */
void robocache_conversion_write_integer (RobocacheConversion * conversion, RobocacheRosKind kind, guint64 number);
/* Writes the value of a field that a message lacks: 0, an empty text, or an empty sequence. FALSE and an error: the message would become too
 * large. */
gboolean robocache_conversion_write_default (RobocacheConversion * conversion, const RobocacheRosField * field, GError ** error);
void robocache_conversion_write_text (RobocacheConversion * conversion, const guint8 * text, gsize size);
/* FALSE and an error: the message becomes too large. */
gboolean robocache_conversion_check (const RobocacheConversion * conversion, GError ** error);
/* Writes a count before items of unknown number; returns its place, for robocache_conversion_end_items. */
gsize robocache_conversion_begin_items (RobocacheConversion * conversion);
void robocache_conversion_end_items (RobocacheConversion * conversion, gsize place, guint32 count);

/* idl.c */
RobocacheRosSchema *robocache_idl_parse (const gchar * type, const gchar * definition, gsize size, GError ** error);

/* json.c */
RobocacheRosSchema *robocache_json_schema_parse (const gchar * type, const gchar * definition, gsize size, GError ** error);
gboolean robocache_json_convert (RobocacheConversion * conversion, GError ** error);

/* protobuf.c */
RobocacheRosSchema *robocache_protobuf_parse (const gchar * type, const gchar * definition, gsize size, GError ** error);
gboolean robocache_protobuf_convert (RobocacheConversion * conversion, GError ** error);

/* ros1.c */
gboolean robocache_ros1_convert (RobocacheConversion * conversion, GError ** error);

G_END_DECLS
#endif
