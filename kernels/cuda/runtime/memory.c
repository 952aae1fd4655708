/* robocache: memory of a GPU, copies, streams and events
 *
 * Device memory comes from the backend's own pool of the driver, which keeps what was freed up to a threshold; from
 * cudaMalloc where there are no pools. On GPUs that share the machine's memory, what the CPU may touch is mapped host memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include "kernels/memory.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define KEPT_BYTES (UINT64_C (64) << 20)        /* of freed memory, in the driver's pool */
#define MAX_PITCH INT32_MAX    /* bytes between the rows of a 2-D copy, on every GPU */

/* A thread that captures in global mode forbids allocation to all others, unless they say that they are apart. */
static enum cudaStreamCaptureMode
begin_apart (void)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

  cudaThreadExchangeStreamCaptureMode (&mode);
  return mode;
}

static void
end_apart (enum cudaStreamCaptureMode mode)
{
  cudaThreadExchangeStreamCaptureMode (&mode);
}

/* So that a device that is linked to this one copies directly; those that are not copy by way of the host. */
static void
let_peers_in (RcCudaBackend *cuda)
{
  struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice},.flags = cudaMemAccessFlagsProtReadWrite };
  int devices = 0, peer, linked;

  cudaGetDeviceCount (&devices);
  for (peer = 0; peer < devices; peer++) {
    access.location.id = peer;
    if (peer != cuda->device && cudaDeviceCanAccessPeer (&linked, peer, cuda->device) == cudaSuccess && linked)
      cudaMemPoolSetAccess (cuda->pool, &access, 1);
  }
  cudaGetLastError ();          /* what a peer refuses is only slower */
}

RcStatus
rc_cuda_memory_open (RcCudaBackend *cuda, int mapped, RcError *error)
{
  struct cudaMemPoolProps props;
  uint64_t threshold = KEPT_BYTES;
  int integrated = 0, pools = 0;
  RcStatus status;

  status = rc_cuda_check (cuda, cudaDeviceGetAttribute (&integrated, cudaDevAttrIntegrated, cuda->device), NULL, error,
      "cudaDeviceGetAttribute", "when opening");
  if (status == RC_OK)
    status = rc_cuda_check (cuda, cudaDeviceGetAttribute (&pools, cudaDevAttrMemoryPoolsSupported, cuda->device), NULL,
        error, "cudaDeviceGetAttribute", "when opening");
  cuda->mapped = mapped || integrated;
  if (status != RC_OK || !pools)
    return status;
  memset (&props, 0, sizeof (props));
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = cuda->device;
  status = rc_cuda_check (cuda, cudaMemPoolCreate (&cuda->pool, &props), NULL, error, "cudaMemPoolCreate",
      "when opening");
  if (status != RC_OK) {
    cuda->pool = NULL;
    return status;
  }
  status = rc_cuda_check (cuda, cudaMemPoolSetAttribute (cuda->pool, cudaMemPoolAttrReleaseThreshold, &threshold), NULL,
      error, "cudaMemPoolSetAttribute", "when opening");
  if (status == RC_OK)
    let_peers_in (cuda);
  return status;
}

void
rc_cuda_memory_close (RcCudaBackend *cuda)
{
  if (cuda->pool != NULL)
    cudaMemPoolDestroy (cuda->pool);
  cuda->pool = NULL;
}

/* As rc_cuda_enter, for work on a stream. */
static RcStatus
enter_with_stream (RcCudaBackend *cuda, RcStream stream, RcError *error)
{
  const RcStatus status = rc_cuda_check_stream (stream, error);

  return status == RC_OK ? rc_cuda_enter (cuda, error) : status;
}

/* ---- memory ---- */

static cudaError_t
free_bytes (const RcCudaBackend *cuda, uint64_t *available, uint64_t *total)
{
  uint64_t reserved = 0, used = 0;
  size_t device_free = 0, device_total = 0;
  cudaError_t result = cudaMemGetInfo (&device_free, &device_total);

  if (result == cudaSuccess && cuda->pool != NULL)
    result = cudaMemPoolGetAttribute (cuda->pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  if (result == cudaSuccess && cuda->pool != NULL)
    result = cudaMemPoolGetAttribute (cuda->pool, cudaMemPoolAttrUsedMemCurrent, &used);
  *available = device_free + (reserved > used ? reserved - used : 0); /* others may allocate in between */
  *total = device_total;
  return result;
}

static RcStatus
cuda_info (RcBackend *backend, RcMemoryInfo *info, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = rc_cuda_enter (cuda, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, free_bytes (cuda, &info->free_bytes, &info->total_bytes), NULL, error, "cudaMemGetInfo",
      "free memory");
  info->host_addressable = cuda->mapped;
  rc_cuda_leave (cuda);
  return status;
}

static int
is_of_host (const RcCudaBackend *cuda, RcMemoryKind kind)
{
  return kind == RC_MEMORY_PINNED || (kind == RC_MEMORY_DEVICE && cuda->mapped);
}

static cudaError_t
allocate (RcCudaBackend *cuda, RcMemoryKind kind, uint64_t bytes, void **memory, const char **call)
{
  cudaError_t result;

  if (is_of_host (cuda, kind)) {
    *call = "cudaHostAlloc";
    return cudaHostAlloc (memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  }
  if (cuda->pool == NULL) {
    *call = "cudaMalloc";
    return cudaMalloc (memory, bytes);
  }
  *call = "cudaMallocFromPoolAsync";
  result = cudaMallocFromPoolAsync (memory, bytes, cuda->pool, cuda->setup);
  if (result == cudaSuccess) {
    *call = "cudaStreamSynchronize";
    result = cudaStreamSynchronize (cuda->setup);
    if (result != cudaSuccess)
      cudaFreeAsync (*memory, cuda->setup);
  }
  return result;
}

static RcStatus
no_space (RcCudaBackend *cuda, const char *call, RcMemoryKind kind, uint64_t bytes, RcError *error)
{
  const uint64_t page = (uint64_t) sysconf (_SC_PAGESIZE);
  uint64_t available = 0, total = 0;

  if (kind == RC_MEMORY_PINNED) {
    available = (uint64_t) sysconf (_SC_AVPHYS_PAGES) * page;
    total = (uint64_t) sysconf (_SC_PHYS_PAGES) * page;
  } else {
    free_bytes (cuda, &available, &total);
  }
  return rc_error_set (error, RC_NO_SPACE, "%s on device %d (%s): %" PRIu64 " bytes needed, %" PRIu64 " of %" PRIu64
      " free%s", call, cuda->device, cuda->name, bytes, available, total,
      kind == RC_MEMORY_PINNED ? " in the memory of the host" : "");
}

static RcStatus
cuda_alloc (RcBackend *backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = rc_cuda_enter (cuda, error);
  enum cudaStreamCaptureMode mode;
  const char *call;
  cudaError_t result;

  if (status != RC_OK)
    return status;
  mode = begin_apart ();
  result = allocate (cuda, kind, bytes, memory, &call);
  end_apart (mode);
  if (result != cudaSuccess)
    *memory = NULL;
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError ();
    status = no_space (cuda, call, kind, bytes, error);
  } else {
    status = rc_cuda_check (cuda, result, cuda->setup, error, call, "%" PRIu64 " bytes", bytes);
  }
  rc_cuda_leave (cuda);
  return status;
}

static void
cuda_free (RcBackend *backend, RcMemoryKind kind, void *memory)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  enum cudaStreamCaptureMode mode;
  cudaError_t result;

  if (rc_cuda_enter (cuda, NULL) != RC_OK)
    return;                     /* after a device error, or in a fork, there is nothing left to free */
  mode = begin_apart ();
  if (is_of_host (cuda, kind))
    result = cudaFreeHost (memory);
  else if (cuda->pool == NULL)
    result = cudaFree (memory);
  else
    result = cudaFreeAsync (memory, cuda->setup);
  rc_cuda_check (cuda, result, cuda->setup, NULL, "cudaFree", "memory");
  end_apart (mode);
  rc_cuda_leave (cuda);
}

/* ---- memory of plans ---- */

RcStatus
rc_cuda_upload (RcCudaBackend *cuda, const void *host, size_t bytes, void **memory, RcError *error)
{
  enum cudaStreamCaptureMode mode;
  cudaError_t result;
  RcStatus status;

  *memory = NULL;
  if (bytes == 0)
    return RC_OK;
  status = cuda_alloc (&cuda->base, RC_MEMORY_SCRATCH, bytes, memory, error);
  if (status != RC_OK)
    return status;
  mode = begin_apart ();
  result = cudaMemcpyAsync (*memory, host, bytes, cudaMemcpyHostToDevice, cuda->setup);
  if (result == cudaSuccess)
    result = cudaStreamSynchronize (cuda->setup);
  end_apart (mode);
  status = rc_cuda_check (cuda, result, cuda->setup, error, "cudaMemcpyAsync", "%zu bytes of a plan", bytes);
  if (status != RC_OK) {
    rc_cuda_free (cuda, *memory);
    *memory = NULL;
  }
  return status;
}

void
rc_cuda_free (RcCudaBackend *cuda, void *memory)
{
  if (memory != NULL)
    cuda_free (&cuda->base, RC_MEMORY_SCRATCH, memory);
}

/* ---- streams and events ---- */

static RcStatus
cuda_stream_new (RcBackend *backend, RcStream *stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = rc_cuda_enter (cuda, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaStreamCreateWithPriority ((cudaStream_t *) stream, cudaStreamNonBlocking,
          cuda->stream_priority), NULL, error, "cudaStreamCreateWithPriority", "a new stream");
  rc_cuda_leave (cuda);
  return status;
}

static void
cuda_stream_free (RcBackend *backend, RcStream stream)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;

  if (rc_cuda_enter (cuda, NULL) != RC_OK)
    return;
  rc_cuda_check (cuda, cudaStreamDestroy (stream), stream, NULL, "cudaStreamDestroy", "a stream");
  rc_cuda_leave (cuda);
}

/* Work that was not waited for may still use memory that is freed next: after a wait that failed, nothing is freed any more. */
static RcStatus
check_wait (RcCudaBackend *cuda, RcStatus status, RcError *error)
{
  if (status != RC_CALL_FAILED)
    return status;
  __atomic_store_n (&cuda->failed, 1, __ATOMIC_RELAXED);
  if (error != NULL)
    error->status = RC_DEVICE_FAILED;
  return RC_DEVICE_FAILED;
}

static RcStatus
cuda_stream_synchronize (RcBackend *backend, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = enter_with_stream (cuda, stream, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaStreamSynchronize (stream), stream, error, "cudaStreamSynchronize",
      "all work before");
  rc_cuda_leave (cuda);
  return check_wait (cuda, status, error);
}

static RcStatus
cuda_event_new (RcBackend *backend, RcEvent *event, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = rc_cuda_enter (cuda, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaEventCreateWithFlags ((cudaEvent_t *) event, cudaEventDisableTiming), NULL, error,
      "cudaEventCreateWithFlags", "a new event");
  rc_cuda_leave (cuda);
  return status;
}

static void
cuda_event_free (RcBackend *backend, RcEvent event)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;

  if (rc_cuda_enter (cuda, NULL) != RC_OK)
    return;
  rc_cuda_check (cuda, cudaEventDestroy (event), NULL, NULL, "cudaEventDestroy", "an event");
  rc_cuda_leave (cuda);
}

static RcStatus
cuda_event_record (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = enter_with_stream (cuda, stream, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaEventRecord (event, stream), stream, error, "cudaEventRecord", "an event");
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
cuda_event_wait (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = enter_with_stream (cuda, stream, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaStreamWaitEvent (stream, event, 0), stream, error, "cudaStreamWaitEvent",
      "an event");
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
cuda_event_query (RcBackend *backend, RcEvent event, int *is_done, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = rc_cuda_enter (cuda, error);
  cudaError_t result;

  if (status != RC_OK)
    return status;
  result = cudaEventQuery (event);
  *is_done = result == cudaSuccess;
  if (result == cudaErrorNotReady)
    cudaGetLastError ();        /* no failure, so not one of the next call either */
  else
    status = rc_cuda_check (cuda, result, NULL, error, "cudaEventQuery", "work before it");
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
cuda_event_synchronize (RcBackend *backend, RcEvent event, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = rc_cuda_enter (cuda, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaEventSynchronize (event), NULL, error, "cudaEventSynchronize", "work before it");
  rc_cuda_leave (cuda);
  return check_wait (cuda, status, error);
}

/* ---- copies ---- */

/* The runtime API has no contexts; between two contexts on one device, the driver copies. */
static RcStatus
copy_from_context (RcCudaBackend *cuda, const RcMemoryCopy *copy, RcStream stream, RcError *error)
{
  CUDA_MEMCPY3D_PEER peer;

  memset (&peer, 0, sizeof (peer));
  peer.srcMemoryType = peer.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  peer.srcDevice = (CUdeviceptr) (uintptr_t) copy->from;
  peer.dstDevice = (CUdeviceptr) (uintptr_t) copy->to;
  peer.srcContext = copy->from_context;
  peer.dstContext = cuda->base.context;
  peer.srcPitch = copy->rows > 1 ? (size_t) copy->from_stride : copy->row_bytes;
  peer.dstPitch = copy->rows > 1 ? (size_t) copy->to_stride : copy->row_bytes;
  peer.srcHeight = peer.dstHeight = peer.Height = copy->rows;
  peer.WidthInBytes = copy->row_bytes;
  peer.Depth = 1;
  /* results of the driver have the runtime's numbers */
  return rc_cuda_check (cuda, (cudaError_t) cuda->driver->cuMemcpy3DPeerAsync_ (&peer, (CUstream) stream), stream, error,
      "cuMemcpy3DPeerAsync", "%" PRIu64 " rows of %" PRIu64 " bytes from context %p", copy->rows, copy->row_bytes,
      copy->from_context);
}

static RcStatus
copy_bytes (RcCudaBackend *cuda, void *to, const void *from, uint64_t bytes, RcStream stream, RcError *error)
{
  return rc_cuda_check (cuda, cudaMemcpyAsync (to, from, bytes, cudaMemcpyDefault, stream), stream, error,
      "cudaMemcpyAsync", "%" PRIu64 " bytes", bytes);
}

static RcStatus
copy_rows (RcCudaBackend *cuda, const RcMemoryCopy *copy, RcStream stream, RcError *error)
{
  const int is_dense = copy->to_stride == (int64_t) copy->row_bytes && copy->from_stride == (int64_t) copy->row_bytes;
  RcStatus status = RC_OK;
  uint64_t i;

  if (copy->rows == 1 || is_dense)
    return copy_bytes (cuda, copy->to, copy->from, copy->rows * copy->row_bytes, stream, error);
  if (copy->to_stride <= MAX_PITCH && copy->from_stride <= MAX_PITCH)
    return rc_cuda_check (cuda, cudaMemcpy2DAsync (copy->to, (size_t) copy->to_stride, copy->from,
            (size_t) copy->from_stride, copy->row_bytes, copy->rows, cudaMemcpyDefault, stream), stream, error,
        "cudaMemcpy2DAsync", "%" PRIu64 " rows of %" PRIu64 " bytes", copy->rows, copy->row_bytes);
  for (i = 0; i < copy->rows && status == RC_OK; i++)
    status = copy_bytes (cuda, (char *) copy->to + i * (uint64_t) copy->to_stride,
        (const char *) copy->from + i * (uint64_t) copy->from_stride, copy->row_bytes, stream, error);
  return status;
}

/* Copies from pageable memory have read it when they return; copies from pinned memory may not have begun. */
static RcStatus
wait_until_read (RcCudaBackend *cuda, const void *from, RcStream stream, RcError *error)
{
  struct cudaPointerAttributes attributes;
  RcStatus status = rc_cuda_check (cuda, cudaPointerGetAttributes (&attributes, from), stream, error,
      "cudaPointerGetAttributes", "memory at %p", from);

  if (status == RC_OK && attributes.type != cudaMemoryTypeDevice)
    status = rc_cuda_check (cuda, cudaStreamSynchronize (stream), stream, error, "cudaStreamSynchronize",
        "a copy from memory of the host");
  return status;
}

static RcStatus
cuda_copy (RcBackend *backend, const RcMemoryCopy *copy, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = enter_with_stream (cuda, stream, error);

  if (status != RC_OK)
    return status;
  if (copy->from_context != NULL && copy->from_context != cuda->base.context)
    status = copy_from_context (cuda, copy, stream, error);
  else
    status = copy_rows (cuda, copy, stream, error);
  if (status == RC_OK && copy->is_read_on_return)
    status = wait_until_read (cuda, copy->from, stream, error);
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
cuda_copy_between (RcBackend *to_backend, void *to, RcBackend *from_backend, const void *from, uint64_t bytes,
    RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) to_backend;
  const int from_device = ((RcCudaBackend *) from_backend)->device;
  RcStatus status = enter_with_stream (cuda, stream, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaMemcpyPeerAsync (to, cuda->device, from, from_device, bytes, stream), stream, error,
      "cudaMemcpyPeerAsync", "%" PRIu64 " bytes from device %d", bytes, from_device);
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
cuda_clear (RcBackend *backend, void *memory, uint64_t bytes, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  RcStatus status = enter_with_stream (cuda, stream, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_check (cuda, cudaMemsetAsync (memory, 0, bytes, stream), stream, error, "cudaMemsetAsync",
      "%" PRIu64 " bytes", bytes);
  rc_cuda_leave (cuda);
  return status;
}

const RcMemoryOps rc_cuda_memory_ops = {
  .info = cuda_info,
  .alloc = cuda_alloc,
  .free = cuda_free,
  .stream_new = cuda_stream_new,
  .stream_free = cuda_stream_free,
  .stream_synchronize = cuda_stream_synchronize,
  .event_new = cuda_event_new,
  .event_free = cuda_event_free,
  .event_record = cuda_event_record,
  .event_wait = cuda_event_wait,
  .event_query = cuda_event_query,
  .event_synchronize = cuda_event_synchronize,
  .copy = cuda_copy,
  .copy_between = cuda_copy_between,
  .clear = cuda_clear,
};
