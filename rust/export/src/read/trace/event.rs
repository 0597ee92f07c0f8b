//! Events, and what they are by their members.

use std::borrow::Cow;

use optap_record::{Flags, Kind, OpRecord};
use serde::Deserialize;

use super::number::{Raw, id, integer, ns, text};

/// Types of tasks that run operators, beside those whose names begin with `KERNEL`.
const KERNELS: [&str; 8] = [
    "AI_CORE",
    "AI_CPU",
    "AI_VECTOR_CORE",
    "AIV_SQE",
    "MIX_AIC",
    "MIX_AIV",
    "FFTS_PLUS",
    "STARS_COMMON",
];

/// The members of an event that are looked at.
#[derive(Debug, Deserialize)]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    ph: Raw<'a>,
    #[serde(borrow)]
    cat: Raw<'a>,
    #[serde(borrow)]
    ts: Raw<'a>,
    #[serde(borrow)]
    dur: Raw<'a>,
    #[serde(borrow)]
    pid: Raw<'a>,
    #[serde(borrow)]
    tid: Raw<'a>,
    #[serde(borrow)]
    args: Raw<'a>,
}

/// The arguments of an event that are looked at: ours, then those of others.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Args<'a> {
    #[serde(borrow, rename = "type")]
    type_: Raw<'a>,
    #[serde(borrow)]
    kernel: Raw<'a>,
    #[serde(borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    flags: Raw<'a>,
    #[serde(borrow)]
    sequence: Raw<'a>,
    #[serde(borrow)]
    run_id: Raw<'a>,
    #[serde(borrow)]
    model_id: Raw<'a>,
    #[serde(borrow)]
    thread_id: Raw<'a>,
    #[serde(borrow)]
    range_id: Raw<'a>,
    #[serde(borrow)]
    start_ns: Raw<'a>,
    #[serde(borrow)]
    end_ns: Raw<'a>,
    #[serde(borrow, rename = "Task Type")]
    task_type: Raw<'a>,
    #[serde(borrow, rename = "Model Id")]
    model: Raw<'a>,
    #[serde(borrow, rename = "Thread Id")]
    thread: Raw<'a>,
    #[serde(borrow)]
    connection_id: Raw<'a>,
    #[serde(borrow)]
    event_type: Raw<'a>,
    #[serde(borrow)]
    domain: Raw<'a>,
    #[serde(borrow, rename = "Iteration ID")]
    iteration: Raw<'a>,
}

/// The device of a process, which is told in the lowest bits of its number.
fn device(pid: Raw<'_>) -> u32 {
    (integer(pid).unwrap_or(0) & 31) as u32
}

/// What an event tells.
#[derive(Debug)]
pub(crate) enum Told<'a> {
    /// A record, its name, type and kernel if it has any, and the call that launched it.
    Record(OpRecord, Option<[Cow<'a, str>; 3]>, Option<u64>),
    /// Which thread made a call.
    Call(u64, u32),
    /// Nothing that a profile keeps.
    Other,
}

impl<'a> Event<'a> {
    /// What the event is; the reason where it should be a record and is none.
    pub(crate) fn told(&self) -> Result<Told<'a>, &'static str> {
        if !matches!(
            self.ph.map(serde_json::value::RawValue::get),
            Some("\"X\"" | "\"i\"" | "\"I\"")
        ) {
            return Ok(Told::Other);
        }
        let args = match self.args {
            Some(args) => {
                serde_json::from_str(args.get()).map_err(|_| "arguments of another form")?
            }
            None => Args::default(),
        };
        if args.run_id.is_some() && args.sequence.is_some() {
            return self.ours(&args);
        }
        if let Some(type_) = text(args.task_type) {
            return self.task(&args, type_);
        }
        if let Some(type_) = text(args.event_type) {
            return self.mark(&args, &type_);
        }
        if let (Some(connection), Some(_)) = (integer(args.connection_id), args.thread) {
            return Ok(Told::Call(connection, id(args.thread)));
        }
        self.step(&args)
    }

    /// When the event began and ended.
    fn times(&self) -> Result<(u64, u64), &'static str> {
        let start_ns = ns(self.ts).ok_or("no readable ts")?;
        let took_ns = match self.dur {
            Some(_) => ns(self.dur).ok_or("no readable dur")?,
            None => 0,
        };
        let end_ns = start_ns.checked_add(took_ns).ok_or("a dur without end")?;
        Ok((start_ns, end_ns))
    }

    fn name(&self) -> Cow<'a, str> {
        text(self.name).unwrap_or_default()
    }

    fn ours(&self, args: &Args<'a>) -> Result<Told<'a>, &'static str> {
        let (start_ns, end_ns) = match (integer(args.start_ns), integer(args.end_ns)) {
            (Some(start_ns), Some(end_ns)) => (start_ns, end_ns),
            _ => self.times()?,
        };
        let kind = match text(args.kind).as_deref() {
            None => Kind::OP,
            Some("range") => Kind::RANGE,
            Some("mark") => Kind::MARK,
            Some("step") => Kind::STEP,
            Some(_) => return Ok(Told::Other),
        };
        let words = text(args.flags).unwrap_or_default();
        let flags = Flags::ALL.iter().filter(|(flag, name)| {
            *flag != Flags::TICKS && words.split(' ').any(|word| word == *name)
        });
        let record = OpRecord {
            start_ns,
            end_ns,
            kind,
            flags: flags.fold(Flags::NONE, |flags, (flag, _)| flags | *flag),
            run_id: integer(args.run_id).unwrap_or(0),
            model_id: id(args.model_id),
            thread_id: id(args.thread_id),
            range_id: id(args.range_id),
            device_id: id(self.pid),
            stream_id: id(self.tid),
            ..OpRecord::default()
        };
        let kernel = || text(args.kernel).unwrap_or_default();
        let texts = text(args.type_).map(|type_| [self.name(), type_, kernel()]);
        Ok(Told::Record(record, texts, None))
    }

    /// A task of a device, whose process tells its number in the lowest 5 bits.
    fn task(&self, args: &Args<'a>, type_: Cow<'a, str>) -> Result<Told<'a>, &'static str> {
        if !type_.starts_with("KERNEL") && !KERNELS.contains(&&*type_) {
            return Ok(Told::Other);
        }
        let (start_ns, end_ns) = self.times()?;
        let record = OpRecord {
            start_ns,
            end_ns,
            model_id: id(args.model),
            device_id: device(self.pid),
            stream_id: id(self.tid),
            ..OpRecord::default()
        };
        let texts = [self.name(), Cow::Borrowed(""), type_];
        Ok(Told::Record(
            record,
            Some(texts),
            integer(args.connection_id),
        ))
    }

    fn mark(&self, args: &Args<'a>, type_: &str) -> Result<Told<'a>, &'static str> {
        let (start_ns, end_ns) = self.times()?;
        let is_range = matches!(type_, "start/end" | "push/pop");
        let record = OpRecord {
            start_ns,
            end_ns,
            kind: if is_range { Kind::RANGE } else { Kind::MARK },
            thread_id: id(self.tid),
            ..OpRecord::default()
        };
        let domain = text(args.domain).unwrap_or_default();
        let texts = [self.name(), domain, Cow::Borrowed("")];
        Ok(Told::Record(record, Some(texts), None))
    }

    /// An iteration of `msprof`, or a step of a framework.
    fn step(&self, args: &Args<'a>) -> Result<Told<'a>, &'static str> {
        let name = self.name();
        let framework = name.strip_prefix("ProfilerStep#").map(str::parse);
        let is_iteration = text(self.cat).is_some_and(|cat| cat == "Iteration Time");
        let number = match framework {
            Some(Ok(number)) => number,
            _ if is_iteration => integer(args.iteration).unwrap_or(0),
            _ => return Ok(Told::Other),
        };
        let (start_ns, end_ns) = self.times()?;
        let record = OpRecord {
            start_ns,
            end_ns,
            kind: Kind::STEP,
            run_id: number,
            device_id: if is_iteration { device(self.pid) } else { 0 },
            ..OpRecord::default()
        };
        Ok(Told::Record(record, None, None))
    }
}
