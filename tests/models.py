"""Tiny ONNX models, written byte by byte, so that no test needs the onnx package."""

from importlib.util import find_spec
from pathlib import Path

MAGIKA = Path(find_spec("magika").origin).parent / "models" / "standard_v3_3" / "model.onnx"

FLOAT32, INT64 = 1, 7

_IR_VERSION, _OPSET = 8, 13


def model(nodes, inputs, outputs, initializers=()):
    """A model: `nodes` are `node(…)`, `inputs` and `outputs` are `tensor(…)`."""
    graph = [_bytes(1, one) for one in nodes] + [_bytes(2, "graph")] + [_bytes(5, one) for one in initializers]
    graph += [_bytes(11, one) for one in inputs] + [_bytes(12, one) for one in outputs]
    return _number(1, _IR_VERSION) + _bytes(7, b"".join(graph)) + _bytes(8, _number(2, _OPSET))


def node(op_type, inputs, outputs, name=None):
    """One node, named after its type unless told otherwise; a name may be any bytes."""
    ends = [_bytes(1, one) for one in inputs] + [_bytes(2, one) for one in outputs]
    return b"".join([*ends, _bytes(3, op_type.lower() if name is None else name), _bytes(4, op_type)])


def tensor(name, shape, element=FLOAT32):
    """An input or output; a dimension is an int or a symbol, and a shape of `None` is an open rank."""
    dims = b"".join(_bytes(1, _bytes(2, one) if isinstance(one, str) else _number(1, one)) for one in shape or ())
    declared = b"" if shape is None else _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, element) + declared))


def chain(length, shape, op_type="Relu", prefix="node"):
    """A model of `length` nodes in a row, from `x` to `y`."""
    ends = ["x", *(f"t{index}" for index in range(1, length)), "y"]
    nodes = [node(op_type, [ends[at]], [ends[at + 1]], f"{prefix}{at}") for at in range(length)]
    return model(nodes, [tensor("x", shape)], [tensor("y", shape)])


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    content = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value):
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
