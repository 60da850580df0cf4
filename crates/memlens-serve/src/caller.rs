//! The client of a call: its name, and the agent whose folders it sees.

use std::fmt::Write as _;

/// Longest name of a client, in characters.
const NAME_CHARS: usize = 60;
/// Random bytes at the beginning of a session's id.
const SESSION_BYTES: usize = 16;

/// Who calls a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// What the client calls itself; `None` if it did not say.
    pub name: Option<String>,
    /// Id of the agent whose token the client sent, which sees that agent's folders; `None` for every folder that is served.
    pub agent: Option<&'static str>,
}

/// The name of a client, on one line and short; `None` if nothing is left of it.
pub(crate) fn name(said: &str) -> Option<String> {
    let is_shown = |char: &char| !char.is_control();
    let name: String = said
        .trim()
        .chars()
        .filter(is_shown)
        .take(NAME_CHARS)
        .collect();
    Some(name).filter(|name| !name.is_empty())
}

/// The id of a session over HTTP. It holds the client's name, so that the server need not remember sessions. It gives no rights:
/// each request also has the token.
pub(crate) fn session_id(name: &str) -> Option<String> {
    let mut bytes = [0; SESSION_BYTES];
    getrandom::fill(&mut bytes).ok()?;
    let mut id = String::new();
    for byte in bytes.iter().chain(name.as_bytes()) {
        write!(id, "{byte:02x}").ok()?;
    }
    Some(id)
}

/// The client's name in the id of a session; `None` if this is no id that the server gave.
pub(crate) fn name_in_session(id: &[u8]) -> Option<String> {
    let digits = id.get(2 * SESSION_BYTES..)?;
    // A character has at most 4 bytes.
    if digits.len() > 2 * 4 * NAME_CHARS {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    name(&String::from_utf8(bytes?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_short_line() {
        assert_eq!(
            name(" codex-mcp-client ").as_deref(),
            Some("codex-mcp-client")
        );
        assert_eq!(name("a\nb\u{1b}[31m\u{9b}").as_deref(), Some("ab[31m"));
        assert_eq!(name(&"ä".repeat(100)), Some("ä".repeat(NAME_CHARS)));
        assert_eq!(name(" \n\0"), None);
    }

    #[test]
    fn a_session_holds_the_name_of_its_client() {
        for said in ["codex-mcp-client", "müsli 🐈", &"🐈".repeat(NAME_CHARS)] {
            let id = session_id(said).expect("there are random bytes");
            assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
            assert_eq!(name_in_session(id.as_bytes()).as_deref(), Some(said));
            assert_ne!(session_id(said), Some(id));
        }
        let random = "0".repeat(2 * SESSION_BYTES);
        let long = format!("{random}{}", "61".repeat(4 * NAME_CHARS + 1));
        let nothing = [
            "",
            "1868a90e",
            &random,
            &format!("{random}6"),
            &format!("{random}zz"),
            &long,
        ];
        for id in nothing.into_iter().chain([format!("{random}ff").as_str()]) {
            assert_eq!(name_in_session(id.as_bytes()), None, "{id}");
        }
    }
}
