//! Every function of the namespace, and how far it goes.

use crate::{base, mdl, prof, rt, util};

/// How a function compares with pyACL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As documented, without a difference that a script can see.
    Implemented,
    /// It works, and differs as the note says.
    Differs,
    /// Only hardware can do it: answers 207000.
    NotSupported,
}

/// A function of the namespace.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The full name, such as `acl.rt.malloc`.
    pub name: &'static str,
    /// How it compares with pyACL's.
    pub status: Status,
    /// What differs and why; empty when nothing does.
    pub note: &'static str,
}

impl Function {
    /// A function without a difference.
    pub const fn same(name: &'static str) -> Self {
        Self {
            name,
            status: Status::Implemented,
            note: "",
        }
    }

    /// A function that differs as `note` says.
    pub const fn differs(name: &'static str, note: &'static str) -> Self {
        Self {
            name,
            status: Status::Differs,
            note,
        }
    }

    /// A function that only hardware has, for the reason in `note`.
    pub const fn unsupported(name: &'static str, note: &'static str) -> Self {
        Self {
            name,
            status: Status::NotSupported,
            note,
        }
    }
}

/// All functions, module by module.
pub fn functions() -> impl Iterator<Item = Function> {
    [
        base::FUNCTIONS,
        rt::FUNCTIONS,
        mdl::FUNCTIONS,
        util::FUNCTIONS,
        prof::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
