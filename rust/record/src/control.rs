//! Records that steer the line of data and never reach a batch.

use crate::{Kind, OpRecord};

/// Records of one stream that never reached the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The stream that lost them.
    pub stream_id: u32,
    /// The model that was running.
    pub model_id: u32,
    /// The run that was going on.
    pub run_id: u64,
    /// The stream's device.
    pub device_id: u32,
    /// The `sequence` of the first lost record.
    pub first_sequence: u64,
    /// How many were lost, without a break.
    pub count: u64,
}

/// What must be drained before the records that follow: everything below `position` in `ring`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The other ring.
    pub ring: u32,
    /// Items ever pushed to it.
    pub position: u64,
}

impl OpRecord {
    /// The control record that tells a [`Loss`]; the count stands in `start_ns`.
    #[inline]
    #[must_use]
    pub fn loss(loss: Loss) -> Self {
        Self {
            kind: Kind::LOSS,
            stream_id: loss.stream_id,
            model_id: loss.model_id,
            run_id: loss.run_id,
            device_id: loss.device_id,
            sequence: loss.first_sequence,
            start_ns: loss.count,
            ..Self::default()
        }
    }

    /// The control record of a [`Fence`]; the ring stands in `op_id`, the position in `start_ns`.
    #[inline]
    #[must_use]
    pub fn fence(ring: u32, position: u64) -> Self {
        Self {
            kind: Kind::FENCE,
            op_id: ring,
            start_ns: position,
            ..Self::default()
        }
    }

    /// The loss that this record tells, if it is one.
    #[inline]
    #[must_use]
    pub fn as_loss(&self) -> Option<Loss> {
        (self.kind == Kind::LOSS).then_some(Loss {
            stream_id: self.stream_id,
            model_id: self.model_id,
            run_id: self.run_id,
            device_id: self.device_id,
            first_sequence: self.sequence,
            count: self.start_ns,
        })
    }

    /// The fence that this record is, if it is one.
    #[inline]
    #[must_use]
    pub fn as_fence(&self) -> Option<Fence> {
        (self.kind == Kind::FENCE).then_some(Fence {
            ring: self.op_id,
            position: self.start_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_record_gives_back_what_it_was_made_of() {
        let loss = Loss {
            stream_id: 1,
            model_id: 2,
            run_id: 3,
            device_id: 4,
            first_sequence: 5,
            count: u64::MAX,
        };
        let fence = Fence {
            ring: 9,
            position: 10,
        };
        assert_eq!(OpRecord::loss(loss).as_loss(), Some(loss));
        assert_eq!(OpRecord::fence(9, 10).as_fence(), Some(fence));
    }

    #[test]
    fn an_op_record_is_no_control_record() {
        let op = OpRecord::default();
        assert!(!op.kind.is_control());
        assert_eq!((op.as_loss(), op.as_fence()), (None, None));
    }
}
