//! Laws of the name and operator tables.

use std::sync::Arc;
use std::thread;

use optap_record::{Flags, NAME_OVERHEAD_BYTES, NameTable, OpInfo, OpTable};

fn ops(names: &NameTable, count: usize) -> Vec<OpInfo> {
    let op = |index: usize| {
        let name = names.intern(format!("op_{index}").as_bytes()).unwrap();
        OpInfo {
            name: name.clone(),
            type_: name.clone(),
            kernel: name,
            flags: Flags::NONE,
            sources: Box::new([]),
        }
    };
    (0..count).map(op).collect()
}

#[test]
fn any_bytes_are_a_name() {
    let table = NameTable::new();
    for bytes in [
        &b""[..],
        b"\0",
        b"a\0b",
        b"\xff\xfe",
        "\u{540d}".as_bytes(),
        &vec![b'x'; 1 << 20],
    ] {
        let name = table.intern(bytes).unwrap();
        assert_eq!(name.as_bytes(), bytes);
        assert!(name.ptr_eq(&table.intern(bytes).unwrap()));
    }
}

#[test]
fn a_name_goes_with_its_last_user() {
    let table = NameTable::new();
    let first = table.intern(b"Conv_0").unwrap();
    let second = first.clone();
    drop(first);
    assert_eq!((table.len(), table.bytes()), (1, NAME_OVERHEAD_BYTES + 6));
    assert_eq!(second.to_text(), "Conv_0");
    drop(second);
    assert_eq!((table.len(), table.bytes()), (0, 0));
}

#[test]
fn a_name_outlives_its_table() {
    let name = NameTable::new().intern(b"Conv_0").unwrap();
    assert_eq!(name.as_bytes(), b"Conv_0");
}

#[test]
fn a_full_table_refuses_new_names_and_gives_known_ones() {
    let table = NameTable::new();
    table.set_capacity_bytes(Some(NAME_OVERHEAD_BYTES + 4));
    let known = table.intern(b"four").unwrap();
    let refused = table.intern(b"x").unwrap_err();
    assert!(
        refused
            .to_string()
            .contains(&(NAME_OVERHEAD_BYTES + 4).to_string())
    );
    assert!(table.intern(b"four").unwrap().ptr_eq(&known));
    drop(known);
    assert!(table.intern(b"x").is_ok());
}

#[test]
fn nothing_is_left_when_threads_intern_and_drop_the_same_names() {
    let table = NameTable::new();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..20_000_u32 {
                    let name = table.intern(&(round % 3).to_le_bytes()).unwrap();
                    assert_eq!(name.as_bytes(), (round % 3).to_le_bytes());
                }
            });
        }
    });
    assert_eq!((table.len(), table.bytes()), (0, 0));
}

#[test]
fn ids_begin_at_one_and_are_contiguous() {
    let (names, table) = (NameTable::new(), OpTable::new());
    let (first, second) = (
        table.register(ops(&names, 3)),
        table.register(ops(&names, 2)),
    );
    assert_eq!((first.ids(), second.ids()), (1..4, 4..6));
    assert_eq!(second.get(5).unwrap().name.as_bytes(), b"op_1");
    assert!(!second.contains(3) && !second.contains(6) && !first.contains(0));
    assert_eq!(table.len(), 5);
}

#[test]
fn ids_are_reused_after_the_last_holder_and_never_before() {
    let (names, table) = (NameTable::new(), OpTable::new());
    let first = table.register(ops(&names, 3));
    let holder = Arc::clone(&first);
    drop(first);
    let second = table.register(ops(&names, 3));
    assert_eq!(second.first_id(), 4);
    drop(holder);
    let (small, large) = (
        table.register(ops(&names, 2)),
        table.register(ops(&names, 2)),
    );
    assert_eq!((small.first_id(), large.first_id()), (1, 7));
    drop((small, large, second));
    assert!(table.is_empty() && names.is_empty());
}

#[test]
fn an_id_finds_its_lease_while_it_lives() {
    let (names, table) = (NameTable::new(), OpTable::new());
    let (first, second) = (
        table.register(ops(&names, 3)),
        table.register(ops(&names, 2)),
    );
    assert!(Arc::ptr_eq(&table.find(3).unwrap(), &first));
    assert!(Arc::ptr_eq(&table.find(4).unwrap(), &second));
    drop(first);
    assert!(table.find(3).is_none() && table.find(0).is_none() && table.find(6).is_none());
}

#[test]
fn a_lease_without_operators_has_no_ids() {
    let table = OpTable::new();
    let lease = table.register(Vec::new());
    assert!(lease.is_empty() && !lease.contains(lease.first_id()));
    assert!(table.is_empty());
}

#[test]
fn an_extension_is_made_once_and_keeps_its_type() {
    let (names, table) = (NameTable::new(), OpTable::new());
    let lease = table.register(ops(&names, 2));
    assert_eq!(lease.extension(OpLen::of), Some(&OpLen(2)));
    assert_eq!(lease.extension(|_| OpLen(9)), Some(&OpLen(2)));
    assert_eq!(lease.extension(|_| 7_u8), None);
}

#[derive(Debug, PartialEq)]
struct OpLen(usize);

impl OpLen {
    fn of(lease: &optap_record::OpLease) -> Self {
        Self(lease.len())
    }
}
