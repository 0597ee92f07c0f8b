//! The functions of `acl.prof`.

use super::functions::functions;

functions! { "acl.prof" }
