/* robocache: messages of errors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"

#include <stdarg.h>
#include <stdio.h>

RcStatus
rc_error_set (RcError *error, RcStatus status, const char *format, ...)
{
  va_list args;

  if (error == NULL)
    return status;
  error->status = status;
  va_start (args, format);
  vsnprintf (error->message, sizeof (error->message), format, args);
  va_end (args);
  return status;
}
