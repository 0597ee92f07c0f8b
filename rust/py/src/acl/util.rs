//! The functions of `acl.util`.

use super::functions::functions;

functions! { "acl.util" }
