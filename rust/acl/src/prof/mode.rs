//! Who profiles: nobody, a configuration file, a script's collection, or subscriptions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use optap_runtime::{Error, ErrorCode, Result};
use optap_session::Round;

use crate::prof::collection::{Collection, whole};
use crate::prof::folder;
use crate::prof::setting;
use crate::prof::subscription::Subscribed;

/// The longest path of a collection, bytes, with the NUL.
const PATH_BYTES: usize = 4096;

/// What profiles in this process. The collection and subscriptions exclude each other.
#[derive(Debug, Default)]
pub(crate) struct Mode {
    /// What the file given to `acl.init` asks to collect.
    pub(crate) by_file: Option<Arc<Round>>,
    pub(crate) collection: Option<Collection>,
    /// Subscriptions by model.
    pub(crate) subscribed: BTreeMap<u32, Subscribed>,
}

impl Mode {
    /// 100042 while the file given to `acl.init` asks for a collection.
    pub(crate) fn check_not_by_file(&self) -> Result<()> {
        if self.by_file.is_some() {
            let detail = "the configuration file given to acl.init profiles already";
            return Err(Error::new(ErrorCode::ProfAlreadyRun, detail));
        }
        Ok(())
    }

    /// 148047 between `init` and `finalize`.
    pub(crate) fn check_no_collection(&self) -> Result<()> {
        if self.collection.is_some() {
            let detail = "a collection is open; call acl.prof.finalize before you subscribe";
            return Err(Error::new(ErrorCode::ProfApiConflict, detail));
        }
        Ok(())
    }

    pub(crate) fn init(&mut self, path: &str) -> Result<()> {
        if path.is_empty() || path.len() >= PATH_BYTES {
            let detail = format!(
                "the path has {} bytes; 1 to {} are allowed",
                path.len(),
                PATH_BYTES - 1
            );
            return Err(Error::new(ErrorCode::InvalidParam, detail));
        }
        self.check_not_by_file()?;
        if self.collection.is_some() {
            return Err(Error::new(
                ErrorCode::RepeatInitialize,
                "acl.prof.init was called before",
            ));
        }
        if let Some(model_id) = self.subscribed.keys().next() {
            let detail =
                format!("model {model_id} is subscribed; unsubscribe it before acl.prof.init");
            return Err(Error::new(ErrorCode::ProfApiConflict, detail));
        }
        folder::make(Path::new(path))?;
        self.collection = Some(Collection::new(path));
        Ok(())
    }

    /// Ends the collection and everything that it runs, and waits for its files.
    pub(crate) fn finalize(&mut self) -> Result<()> {
        self.collection.take().map_or(Ok(()), |open| open.end())
    }

    /// Ends what the file asked for, and waits for its files.
    pub(crate) fn end_by_file(&mut self) -> Result<()> {
        let round = self.by_file.take();
        round.map_or(Ok(()), |round| whole(&round.stop()))
    }

    /// The collection; 100042 while a file profiles, 100043 before `init`.
    pub(crate) fn open(&mut self) -> Result<&mut Collection> {
        self.check_not_by_file()?;
        self.collection.as_mut().ok_or_else(|| {
            let detail = "no collection is open; call acl.prof.init first";
            Error::new(ErrorCode::ProfNotRun, detail)
        })
    }

    pub(crate) fn set(&mut self, kind: i32, text: &str) -> Result<()> {
        setting::check_kind(kind)?;
        let collection = self.collection.as_mut().ok_or_else(|| {
            let detail = "no collection is open; call acl.prof.init before set_config";
            Error::new(ErrorCode::Uninitialized, detail)
        })?;
        setting::check(kind, text)?;
        collection.settings.insert(kind, text.into());
        Ok(())
    }
}
