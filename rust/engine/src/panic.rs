//! Keeps a panic of the engine from crossing into the caller, and from speaking for itself.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic becomes its message, and is told nowhere else.
///
/// Whatever `work` borrowed mutably must be thrown away by the caller after a panic.
pub(crate) fn contain<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    hush_contained_panics();
    let outer = IS_CONTAINED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    IS_CONTAINED.set(outer);
    outcome.map_err(|payload| message(payload.as_ref()))
}

/// Makes the panic hook pass over threads that are inside [`contain`]; once for the process.
fn hush_contained_panics() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let tell = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CONTAINED.get() {
                tell(panic);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
