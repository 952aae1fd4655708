# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of CuPy's arrays, of tensors of PyTorch and on its stream."""
import functools

import torch

try:
    import cupy
except ImportError:
    cupy = None


def in_cupy(function):
    """Of a Work and of arrays; what it returns is one or several."""
    @functools.wraps(function)
    def of_tensors(work, *tensors):
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            result = function(work, *map(cupy.from_dlpack, tensors))
            return tuple(map(torch.from_dlpack, result)) if isinstance(result, tuple) else torch.from_dlpack(result)
    return of_tensors
