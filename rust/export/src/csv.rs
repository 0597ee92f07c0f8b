//! The tables that `msprof` makes, with its exact headers.

mod calls;
mod cells;
mod statistic;
mod table;
mod writer;

pub use calls::ApiStatistic;
pub use statistic::OpStatistic;
pub use table::Table;
pub use writer::CsvWriter;
