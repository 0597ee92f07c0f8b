//! Which ops a subscriber wants, decided without a Python call.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use optap_record::{Kind, Name, OpInfo, OpRecord};

use crate::kinds::Kinds;

/// Text to compare names with: `*` stands for any run of bytes, `?` for one byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Box<[u8]>);

impl Pattern {
    /// A pattern of any bytes.
    pub fn new(text: &[u8]) -> Self {
        Self(text.into())
    }

    /// Whether the whole of `text` fits the pattern.
    pub fn matches(&self, text: &[u8]) -> bool {
        let (pattern, mut at, mut read) = (&self.0, 0, 0);
        let mut retry: Option<(usize, usize)> = None;
        while read < text.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    retry = Some((at, read));
                    at += 1;
                }
                Some(&byte) if byte == b'?' || byte == text[read] => {
                    (at, read) = (at + 1, read + 1)
                }
                _ => match retry {
                    Some((star, from)) => {
                        retry = Some((star, from + 1));
                        (at, read) = (star + 1, from + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[at..].iter().all(|&byte| byte == b'*')
    }
}

/// As text in quotes.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

/// A condition on an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The record's kind is one of these.
    Kind(Vec<Kind>),
    /// The ONNX operator type fits one of these.
    Type(Vec<Pattern>),
    /// The name fits one of these.
    Name(Vec<Pattern>),
    /// The op ran on one of these streams; ranges, marks and steps run on none.
    Stream(Vec<u32>),
    /// The op took at least so long, in nanoseconds; an op without a valid duration does not.
    MinDurationNs(u64),
    /// Every condition holds.
    All(Vec<Filter>),
    /// At least one condition holds.
    Any(Vec<Filter>),
    /// The condition does not hold.
    Not(Box<Filter>),
}

impl Filter {
    /// Whether `record`, named by `info`, is wanted.
    pub fn matches(&self, record: &OpRecord, info: Option<&OpInfo>) -> bool {
        match self {
            Self::Kind(kinds) => kinds.contains(&record.kind),
            Self::Type(patterns) => fits(patterns, info.map(|info| &info.type_)),
            Self::Name(patterns) => fits(patterns, info.map(|info| &info.name)),
            Self::Stream(streams) => {
                !record.kind.is_annotation() && streams.contains(&record.stream_id)
            }
            Self::MinDurationNs(least) => record
                .duration_ns()
                .is_some_and(|duration| duration >= *least),
            Self::All(filters) => filters.iter().all(|filter| filter.matches(record, info)),
            Self::Any(filters) => filters.iter().any(|filter| filter.matches(record, info)),
            Self::Not(filter) => !filter.matches(record, info),
        }
    }

    /// The kinds that a subscriber with this filter chose: ops, and every kind that could pass if the filter names kinds
    /// at all.
    pub fn kinds(&self) -> Kinds {
        if self.names_kinds() {
            Kinds::OPS | self.possible().0
        } else {
            Kinds::OPS
        }
    }

    fn names_kinds(&self) -> bool {
        match self {
            Self::Kind(_) => true,
            Self::All(filters) | Self::Any(filters) => filters.iter().any(Self::names_kinds),
            Self::Not(filter) => filter.names_kinds(),
            Self::Type(_) | Self::Name(_) | Self::Stream(_) | Self::MinDurationNs(_) => false,
        }
    }

    /// The kinds of which a record can pass, and those of which every record does.
    fn possible(&self) -> (Kinds, Kinds) {
        let both = |(may, must), (also_may, also_must)| (may & also_may, must & also_must);
        let either = |(may, must), (also_may, also_must)| (may | also_may, must | also_must);
        match self {
            Self::Kind(kinds) => {
                let named = kinds
                    .iter()
                    .fold(Kinds::NONE, |all, kind| all | Kinds::of(*kind));
                (named, named)
            }
            Self::Stream(_) => (Kinds::OPS, Kinds::NONE),
            Self::Type(_) | Self::Name(_) | Self::MinDurationNs(_) => (Kinds::ALL, Kinds::NONE),
            Self::All(filters) => {
                let parts = filters.iter().map(Self::possible);
                parts.fold((Kinds::ALL, Kinds::ALL), both)
            }
            Self::Any(filters) => {
                let parts = filters.iter().map(Self::possible);
                parts.fold((Kinds::NONE, Kinds::NONE), either)
            }
            Self::Not(filter) => {
                let (may, must) = filter.possible();
                (!must, !may)
            }
        }
    }

    /// Whether the answer depends on names alone, so that it is the same for every record of an op.
    fn is_static(&self) -> bool {
        match self {
            Self::Type(_) | Self::Name(_) => true,
            Self::Kind(_) | Self::Stream(_) | Self::MinDurationNs(_) => false,
            Self::All(filters) | Self::Any(filters) => filters.iter().all(Self::is_static),
            Self::Not(filter) => filter.is_static(),
        }
    }
}

fn fits(patterns: &[Pattern], name: Option<&Name>) -> bool {
    name.is_some_and(|name| {
        patterns
            .iter()
            .any(|pattern| pattern.matches(name.as_bytes()))
    })
}

/// A filter that remembers its answer for each op where names alone decide.
#[derive(Debug)]
pub struct Sieve {
    named: Vec<Filter>,
    measured: Vec<Filter>,
    answers: HashMap<u32, bool>,
}

impl Sieve {
    /// Splits `filter` into what names decide and what each record decides.
    pub fn new(filter: Filter) -> Self {
        let parts = match filter {
            Filter::All(filters) => filters,
            other => vec![other],
        };
        let (named, measured) = parts.into_iter().partition(Filter::is_static);
        Self {
            named,
            measured,
            answers: HashMap::new(),
        }
    }

    /// Whether `record`, named by `info`, is wanted.
    pub fn passes(&mut self, record: &OpRecord, info: Option<&OpInfo>) -> bool {
        let named = &self.named;
        let decide = || named.iter().all(|filter| filter.matches(record, info));
        let by_name = named.is_empty() || *self.answers.entry(record.op_id).or_insert_with(decide);
        by_name
            && self
                .measured
                .iter()
                .all(|filter| filter.matches(record, info))
    }

    /// Forgets ops whose ids may be given to others.
    pub fn forget(&mut self, ids: &Range<u32>) {
        self.answers.retain(|id, _| !ids.contains(id));
    }
}

#[cfg(test)]
mod tests {
    use super::{Filter, Pattern};
    use crate::kinds::Kinds;
    use optap_record::Kind;

    #[test]
    fn a_filter_concerns_the_kinds_that_could_pass_it() {
        let kind = |kinds: &[Kind]| Filter::Kind(kinds.to_vec());
        let name = || Filter::Name(vec![Pattern::new(b"x")]);
        let all = |parts: Vec<Filter>| Filter::All(parts);
        let any = |parts: Vec<Filter>| Filter::Any(parts);
        let not = |part: Filter| Filter::Not(Box::new(part));
        let ranges = Kinds::OPS | Kinds::RANGES;
        for (filter, kinds) in [
            (name(), Kinds::OPS),
            (not(all(vec![])), Kinds::OPS),
            (kind(&[Kind::RANGE]), ranges),
            (all(vec![kind(&[Kind::RANGE, Kind::OP]), name()]), ranges),
            (
                all(vec![kind(&[Kind::RANGE]), kind(&[Kind::MARK])]),
                Kinds::OPS,
            ),
            (
                any(vec![kind(&[Kind::RANGE]), kind(&[Kind::MARK])]),
                ranges | Kinds::MARKS,
            ),
            (any(vec![kind(&[Kind::RANGE]), name()]), Kinds::ALL),
            (not(kind(&[Kind::OP])), Kinds::ALL),
            (not(kind(&[Kind::MARK])), ranges | Kinds::STEPS),
            (not(all(vec![kind(&[Kind::MARK]), name()])), Kinds::ALL),
            (
                not(any(vec![kind(&[Kind::MARK]), name()])),
                ranges | Kinds::STEPS,
            ),
            (
                all(vec![kind(&[Kind::RANGE]), Filter::Stream(vec![1])]),
                Kinds::OPS,
            ),
        ] {
            assert_eq!(filter.kinds(), kinds, "{filter:?}");
        }
    }

    #[test]
    fn patterns_compare_whole_names() {
        let fits =
            |pattern: &str, text: &str| Pattern::new(pattern.as_bytes()).matches(text.as_bytes());
        assert!(fits("Conv", "Conv") && !fits("Conv", "Conv2D") && !fits("Conv", "MyConv"));
        assert!(fits("Conv*", "Conv2D") && fits("*Conv*", "MyConv2D") && fits("C?nv", "Canv"));
        assert!(fits("*", "") && fits("", "") && !fits("", "x") && !fits("?", ""));
        assert!(fits("a*b*c", "a1b2b3c") && !fits("a*b*c", "a1b2b3"));
    }
}
