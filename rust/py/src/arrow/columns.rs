//! Records turned into columns, in one pass.

use std::ffi::CStr;

use optap_profiler::Slice;
use optap_record::OpRecord;

use super::array::Buffer;
use super::dictionary::{Coder, Codes, Texts, TooLong};

/// Records that are split at a time: few enough to stay in the nearest cache, a multiple of 8 so that validity bits
/// fill whole bytes.
const CHUNK: usize = 256;

/// One column of a batch.
pub struct Column {
    /// Its name.
    pub name: &'static CStr,
    /// The type of its values, in Arrow's notation.
    pub format: &'static CStr,
    /// Whether a value may be null.
    pub nullable: bool,
    /// Number of values that are null.
    pub null_count: usize,
    /// A bit for each value that is not null; absent where all are valid.
    pub validity: Buffer,
    /// The values; codes where there is a dictionary.
    pub values: Buffer,
    /// The texts that the codes stand for.
    pub dictionary: Option<Texts>,
}

/// A type of values.
trait Value: Send + 'static {
    const FORMAT: &'static CStr;
}

impl Value for u64 {
    const FORMAT: &'static CStr = c"L";
}

impl Value for u32 {
    const FORMAT: &'static CStr = c"I";
}

impl Value for u16 {
    const FORMAT: &'static CStr = c"S";
}

impl Value for i32 {
    const FORMAT: &'static CStr = c"i";
}

impl Column {
    fn plain<T: Value>(name: &'static CStr, values: Vec<T>) -> Self {
        Self {
            name,
            format: T::FORMAT,
            nullable: false,
            null_count: 0,
            validity: Buffer::NONE,
            values: values.into(),
            dictionary: None,
        }
    }

    fn nullable<T: Value>(name: &'static CStr, values: Vec<T>, valid: Vec<u8>) -> Self {
        let set: u32 = valid.iter().map(|bits| bits.count_ones()).sum();
        Self {
            nullable: true,
            null_count: values.len() - set as usize,
            validity: valid.into(),
            ..Self::plain(name, values)
        }
    }

    fn coded(name: &'static CStr, codes: Vec<i32>, texts: Texts) -> Self {
        Self {
            dictionary: Some(texts),
            ..Self::plain(name, codes)
        }
    }
}

macro_rules! values {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        /// The values of the columns that need no names.
        struct Values { $($name: Vec<$type>),* }

        impl Values {
            fn with_capacity(len: usize) -> Self {
                Self { $($name: Vec::with_capacity(len)),* }
            }

            fn extend(&mut self, records: &[OpRecord]) {
                $(self.$name.extend(records.iter().map($value));)*
            }
        }
    };
}

values! {
    start_ns: u64 = |record| record.start_ns;
    end_ns: u64 = |record| record.end_ns;
    duration_ns: u64 = |record| record.duration_ns().unwrap_or(0);
    run_id: u64 = |record| record.run_id;
    sequence: u64 = |record| record.sequence;
    op_id: u32 = |record| record.op_id;
    model_id: u32 = |record| record.model_id;
    device_id: u32 = |record| record.device_id;
    stream_id: u32 = |record| record.stream_id;
    thread_id: u32 = |record| record.thread_id;
    range_id: u32 = |record| record.range_id;
    flags: u32 = |record| record.flags.bits();
    kind: u16 = |record| record.kind.0;
}

/// The columns of a slice, in the order in which readers see them.
///
/// # Errors
///
/// [`TooLong`] if the names are longer than a text column holds.
pub fn columns(slice: &Slice) -> Result<Vec<Column>, TooLong> {
    let records = slice.records();
    let mut values = Values::with_capacity(records.len());
    let mut timed = Vec::with_capacity(records.len().div_ceil(8));
    let mut codes: [Vec<i32>; 3] = std::array::from_fn(|_| Vec::with_capacity(records.len()));
    let mut coder = Coder::new(&slice.block);
    for chunk in records.chunks(CHUNK) {
        values.extend(chunk);
        timed.extend(chunk.chunks(8).map(timed_bits));
        for record in chunk {
            push(&mut codes, coder.codes(record.op_id)?);
        }
    }
    Ok(assemble(values, timed, codes, coder.into_texts()))
}

#[inline]
fn push(columns: &mut [Vec<i32>; 3], codes: Codes) {
    for (column, code) in columns.iter_mut().zip(codes) {
        // Codes count the texts, whose ends fit into an `i32`.
        column.push(code as i32);
    }
}

/// A bit for each of up to eight records, set where its duration is known.
#[inline]
fn timed_bits(records: &[OpRecord]) -> u8 {
    let bit = |(at, record): (usize, &OpRecord)| u8::from(record.duration_ns().is_some()) << at;
    records.iter().enumerate().map(bit).sum()
}

fn assemble(
    values: Values,
    timed: Vec<u8>,
    [names, types, kernels]: [Vec<i32>; 3],
    [name_texts, type_texts, kernel_texts]: [Texts; 3],
) -> Vec<Column> {
    vec![
        Column::coded(c"name", names, name_texts),
        Column::coded(c"type", types, type_texts),
        Column::coded(c"kernel", kernels, kernel_texts),
        Column::plain(c"start_ns", values.start_ns),
        Column::plain(c"end_ns", values.end_ns),
        Column::nullable(c"duration_ns", values.duration_ns, timed),
        Column::plain(c"run_id", values.run_id),
        Column::plain(c"sequence", values.sequence),
        Column::plain(c"op_id", values.op_id),
        Column::plain(c"model_id", values.model_id),
        Column::plain(c"device_id", values.device_id),
        Column::plain(c"stream_id", values.stream_id),
        Column::plain(c"thread_id", values.thread_id),
        Column::plain(c"range_id", values.range_id),
        Column::plain(c"flags", values.flags),
        Column::plain(c"kind", values.kind),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use optap_profiler::Block;
    use std::sync::Arc;

    fn slice(records: Vec<OpRecord>) -> Slice {
        Slice {
            range: 0..records.len(),
            block: Arc::new(Block::new(records, Vec::new())),
            gap: 0,
        }
    }

    #[test]
    fn a_duration_is_null_exactly_where_it_is_unknown() {
        for len in [0, 1, 7, 8, 9, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let record = |at: usize| OpRecord {
                start_ns: 5,
                end_ns: if at.is_multiple_of(3) { 0 } else { 9 },
                ..OpRecord::default()
            };
            let records: Vec<OpRecord> = (0..len).map(record).collect();
            let bits: Vec<u8> = records.chunks(8).map(timed_bits).collect();
            for (at, record) in records.iter().enumerate() {
                let known = bits[at / 8] >> (at % 8) & 1 == 1;
                assert_eq!(known, record.duration_ns().is_some());
            }
            let columns = columns(&slice(records)).unwrap();
            let null: Vec<usize> = columns.iter().map(|column| column.null_count).collect();
            assert_eq!(
                (null.iter().sum::<usize>(), null[5]),
                (len.div_ceil(3), len.div_ceil(3))
            );
        }
    }
}
