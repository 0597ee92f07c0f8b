//! What a push costs.

fn main() {}
