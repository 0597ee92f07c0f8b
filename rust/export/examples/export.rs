//! Tells what a profile holds, and writes it as a database:
//! `cargo run -p optap-export --example export -- INPUT [DIRECTORY]`.

use std::io;
use std::path::Path;

use optap_export::{DatabaseWriter, read};
use optap_record::{Kind, NameTable};

/// Records between two calls of a writer.
const BATCH_RECORDS: usize = 4_096;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let input = arguments.next().unwrap_or_else(|| ".".into());
    let profile = read(input.as_ref(), NameTable::global())?;
    for kind in [Kind::OP, Kind::RANGE, Kind::MARK, Kind::STEP] {
        let records = profile.records.iter().filter(|record| record.kind == kind);
        println!("{} {}", records.count(), kind.name());
    }
    for damage in &profile.damages {
        let (path, at) = (damage.path.display(), damage.offset_bytes);
        println!("{path}, byte {at}: {}", damage.reason);
    }
    let Some(directory) = arguments.next() else {
        return Ok(());
    };
    let path = Path::new(&directory).join(DatabaseWriter::file_name(profile.anchor));
    let mut database = DatabaseWriter::create(&path, profile.anchor, &profile.process)?;
    for records in profile.records.chunks(BATCH_RECORDS) {
        database.write(records, |op_id| profile.op(op_id))?;
    }
    println!("{}", database.finish()?.display());
    Ok(())
}
