//! Sharing of blocks. Alone in its process, for a block with ops of other models is copied.

mod support;

use std::sync::Arc;

use optap_profiler::Overflow;
use support::{Model, open, read_to_end};

#[test]
fn unfiltered_subscribers_share_the_same_bytes() {
    let model = Model::new();
    let pair = [(); 2].map(|()| open(model.target(), Overflow::DropOldest, 65_536));
    model.emit(100);
    pair.iter().for_each(optap_profiler::Subscription::finish);
    let [first, second] = pair.each_ref().map(read_to_end);
    assert!(
        first
            .iter()
            .zip(&second)
            .all(|(one, other)| Arc::ptr_eq(&one.block, &other.block))
    );
}
