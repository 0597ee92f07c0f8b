//! A directory that lives as long as a test.

use std::fs;
use std::path::PathBuf;

/// A directory of its own for a test, removed at its end.
pub struct Base(pub PathBuf);

impl Base {
    pub fn new(law: &str) -> Self {
        let name = format!("optap-{law}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
