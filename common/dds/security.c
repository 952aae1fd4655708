/* robocache: security of a participant by Cyclone's plugins
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include "security.h"

#include <dlfcn.h>

/* OMG DDS Security 1.1, and names of Cyclone. */
static const struct
{
  const gchar *property, *library, *function;
} plugins[] = {
  {"dds.sec.auth.library", "dds_security_auth", "authentication"},
  {"dds.sec.crypto.library", "dds_security_crypto", "crypto"},
  {"dds.sec.access.library", "dds_security_ac", "access_control"},
};

/* Beside Cyclone, or in a folder libddsc… there, where the dynamic linker does not look: Debian has the plugins in one. */
static gchar *
find_library (const gchar *name)
{
  gchar *file = g_strdup_printf ("lib%s.so", name), *folder, *path;
  gboolean is_there;
  Dl_info info;
  GDir *siblings;

  folder = dladdr ((gconstpointer) dds_create_participant, &info) ? g_path_get_dirname (info.dli_fname) : g_strdup (".");
  path = g_build_filename (folder, file, NULL);
  is_there = g_file_test (path, G_FILE_TEST_EXISTS);
  siblings = g_dir_open (folder, 0, NULL);
  for (const gchar *each; !is_there && siblings && (each = g_dir_read_name (siblings)) != NULL;) {
    g_free (path);
    path = g_build_filename (folder, each, file, NULL);
    is_there = g_str_has_prefix (each, "libddsc") && g_file_test (path, G_FILE_TEST_EXISTS);
  }
  if (!is_there) {
    g_free (path);
    path = g_strdup (name);
  }
  g_clear_pointer (&siblings, g_dir_close);
  g_free (folder);
  g_free (file);
  return path;
}

/* Takes value. */
static void
set (dds_qos_t *qos, const gchar *property, const gchar *suffix, gchar *value)
{
  gchar *name = g_strconcat (property, suffix, NULL);

  dds_qset_prop (qos, name, value);
  g_free (name);
  g_free (value);
}

void
robocache_dds_security_apply (dds_qos_t *qos, const RobocacheDdsEnclave *enclave)
{
  if (!enclave->folder)
    return;
  for (const RobocacheDdsEnclaveFile *each = robocache_dds_enclave_files; each->property; each++) {
    gchar *path = g_build_filename (enclave->folder, each->file, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      set (qos, each->property, "", g_strconcat ("file:", path, NULL));
    g_free (path);
  }
  for (guint i = 0; i < G_N_ELEMENTS (plugins); i++) {
    set (qos, plugins[i].property, ".path", find_library (plugins[i].library));
    set (qos, plugins[i].property, ".init", g_strconcat ("init_", plugins[i].function, NULL));
    set (qos, plugins[i].property, ".finalize", g_strconcat ("finalize_", plugins[i].function, NULL));
  }
}
