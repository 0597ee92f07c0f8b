//! What the columns of a table mean.

use super::lines::Cells;

/// What a table has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    Ops,
    Marks,
    Steps,
}

/// Where each fact stands in a row; `usize::MAX` for one that is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) rows: Rows,
    pub(crate) name: usize,
    pub(crate) type_: usize,
    pub(crate) kernel: usize,
    pub(crate) device: usize,
    pub(crate) stream: usize,
    pub(crate) model: usize,
    pub(crate) thread: usize,
    pub(crate) pid: usize,
    pub(crate) number: usize,
    pub(crate) event: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) duration: usize,
}

/// Spellings of the columns of an operator, of a mark and of a step.
const STARTS: [&str; 3] = ["Task Start Time(us)", "Start Time(us)", "task_start(us)"];
const DURATIONS: [&str; 3] = ["Task Duration(us)", "Duration(us)", "task_time(us)"];

impl Columns {
    /// The columns of a table by its header.
    ///
    /// # Errors
    ///
    /// What the table is, where it has no times of single operators, marks or steps.
    pub(crate) fn of(header: &Cells) -> Result<Self, &'static str> {
        let at = |spellings: &[&str]| {
            let known = |cell: &[u8]| spellings.iter().any(|name| cell == name.as_bytes());
            header.iter().position(|cell| known(cell.trim_ascii()))
        };
        let or_none = |spellings: &[&str]| at(spellings).unwrap_or(usize::MAX);
        let columns = |rows| Self {
            rows,
            name: or_none(&["Op Name", "Name", "kernel_name", "message"]),
            type_: or_none(&["OP Type", "Type", "kernel_type", "domain"]),
            kernel: or_none(&["Task Type", "Accelerator Core", "kernel_name"]),
            device: or_none(&["Device_id"]),
            stream: or_none(&["Stream ID", "stream_id"]),
            model: or_none(&["Model ID"]),
            thread: or_none(&["tid"]),
            pid: or_none(&["pid"]),
            number: or_none(&["Iteration ID"]),
            event: or_none(&["event_type"]),
            start: or_none(&STARTS),
            end: usize::MAX,
            duration: or_none(&DURATIONS),
        };
        let mark = (at(&["Start_time(us)"]), at(&["End_time(us)"]));
        if let (Some(start), Some(end)) = mark {
            let marks = columns(Rows::Marks);
            return Ok(Self {
                start,
                end,
                kernel: usize::MAX,
                ..marks
            });
        }
        if let (Some(end), Some(duration)) =
            (at(&["Iteration End(us)"]), at(&["Iteration Time(us)"]))
        {
            let steps = columns(Rows::Steps);
            return Ok(Self {
                end,
                duration,
                ..steps
            });
        }
        let is_named = at(&["Op Name", "Name", "kernel_name"]).is_some();
        if is_named && at(&STARTS).is_some() && at(&DURATIONS).is_some() {
            return Ok(columns(Rows::Ops));
        }
        Err(match at(&["Count", "Calls"]) {
            Some(_) => "a table of sums, which tells no single operator",
            None => "a table without the names, starts and durations of operators",
        })
    }
}
