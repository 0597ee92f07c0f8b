//! The module `acl.rt`.

use crate::Function;

/// What the calls of this module share.
#[derive(Debug, Default)]
pub(crate) struct State {}

/// The functions of this module.
pub(crate) const FUNCTIONS: &[Function] = &[];
