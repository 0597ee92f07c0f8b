//! Statements that add a row.

use rusqlite::{Connection, Statement};

/// The statements of a call, prepared once.
pub(crate) struct Rows<'db> {
    pub(crate) text: Statement<'db>,
    pub(crate) task: Statement<'db>,
    pub(crate) info: Statement<'db>,
    pub(crate) api: Statement<'db>,
    pub(crate) mark: Statement<'db>,
    pub(crate) step: Statement<'db>,
}

impl<'db> Rows<'db> {
    /// Numbers that stand in the statements are those of [`FIXED`](super::names::FIXED) texts, and
    /// 4294967295 for none.
    pub(crate) fn prepare(db: &'db Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            text: db.prepare("INSERT INTO STRING_IDS VALUES (?, ?)")?,
            task: db
                .prepare("INSERT INTO TASK VALUES (?, ?, ?, ?, ?, ?, 1, 4294967295, ?, ?, ?)")?,
            info: db.prepare(
                "INSERT INTO COMPUTE_TASK_INFO \
                 VALUES (?, ?, 0, 0, 2, ?, 0, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0)",
            )?,
            api: db.prepare("INSERT INTO CANN_API VALUES (?, ?, ?, ?, ?, ?)")?,
            mark: db.prepare(
                "INSERT INTO MSTX_EVENTS \
                 VALUES (?1, ?2, ?3, ?4, 4294967295, ?5, ?6, ?6, ?7, 4000000000)",
            )?,
            step: db.prepare("INSERT INTO STEP_TIME VALUES (?, ?, ?)")?,
        })
    }
}
