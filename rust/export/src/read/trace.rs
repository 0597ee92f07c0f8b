//! Reading Chrome traces: ours, those of `msprof` and those of frameworks.

mod event;
mod number;
mod profile;
mod scan;

pub(crate) use profile::read;
