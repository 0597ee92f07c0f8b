//! A trace as records and operators.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use optap_record::NameTable;

use super::event::{Event, Told};
use super::scan::{Found, Scan};
use crate::process::Process;
use crate::prof::Anchor;
use crate::read::builder::Builder;
use crate::read::damage::Damages;
use crate::read::profile::Profile;
use crate::read::source::named;

/// Files are read in blocks of this size.
const BLOCK_BYTES: usize = 64 * 1024;

/// Reads a trace. Its times stay those of its clock.
pub(crate) fn read(path: &Path, names: &NameTable) -> io::Result<Profile> {
    let file = File::open(path).map_err(|error| named(path, &error))?;
    let mut scan = Scan::new(BufReader::with_capacity(BLOCK_BYTES, file));
    if !scan.find_events().map_err(|error| named(path, &error))? {
        let message = format!("{}: JSON without traceEvents", path.display());
        return Err(io::Error::new(io::ErrorKind::Unsupported, message));
    }
    let mut reading = Reading {
        builder: Builder::new(names),
        launched: Vec::new(),
        threads: HashMap::new(),
    };
    let (mut events, mut damages) = (0_u64, Damages::default());
    damages.begin_file();
    loop {
        events += 1;
        let reason = match scan.next_event() {
            Ok(Found::Nothing) => break,
            Ok(Found::Event) => match serde_json::from_slice(&scan.event) {
                Ok(event) => {
                    if let Err(reason) = reading.event(&event)? {
                        damages.part(path, scan.at, scan.event.len() as u64, reason);
                    }
                    continue;
                }
                Err(_) => "no event",
            },
            Ok(Found::Cut) => "an event cut short",
            Ok(Found::Endless) => "an event without an end",
            Err(error) => {
                damages.file(path, error);
                break;
            }
        };
        let at = scan.at;
        damages.part(path, at, scan.resume(), reason);
    }
    if events > 1 && reading.builder.is_empty() && damages.found.is_empty() {
        let events = events - 1;
        let reason = format!("none of {events} events is an operator, range, mark or step");
        damages.file(path, reason);
    }
    reading.join();
    let process = Process::default();
    Ok(reading.builder.finish(Anchor::NONE, process, damages.found))
}

/// A trace that is being read.
struct Reading<'a> {
    builder: Builder<'a>,
    /// Records by their place, and the call that launched each.
    launched: Vec<(usize, u64)>,
    /// The thread that made a call.
    threads: HashMap<u64, u32>,
}

impl Reading<'_> {
    /// Takes an event, or says why it cannot be read.
    fn event(&mut self, event: &Event<'_>) -> io::Result<Result<(), &'static str>> {
        match event.told() {
            Ok(Told::Record(mut record, texts, call)) => {
                if let Some(texts) = texts {
                    let texts = texts.each_ref().map(|text| text.as_bytes());
                    record.op_id = self.builder.op(texts)?;
                }
                if let Some(call) = call {
                    self.launched.push((self.builder.len(), call));
                }
                self.builder.push(record);
            }
            Ok(Told::Call(call, thread)) => _ = self.threads.insert(call, thread),
            Ok(Told::Other) => {}
            Err(reason) => return Ok(Err(reason)),
        }
        Ok(Ok(()))
    }

    /// Gives each operator the thread that launched it.
    fn join(&mut self) {
        for (at, call) in self.launched.drain(..) {
            if let Some(&thread) = self.threads.get(&call) {
                self.builder.set_thread(at, thread);
            }
        }
    }
}
