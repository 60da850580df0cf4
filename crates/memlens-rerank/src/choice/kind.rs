//! The kinds of providers, as a person is offered them.

use serde::Serialize;
use specta::Type;

use crate::http::{Kind, Price};

/// A kind of provider to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct KindOffer {
    /// Its name.
    pub kind: &'static str,
    /// Its name as a person knows it.
    pub label: &'static str,
    /// Where it is found by default; empty where that is not known.
    pub url: &'static str,
    /// The model that is asked for where none is named.
    pub model: Option<&'static str>,
    /// Whether nobody is served without a key.
    pub needs_key: bool,
    /// US dollars for a thousand questions, where it is paid so.
    pub price_per_thousand: Option<f64>,
    /// US dollars for a million tokens, where it is paid so.
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
