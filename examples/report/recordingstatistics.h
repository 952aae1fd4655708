/* robocache: the account of rows of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_RECORDINGSTATISTICS_H
#define REPORT_RECORDINGSTATISTICS_H

#include "common/mcap/read/reader.h"
#include "recordingchannel.h"

G_BEGIN_DECLS

/* Sets the account of the stream of a channel that has but one: what the recorder took in, if the file says it, else its messages. */
void report_recording_add_account (const ReportChannel * channel, RobocacheMcapReader * reader);

G_END_DECLS
#endif
