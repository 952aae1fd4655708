/* robocache: the functions of the driver that gstreamer-cuda 1.22 looks up beside those of kernels/cuda
 *
 * f (SYMBOL) for each; SYMBOL is exact, also where cuda.h has a macro of that name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Those that memory, contexts and copies need. */
#define GST_CUDA_FUNCTIONS(f) \
  f (cuCtxCreate_v2) f (cuCtxDestroy_v2) f (cuDeviceCanAccessPeer) f (cuMemAllocHost_v2) f (cuMemAllocPitch_v2) \
  f (cuMemAlloc_v2) f (cuMemFreeHost) f (cuMemFree_v2) f (cuMemcpy2D_v2)

/* Those that no test of ours calls. */
#define GST_CUDA_UNUSED_FUNCTIONS(f) \
  f (cuCtxDisablePeerAccess) f (cuCtxEnablePeerAccess) f (cuGLGetDevices_v2) f (cuGetErrorName) f (cuGraphicsGLRegisterBuffer) \
  f (cuGraphicsGLRegisterImage) f (cuGraphicsMapResources) f (cuGraphicsResourceGetMappedPointer_v2) \
  f (cuGraphicsResourceSetMapFlags_v2) f (cuGraphicsSubResourceGetMappedArray) f (cuGraphicsUnmapResources) \
  f (cuGraphicsUnregisterResource) f (cuLaunchKernel) f (cuMemcpy2DAsync_v2) f (cuModuleGetFunction) f (cuModuleLoadData) \
  f (cuModuleUnload) f (cuStreamCreate) f (cuStreamDestroy) f (cuStreamSynchronize) f (cuTexObjectCreate) f (cuTexObjectDestroy)
