//! Many rings, drained by one thread in an order that respects their fences.

use crate::consumer::Consumer;
use crate::fence::{Fence, Fenced};

struct Member<T> {
    id: u32,
    consumer: Consumer<T>,
    /// How far the drain under way goes, in items ever pushed.
    goal: u64,
}

/// A ring to bring up to a position.
#[derive(Clone, Copy)]
struct Errand {
    index: usize,
    upto: u64,
}

/// What one look at a ring came to.
enum Step {
    /// It is as far as was asked.
    Done,
    /// It handed out so many records.
    Handed(usize),
    /// It stands at a fence.
    Fence(Fence),
}

/// The consumers of many rings, drained together.
///
/// ```
/// use optap_ring::{Fence, Fenced, RingSet, ring};
///
/// #[derive(Clone, Copy, Debug)]
/// enum Item {
///     Op(u32),
///     Fence(Fence),
/// }
/// impl Fenced for Item {
///     fn fence(&self) -> Option<Fence> {
///         if let Item::Fence(fence) = self { Some(*fence) } else { None }
///     }
/// }
///
/// let mut set = RingSet::new();
/// let (mut second, consumer) = ring(16, 0);
/// set.add(consumer);
/// let (mut first, consumer) = ring(16, 0);
/// let first_id = set.add(consumer);
///
/// first.push(Item::Op(1)).unwrap();
/// let moved = Fence { ring: first_id, position: first.position() };
/// second.push_after(Item::Fence(moved), Item::Op(2)).unwrap();
///
/// let mut seen = Vec::new();
/// set.drain(64, &mut |items: &[Item]| {
///     seen.extend(items.iter().map(|item| if let Item::Op(op) = item { *op } else { 0 }));
/// });
/// assert_eq!(seen, [1, 2]);
/// ```
pub struct RingSet<T> {
    /// In the order of their ids.
    members: Vec<Member<T>>,
    next_id: u32,
    /// What rings that are gone had refused.
    refused_before: u64,
    errands: Vec<Errand>,
}

impl<T> Default for RingSet<T> {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            next_id: 0,
            refused_before: 0,
            errands: Vec::new(),
        }
    }
}

impl<T: Copy + Send + Fenced> RingSet<T> {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a ring in and returns its id, for fences to name. An id is never given twice.
    pub fn add(&mut self, consumer: Consumer<T>) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        let goal = consumer.position();
        self.members.push(Member { id, consumer, goal });
        id
    }

    /// Hands every record published before the call to `sink`, and later ones only where a fence asks for them;
    /// returns how many records that was.
    ///
    /// Rings take turns of at most `max_per_pass` records. A ring at a fence waits until the ring it names has been
    /// drained as far as it says; that one goes first. A ring that left the set counts as drained. Fences themselves
    /// are not handed out. Rings that are empty and whose producer is gone leave the set.
    pub fn drain(&mut self, max_per_pass: usize, sink: &mut impl FnMut(&[T])) -> usize {
        for member in &mut self.members {
            member.goal = member.published();
        }
        let mut handed = 0;
        while self.members.iter().any(Member::is_behind) {
            for index in 0..self.members.len() {
                handed += self.advance(index, max_per_pass.max(1) as u64, sink);
            }
        }
        self.remove_vanished();
        handed
    }

    /// Whether no ring holds anything. Reads every producer's index: what a drainer asks before it sleeps.
    pub fn is_empty(&mut self) -> bool {
        self.members
            .iter_mut()
            .all(|member| member.consumer.available() == 0)
    }

    /// Records in the rings; fences do not count. Looks at each of them.
    pub fn occupied(&mut self) -> usize {
        self.members.iter_mut().map(Member::records).sum()
    }

    /// Items refused ever, by rings that left the set too.
    pub fn refused(&self) -> u64 {
        let present: u64 = self
            .members
            .iter()
            .map(|member| member.consumer.refused())
            .sum();
        self.refused_before + present
    }

    /// Rings in the set.
    pub fn rings(&self) -> usize {
        self.members.len()
    }

    /// Gives one ring its turn, after whatever its fences ask for.
    fn advance(&mut self, index: usize, turn: u64, sink: &mut impl FnMut(&[T])) -> usize {
        let member = &self.members[index];
        let upto = member
            .goal
            .min(member.consumer.position().saturating_add(turn));
        let mut handed = 0;
        self.errands.clear();
        self.errands.push(Errand { index, upto });
        while let Some(&Errand { index, upto }) = self.errands.last() {
            match self.members[index].hand_out(upto, sink) {
                Step::Done => drop(self.errands.pop()),
                Step::Handed(count) => handed += count,
                Step::Fence(fence) => match self.unmet(fence) {
                    Some(errand) => self.errands.push(errand),
                    None => self.members[index].consumer.release(1),
                },
            }
        }
        handed
    }

    /// What must be drained before a fence is passed.
    ///
    /// Positions follow happens-before, so a fence names published items only and no two fences wait for each other.
    /// One that breaks this is passed as far as it can be met, for the drain must end.
    fn unmet(&mut self, fence: Fence) -> Option<Errand> {
        let index = self
            .members
            .binary_search_by_key(&fence.ring, |member| member.id)
            .ok()?;
        let member = &mut self.members[index];
        let upto = fence.position.min(member.published());
        let is_met = upto <= member.consumer.position();
        let is_under_way = self.errands.iter().any(|errand| errand.index == index);
        (!is_met && !is_under_way).then_some(Errand { index, upto })
    }

    fn remove_vanished(&mut self) {
        let refused_before = &mut self.refused_before;
        self.members.retain_mut(|member| {
            let is_vanished = member.consumer.is_abandoned() && member.consumer.available() == 0;
            if is_vanished {
                *refused_before += member.consumer.refused();
            }
            !is_vanished
        });
    }
}

impl<T: Copy + Send + Fenced> Member<T> {
    fn is_behind(&self) -> bool {
        self.consumer.position() < self.goal
    }

    fn published(&mut self) -> u64 {
        self.consumer.available() as u64 + self.consumer.position()
    }

    fn records(&mut self) -> usize {
        let available = self.consumer.available();
        let (run, rest) = self.consumer.chunk(available);
        run.iter()
            .chain(rest)
            .filter(|item| item.fence().is_none())
            .count()
    }

    /// Hands out one run of records, as far as the next fence, the buffer's end or `upto`.
    fn hand_out(&mut self, upto: u64, sink: &mut impl FnMut(&[T])) -> Step {
        let wanted = upto.saturating_sub(self.consumer.position());
        if wanted == 0 {
            return Step::Done;
        }
        let (run, _) = self.consumer.chunk(wanted as usize);
        let count = run
            .iter()
            .position(|item| item.fence().is_some())
            .unwrap_or(run.len());
        if let (0, Some(fence)) = (count, run.first().and_then(Fenced::fence)) {
            return Step::Fence(fence);
        }
        sink(&run[..count]);
        self.consumer.release(count);
        Step::Handed(count)
    }
}
