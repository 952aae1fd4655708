/* robocache: loads the module with the server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "module.h"

#include <dlfcn.h>

#include "common/element/errordomain.h"
#include "common/element/module.h"

#define OTHER_LIBSOUP "libsoup-2.4.so.1"

static gboolean
has_other_libsoup (void)
{
  void *library = dlopen (OTHER_LIBSOUP, RTLD_LAZY | RTLD_NOLOAD);

  if (library)
    dlclose (library);
  return library != NULL;
}

const RobocacheViewServerFunctions *
robocache_view_module_load (GError **error)
{
  static gint is_loaded;
  const RobocacheViewServerFunctions *functions = NULL;

  /* beside a libsoup 3 that is loaded, the other one ends the process */
  if (!g_atomic_int_get (&is_loaded) && has_other_libsoup ())
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "libsoup 2.4 is in this process, and libsoup 3, which the server "
        "uses, cannot be loaded beside it: use the sink in another process, or leave out the element that uses libsoup 2.4 (souphttpsrc, "
        "webkit)");
  else
    functions = robocache_module_load (ROBOCACHE_VIEW_MODULE, ROBOCACHE_VIEW_SYMBOL, error);
  if (functions)
    g_atomic_int_set (&is_loaded, TRUE);
  return functions;
}
