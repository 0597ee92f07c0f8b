//! A device as one user of it sees it: a context of its own.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use optap_engine::ModelOptions;
use optap_model::error_of;
use optap_runtime::{Completion, Context, Error, ErrorCode, EventKind, Runtime, Task};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{OrRaise, from_engine, raise, to_python};
use crate::event::Event;
use crate::memory::DeviceBuffer;
use crate::model::Model;
use crate::number::whole;
use crate::origin::Origin;
use crate::pending::{Pending, failure};
use crate::stream::Stream;

const CLOSE_LIMIT: Duration = Duration::from_secs(30);

/// One opening of a device: streams, events, memory and models made here end with it.
#[pyclass(frozen, module = "optap._core")]
pub struct Device {
    runtime: Arc<Runtime>,
    device: Arc<optap_runtime::Device>,
    context: Arc<Context>,
    origin: Origin,
}

#[pymethods]
impl Device {
    #[new]
    fn new(device_id: &Bound<'_, PyAny>) -> PyResult<Self> {
        let runtime = Runtime::global().or_raise()?;
        let device_id = id_of(device_id, &runtime)?;
        Self::open(runtime, device_id)
    }

    /// Number of devices.
    #[staticmethod]
    fn count() -> PyResult<usize> {
        Ok(Runtime::global().or_raise()?.devices().len())
    }

    /// Id of the device.
    #[getter]
    fn device_id(&self) -> u32 {
        self.device.id()
    }

    /// Number of worker threads that exist now.
    fn workers(&self) -> usize {
        self.runtime.workers()
    }

    /// A new stream.
    fn create_stream(&self) -> PyResult<Stream> {
        self.origin.check("device")?;
        self.context.create_stream().map(Stream::new).or_raise()
    }

    /// A new event.
    fn create_event(&self) -> PyResult<Event> {
        self.context
            .create_event(EventKind::Default)
            .map(Event::new)
            .or_raise()
    }

    /// Another context on the same device.
    fn create_context(&self) -> PyResult<Self> {
        Self::open(self.runtime.clone(), self.device_id())
    }

    /// Device memory of `size_bytes`, zeroed.
    fn allocate(&self, size_bytes: &Bound<'_, PyAny>) -> PyResult<DeviceBuffer> {
        let size_bytes = whole("size_bytes", size_bytes, 0..=u64::MAX)?;
        DeviceBuffer::allocate(&self.device, size_bytes)
    }

    /// Free and total memory, in bytes.
    fn memory_info(&self) -> PyResult<(u64, u64)> {
        let info = self.runtime.memory().info(self.device.id()).or_raise()?;
        Ok((info.free_bytes, info.total_bytes))
    }

    /// Done for each stream when all work given to it so far has finished.
    fn drained(&self) -> PyResult<Vec<Pending>> {
        let streams = self.context.streams();
        streams
            .iter()
            .map(|stream| stream.drained().map(Pending::new).or_raise())
            .collect()
    }

    /// Raise, once, the first failure of a stream.
    fn check(&self) -> PyResult<()> {
        let failure = self
            .context
            .streams()
            .iter()
            .find_map(|stream| stream.take_failure());
        failure.map_or(Ok(()), Err).or_raise()
    }

    /// Begin to load a model from a file or from bytes, on a worker.
    fn load_model(&self, stream: &Stream, source: Source, name: String) -> PyResult<Loading> {
        let loaded = Arc::new(Mutex::new(None));
        let slot = loaded.clone();
        let device_id = self.device.id();
        let completion = stream.inner().submit(Task::work(move |_| {
            let engine = source.load();
            let model = engine.and_then(|engine| optap_model::Model::new(engine, name, device_id));
            let outcome = model.as_ref().map(drop).map_err(error_of);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(model);
            outcome
        }));
        Ok(Loading {
            completion: completion.or_raise()?,
            loaded,
        })
    }

    /// Drop what is queued and stop what runs at its next node.
    fn abort(&self) {
        if !self.origin.is_here() {
            return;
        }
        self.context
            .streams()
            .iter()
            .for_each(|stream| stream.abort());
    }

    /// Whether nothing of this opening runs.
    fn is_idle(&self) -> bool {
        !self.context.streams().iter().any(|stream| stream.is_busy())
    }

    /// End the context and give the device back. Waits for running work; abort it first. Nothing in a forked child.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.origin.is_here() {
            return Ok(());
        }
        py.detach(|| self.context.destroy().and_then(|()| self.device.release()))
            .or_raise()
    }

    /// Abort everything on the device, whoever opened it; return whether all of it ended in time.
    fn reset(&self, py: Python<'_>) -> bool {
        py.detach(|| self.device.reset(CLOSE_LIMIT))
    }
}

impl Device {
    fn open(runtime: Arc<Runtime>, device_id: u32) -> PyResult<Self> {
        let device = runtime.device(device_id).or_raise()?.clone();
        device.retain().or_raise()?;
        let context = device.create_context().or_raise()?;
        Ok(Self {
            runtime,
            device,
            context,
            origin: Origin::default(),
        })
    }
}

/// The id of a device. A number that none can have is refused as that of one that is not there.
fn id_of(given: &Bound<'_, PyAny>, runtime: &Runtime) -> PyResult<u32> {
    let id = whole("device_id", given, 0..=u32::MAX.into());
    id.map_err(|error| {
        if !error.is_instance_of::<PyValueError>(given.py()) {
            return error;
        }
        let last = runtime.devices().len() - 1;
        let told = format!("device {given} does not exist; the ids are 0 to {last}");
        raise("HandleError", ErrorCode::InvalidDeviceId, &told)
    })
}

/// Where a model comes from.
#[derive(FromPyObject)]
enum Source {
    Bytes(Vec<u8>),
    Path(PathBuf),
}

impl Source {
    fn load(&self) -> Result<optap_engine::Model, optap_engine::Error> {
        let options = ModelOptions::from_env()?;
        match self {
            Self::Bytes(bytes) => options.load_bytes(bytes),
            Self::Path(path) => options.load_path(path),
        }
    }
}

fn not_loaded() -> PyErr {
    to_python(&Error::new(
        ErrorCode::StreamNotComplete,
        "the model is not loaded yet; wait for `pending()`",
    ))
}

type Loaded = Result<Arc<optap_model::Model>, optap_engine::Error>;

/// A model on its way.
#[pyclass(frozen, module = "optap._core")]
pub struct Loading {
    completion: Completion,
    loaded: Arc<Mutex<Option<Loaded>>>,
}

#[pymethods]
impl Loading {
    /// The end of the loading.
    fn pending(&self) -> Pending {
        Pending::new(self.completion.clone())
    }

    /// The model; raises what the loading raised.
    fn model(&self) -> PyResult<Model> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some(Ok(model)) => Ok(Model::new(model.clone())),
            Some(Err(error)) => Err(from_engine(error)),
            None => Err(failure(&self.completion).unwrap_or_else(not_loaded)),
        }
    }
}
