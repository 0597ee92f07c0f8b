//! What the file given to `acl.init` asks to collect.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use optap_runtime::{Result, Runtime};
use optap_session::{Asked, Level, METRICS, Round, Wish};
use serde_json::{Map, Value};

use crate::Acl;
use crate::prof::collection::{begin, bytes_of};
use crate::prof::folder;

/// Names the folder that profiles go to where the file names none.
const WORK_PATH: &str = "ASCEND_WORK_PATH";

/// A collection from `acl.init` to `acl.finalize`, on every device that is used.
#[derive(Debug)]
pub(crate) struct FileWish {
    output: PathBuf,
    storage_limit_bytes: Option<u64>,
    asked: Asked,
}

impl FileWish {
    /// Reads settings that were checked.
    pub(crate) fn new(settings: &Map<String, Value>) -> Self {
        let text = |name| settings.get(name).and_then(Value::as_str);
        let is_on = |name| text(name) == Some("on");
        let level = match text("task_time").unwrap_or("on") {
            "off" => None,
            "l0" => Some(Level::L0),
            "l2" | "l3" => Some(Level::L2),
            _ => Some(Level::L1),
        };
        let metrics = text("aic_metrics");
        Self {
            output: text("output").map_or_else(default_output, PathBuf::from),
            storage_limit_bytes: text("storage_limit").and_then(bytes_of),
            asked: Asked {
                level,
                calls: text("ascendcl") != Some("off"),
                ranges: is_on("msproftx"),
                steps: level.is_some() || is_on("training_trace"),
                metrics: METRICS.into_iter().find(|name| Some(*name) == metrics),
            },
        }
    }

    /// Starts it; 100003 for an output that is no folder to write to.
    pub(crate) fn start(&self) -> Result<Arc<Round>> {
        folder::make(&self.output)?;
        let devices: Vec<u32> = (0..Runtime::global()?.devices().len() as u32).collect();
        let round = begin(&self.output, self.wish(&devices))?;
        if self.asked.ranges {
            Acl::global().prof.stamps.open();
        }
        Ok(round)
    }

    fn wish(&self, devices: &[u32]) -> Wish {
        Wish {
            shows_late: true,
            asked: self.asked,
            storage_limit_bytes: self.storage_limit_bytes,
            ..Wish::on(devices)
        }
    }
}

/// A folder of the user's choice, or the current one: the executable is the interpreter's.
fn default_output() -> PathBuf {
    let chosen = std::env::var_os(WORK_PATH).filter(|path| !path.is_empty());
    let of_work = |path| Path::new(&path).join("profiling_data");
    chosen.map_or_else(|| PathBuf::from("."), of_work)
}
