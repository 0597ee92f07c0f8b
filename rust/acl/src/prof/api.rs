//! What calls are named in the tables.

/// The name in C of a function of the namespace.
///
/// ```
/// use optap_acl::prof::c_name;
/// assert_eq!(c_name("acl.mdl.execute_async"), "aclmdlExecuteAsync");
/// assert_eq!(c_name("acl.init"), "aclInit");
/// ```
#[must_use]
pub fn c_name(name: &str) -> String {
    let (modules, function) = name.rsplit_once('.').unwrap_or(("", name));
    let words = function.split('_').filter_map(|word| {
        let (first, rest) = word.split_at_checked(1)?;
        Some(first.to_ascii_uppercase() + rest)
    });
    modules.replace('.', "") + &words.collect::<String>()
}
