/* robocache: structures as JSON
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STRUCTUREJSON_H
#define ROBOCACHE_STRUCTUREJSON_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Appends the fields as members of an object, with commas between them and after what json has. A name has "_" in place of "-". Structures
 * are objects if with_structures is TRUE, and are left out otherwise. A number that is not finite is null. */
void robocache_json_append_fields (GString * json, const GstStructure * structure, gboolean with_structures);

/* Appends "name": and begins an object or array, or ends one; with a comma before it where one is needed. */
void robocache_json_append_name (GString * json, const gchar * name);
void robocache_json_open (GString * json, gchar bracket);

G_END_DECLS
#endif
