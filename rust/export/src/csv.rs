//! The tables that `msprof` makes, with its exact headers.

mod cells;
mod statistic;
mod table;
mod writer;

pub use statistic::OpStatistic;
pub use table::Table;
pub use writer::CsvWriter;
