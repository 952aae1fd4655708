/* robocache: the encodings that a transcoder reads
 *
 * A function that parses returns NULL and a ROBOCACHE_ERROR_CAPS if the definition cannot be read. A function that converts writes one
 * message after the header of the writer; FALSE and a ROBOCACHE_ERROR_DATA: the message is damaged, or has another definition.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "conversion.h"

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
