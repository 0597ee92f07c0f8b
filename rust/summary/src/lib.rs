//! Times of operators, summed up by key while they arrive: fixed memory, no allocation a record.
#![forbid(unsafe_code)]

mod by;
mod histogram;
mod key;
mod labels;
mod pending;
mod ranges;
mod recent;
mod rows;
mod steps;
mod sum;
mod summary;

pub use by::By;
pub use histogram::Histogram;
pub use key::Key;
pub use sum::Sum;
pub use summary::Summary;
