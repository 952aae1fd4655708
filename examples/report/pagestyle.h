/* robocache: the style sheet of a report
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PAGESTYLE_H
#define REPORT_PAGESTYLE_H

/* Streams have the classes accent-0 to accent-(N-1). */
#define REPORT_N_ACCENTS 8

extern const char report_page_style[];

#endif
