//! The part of an event that is the same each time its operator runs.

use optap_record::{Kind, Name, OpInfo};

use crate::json::Json;

/// Number of operators whose heads are kept; a power of two.
const SLOTS: usize = 4096;

/// Rendered heads, kept in a table of fixed size: two operators that meet in one place are rendered
/// anew each time they alternate.
///
/// Ids of operators are used again once a model is gone, so each head is compared with the names of
/// the day once a round.
#[derive(Debug)]
pub(crate) struct Heads {
    slots: Box<[Slot]>,
    round: u64,
}

#[derive(Debug, Default)]
struct Slot {
    op_id: u32,
    kind: Kind,
    checked_in_round: u64,
    names: Option<[Name; 3]>,
    head: Json,
}

impl Heads {
    pub(crate) fn new() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| Slot::default()).collect(),
            round: 0,
        }
    }

    /// Begins a round, in which an id keeps its meaning.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
    }

    /// The head of an event, up to and within its `args`, which are never empty.
    #[inline]
    pub(crate) fn get<'a>(
        &mut self,
        op_id: u32,
        kind: Kind,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
    ) -> &[u8] {
        let slot = &mut self.slots[op_id as usize % SLOTS];
        let known = slot.op_id == op_id && slot.kind == kind;
        if !known || slot.checked_in_round != self.round {
            let current = names(op_id).map(|info| [&info.name, &info.type_, &info.kernel]);
            if !known || slot.checked_in_round == 0 || !same(slot.names.as_ref(), current) {
                slot.render(op_id, kind, current);
            }
            slot.checked_in_round = self.round;
        }
        slot.head.bytes()
    }
}

fn same(kept: Option<&[Name; 3]>, current: Option<[&Name; 3]>) -> bool {
    kept.map(|names| names.each_ref()) == current
}

impl Slot {
    #[cold]
    fn render(&mut self, op_id: u32, kind: Kind, names: Option<[&Name; 3]>) {
        (self.op_id, self.kind) = (op_id, kind);
        self.names = names.map(|names| names.map(Name::clone));
        let json = &mut self.head;
        json.clear();
        match names {
            Some(names) => named(json, names),
            None => nameless(json, op_id, kind),
        }
        if kind != Kind::OP {
            json.raw(b",\"kind\":");
            json.string(kind.name());
        }
    }
}

fn named(json: &mut Json, [name, type_, kernel]: [&Name; 3]) {
    json.raw(b"{\"name\":");
    json.string(&name.to_text());
    json.raw(b",\"cat\":");
    json.string(&type_.to_text());
    json.raw(b",\"args\":{\"type\":");
    json.string(&type_.to_text());
    json.raw(b",\"kernel\":");
    json.string(&kernel.to_text());
}

fn nameless(json: &mut Json, op_id: u32, kind: Kind) {
    json.raw(b"{\"name\":");
    json.string(&format!("{} {op_id}", kind.name()));
    json.raw(b",\"cat\":");
    json.string(kind.name());
    json.raw(b",\"args\":{\"op_id\":");
    json.integer(op_id);
}
