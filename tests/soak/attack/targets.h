/* robocache: elements that are attacked, and what each one takes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/fuzz/bench.h"

typedef struct
{
  const gchar *factory;
  gboolean has_request_pads, is_source;
  /* Sets what stays the same for the whole attack: kinds, rate. The element is in NULL. */
  void (*set_up) (Bench * bench, Input * input);
  /* Settings that work, other properties being as they were made. */
  void (*configure) (Bench * bench, Input * input);
  GstFormat format;             /* of segments */
  void (*send_caps) (Feed * feed, Input * input);       /* NULL: it needs none */
  void (*send) (Feed * feed, Input * input);
  const gchar *total, *const *parts;    /* of the stats: of pads where they are requested. NULL: nothing adds up */
} Target;

/* Up to one without a factory. */
extern const Target targets[];
