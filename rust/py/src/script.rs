//! A source that emits records as told, on a stream of its own.

use std::sync::Arc;

use optap_model::{RunHolder, RunState, fresh_model_id, fresh_run_id};
use optap_profiler::{Names, Profiler, Recorder, Script, Tap, Target};
use optap_record::{Flags, NameTable, OpInfo, OpTable};
use optap_runtime::{Error, ErrorCode, Task, Trail, held};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::annotate::current_range_id;
use crate::error::OrRaise;
use crate::number::whole;
use crate::origin::Origin;
use crate::run::Run;
use crate::stream::Stream;
use crate::strings::encode;

/// Emits op records as a script says.
#[pyclass(frozen, module = "optap._core")]
pub struct ScriptedSource {
    tap: Arc<Tap>,
    names: Arc<Names>,
    script: Arc<Script>,
    origin: Origin,
}

impl ScriptedSource {
    /// What a subscription to the source listens to; raises `ForkedError` in a forked child.
    pub fn target(&self) -> PyResult<Target> {
        self.origin.check("scripted model")?;
        Ok(Target::Model(self.tap.model_id()))
    }
}

#[pymethods]
impl ScriptedSource {
    /// A source of `count` ops: `rate` a second, `(name, type)` taken in turn, and so on.
    #[new]
    #[pyo3(signature = (count, rate, names, times_ns, stream_ids, first_sequence, gaps, device_id))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument a field of the script; the Python face has keywords"
    )]
    fn new(
        count: &Bound<'_, PyAny>,
        rate: Option<f64>,
        names: Vec<(Bound<'_, PyString>, Bound<'_, PyString>)>,
        times_ns: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        stream_ids: Vec<Bound<'_, PyAny>>,
        first_sequence: &Bound<'_, PyAny>,
        gaps: Bound<'_, PyDict>,
        device_id: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let device_id = whole("device_id", device_id, 0..=u32::MAX.into())?;
        let mut script = Script {
            count: count_of("count", count)?,
            rate,
            op_ids: Vec::new(),
            times_ns: pairs("times_ns", times_ns)?,
            stream_ids: streams(&stream_ids)?,
            first_sequence: count_of("first_sequence", first_sequence)?,
            gaps: pairs("gaps", gaps.iter())?,
        };
        check_sequences(&script)?;
        let infos = names.iter().map(|(name, kind)| describe(name, kind));
        let lease = OpTable::global().register(infos.collect::<PyResult<Vec<_>>>()?);
        script.op_ids = lease.ids().collect();
        Ok(Self {
            names: Arc::new(Profiler::global().add_names(lease)),
            script: Arc::new(script),
            tap: Profiler::global().add_model(fresh_model_id(), device_id),
            origin: Origin::default(),
        })
    }

    /// Id of the source, as of a model.
    #[getter]
    fn model_id(&self) -> u32 {
        self.tap.model_id()
    }

    /// Play the script once on `stream`.
    fn start(&self, py: Python<'_>, stream: &Stream) -> PyResult<Run> {
        self.origin.check("scripted model")?;
        let range_id = current_range_id(py)?;
        let (tap, names, script) = (self.tap.clone(), self.names.clone(), self.script.clone());
        let (run_id, state) = (fresh_run_id(), Arc::<RunState>::default());
        let shared = state.clone();
        let completion = stream.inner().submit(Task::work(move |context| {
            let _names = names;
            let holder = RunHolder {
                cancelled: &shared.cancelled,
                stream: context.stream(),
            };
            let trail = Trail::default();
            let mut recorder = Recorder::new(
                Profiler::global(),
                &tap,
                &trail,
                &holder,
                script.stream_ids[0],
                run_id,
            )
            .in_range(range_id);
            held(|| script.play(&mut recorder, &holder));
            match shared.cancelled.is_done() {
                true => Err(Error::new(
                    ErrorCode::ModelAbortNormal,
                    "the scripted run was cancelled",
                )),
                false => Ok(()),
            }
        }));
        let run = optap_model::Run {
            run_id,
            model_id: self.model_id(),
            stream_id: stream.inner().id(),
            completion: completion.or_raise()?,
            state,
        };
        Ok(Run::new(run))
    }
}

fn count_of(name: &str, given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(name, given, 0..=u64::MAX)
}

fn pairs<'py, C: FromIterator<(u64, u64)>>(
    name: &str,
    given: impl IntoIterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
) -> PyResult<C> {
    let pair = |(first, second)| Ok((count_of(name, &first)?, count_of(name, &second)?));
    given.into_iter().map(pair).collect()
}

fn streams(given: &[Bound<'_, PyAny>]) -> PyResult<Vec<u32>> {
    let id = |one| whole("streams", one, 0..=u32::MAX.into());
    given.iter().map(id).collect()
}

/// Refuses a script whose last sequence number would not fit.
fn check_sequences(script: &Script) -> PyResult<()> {
    let counts = script.gaps.values().chain([&script.count]);
    let mut sum = counts.map(|count| u128::from(*count)).sum::<u128>();
    sum += u128::from(script.first_sequence);
    if sum > u64::MAX.into() {
        return Err(PyValueError::new_err(format!(
            "first_sequence, count and gaps add up to {sum}; sequence numbers end at {}",
            u64::MAX
        )));
    }
    Ok(())
}

fn describe(name: &Bound<'_, PyString>, kind: &Bound<'_, PyString>) -> PyResult<OpInfo> {
    let intern = |text: &[u8]| {
        NameTable::global()
            .intern(text)
            .map_err(|full| PyMemoryError::new_err(full.to_string()))
    };
    Ok(OpInfo {
        name: intern(&encode(name)?)?,
        type_: intern(&encode(kind)?)?,
        kernel: intern(b"scripted")?,
        flags: Flags::SCRIPTED,
        sources: Box::default(),
    })
}
