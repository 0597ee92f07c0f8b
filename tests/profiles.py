"""A reading of `PROF_*` directories by the layout of their files; it shares no code with the writer."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

STARS_BYTES, API_BYTES, COMPACT_BYTES, TX_BYTES, TRACK_BYTES = 64, 40, 64, 256, 40


@dataclass(frozen=True)
class Profile:
    """One directory."""

    path: Path

    def slices(self, side: str, name: str) -> list[Path]:
        """The slices of a file, in order."""
        found = (self.path / side / "data").glob(f"{name}.slice_*")
        kept = (path for path in found if not path.name.endswith(".done"))
        return sorted(kept, key=lambda path: int(path.name.rpartition("_")[2]))

    def records(self, side: str, name: str, size: int) -> list[bytes]:
        """The records of a file; each slice holds whole ones."""
        told = []
        for path in self.slices(side, name):
            data = path.read_bytes()
            assert len(data) % size == 0, f"{path} holds a part of a record"
            told += [data[at : at + size] for at in range(0, len(data), size)]
        return told

    def names(self) -> dict[int, str]:
        """The dictionary of texts."""
        return dict(self._lines("unaging.additional.hash_dic"))

    def types(self) -> dict[str, str]:
        """The names of types, by level and number."""
        pairs = (line.partition(":")[::2] for line in self._text("unaging.additional.type_info_dic").splitlines())
        return dict(pairs)

    def tasks(self, device: int) -> list[tuple[int, int, int, int]]:
        """Stream, number, start and end of each task that ended, in the order of the ends."""
        begun: dict[tuple[int, int], int] = {}
        tasks = []
        for record in self.records(f"device_{device}", f"stars_soc.data.{device}", STARS_BYTES):
            head, magic, stream, task, at_ns = struct.unpack_from("<HHHHQ", record)
            assert magic == 0x6BD3
            if head & 0x3F == 0:
                begun[stream, task] = at_ns
            else:
                tasks.append((stream, task, begun.pop((stream, task)), at_ns))
        return tasks

    def ops(self) -> list[str]:
        """The names of the operators that were launched."""
        names = self.names()
        infos = self.records("host", "aging.compact.node_basic_info", COMPACT_BYTES)
        return [names[struct.unpack_from("<Q", record, 24)[0]] for record in infos]

    def tx(self) -> list[tuple[str, int, int, int]]:
        """Message, event type, start and end of each mark and range."""
        told = []
        for record in self.records("host", "aging.additional.msproftx", TX_BYTES):
            (event,) = struct.unpack_from("<I", record, 48)
            start_ns, end_ns = struct.unpack_from("<QQ", record, 64)
            told.append((record[100:].split(b"\0")[0].decode(), event, start_ns, end_ns))
        return told

    def track(self, device: int, kind: int = 0x0A) -> list[tuple[int, int, int]]:
        """Index, tag and time of each record of a device's track."""
        records = self.records(f"device_{device}", f"ts_track.data.{device}", TRACK_BYTES)
        told = (struct.unpack_from("<QQQHHH", record, 8) for record in records if record[1] == kind)
        return [(index, tag, at_ns) for at_ns, index, _model, _stream, _task, tag in told]

    def calls(self) -> list[str]:
        """The names of the timed calls of the interface."""
        types = self.types()
        heads = (
            struct.unpack_from("<HHI", record) for record in self.records("host", "aging.api_event.data", API_BYTES)
        )
        return [types[f"{level}_{kind}"] for _, level, kind in heads if level == 20_000]

    def is_complete(self) -> bool:
        """Whether the end of each side is told."""
        sides = [path for path in self.path.iterdir() if path.is_dir()]
        ends = [next(iter(path.glob("end_info*")), None) for path in sides]
        return bool(sides) and all(ends)

    def _lines(self, name: str) -> list[tuple[int, str]]:
        pairs = (line.partition(":")[::2] for line in self._text(name).splitlines())
        return [(int(key), text) for key, text in pairs]

    def _text(self, name: str) -> str:
        return "".join(path.read_text() for path in self.slices("host", name))


def found(base: Path) -> list[Profile]:
    """The directories below a path, in the order of their starts."""
    return [Profile(path) for path in sorted(base.glob("PROF_*"), key=lambda path: path.name)]
