/* robocache: a small fixed network that reads a sample on the device: a GEMM over the patches of a frame, rows and a grid, to a command
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NETWORK_PATCH 16        /* pixels of a side; also of the tiles of the GEMM */
#define NETWORK_WIDTH 256       /* of the hidden layer */
#define NETWORK_PROPRIO 14
#define NETWORK_FORCE 6
#define NETWORK_ROWS (NETWORK_PROPRIO + NETWORK_FORCE)
#define NETWORK_COMMAND 14

typedef struct
{
  int line_bytes, lines;        /* of a dense frame */
  int pixel_bytes;
  int grid_bytes;               /* a voxel a byte */
} NetworkShape;

/* Addresses of the device. */
typedef struct
{
  const uint8_t *frame;
  const float *proprio, *force;
  const uint8_t *grid;
} NetworkInput;

typedef struct
{
  NetworkInput input;
  const float *embedding;       /* [patch bytes][NETWORK_WIDTH] */
  const float *of_rows;         /* [NETWORK_ROWS][NETWORK_WIDTH] */
  const float *of_grid;         /* [NETWORK_WIDTH] */
  const float *of_hidden;       /* [NETWORK_COMMAND][NETWORK_WIDTH] */
  float *patches;               /* [n_patches][NETWORK_WIDTH] */
  float *command;               /* [NETWORK_COMMAND] */
  int line_bytes, patch_line_bytes, patches_a_line, n_patches, grid_bytes;
} NetworkTask;

extern const void *const network_embed; /* (NetworkTask), blocks of NETWORK_PATCH x NETWORK_PATCH threads, each with a tile of patches */
extern const void *const network_decide;        /* (NetworkTask), a block of NETWORK_WIDTH threads */

typedef struct Network Network;

/* Ends the program where the device fails. */
Network *network_open (const NetworkShape * shape);
void network_close (Network * network);
/* The command is on the host on return. */
void network_run (Network * network, const NetworkInput * input, float command[NETWORK_COMMAND]);
/* Whether the CPU comes to the same command. */
int network_is_right (const Network * network, const NetworkInput * input, const float command[NETWORK_COMMAND]);

#ifdef __cplusplus
}
#endif
