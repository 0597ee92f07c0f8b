//! The functions of `acl.mdl`.

use super::functions::functions;

functions! { "acl.mdl" }
