//! Events, as `msprof` spells them: times as texts, the phase at the end.

use crate::json::Json;

/// Where and when an event stands, wall clock.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) pid: u64,
    pub(crate) thread: u32,
    pub(crate) start_ns: u64,
    pub(crate) took_ns: u64,
}

/// Ends every event: what stands last is taken away when the trace ends.
pub(crate) const SEPARATOR: &[u8] = b",\n";

/// Appends an event with a duration, whose arguments `fill` appends.
#[inline]
pub(crate) fn slice(
    json: &mut Json,
    name: &str,
    category: Option<&str>,
    spot: Spot,
    fill: impl FnOnce(&mut Json),
) {
    json.raw(b"{\"name\":");
    json.string(name);
    if let Some(category) = category {
        text(json, b",\"cat\":", category);
    }
    place(json, spot);
    json.raw(b",\"dur\":");
    json.micros(spot.took_ns);
    json.raw(b",\"args\":{");
    fill(json);
    json.raw(b"},\"ph\":\"X\"}");
    json.raw(SEPARATOR);
}

/// Appends one end of an arrow from a call to the task that it launched.
#[inline]
pub(crate) fn arrow(json: &mut Json, id: u64, is_head: bool, spot: Spot) {
    json.raw(b"{\"name\":\"HostToDevice");
    json.integer(id);
    json.raw(if is_head {
        b"\",\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"HostToDevice\",\"id\":\"".as_slice()
    } else {
        b"\",\"ph\":\"s\",\"cat\":\"HostToDevice\",\"id\":\""
    });
    json.integer(id);
    json.raw(b"\"");
    place(json, spot);
    json.raw(b"}");
    json.raw(SEPARATOR);
}

/// Appends an argument that is a text; the first of an event has no comma before it.
pub(crate) fn text(json: &mut Json, member: &[u8], value: &str) {
    json.raw(member);
    json.string(value);
}

/// Appends an argument that is a number.
#[inline]
pub(crate) fn number(json: &mut Json, member: &[u8], value: u64) {
    json.raw(member);
    json.integer(value);
}

#[inline]
fn place(json: &mut Json, spot: Spot) {
    json.raw(b",\"pid\":");
    json.integer(spot.pid);
    json.raw(b",\"tid\":");
    json.integer(spot.thread);
    json.raw(b",\"ts\":\"");
    json.micros(spot.start_ns);
    json.raw(b"\"");
}
