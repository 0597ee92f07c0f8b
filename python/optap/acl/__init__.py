"""pyACL without an NPU: the calls, codes and rules of Huawei's `acl` module, answered by the embedded runtime.

>>> from optap import acl
>>> acl.init(), acl.rt.set_device(0)
(0, 0)
>>> stream, ret = acl.rt.create_stream()
>>> acl.rt.synchronize_stream(stream), acl.rt.destroy_stream(stream), acl.rt.destroy_stream(stream)
(0, 0, 107017)
>>> acl.rt.reset_device(0), acl.finalize()
(0, 0)

Models are ONNX files. `optap exec script.py` runs a script that says `import acl`. Constants are in
`optap.acl_constants`, for pyACL exports none.
"""

import sys
import warnings

from optap._core import acl as _native

mdl = _native.mdl
prof = _native.prof
rt = _native.rt
util = _native.util
configure = _native.configure
statistics = _native.statistics

globals().update(
    (name, getattr(_native, name))
    for _, name, *deeper in (row[0].split(".") for row in _native.functions())
    if not deeper
)
sys.modules.update({f"{__name__}.{module.__name__.removeprefix('acl.')}": module for module in (mdl, prof, rt, util)})

if _fault := _native.log_fault():
    warnings.warn(_fault, RuntimeWarning, stacklevel=2)
