//! Writes a small `PROF_*` directory: `cargo run -p optap-export --example prof -- DIRECTORY [RUNS]`.
//!
//! `msprof --export=on --output=DIRECTORY/PROF_…` then gives the tables.

#[path = "../tests/support/scenario.rs"]
mod scenario;

use std::io;

use optap_export::ProfDir;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let base = arguments.next().unwrap_or_else(|| "profiles".to_owned());
    let runs = arguments.next().and_then(|runs| runs.parse().ok());
    let ops = scenario::ops();
    let mut prof = ProfDir::create(base.as_ref(), &[0], &scenario::settings())?;
    for records in scenario::runs(runs.unwrap_or(2)) {
        prof.write(&records, |op_id| ops.get((op_id as usize).checked_sub(1)?))?;
    }
    println!("{}", prof.finish()?.path.display());
    Ok(())
}
