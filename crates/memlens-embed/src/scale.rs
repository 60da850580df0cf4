//! The scale of a model's cosines.

use crate::{HubModel, multilingual};

/// Maps the cosines of a model to a scale on which unrelated texts are near 0 and equal ones are 1, so that weights and
/// thresholds mean the same for every model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CosineScale {
    /// The cosine that becomes 0: that of unrelated texts; below 1.
    pub zero: f64,
}

impl CosineScale {
    /// Cosines as they are: those of the bundled and of the small model. Unrelated texts have cosines of -0.1 to 0.5 by the small
    /// one, 0.2 to 0.3 in the middle, but a zero there loses more than it gains: nDCG@10 of agent-memory-57 is 0.768 to 0.769 with any
    /// zero from 0 to 0.2, and that of QMSum falls from 0.707 with 0 to 0.693 with 0.15.
    pub const PLAIN: CosineScale = CosineScale { zero: 0.0 };

    /// Returns the scale of the model with this [id](crate::ModelInfo::id); [`CosineScale::PLAIN`] for an unknown one.
    pub fn for_model(id: &str) -> CosineScale {
        if id == multilingual::ID {
            return multilingual::SCALE;
        }
        let zero = HubModel::from_id(id).map_or(CosineScale::PLAIN.zero, |model| model.zero);
        CosineScale { zero }
    }

    /// Returns `(cosine - zero) / (1 - zero)`. The order of cosines does not change.
    pub fn score(self, cosine: f64) -> f64 {
        if self.zero == 0.0 {
            return cosine;
        }
        (cosine - self.zero) / (1.0 - self.zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::static_model;

    #[test]
    fn unrelated_is_0_and_equal_is_1() {
        let scale = CosineScale { zero: 0.75 };
        for (cosine, expected) in [(0.75, 0.0), (1.0, 1.0), (0.7, -0.2), (0.875, 0.5)] {
            assert!((scale.score(cosine) - expected).abs() < 1e-12, "{cosine}");
            assert_eq!(CosineScale::PLAIN.score(cosine), cosine);
        }
        for id in [
            "another",
            "multilingual-e5-base@1",
            "hub/bge-m3@1",
            static_model::ID,
        ] {
            assert_eq!(CosineScale::for_model(id), CosineScale::PLAIN);
        }
        for id in [multilingual::ID, "hub/multilingual-e5-base@1"] {
            assert_eq!(CosineScale::for_model(id).zero, 0.75);
        }
    }
}
