# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tensor in the memory of an NVIDIA GPU, for libraries that take DLPack: PyTorch, CuPy, JAX.

    tensor = sample.tensors["camera_0"]
    torch.from_dlpack(tensor)       # the sample's own memory: clone() it before you write to it
    tensor.numpy()                  # a copy on the CPU

Protocol and structures: https://dmlc.github.io/dlpack/latest/c_api.html and …/python_spec.html
"""
import ctypes

DL_CUDA = 2
# DLDataTypeCode of the first letters of a type
DL_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4}
NAME, USED_NAME = b"dltensor", b"used_dltensor"


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p), ("deleter", Deleter)]


# ---------------------------------------------------------------- the driver
def _driver():
    return ctypes.CDLL("libcuda.so.1")


def _check(result, call):
    if result != 0:
        raise RuntimeError(f"{call}: CUDA error {result}")


def _device_of(address):
    """Number of the GPU whose memory the address is in."""
    number = ctypes.c_int()
    device_ordinal = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    _check(_driver().cuPointerGetAttribute(ctypes.byref(number), device_ordinal, ctypes.c_uint64(address)), "cuPointerGetAttribute")
    return number.value


def _finish_work(device):
    """Waits for all work on the GPU in the primary context, the one that PyTorch and robocache use."""
    driver, context = _driver(), ctypes.c_void_p()
    _check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    driver.cuCtxPushCurrent_v2(context)
    driver.cuCtxSynchronize()
    driver.cuCtxPopCurrent_v2(ctypes.byref(context))
    driver.cuDevicePrimaryCtxRelease_v2(device)


# ---------------------------------------------------------------- exports
# What consumers hold, by the address of its DLManagedTensor.
_exports = {}


@Deleter
def _release(address):
    """Called by the consumer. Its kernels may still read the memory, which the next sample may overwrite."""
    managed, *_ = _exports[address]
    _finish_work(managed.tensor.device_id)
    del _exports[address]


_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# a capsule that is being destroyed must not be referenced: its address is enough
_api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy_capsule(capsule):
    """A consumer renames the capsule that it takes. The memory of one that nobody took is released here."""
    if _api.PyCapsule_IsValid(capsule, NAME):
        _release(_api.PyCapsule_GetPointer(capsule, NAME))


def export(address, shape, kind, device, keep):
    """A capsule of DLPack for dense memory on a GPU. keep: an object that the consumer keeps alive."""
    letters = kind.rstrip("0123456789")
    axes = (ctypes.c_int64 * len(shape))(*shape)
    tensor = DLTensor(data=address, device_type=DL_CUDA, device_id=device, ndim=len(shape), code=DL_CODES[letters],
                      bits=int(kind[len(letters):]), lanes=1, shape=axes, strides=None, byte_offset=0)
    managed = DLManagedTensor(tensor=tensor, manager=None, deleter=_release)
    _exports[ctypes.addressof(managed)] = managed, axes, keep
    return _api.PyCapsule_New(ctypes.addressof(managed), NAME, ctypes.cast(_destroy_capsule, ctypes.c_void_p))


class DeviceTensor:
    """A tensor of a sample in GPU memory. dtype is the name of its type, like "float32" or "bfloat16"."""

    def __init__(self, shape, dtype, map_device, copy_to_host):
        self.shape, self.dtype = shape, dtype
        self._map_device, self._copy_to_host = map_device, copy_to_host
        self._mapping = None

    @property
    def _mapped(self):
        """The memory on the device. It is complete once it is mapped, so no stream has to wait for it."""
        if self._mapping is None:
            self._mapping = self._map_device()
        return self._mapping

    def __dlpack_device__(self):
        return DL_CUDA, _device_of(self._mapped.address)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        device = self.__dlpack_device__()
        if dl_device not in (None, device) or copy:
            raise BufferError(f"the tensor is on device {device} and is not copied; use numpy() for a copy on the CPU")
        return export(self._mapped.address, self.shape, self.dtype, device[1], self._mapped)

    def numpy(self):
        """A copy on the CPU; bfloat16 as its bits in uint16."""
        return self._copy_to_host()
