/* robocache: schemas of /robocache/status and /robocache/connection
 *
 * They have the fields that viewers offer. Messages have more: all of stats.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define ROBOCACHE_STATUS_SCHEMA \
  "{\"type\":\"object\",\"properties\":{\"stamp\":{\"type\":\"object\",\"title\":\"time\"," \
  "\"properties\":{\"sec\":{\"type\":\"integer\"},\"nsec\":{\"type\":\"integer\"}}},\"fuses\":{\"type\":\"array\"," \
  "\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"live\":{\"type\":\"boolean\"}," \
  "\"ticks_out\":{\"type\":\"integer\"},\"ticks_dropped\":{\"type\":\"integer\"},\"lag_p50\":{\"type\":\"integer\"}," \
  "\"lag_p99\":{\"type\":\"integer\"},\"lag_max\":{\"type\":\"integer\"},\"lateness_p50\":{\"type\":\"integer\"}," \
  "\"lateness_p99\":{\"type\":\"integer\"},\"lateness_max\":{\"type\":\"integer\"},\"settings\":{\"type\":\"object\"," \
  "\"properties\":{\"latency\":{\"type\":\"integer\"}}},\"recent\":{\"type\":\"object\"," \
  "\"properties\":{\"seconds\":{\"type\":\"number\"},\"ticks_out\":{\"type\":\"integer\"}," \
  "\"ticks_dropped\":{\"type\":\"integer\"},\"rate\":{\"type\":\"number\"},\"lag_ms\":{\"type\":\"number\"}," \
  "\"lag_p50_ms\":{\"type\":\"number\"},\"lag_p99_ms\":{\"type\":\"number\"},\"lag_max_ms\":{\"type\":\"number\"}}}}}}," \
  "\"streams\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}," \
  "\"kind\":{\"type\":\"string\"},\"nominal_rate\":{\"type\":\"number\"},\"fuse\":{\"type\":\"string\"}," \
  "\"rows_in\":{\"type\":\"integer\"},\"rows_late\":{\"type\":\"integer\"},\"rows_dropped\":{\"type\":\"integer\"}," \
  "\"ticks_aligned\":{\"type\":\"integer\"},\"ticks_held\":{\"type\":\"integer\"},\"ticks_missing\":{\"type\":\"integer\"}," \
  "\"age_p50\":{\"type\":\"integer\"},\"age_p99\":{\"type\":\"integer\"},\"age_max\":{\"type\":\"integer\"}," \
  "\"clock_offset\":{\"type\":\"integer\"},\"clock_uncertainty\":{\"type\":\"integer\"},\"settings\":{\"type\":\"object\"," \
  "\"properties\":{\"interpolation\":{\"type\":\"string\"},\"offset\":{\"type\":\"integer\"}," \
  "\"max_gap\":{\"type\":\"integer\"},\"required\":{\"type\":\"boolean\"},\"clock_mode\":{\"type\":\"string\"}}}," \
  "\"recent\":{\"type\":\"object\",\"properties\":{\"seconds\":{\"type\":\"number\"},\"rows_in\":{\"type\":\"integer\"}," \
  "\"aligned\":{\"type\":\"integer\"},\"held\":{\"type\":\"integer\"},\"missing\":{\"type\":\"integer\"}," \
  "\"late\":{\"type\":\"integer\"},\"dropped\":{\"type\":\"integer\"},\"rate\":{\"type\":\"number\"}," \
  "\"age_ms\":{\"type\":\"number\"},\"age_p50_ms\":{\"type\":\"number\"},\"age_p99_ms\":{\"type\":\"number\"}," \
  "\"age_max_ms\":{\"type\":\"number\"},\"status\":{\"type\":\"string\"}}}}}},\"outputs\":{\"type\":\"array\"," \
  "\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"kind\":{\"type\":\"string\"}," \
  "\"nominal_rate\":{\"type\":\"number\"},\"topic\":{\"type\":\"string\"},\"fuse\":{\"type\":\"string\"},\"buffers_in\":{\"type\":\"integer\"}," \
  "\"rows_in\":{\"type\":\"integer\"},\"messages\":{\"type\":\"integer\"},\"bytes\":{\"type\":\"integer\"}," \
  "\"buffers_unread\":{\"type\":\"integer\"},\"recent\":{\"type\":\"object\",\"properties\":{\"seconds\":{\"type\":\"number\"}," \
  "\"buffers_in\":{\"type\":\"integer\"},\"rate\":{\"type\":\"number\"}}}}}},\"server\":{\"type\":\"object\"," \
  "\"properties\":{\"clients\":{\"type\":\"integer\"},\"messages_sent\":{\"type\":\"integer\"}," \
  "\"bytes_sent\":{\"type\":\"integer\"},\"messages_dropped\":{\"type\":\"integer\"}}},\"findings\":{\"type\":\"array\"," \
  "\"items\":{\"type\":\"object\",\"properties\":{\"fuse\":{\"type\":\"string\"},\"stream\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}}}},\"warnings\":{\"type\":\"array\"," \
  "\"items\":{\"type\":\"object\",\"properties\":{\"level\":{\"type\":\"string\"},\"source\":{\"type\":\"string\"}," \
  "\"text\":{\"type\":\"string\"},\"count\":{\"type\":\"integer\"},\"stamp\":{\"type\":\"object\",\"title\":\"time\"," \
  "\"properties\":{\"sec\":{\"type\":\"integer\"},\"nsec\":{\"type\":\"integer\"}}}}}}}}"

#define ROBOCACHE_CONNECTION_SCHEMA \
  "{\"type\":\"object\",\"properties\":{\"dropped\":{\"type\":\"integer\"},\"waiting\":{\"type\":\"integer\"}," \
  "\"waiting_bytes\":{\"type\":\"integer\"},\"lag_ms\":{\"type\":\"number\"},\"topics\":{\"type\":\"array\"," \
  "\"items\":{\"type\":\"object\",\"properties\":{\"topic\":{\"type\":\"string\"},\"dropped\":{\"type\":\"integer\"}," \
  "\"waiting\":{\"type\":\"integer\"}}}}}}"
