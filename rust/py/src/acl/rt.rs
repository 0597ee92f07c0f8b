//! The functions of `acl.rt`.

use super::functions::functions;

functions! { "acl.rt" }
