//! How a model is loaded.

use std::path::Path;

use crate::panic::contain;
use crate::{Error, Model, Stage, load};

/// Settings that a model is loaded with.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    plans: usize,
}

impl Default for ModelOptions {
    fn default() -> ModelOptions {
        ModelOptions { plans: 16 }
    }
}

impl ModelOptions {
    /// The defaults, with `OPTAP_PLANS` from the environment as the number of plans kept.
    ///
    /// # Errors
    /// [`Error::Setting`] when the variable is not a number above 0.
    pub fn from_env() -> Result<ModelOptions, Error> {
        let Some(value) = std::env::var_os("OPTAP_PLANS") else {
            return Ok(ModelOptions::default());
        };
        ModelOptions::from_setting(value.to_string_lossy().into_owned())
    }

    fn from_setting(value: String) -> Result<ModelOptions, Error> {
        let plans = value.parse().ok().filter(|&plans: &usize| plans > 0);
        let plans = plans.ok_or(Error::Setting {
            name: "OPTAP_PLANS",
            value,
            expected: "a number above 0",
        })?;
        Ok(ModelOptions { plans })
    }

    /// Keeps at most `plans` compiled plans, at least one. The default is 16.
    pub fn plans(self, plans: usize) -> ModelOptions {
        ModelOptions {
            plans: plans.max(1),
        }
    }

    /// Loads a model file; tensors kept in files beside it are found.
    ///
    /// # Errors
    /// As [`Model::from_path`].
    pub fn load_path(&self, path: &Path) -> Result<Model, Error> {
        let bytes = load::read(path)?;
        self.load(&bytes, &path.display().to_string(), path.parent())
    }

    /// Loads a model from memory.
    ///
    /// # Errors
    /// As [`Model::from_bytes`].
    pub fn load_bytes(&self, bytes: &[u8]) -> Result<Model, Error> {
        self.load(bytes, "the model", None)
    }

    fn load(&self, bytes: &[u8], origin: &str, directory: Option<&Path>) -> Result<Model, Error> {
        let loaded = contain(|| load::load(bytes, origin, directory)).map_err(|message| {
            Error::Panic {
                stage: Stage::Load,
                op: None,
                message,
            }
        })??;
        Ok(Model::new(loaded, self.plans))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_plans_is_a_number_above_0() {
        assert_eq!(
            ModelOptions::from_setting("3".into())
                .expect("a setting")
                .plans,
            3
        );
        for value in ["", "0", "-1", "many"] {
            let error = ModelOptions::from_setting(value.into()).expect_err("a refusal");
            assert_eq!(
                error.to_string(),
                format!("OPTAP_PLANS is '{value}', expected a number above 0")
            );
        }
    }
}
