//! The binding: parses, detaches, calls, wraps. `optap._core` in Python.

use pyo3::prelude::*;

mod acl;
mod annotate;
mod arrow;
mod batch;
mod buffer;
mod device;
mod error;
mod event;
mod fault;
mod fields;
mod filter;
mod info;
mod memory;
mod model;
mod number;
mod op;
mod origin;
mod pace;
mod pending;
mod profile;
mod raw;
mod reader;
mod reading;
mod run;
mod script;
mod session;
mod sink;
mod stop;
mod stream;
mod strings;
mod subscription;
mod summary;
mod target;
mod tensor;
mod trace;
mod watch;
mod writer;

/// The native half of `optap`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::annotate::{annotation_statistics, range_start, range_stop, record_step};
    #[pymodule_export]
    use super::batch::{Batch, arrow_stream, move_times, with_gap};
    #[pymodule_export]
    use super::device::{Device, Loading};
    #[pymodule_export]
    use super::event::Event;
    #[pymodule_export]
    use super::fault::fail_op;
    #[pymodule_export]
    use super::filter::Filter;
    #[pymodule_export]
    use super::info::{
        clock_source, cost, error_codes, monotonic_ns, name_table, op_record_fields,
        set_name_capacity, shutdown,
    };
    #[pymodule_export]
    use super::memory::DeviceBuffer;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::op::BlockHandle;
    #[pymodule_export]
    use super::pending::{Pending, Port};
    #[pymodule_export]
    use super::profile::{Profile, make_batch, read_profile};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::script::ScriptedSource;
    #[pymodule_export]
    use super::session::{Round, Session, finish_sessions};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::subscription::Subscription;
    #[pymodule_export]
    use super::summary::Summary;
    #[pymodule_export]
    use super::tensor::Tensor;
    #[pymodule_export]
    use super::trace::ChromeTraceWriter;
    #[pymodule_export]
    use super::writer::Writer;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        super::op::export(module)?;
        super::annotate::register(module)?;
        super::acl::register(module)
    }
}
