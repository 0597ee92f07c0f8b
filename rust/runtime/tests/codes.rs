//! The laws of the table of codes.
#![allow(missing_docs)]

use std::collections::HashSet;

use optap_runtime::ErrorCode;

#[test]
fn a_name_belongs_to_one_code() {
    let names: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), ErrorCode::ALL.len());
}

#[test]
fn a_number_leads_back_to_its_code() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_code(code.code()), Some(*code));
    }
    assert_eq!(ErrorCode::from_code(0), None);
}

#[test]
fn a_message_can_stand_inside_a_sentence() {
    for code in ErrorCode::ALL {
        let message = code.message();
        assert!(
            message.len() > 10 && !message.ends_with('.'),
            "{}: {message}",
            code.name()
        );
    }
}
