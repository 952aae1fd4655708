/* robocache: loads the module with the server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "module.h"

#include <dlfcn.h>
#include <gmodule.h>

#include "common/element/errordomain.h"

#define OTHER_LIBSOUP "libsoup-2.4.so.1"

/* Free with g_free; NULL: the plugin is not a file. */
static gchar *
module_path (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  GstPlugin *plugin = factory ? gst_plugin_feature_get_plugin (GST_PLUGIN_FEATURE (factory)) : NULL;
  const gchar *filename = plugin ? gst_plugin_get_filename (plugin) : NULL;
  gchar *folder = filename ? g_path_get_dirname (filename) : NULL;
  gchar *path = folder ? g_build_filename (folder, ROBOCACHE_VIEW_MODULE, NULL) : NULL;

  g_free (folder);
  gst_clear_object (&plugin);
  return path;
}

static gboolean
has_other_libsoup (void)
{
  void *library = dlopen (OTHER_LIBSOUP, RTLD_LAZY | RTLD_NOLOAD);

  if (library)
    dlclose (library);
  return library != NULL;
}

static const RobocacheViewServerFunctions *
load (const gchar *path, GError **error)
{
  GModule *module = path ? g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL) : NULL;
  gpointer symbol = NULL;

  if (!module || !g_module_symbol (module, ROBOCACHE_VIEW_SYMBOL, &symbol)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "cannot load the server, which needs libsoup 3 (libsoup-3.0-0 in Debian): %s",
        path ? g_module_error () : "the plugin has no file");
    return NULL;
  }
  /* its types stay registered */
  g_module_make_resident (module);
  return ((RobocacheViewServerSymbol) (GCallback) symbol) ();
}

const RobocacheViewServerFunctions *
robocache_view_module_load (GstElement *element, GError **error)
{
  static GMutex lock;
  static const RobocacheViewServerFunctions *loaded;
  const RobocacheViewServerFunctions *functions;
  gchar *path;

  g_mutex_lock (&lock);
  if (!loaded && has_other_libsoup ()) {
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "libsoup 2.4 is in this process, and libsoup 3, which the server "
        "uses, cannot be loaded beside it: use the sink in another process, or leave out the element that uses libsoup 2.4 (souphttpsrc, "
        "webkit)");
  } else if (!loaded) {
    path = module_path (element);
    loaded = load (path, error);
    g_free (path);
  }
  functions = loaded;
  g_mutex_unlock (&lock);
  return functions;
}
