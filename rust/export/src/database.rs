//! The unified database of `msprof`: one SQLite file that its own viewers open.

mod names;
mod part;
mod rows;
pub(crate) mod schema;
mod state;
mod writer;

pub use writer::DatabaseWriter;
