//! Tensors that were checked against a model's inputs.

use std::collections::HashMap;

use crate::spec::joined;
use crate::{Dim, Error, Tensor, TensorSpec};

/// One tensor for each input of a model, in the model's order, with types and shapes that fit.
/// Cloning it shares the bytes.
#[derive(Debug, Clone)]
pub struct BoundInputs {
    tensors: Vec<Tensor>,
}

impl BoundInputs {
    /// The tensors, in the order of [`crate::Model::inputs`].
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    pub(crate) fn into_tensors(self) -> Vec<Tensor> {
        self.tensors
    }

    pub(crate) fn by_position(
        specs: &[TensorSpec],
        tensors: Vec<Tensor>,
    ) -> Result<BoundInputs, Error> {
        if tensors.len() != specs.len() {
            let (expected, given) = (specs.len(), tensors.len());
            return Err(Error::InputCount {
                expected,
                given,
                names: names(specs),
            });
        }
        let shapes: Vec<&[usize]> = tensors.iter().map(Tensor::shape).collect();
        for (spec, tensor) in specs.iter().zip(&tensors) {
            if spec.dtype != tensor.dtype() || !spec.takes_shape(tensor.shape()) {
                return Err(mismatch(spec, tensor.to_string()));
            }
        }
        check_symbols(specs, &shapes)?;
        Ok(BoundInputs { tensors })
    }

    pub(crate) fn by_name(
        specs: &[TensorSpec],
        named: Vec<(String, Tensor)>,
    ) -> Result<BoundInputs, Error> {
        let mut given = HashMap::with_capacity(named.len());
        for (input, tensor) in named {
            if !specs.iter().any(|spec| spec.name == input) {
                return Err(Error::UnknownInput {
                    input,
                    names: names(specs),
                });
            }
            if given.insert(input.clone(), tensor).is_some() {
                return Err(Error::DuplicateInput { input });
            }
        }
        let mut take = |spec: &TensorSpec| {
            let missing = || Error::MissingInput {
                input: spec.name.clone(),
                expected: spec.to_string(),
            };
            given.remove(&spec.name).ok_or_else(missing)
        };
        let tensors = specs.iter().map(&mut take).collect::<Result<_, _>>()?;
        BoundInputs::by_position(specs, tensors)
    }
}

/// Checks shapes alone, one for each input.
pub(crate) fn check_shapes(specs: &[TensorSpec], shapes: &[&[usize]]) -> Result<(), Error> {
    if shapes.len() != specs.len() {
        let (expected, given) = (specs.len(), shapes.len());
        return Err(Error::InputCount {
            expected,
            given,
            names: names(specs),
        });
    }
    for (spec, shape) in specs.iter().zip(shapes) {
        if !spec.takes_shape(shape) {
            return Err(mismatch(spec, format!("shape [{}]", joined(shape))));
        }
    }
    check_symbols(specs, shapes)
}

fn check_symbols(specs: &[TensorSpec], shapes: &[&[usize]]) -> Result<(), Error> {
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for (spec, shape) in specs.iter().zip(shapes) {
        for (dim, &given) in spec.dims.iter().flatten().zip(*shape) {
            let Dim::Symbol(symbol) = dim else { continue };
            let expected = *sizes.entry(symbol).or_insert(given);
            if expected != given {
                let (input, symbol) = (spec.name.clone(), symbol.clone());
                return Err(Error::SymbolMismatch {
                    input,
                    symbol,
                    expected,
                    given,
                });
            }
        }
    }
    Ok(())
}

fn mismatch(spec: &TensorSpec, given: String) -> Error {
    Error::InputMismatch {
        input: spec.name.clone(),
        expected: spec.to_string(),
        given,
    }
}

fn names(specs: &[TensorSpec]) -> String {
    let quoted: Vec<String> = specs
        .iter()
        .map(|spec| format!("'{}' {spec}", spec.name))
        .collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}
