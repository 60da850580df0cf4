//! The user's settings for past questions, with the permission to read agents' logs.

use memlens_store::Store;
use serde::{Deserialize, Serialize};

use crate::{EngineError, Library};

/// Default number of days after which a past question is forgotten.
const KEEP_DAYS: u32 = 365;
/// Key of the stored setting.
const KEY: &str = "recall";

/// The user's settings for past questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallChoice {
    /// Whether the logs may be read.
    pub is_allowed: bool,
    /// Days after which a past question is forgotten, 1 to 3,650.
    pub keep_days: u32,
    /// Whether a saved note is checked against past questions.
    pub is_alarm_on: bool,
    /// Whether calls that Memlens serves are recorded.
    pub records_calls: bool,
}

impl Default for RecallChoice {
    fn default() -> RecallChoice {
        RecallChoice {
            is_allowed: false,
            keep_days: KEEP_DAYS,
            is_alarm_on: true,
            records_calls: false,
        }
    }
}

impl RecallChoice {
    /// The stored settings; the defaults if they cannot be read.
    pub fn of(store: &Store) -> RecallChoice {
        let text = store.setting(KEY).ok().flatten();
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Stores the settings.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn save(&self, store: &mut Store) -> Result<(), EngineError> {
        let text = serde_json::to_string(self).expect("plain data can always be written as JSON");
        Ok(store.put_setting(KEY, Some(&text))?)
    }
}

impl Library {
    /// The user's settings for past questions; the defaults, which permit nothing, if they cannot be read, or if the library was
    /// replaced since it was opened.
    pub fn recall_choice(&self) -> RecallChoice {
        let store = self.store();
        match self.check_current(&store) {
            Ok(()) => RecallChoice::of(&store),
            Err(_) => RecallChoice::default(),
        }
    }
}
