//! The keys that were stored in the keyring, so that they can be removed again.

use serde::{Deserialize, Serialize};

use crate::http::{Kind, Provider};
use crate::keys;

/// Identifies an entry of the keyring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptKey {
    kind: String,
    url: String,
}

impl KeptKey {
    pub(super) fn of(provider: &Provider) -> KeptKey {
        KeptKey {
            kind: provider.kind.as_str().to_owned(),
            url: provider.url.clone(),
        }
    }

    /// Returns whether the entry is this provider's; it belongs to a kind and a host.
    pub(super) fn is_of(&self, provider: &Provider) -> bool {
        let hosts = self.clone().provider().map(|kept| kept.host());
        match (hosts, provider.host()) {
            (Some(Ok(kept)), Ok(host)) => self.kind == provider.kind.as_str() && kept == host,
            (_, _) => false,
        }
    }

    pub(super) fn provider(self) -> Option<Provider> {
        Some(Provider::new(Kind::named(&self.kind)?, self.url))
    }
}

/// Removes keys from the keyring. Failures are only logged, because everything else is erased anyway.
pub fn forget_keys(providers: &[Provider]) {
    for provider in providers {
        if let Err(error) = keys::forget(provider) {
            tracing::warn!(%error, kind = provider.kind.as_str(), "cannot take a key out of the keyring");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_key_belongs_to_a_kind_and_a_host() {
        let kept = KeptKey::of(&Provider::new(Kind::Tei, "https://a.example/x"));
        for (kind, url, expected) in [
            (Kind::Tei, "https://a.example", true),
            (Kind::Tei, "https://a.example:443/y", true),
            (Kind::Tei, "https://a.example:8443", false),
            (Kind::Vllm, "https://a.example", false),
            (Kind::Tei, "https://b.example", false),
            (Kind::Tei, "nothing", false),
        ] {
            assert_eq!(kept.is_of(&Provider::new(kind, url)), expected, "{url}");
        }
    }
}
