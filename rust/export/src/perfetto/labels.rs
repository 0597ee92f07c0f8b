//! The part of an event that is the same each time its operator runs, and the names it speaks of.

use optap_record::{Kind, Name, OpInfo};

use super::event::{annotation, field};
use super::proto::{Proto, SHORT};

/// Number of operators whose labels are kept; a power of two.
const SLOTS: usize = 4096;

/// Rendered labels, kept in a table of fixed size: two operators that meet in one place are told
/// anew each time they alternate.
///
/// Ids of operators are used again once a model is gone, so each label is compared with the names of
/// the day once a round.
#[derive(Debug)]
pub(crate) struct Labels {
    slots: Box<[Slot]>,
    round: u64,
    next_iid: u64,
}

#[derive(Debug, Default)]
struct Slot {
    op_id: u32,
    kind: Kind,
    checked_in_round: u64,
    names: Option<[Name; 3]>,
    fields: Proto,
}

impl Labels {
    pub(crate) fn new() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| Slot::default()).collect(),
            round: 0,
            next_iid: 1,
        }
    }

    /// Begins a round, in which an id keeps its meaning.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
    }

    /// The name, category and kernel of an event. What they speak of is first told to `out`.
    #[inline]
    pub(crate) fn get<'a>(
        &mut self,
        op_id: u32,
        kind: Kind,
        names: impl Fn(u32) -> Option<&'a OpInfo>,
        out: &mut Proto,
    ) -> &[u8] {
        let slot = &mut self.slots[op_id as usize % SLOTS];
        let known = slot.op_id == op_id && slot.kind == kind;
        if !known || slot.checked_in_round != self.round {
            let current = names(op_id).map(|info| [&info.name, &info.type_, &info.kernel]);
            let kept = slot.names.as_ref().map(|names| names.each_ref());
            if !known || slot.checked_in_round == 0 || kept != current {
                (slot.op_id, slot.kind) = (op_id, kind);
                slot.names = current.map(|names| names.map(Name::clone));
                slot.tell(self.next_iid, out);
                self.next_iid += 1;
            }
            slot.checked_in_round = self.round;
        }
        slot.fields.bytes()
    }
}

impl Slot {
    /// Name, category and kernel each have a number space of their own, so one number does for all.
    #[cold]
    fn tell(&mut self, iid: u64, out: &mut Proto) {
        let kind = self.kind.name();
        let [name, type_, kernel] = match &self.names {
            Some(names) => names.each_ref().map(|name| name.to_text().into_owned()),
            None => [
                format!("{kind} {}", self.op_id),
                kind.to_owned(),
                String::new(),
            ],
        };
        super::event::interned(out, iid, [&name, &type_, &kernel]);
        self.fields.clear();
        self.fields.uint(field::CATEGORY_IIDS, iid);
        self.fields.uint(field::NAME_IID, iid);
        if !kernel.is_empty() {
            let open = self.fields.begin::<SHORT>(field::DEBUG_ANNOTATIONS);
            self.fields.uint(1, annotation::KERNEL);
            self.fields.uint(17, iid);
            self.fields.end(open);
        }
    }
}
