//! Which ops a subscriber wants, decided without a Python call.

use std::collections::HashMap;
use std::ops::Range;

use optap_record::{Kind, Name, OpInfo, OpRecord};

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

/// A condition on an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The record's kind is one of these.
    Kind(Vec<Kind>),
    /// The ONNX operator type fits one of these.
    Type(Vec<Pattern>),
    /// The name fits one of these.
    Name(Vec<Pattern>),
    /// The op ran on one of these streams.
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
            Self::Stream(streams) => streams.contains(&record.stream_id),
            Self::MinDurationNs(least) => record
                .duration_ns()
                .is_some_and(|duration| duration >= *least),
            Self::All(filters) => filters.iter().all(|filter| filter.matches(record, info)),
            Self::Any(filters) => filters.iter().any(|filter| filter.matches(record, info)),
            Self::Not(filter) => !filter.matches(record, info),
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
    use super::Pattern;

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
