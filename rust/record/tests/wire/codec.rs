//! Laws of the wire codec.

use crate::{any_layout, any_record, encoded};
use optap_record::{DecodeError, Flags, Layout, OpRecord, WireRecord, sign, signature, verify};
use proptest::prelude::*;

const GOLDEN: [u8; 48] = [
    0x6f, 0x9c, 0x91, 0x7b, 1, 0, 0, 0, 0, 0, 0, 0, 0x92, 0x10, 0,
    0, // signature, model, flag, thread
    1, 0, 0, 0, 0, 0, 0, 0, 0xf4, 1, 0, 0, 0, 0, 0, 0, // op index, duration
    0xe8, 3, 0, 0, 0, 0, 0, 0, 0xdc, 5, 0, 0, 0, 0, 0, 0, // start, end
];

fn golden() -> WireRecord {
    WireRecord {
        model_id: 1,
        thread_id: 4242,
        op_index: 1,
        duration_ns: 500,
        start_ns: 1_000,
        end_ns: 1_500,
        ..WireRecord::default()
    }
}

#[test]
fn the_golden_record_has_its_bytes() {
    let mut expected = [0; 80];
    expected[..48].copy_from_slice(&GOLDEN);
    assert_eq!(encoded(&golden(), Layout::Cann80), expected);
    let short = encoded(&golden(), Layout::Cann72);
    assert_eq!(short[..4], 0x6113_58db_u32.to_le_bytes());
    assert_eq!(short[4..], expected[4..72]);
}

#[test]
fn an_error_says_what_was_wrong() {
    let mut bytes = encoded(&golden(), Layout::Cann80);
    assert_eq!(
        verify(&bytes[..79], Layout::Cann80),
        Err(DecodeError::Truncated {
            needed_bytes: 80,
            given_bytes: 79
        })
    );
    bytes[79] = 1;
    let error = verify(&bytes, Layout::Cann80).unwrap_err();
    assert_eq!(
        error,
        DecodeError::BadSignature {
            stored: 0x7b91_9c6f,
            computed: signature(&bytes[4..])
        }
    );
    assert!(error.to_string().contains("0x7b919c6f"));
}

#[test]
fn signing_makes_damaged_bytes_a_record_again() {
    let mut bytes = encoded(&golden(), Layout::Cann80);
    bytes[4] = 9;
    assert_eq!(
        sign(&mut bytes[..79], Layout::Cann80),
        verify(&bytes[..79], Layout::Cann80)
    );
    sign(&mut bytes, Layout::Cann80).unwrap();
    assert_eq!(
        WireRecord::decode(&bytes, Layout::Cann80).unwrap().model_id,
        9
    );
}

#[test]
fn the_line_and_the_wire_tell_the_same() {
    let op = OpRecord {
        start_ns: 7,
        end_ns: 9,
        op_id: 3,
        model_id: 4,
        thread_id: 5,
        device_id: 6,
        ..OpRecord::default()
    };
    let wire = WireRecord::from_op(&op);
    assert_eq!((wire.duration_ns, wire.op_index), (2, 3));
    assert_eq!(wire.to_op(), op);
}

#[test]
fn impossible_times_of_the_wire_are_flagged_and_kept() {
    let op = WireRecord {
        start_ns: 10,
        end_ns: 4,
        duration_ns: u64::MAX - 5,
        ..WireRecord::default()
    }
    .to_op();
    assert_eq!(
        (op.start_ns, op.end_ns, op.flags, op.duration_ns()),
        (10, 4, Flags::TIME_REVERSED, None)
    );
}

#[test]
fn an_op_index_beyond_the_table_names_no_operator() {
    let op = WireRecord {
        op_index: 1 << 32,
        ..WireRecord::default()
    }
    .to_op();
    assert_eq!(op.op_id, 0);
}

proptest! {
    #[test]
    fn what_is_encoded_decodes_to_itself((layout, record) in any_record()) {
        prop_assert_eq!(WireRecord::decode(&encoded(&record, layout), layout), Ok(record));
    }

    #[test]
    fn what_decodes_encodes_to_the_same_bytes(mut bytes in any::<[u8; 80]>(), layout in any_layout()) {
        sign(&mut bytes, layout).unwrap();
        let record = WireRecord::decode(&bytes, layout).unwrap();
        prop_assert_eq!(&encoded(&record, layout)[..], &bytes[..layout.size_bytes()]);
    }

    #[test]
    fn any_flipped_bit_is_found((layout, record) in any_record(), bit in 0..72 * 8_usize) {
        let mut bytes = encoded(&record, layout);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let found = matches!(verify(&bytes, layout), Err(DecodeError::BadSignature { .. }));
        prop_assert!(found);
    }
}
