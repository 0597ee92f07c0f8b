//! Tracks by what they show, told once each.

use std::collections::HashMap;

use super::launches::Place;
use super::proto::{LONG, Proto, SHORT};

/// What a track shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Track {
    Device(u32),
    Stream(u32, u32),
    Thread(u32),
    Launches(Place),
    Ranges,
    RangeLane(usize),
    Steps,
    StepLane(usize),
    Marks,
    Counter(String),
}

/// The numbers of the tracks told so far.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    known: HashMap<Track, u64>,
    latest: Option<((u32, u32), u64)>,
}

impl Tracks {
    /// The track of a stream, told to `out` if it is new.
    #[inline]
    pub(crate) fn stream(&mut self, device_id: u32, stream_id: u32, out: &mut Proto) -> u64 {
        if let Some((place, uuid)) = self.latest
            && place == (device_id, stream_id)
        {
            return uuid;
        }
        let uuid = self.get(Track::Stream(device_id, stream_id), out);
        self.latest = Some(((device_id, stream_id), uuid));
        uuid
    }

    /// The number of a track, told to `out` with its usual name if it is new.
    pub(crate) fn get(&mut self, track: Track, out: &mut Proto) -> u64 {
        match self.known.get(&track) {
            Some(&uuid) => uuid,
            None => self.tell(track.name(), track, out),
        }
    }

    /// Tells a track and its name. The number of one that is known stays as it is.
    pub(crate) fn tell(&mut self, name: String, track: Track, out: &mut Proto) -> u64 {
        let parent = track.parent().map(|parent| self.get(parent, out));
        let is_counter = matches!(track, Track::Counter(_));
        let next = self.known.len() as u64 + 1;
        let uuid = *self.known.entry(track).or_insert(next);
        let packet = out.begin::<LONG>(1);
        let descriptor = out.begin::<LONG>(60);
        out.uint(1, uuid);
        out.string(2, &name);
        if let Some(parent) = parent {
            out.uint(5, parent);
        }
        if is_counter {
            let counter = out.begin::<SHORT>(8);
            out.end(counter);
        }
        out.end(descriptor);
        out.end(packet);
        uuid
    }
}

impl Track {
    fn parent(&self) -> Option<Self> {
        match *self {
            Self::Stream(device_id, _) => Some(Self::Device(device_id)),
            Self::Launches([_, _, thread_id]) => Some(Self::Thread(thread_id)),
            Self::RangeLane(_) => Some(Self::Ranges),
            Self::StepLane(_) => Some(Self::Steps),
            _ => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Device(id) => format!("device {id}"),
            Self::Stream(_, id) => format!("stream {id}"),
            Self::Thread(id) => format!("thread {id}"),
            Self::Launches([device_id, id, _]) => format!("device {device_id}, stream {id}"),
            Self::Ranges | Self::RangeLane(_) => "ranges".to_owned(),
            Self::Steps | Self::StepLane(_) => "steps".to_owned(),
            Self::Marks => "marks".to_owned(),
            Self::Counter(name) => name.clone(),
        }
    }
}
