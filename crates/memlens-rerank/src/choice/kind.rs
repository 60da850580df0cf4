//! The kinds of providers, as offered to the user.

use serde::Serialize;
use specta::Type;

use crate::http::{Kind, Price};

/// A kind of provider to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct KindOffer {
    /// The name of the kind.
    pub kind: &'static str,
    /// The kind's name as displayed to the user.
    pub label: &'static str,
    /// The default address; empty if there is none.
    pub url: &'static str,
    /// The model that is requested if none is set.
    pub model: Option<&'static str>,
    /// Whether requests need a key.
    pub needs_key: bool,
    /// Price in US dollars per thousand questions, if that is how it is billed.
    pub price_per_thousand: Option<f64>,
    /// Price in US dollars per million tokens, if that is how it is billed.
    pub price_per_million_tokens: Option<f64>,
}

impl KindOffer {
    pub(super) fn of(kind: Kind) -> KindOffer {
        let (price_per_thousand, price_per_million_tokens) = match kind.price() {
            Some(Price::ThousandCalls(price)) => (Some(price), None),
            Some(Price::MillionTokens(price)) => (None, Some(price)),
            None => (None, None),
        };
        KindOffer {
            kind: kind.as_str(),
            label: kind.label(),
            url: kind.default_url().unwrap_or_default(),
            model: kind.default_model(),
            needs_key: kind.needs_key(),
            price_per_thousand,
            price_per_million_tokens,
        }
    }
}
