//! Reading unified databases, of `msprof` (schemas 1.0 to 1.2), of frameworks and of this project.

mod calls;
mod file;
mod profile;
mod table;
mod texts;

pub(crate) use profile::read;
