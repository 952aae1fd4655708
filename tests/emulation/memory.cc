/* robocache: a CUDA device on the CPU: memory and copies
 *
 * A block of device memory is a block of the host's, so that AddressSanitizer sees what is read or written outside it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "allocations.h"
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include <map>
#include <mutex>
#include <vector>

namespace emulation
{
namespace
{
constexpr size_t ALIGNMENT = 256;
constexpr size_t TOTAL_BYTES = UINT64_C (8) << 30;      /* of a device */
constexpr size_t UNDEFINED_BYTES = 1 << 20;     /* of a new block, that are seen not to be 0 */

struct Block
{
  size_t bytes;
  Kind kind;
  int device;
  cudaMemPool_t pool;
};

struct Pool
{
  int device;
};

std::mutex &lock = *new std::mutex;     /* of these three */
std::map<uintptr_t, Block> &blocks = *new std::map<uintptr_t, Block>;
size_t used[64];                /* bytes of each device */
EmulationWatch *watch;

cudaError_t
allocate (void **memory, size_t bytes, Kind kind, int device, cudaMemPool_t pool)
{
  const size_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  std::lock_guard<std::mutex> held (lock);

  *memory = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  if (kind == Kind::DEVICE && (bytes > TOTAL_BYTES || size > TOTAL_BYTES - used[device]))
    return cudaErrorMemoryAllocation;
  if (bytes > TOTAL_BYTES || posix_memalign (memory, ALIGNMENT, bytes) != 0)
    return cudaErrorMemoryAllocation;
  memset (*memory, 0xCD, bytes < UNDEFINED_BYTES ? bytes : UNDEFINED_BYTES);
  if (kind == Kind::DEVICE)
    used[device] += size;
  blocks[(uintptr_t) *memory] = { bytes, kind, device, pool };
  if (watch != nullptr)
    watch (bytes, kind == Kind::PINNED);
  return cudaSuccess;
}

/* Takes the block out of the account; who calls it frees it. */
cudaError_t
forget (void *memory, Kind kind)
{
  std::lock_guard<std::mutex> held (lock);
  const auto found = blocks.find ((uintptr_t) memory);

  if (memory == nullptr)
    return cudaSuccess;
  if (found == blocks.end () || found->second.kind != kind)
    return cudaErrorInvalidValue;
  if (found->second.kind == Kind::DEVICE)
    used[found->second.device] -= (found->second.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  blocks.erase (found);
  return cudaSuccess;
}

cudaError_t
free_when_idle (void *memory, Kind kind)
{
  cudaError_t result = allow_unsafe_call ();

  if (result != cudaSuccess || memory == nullptr)
    return result;
  wait_until_all_idle ();
  result = forget (memory, kind);
  if (result == cudaSuccess)
    free (memory);
  return result;
}

/* Rows of a copy. */
struct Rows
{
  char *to;
  const char *from;
  size_t to_pitch, from_pitch, bytes, n;

  size_t
  span (size_t pitch) const
  {
    return n > 0 ? (n - 1) * pitch + bytes : 0;
  }
};

void
copy_rows (const Rows &rows)
{
  for (size_t i = 0; i < rows.n; i++)
    memmove (rows.to + i * rows.to_pitch, rows.from + i * rows.from_pitch, rows.bytes);
}

/* What lies in pageable memory is read before the call returns, and what goes there has come. */
cudaError_t
copy (const Rows &rows, cudaStream_t stream)
{
  const Where to = where_is (rows.to), from = where_is (rows.from);

  if (rows.span (rows.to_pitch) == 0)
    return cudaSuccess;
  if ((to.kind != Kind::PAGEABLE && rows.span (rows.to_pitch) > to.left)
      || (from.kind != Kind::PAGEABLE && rows.span (rows.from_pitch) > from.left))
    return cudaErrorInvalidValue;
  if (from.kind == Kind::PAGEABLE && !is_capturing (stream)) {
    auto staged = std::make_shared<std::vector<char>> (rows.from, rows.from + rows.span (rows.from_pitch));

    enqueue (stream, [=] () mutable {
      Rows of_staged = rows;

      of_staged.from = staged->data ();
      copy_rows (of_staged);
    });
  } else {
    enqueue (stream, [=] { copy_rows (rows); });
  }
  if (to.kind == Kind::PAGEABLE && !is_capturing (stream))
    wait_until_idle (stream);
  return cudaSuccess;
}

Rows
one_row (void *to, const void *from, size_t bytes)
{
  return { static_cast<char *> (to), static_cast<const char *> (from), bytes, bytes, bytes, 1 };
}
}

Where
where_is (const void *p)
{
  std::lock_guard<std::mutex> held (lock);
  auto found = blocks.upper_bound ((uintptr_t) p);

  if (found == blocks.begin ())
    return { Kind::PAGEABLE, -1, 0 };
  --found;
  if ((uintptr_t) p - found->first >= found->second.bytes)
    return { Kind::PAGEABLE, -1, 0 };
  return { found->second.kind, found->second.device, found->second.bytes - ((uintptr_t) p - found->first) };
}
}

using namespace emulation;

/* ---- blocks ---- */

void
emulation_watch_allocations (EmulationWatch *now)
{
  std::lock_guard<std::mutex> held (lock);

  watch = now;
}

cudaError_t
cudaMalloc (void **memory, size_t bytes)
{
  FAIL_IF_TOLD ("cuMemAlloc");
  const cudaError_t result = allow_unsafe_call ();

  return note (result != cudaSuccess ? result : allocate (memory, bytes, Kind::DEVICE, current_device (), nullptr));
}

cudaError_t
cudaFree (void *memory)
{
  FAIL_IF_TOLD ("cuMemFree");
  return note (free_when_idle (memory, Kind::DEVICE));
}

cudaError_t
cudaHostAlloc (void **memory, size_t bytes, unsigned)
{
  FAIL_IF_TOLD ("cuMemHostAlloc");
  const cudaError_t result = allow_unsafe_call ();

  return note (result != cudaSuccess ? result : allocate (memory, bytes, Kind::PINNED, current_device (), nullptr));
}

cudaError_t
cudaFreeHost (void *memory)
{
  FAIL_IF_TOLD ("cuMemFreeHost");
  return note (free_when_idle (memory, Kind::PINNED));
}

cudaError_t
cudaMemGetInfo (size_t *available, size_t *total)
{
  FAIL_IF_TOLD ("cuMemGetInfo");
  std::lock_guard<std::mutex> held (lock);

  *available = TOTAL_BYTES - used[current_device ()];
  *total = TOTAL_BYTES;
  return cudaSuccess;
}

cudaError_t
cudaPointerGetAttributes (cudaPointerAttributes *attributes, const void *p)
{
  const Where where = where_is (p);

  memset (attributes, 0, sizeof (*attributes));
  attributes->type = where.kind == Kind::DEVICE ? cudaMemoryTypeDevice : where.kind == Kind::PINNED ? cudaMemoryTypeHost
      : cudaMemoryTypeUnregistered;
  attributes->device = where.device;
  attributes->devicePointer = where.kind == Kind::PAGEABLE ? nullptr : const_cast<void *> (p);
  attributes->hostPointer = where.kind == Kind::DEVICE ? nullptr : const_cast<void *> (p);
  return cudaSuccess;
}

/* ---- pools, which keep nothing ---- */

cudaError_t
cudaMemPoolCreate (cudaMemPool_t *pool, const cudaMemPoolProps *props)
{
  FAIL_IF_TOLD ("cuMemPoolCreate");
  *pool = reinterpret_cast<cudaMemPool_t> (new Pool { props->location.id });
  return cudaSuccess;
}

cudaError_t
cudaMemPoolDestroy (cudaMemPool_t pool)
{
  delete reinterpret_cast<Pool *> (pool);

  return cudaSuccess;
}

cudaError_t
cudaMemPoolSetAttribute (cudaMemPool_t, cudaMemPoolAttr, void *)
{
  FAIL_IF_TOLD ("cuMemPoolSetAttribute");
  return cudaSuccess;
}

cudaError_t
cudaMemPoolGetAttribute (cudaMemPool_t pool, cudaMemPoolAttr, void *value)
{
  std::lock_guard<std::mutex> held (lock);
  uint64_t sum = 0;

  for (const auto &block : blocks)
    sum += block.second.pool == pool ? block.second.bytes : 0;
  *static_cast<uint64_t *> (value) = sum;
  return cudaSuccess;
}

cudaError_t
cudaMemPoolSetAccess (cudaMemPool_t, const cudaMemAccessDesc *, size_t)
{
  return cudaSuccess;
}

cudaError_t
cudaMallocFromPoolAsync (void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t)
{
  FAIL_IF_TOLD ("cuMemAllocFromPoolAsync");
  return note (allocate (memory, bytes, Kind::DEVICE, reinterpret_cast<Pool *> (pool)->device, pool));
}

cudaError_t
cudaFreeAsync (void *memory, cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuMemFreeAsync");
  const cudaError_t result = forget (memory, Kind::DEVICE);     /* others may have as many bytes at once */

  if (result == cudaSuccess)
    enqueue (stream, [=] { free (memory); });
  return note (result);
}

/* ---- copies ---- */

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuMemcpyAsync");
  return note (copy (one_row (to, from, bytes), stream));
}

cudaError_t
cudaMemcpy (void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
  const cudaError_t result = cudaMemcpyAsync (to, from, bytes, kind, nullptr);

  return result == cudaSuccess ? cudaStreamSynchronize (nullptr) : result;
}

cudaError_t
cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
    cudaMemcpyKind, cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuMemcpy2DAsync");
  if (width > to_pitch || width > from_pitch)
    return note (cudaErrorInvalidPitchValue);
  return note (copy ({ static_cast<char *> (to), static_cast<const char *> (from), to_pitch, from_pitch, width, height },
          stream));
}

cudaError_t
cudaMemcpyPeerAsync (void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuMemcpyPeerAsync");
  if (where_is (to).device != to_device || where_is (from).device != from_device)
    return note (cudaErrorInvalidValue);
  return note (copy (one_row (to, from, bytes), stream));
}

CUresult
cuMemcpy3DPeerAsync (const CUDA_MEMCPY3D_PEER *peer, CUstream stream)
{
  const Rows rows = { (char *) peer->dstDevice, (const char *) peer->srcDevice, peer->dstPitch, peer->srcPitch,
    peer->WidthInBytes, peer->Height
  };

  const auto copy_them = [&] {
    FAIL_IF_TOLD ("cuMemcpy3DPeerAsync");
    return copy (rows, stream);
  };

  return (CUresult) copy_them ();       /* the runtime's results have the driver's numbers */
}

cudaError_t
cudaMemsetAsync (void *memory, int value, size_t bytes, cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuMemsetD8Async");
  const Where where = where_is (memory);

  if (bytes > 0 && (where.kind == Kind::PAGEABLE || bytes > where.left))
    return note (cudaErrorInvalidValue);
  enqueue (stream, [=] { memset (memory, value, bytes); });
  return cudaSuccess;
}

cudaError_t
cudaMemset (void *memory, int value, size_t bytes)
{
  return cudaMemsetAsync (memory, value, bytes, nullptr);
}
