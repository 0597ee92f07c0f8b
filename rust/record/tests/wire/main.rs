//! Laws of the wire form.

mod codec;
mod decoder;

use optap_record::{Layout, WireRecord};
use proptest::prelude::*;

fn encoded(record: &WireRecord, layout: Layout) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.encode(layout, &mut bytes);
    bytes
}

fn any_layout() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::Cann80), Just(Layout::Cann72)]
}

fn any_record() -> impl Strategy<Value = (Layout, WireRecord)> {
    (any_layout(), any::<[u32; 5]>(), any::<[u64; 7]>()).prop_map(|(layout, short, long)| {
        let tail = |value| if layout == Layout::Cann80 { value } else { 0 };
        let record = WireRecord {
            model_id: short[0],
            flag: short[1],
            thread_id: short[2],
            op_index: long[0],
            duration_ns: long[1],
            start_ns: long[2],
            end_ns: long[3],
            execution_ns: long[4],
            cube_fops: long[5],
            vector_fops: long[6],
            device_id: tail(short[3]),
            padding: tail(short[4]),
        };
        (layout, record)
    })
}
