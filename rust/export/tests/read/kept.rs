//! Records that are kept come back as they were, whatever they say.

use std::fs;

use optap_export::{Asked, Level, NO_DEVICE, Settings};
use optap_record::{Flags, Kind, OpInfo, OpRecord};
use proptest::prelude::*;

use crate::base::Base;
use crate::support::{op, timed};
use crate::{read, write};

fn kept() -> Settings {
    Settings {
        keeps_records: true,
        slice_bytes: 4_096,
        asked: Asked {
            level: Some(Level::L1),
            ..Asked::default()
        },
        ..Settings::default()
    }
}

fn record() -> impl Strategy<Value = OpRecord> {
    let kinds = [Kind::OP, Kind::RANGE, Kind::MARK, Kind::STEP];
    (
        prop::sample::select(kinds.to_vec()),
        any::<[u64; 4]>(),
        any::<[u32; 4]>(),
        (0..4_u32, 0..2_u32),
    )
        .prop_map(|(kind, long, short, (op_id, device_id))| OpRecord {
            kind,
            start_ns: long[0],
            end_ns: long[1],
            run_id: long[2],
            sequence: long[3],
            op_id,
            model_id: short[0],
            stream_id: short[1],
            thread_id: short[2],
            range_id: short[3],
            flags: Flags::FUSED | Flags::NESTED,
            device_id: if kind == Kind::STEP {
                NO_DEVICE
            } else {
                device_id
            },
            reserved: 0,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_field_comes_back(records in prop::collection::vec(record(), 1..200)) {
        let mut sourced = op(b"fused", b"Conv");
        sourced.sources = [sourced.type_.clone(), sourced.kernel.clone()].into();
        sourced.flags = Flags::FUSED;
        let ops: [OpInfo; 3] = [op(b"a\xff\x00\n", b""), sourced, op(b"a\xfe\x00\n", b"")];
        let base = Base::new("kept");
        let profile = read(&write(&base, &records, &ops, &kept()));
        prop_assert_eq!(&profile.damages[..], &[][..]);
        let mut expected = records;
        expected.sort_by_key(|record| (record.end_ns, record.start_ns));
        prop_assert_eq!(profile.records.len(), expected.len());
        for (found, record) in profile.records.iter().zip(&expected) {
            let info = record.op_id.checked_sub(1).map(|at| &ops[at as usize]);
            prop_assert_eq!(profile.op(found.op_id), info);
            prop_assert_eq!(OpRecord { op_id: record.op_id, ..*found }, *record);
        }
    }

    #[test]
    fn damage_to_what_is_kept_never_breaks_the_reading(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let base = Base::new("kept-damaged");
        let records: Vec<OpRecord> = (1..50).map(|at| timed(1 + at as u32 % 2, at * 10, at * 10 + 5)).collect();
        let path = write(&base, &records, &[op(b"conv", b"Conv"), op(b"relu", b"Relu")], &kept());
        for name in ["unaging.optap.names.slice_0", "aging.optap.records.slice_0"] {
            let file = path.join("host/data").join(name);
            let mut bytes = fs::read(&file).unwrap();
            let len = bytes.len();
            flips.iter().for_each(|(at, byte)| bytes[at.index(len)] = *byte);
            bytes.truncate(cut.index(len) + 1);
            fs::write(&file, bytes).unwrap();
        }
        let profile = read(&path);
        prop_assert!(profile.records.len() <= records.len());
        prop_assert!(profile.records.iter().all(|record| record.op_id as usize <= profile.ops.len()));
    }
}
