//! Which context a thread means when it names none.

use std::cell::RefCell;
use std::sync::Arc;

use super::Context;
use crate::codes::ErrorCode;
use crate::error::{Error, Result};
use crate::stream::Stream;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Context>>> = const { RefCell::new(None) };
}

/// The current context of the calling thread; 107002 when it has none, or when that was destroyed.
///
/// ```
/// use optap_runtime::{ErrorCode, context};
/// assert_eq!(context::current().unwrap_err().code(), ErrorCode::ContextNull);
/// ```
pub fn current() -> Result<Arc<Context>> {
    let context = CURRENT.with_borrow(Clone::clone).ok_or_else(|| {
        let detail = "this thread has no current context; set a device or a context first";
        Error::new(ErrorCode::ContextNull, detail)
    })?;
    context.check_alive()?;
    Ok(context)
}

/// Makes `context` the current one of the calling thread, or leaves it with none. 107002 when it is destroyed.
pub fn set_current(context: Option<Arc<Context>>) -> Result<()> {
    if let Some(context) = &context {
        context.check_alive()?;
    }
    CURRENT.set(context);
    Ok(())
}

/// Refuses a stream of another context than the current one of the calling thread: 107003, or 107002 without one.
pub fn check_current(stream: &Stream) -> Result<()> {
    let current = current()?;
    if stream
        .context()
        .is_ok_and(|context| context.id() == current.id())
    {
        return Ok(());
    }
    let detail = format!(
        "stream {} does not belong to the current context {}",
        stream.id(),
        current.id()
    );
    Err(Error::new(ErrorCode::StreamContext, detail))
}

/// Leaves the calling thread without a context if `context` is its current one.
pub(super) fn leave(context: &Context) {
    let left =
        CURRENT.with_borrow_mut(|current| current.take_if(|other| other.id() == context.id()));
    drop(left);
}
