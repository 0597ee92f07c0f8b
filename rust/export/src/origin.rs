//! The part of an event that is the same for the neighbours of a record: where they ran.

use optap_record::OpRecord;

use crate::event;
use crate::json::Json;

/// The rendered origin of the latest record.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    key: [u64; 4],
    json: Json,
}

impl Origin {
    /// The rest of the event's `args`, and its track.
    #[inline]
    pub(crate) fn get(&mut self, record: &OpRecord) -> &[u8] {
        let key = key(record);
        if self.key != key || self.json.bytes().is_empty() {
            self.key = key;
            self.render(record);
        }
        self.json.bytes()
    }

    fn render(&mut self, record: &OpRecord) {
        let json = &mut self.json;
        json.clear();
        json.raw(b",\"run_id\":");
        json.integer(record.run_id);
        json.raw(b",\"model_id\":");
        json.integer(record.model_id);
        json.raw(b",\"thread_id\":");
        json.integer(record.thread_id);
        if record.range_id != 0 {
            json.raw(b",\"range_id\":");
            json.integer(record.range_id);
        }
        json.raw(b"}");
        event::track(json, record.device_id, record.stream_id);
    }
}

/// All that an origin shows, in few words.
#[inline]
fn key(record: &OpRecord) -> [u64; 4] {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    [
        record.run_id,
        pair(record.model_id, record.thread_id),
        pair(record.device_id, record.stream_id),
        u64::from(record.range_id),
    ]
}
