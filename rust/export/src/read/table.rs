//! Reading tables of operators, marks and steps, as `msprof` and frameworks write them.

mod columns;
mod decimal;
mod lines;
mod rows;

pub(crate) use decimal::micros;
pub(crate) use rows::read;
