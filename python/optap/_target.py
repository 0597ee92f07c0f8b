"""What can be listened to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from optap import _core
from optap.model import Model, Run

if TYPE_CHECKING:
    from optap.device import Device
    from optap.testing import ScriptedModel, ScriptedRun

    Target: TypeAlias = Model | Run | Device | ScriptedModel | ScriptedRun
    """What can be listened to."""

__all__ = ("core_of", "title_of")


def core_of(target: Any) -> Any:
    """The native target, a device by its id. Raises `TypeError`, and `HandleError` for a device that was closed."""
    core = getattr(target, "_core", None)
    if isinstance(target, Model):
        target._device._check_open()
    if isinstance(core, _core.Device):
        return core.device_id
    if not isinstance(core, _core.Model | _core.Run | _core.ScriptedSource):
        raise TypeError(f"target: {type(target).__name__} is neither a model, a run nor a device")
    return core


def title_of(target: Any) -> str:
    """What a message calls the target."""
    name = getattr(target, "name", None)
    return f"{type(target).__name__} {name!r}" if name else type(target).__name__
