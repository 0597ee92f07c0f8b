//! The functions of `acl.base`.

use super::functions::functions;

functions! { "acl.base" }
