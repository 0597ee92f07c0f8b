from types import ModuleType
from typing import Any

mdl: ModuleType
prof: ModuleType
rt: ModuleType
util: ModuleType

def configure(*, strict: bool | None = None, keypoint_op: bool | None = None, stamps: int | None = None) -> None: ...
def statistics() -> dict[str, int]: ...
def __getattr__(name: str) -> Any: ...
