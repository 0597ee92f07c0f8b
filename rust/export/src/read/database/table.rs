//! Rows of a table that may be absent, lack columns, or be damaged.

use std::io;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::file::File;
use crate::read::damage::Damages;

/// The least that a row takes in a file, bytes.
const ROW_BYTES: u64 = 4;
/// Rows of a table whose damage is told one by one.
const TOLD_ROWS: u64 = 64;

/// Gives every row of a table to `take`: the columns by their place in `columns`, absent ones as
/// null. What is no table, such as a view, is as good as absent: its rows could be without end.
///
/// `take` gives the reason where a row cannot be read.
pub(crate) fn each_row(
    file: &File,
    table: &str,
    columns: &[&str],
    damages: &mut Damages,
    mut take: impl FnMut(&Cells<'_>) -> io::Result<Result<(), &'static str>>,
) -> io::Result<()> {
    let mut bad_rows = 0;
    let mut failed = None;
    let read = read(file, table, columns, |number, cells| {
        match take(cells) {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => {
                bad_rows += 1;
                if bad_rows <= TOLD_ROWS {
                    damages.file(&file.path, format!("{table}, row {number}: {reason}"));
                }
            }
            Err(error) => failed = Some(error),
        }
        failed.is_none()
    });
    if bad_rows > TOLD_ROWS {
        let more = bad_rows - TOLD_ROWS;
        damages.file(&file.path, format!("{table}: {more} more rows like these"));
    }
    match read {
        Ok(true) => {}
        Ok(false) => {
            let reason = "more than the file has room for; the rest is passed over";
            damages.file(&file.path, format!("{table}: {reason}"));
        }
        Err(error) => damages.file(&file.path, format!("{table}: {error}")),
    }
    failed.map_or(Ok(()), Err)
}

/// Whether all rows were read, or `take` wished no more.
fn read(
    file: &File,
    table: &str,
    columns: &[&str],
    mut take: impl FnMut(u64, &Cells<'_>) -> bool,
) -> rusqlite::Result<bool> {
    let Some(query) = query(&file.db, table, columns)? else {
        return Ok(true);
    };
    let mut statement = file.db.prepare(&query)?;
    let mut rows = statement.query([])?;
    let (mut number, mut room_bytes) = (0, Some(file.bytes));
    while let Some(row) = rows.next()? {
        number += 1;
        room_bytes = room_bytes.and_then(|room| room.checked_sub(text_bytes(row, columns.len())));
        if number > file.bytes / ROW_BYTES || room_bytes.is_none() {
            return Ok(false);
        }
        if !take(number, &Cells(row)) {
            break;
        }
    }
    Ok(true)
}

/// Bytes of the texts of a row: rows of a damaged file can share theirs.
fn text_bytes(row: &Row<'_>, columns: usize) -> u64 {
    let bytes = (0..columns).map(|at| match row.get_ref(at) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => bytes.len() as u64,
        _ => 0,
    });
    bytes.sum()
}

/// The query for the columns that the table has; `None` where there is no such table, or none of the
/// columns.
fn query(db: &Connection, table: &str, columns: &[&str]) -> rusqlite::Result<Option<String>> {
    let mut kind = db.prepare(
        "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ? AND type = 'table'",
    )?;
    if !kind.exists([table])? {
        return Ok(None);
    }
    // Computed columns are hidden from this list, and so never computed.
    let mut known = db.prepare("SELECT lower(name) FROM pragma_table_info(?)")?;
    let known: Vec<String> = known
        .query_map([table], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let has = |column: &str| known.contains(&column.to_ascii_lowercase());
    if !columns.iter().any(|column| has(column)) {
        return Ok(None);
    }
    let columns: Vec<String> = columns
        .iter()
        .map(|column| match has(column) {
            true => format!("\"{column}\""),
            false => "NULL".to_owned(),
        })
        .collect();
    Ok(Some(format!(
        "SELECT {} FROM \"{table}\"",
        columns.join(", ")
    )))
}

/// The cells of a row.
pub(crate) struct Cells<'a>(&'a Row<'a>);

impl<'a> Cells<'a> {
    /// A whole number, or the text of one.
    pub(crate) fn integer(&self, at: usize) -> Option<i64> {
        match self.0.get_ref(at).ok()? {
            ValueRef::Integer(value) => Some(value),
            ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
            ValueRef::Real(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                Some(value as i64)
            }
            _ => None,
        }
    }

    /// A number that is neither negative nor too large; 0 for any other, and for `u32::MAX`, which
    /// stands for none.
    pub(crate) fn id(&self, at: usize) -> u32 {
        let number = self
            .integer(at)
            .and_then(|number| u32::try_from(number).ok());
        number.filter(|&number| number != u32::MAX).unwrap_or(0)
    }

    /// A time, ns.
    pub(crate) fn time(&self, at: usize) -> Option<u64> {
        self.integer(at).and_then(|ns| u64::try_from(ns).ok())
    }

    pub(crate) fn text(&self, at: usize) -> Option<&'a [u8]> {
        match self.0.get_ref(at).ok()? {
            ValueRef::Text(text) => Some(text),
            _ => None,
        }
    }
}
