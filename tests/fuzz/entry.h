/* robocache: what libFuzzer, or the program that replays a corpus, calls
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUZZ_ENTRY_H
#define FUZZ_ENTRY_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * bytes, size_t n);

#endif
