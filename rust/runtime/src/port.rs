//! A shared mailbox for many completions: one doorbell, no thread and no descriptor for each.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::completion::Completion;

/// What a [`Port`] calls when its mailbox stops being empty.
pub type Notify = Arc<dyn Fn() + Send + Sync>;

/// Collects the tokens of completions that are done; one event loop usually owns one port for each device.
///
/// ```
/// use std::sync::Arc;
/// use optap_runtime::{Completion, Port};
/// let port = Port::new(Arc::new(|| ()));
/// let completion = Completion::new();
/// port.watch(7, &completion);
/// completion.complete(Ok(()));
/// assert_eq!(port.take(), [7]);
/// ```
#[derive(Clone)]
pub struct Port {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    notify: Notify,
}

#[derive(Default)]
struct State {
    watched: HashMap<u64, Option<(Completion, u64)>>,
    ready: Vec<u64>,
}

impl Port {
    /// A port that calls `notify` once for each batch: when a token enters an empty mailbox.
    pub fn new(notify: Notify) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::default(),
                notify,
            }),
        }
    }

    /// Puts `token` into the mailbox when `completion` is done, which may be at once. A token names one watch
    /// for the life of the port: use a counter.
    pub fn watch(&self, token: u64, completion: &Completion) {
        self.shared.state.lock().watched.insert(token, None);
        let port = Arc::downgrade(&self.shared);
        let number = completion.on_done(move |_| deliver(&port, token));
        if let Some(registration) = self.shared.state.lock().watched.get_mut(&token) {
            *registration = Some((completion.clone(), number));
        }
    }

    /// Takes the tokens that are in the mailbox, in the order in which their completions were done.
    pub fn take(&self) -> Vec<u64> {
        std::mem::take(&mut self.shared.state.lock().ready)
    }

    /// Ends a watch: `token` does not come out of [`take`](Self::take) any more. False when it already did.
    pub fn cancel(&self, token: u64) -> bool {
        let mut state = self.shared.state.lock();
        let watched = state.watched.remove(&token);
        let ready = state.ready.iter().position(|other| *other == token);
        ready.map(|place| state.ready.remove(place));
        drop(state);
        if let Some(Some((completion, number))) = &watched {
            completion.forget(*number);
        }
        watched.is_some() || ready.is_some()
    }

    /// How many watches are pending.
    pub fn pending(&self) -> usize {
        self.shared.state.lock().watched.len()
    }
}

fn deliver(port: &Weak<Shared>, token: u64) {
    let Some(port) = port.upgrade() else { return };
    let mut state = port.state.lock();
    let Some(registration) = state.watched.remove(&token) else {
        return;
    };
    let was_empty = state.ready.is_empty();
    state.ready.push(token);
    drop(state);
    drop(registration);
    if was_empty {
        (port.notify)();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        for (completion, number) in self
            .state
            .get_mut()
            .watched
            .drain()
            .filter_map(|(_, watch)| watch)
        {
            completion.forget(number);
        }
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        f.debug_struct("Port")
            .field("pending", &state.watched.len())
            .field("ready", &state.ready)
            .finish()
    }
}
