//! A directory with good control files and random data files.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use optap_export::read_prof;
use optap_record::NameTable;

/// Data files, the size of their records, and where a magic number stands in each.
const FILES: [(&str, usize, Option<(usize, u16)>); 8] = [
    ("host/data/unaging.additional.hash_dic", 1, None),
    ("host/data/aging.api_event.data", 40, Some((0, 0x5A5A))),
    ("host/data/aging.compact.task_track", 64, Some((0, 0x5A5A))),
    (
        "host/data/aging.compact.node_basic_info",
        64,
        Some((0, 0x5A5A)),
    ),
    (
        "host/data/aging.additional.msproftx",
        256,
        Some((0, 0x5A5A)),
    ),
    ("device_0/data/stars_soc.data.0", 64, Some((2, 0x6BD3))),
    ("device_0/data/hwts.data.0", 64, None),
    ("device_0/data/ts_track.data.0", 40, None),
];
/// One platform of each layout.
const PLATFORMS: [u32; 3] = [5, 15, 2];

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = std::env::temp_dir().join(format!("optap-fuzz-{}", std::process::id()));
    for side in ["host", "device_0"] {
        fs::create_dir_all(root.join(side).join("data")).unwrap();
    }
    let log = "clock_monotonic_raw: 5000\ncntvct: 700\n";
    let put = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
    put(
        "host/start_info",
        r#"{"clockMonotonicRaw":"5000","collectionTimeBegin":"9"}"#,
    );
    put(
        "host/data/unaging.additional.type_info_dic.slice_0",
        "5000_1:KERNEL_AICPU\n",
    );
    put(
        "device_0/info.json.0",
        r#"{"DeviceInfo":[{"hwts_frequency":"50"}]}"#,
    );
    put("device_0/host_start.log.0", log);
    put("device_0/dev_start.log.0", log);
    root
});

fuzz_target!(|input: (u8, u8, [Vec<u8>; 8])| {
    let (platform, magic, files) = input;
    let platform = PLATFORMS[usize::from(platform) % PLATFORMS.len()];
    let info = format!(r#"{{"platform_version":"{platform}"}}"#);
    fs::write(ROOT.join("host/info.json"), info).unwrap();
    let mut room = 0;
    for (at, (bytes, (name, size, place))) in files.into_iter().zip(FILES).enumerate() {
        let bytes = if magic >> at & 1 == 1 {
            put_right(bytes, size, place)
        } else {
            bytes
        };
        room += bytes.len() / 32 + 1;
        fs::write(ROOT.join(format!("{name}.slice_0")), bytes).unwrap();
    }
    check(&ROOT, room);
});

fn put_right(mut bytes: Vec<u8>, size: usize, place: Option<(usize, u16)>) -> Vec<u8> {
    if let Some((at, magic)) = place {
        for record in bytes.chunks_exact_mut(size) {
            record[at..at + 2].copy_from_slice(&magic.to_le_bytes());
        }
    }
    bytes
}

fn check(root: &Path, room: usize) {
    let profile = read_prof(root, &NameTable::new()).unwrap();
    assert!(profile.records.len() <= room);
    for record in &profile.records {
        assert!(record.op_id == 0 || profile.op(record.op_id).is_some());
    }
    for damage in &profile.damages {
        let size = damage.path.metadata().unwrap().len();
        assert!(damage.offset_bytes + damage.bytes <= size);
    }
}
