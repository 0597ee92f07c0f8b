"""Tap the stream of operators that a model executes.

>>> import anyio, optap, optap.testing
>>> async def main():
...     async with optap.testing.ScriptedModel(count=2, names=["conv", "relu"]) as model:
...         async with optap.subscribe(model) as ops:
...             await model.run()
...             print((await ops.receive()).name, (await ops.receive()).name)
>>> anyio.run(main)
conv relu
"""

from optap import _exit as _exit
from optap._core import ChromeTraceWriter as ChromeTraceWriter
from optap._core import DeviceBuffer as DeviceBuffer
from optap._core import clock_source as clock_source
from optap._core import cost as cost
from optap.annotation import Annotation as Annotation
from optap.annotation import Annotations as Annotations
from optap.annotation import annotate as annotate
from optap.annotation import annotations as annotations
from optap.annotation import mark as mark
from optap.annotation import range_start as range_start
from optap.annotation import range_stop as range_stop
from optap.batch import OP_DTYPE as OP_DTYPE
from optap.batch import Batch as Batch
from optap.batch import Op as Op
from optap.batches import Batches as Batches
from optap.comparison import Change as Change
from optap.comparison import Comparison as Comparison
from optap.comparison import compare as compare
from optap.device import Device as Device
from optap.device import MemoryInfo as MemoryInfo
from optap.device import device_count as device_count
from optap.device import open_device as open_device
from optap.errors import OptapError as OptapError
from optap.filter import Filter as Filter
from optap.filter import where as where
from optap.model import Model as Model
from optap.model import Outputs as Outputs
from optap.model import Run as Run
from optap.model import TensorSpec as TensorSpec
from optap.reading import read as read
from optap.report import write_html as write_html
from optap.session import ProfileReport as ProfileReport
from optap.session import ProfileSession as ProfileSession
from optap.session import profile as profile
from optap.steps import Step as Step
from optap.steps import step as step
from optap.steps import steps as steps
from optap.stream import Event as Event
from optap.stream import Stream as Stream
from optap.subscription import Overflow as Overflow
from optap.subscription import Statistics as Statistics
from optap.subscription import Subscription as Subscription
from optap.subscription import subscribe as subscribe
from optap.summary import Summary as Summary
from optap.summary import SummaryRow as SummaryRow
from optap.table import Anchor as Anchor
from optap.table import Damage as Damage
from optap.table import OpTable as OpTable
from optap.writing import Exported as Exported
from optap.writing import FileWriter as FileWriter
from optap.writing import export as export

__all__ = (
    "OP_DTYPE",
    "Anchor",
    "Annotation",
    "Annotations",
    "Batch",
    "Batches",
    "Change",
    "ChromeTraceWriter",
    "Comparison",
    "Damage",
    "Device",
    "DeviceBuffer",
    "Event",
    "Exported",
    "FileWriter",
    "Filter",
    "MemoryInfo",
    "Model",
    "Op",
    "OpTable",
    "OptapError",
    "Outputs",
    "Overflow",
    "ProfileReport",
    "ProfileSession",
    "Run",
    "Statistics",
    "Step",
    "Stream",
    "Subscription",
    "Summary",
    "SummaryRow",
    "TensorSpec",
    "annotate",
    "annotations",
    "clock_source",
    "compare",
    "cost",
    "device_count",
    "export",
    "mark",
    "open_device",
    "profile",
    "range_start",
    "range_stop",
    "read",
    "step",
    "steps",
    "subscribe",
    "where",
    "write_html",
)
