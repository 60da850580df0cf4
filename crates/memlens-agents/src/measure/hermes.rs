//! The entries of a file that Hermes loads: equal ones once, and none that matches a threat pattern.
//!
//! Read in the package 0.19.0 (`tools/memory_tool.py`, `tools/threat_patterns.py`), and held to what it answered (`tests/loads.rs`).

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

use super::{Count, Kept, LeftOut, Measured, Part};
use crate::agent::Cap;

/// Number of characters of an entry that are scanned.
const SCANNED_CHARS_MAX: usize = 65_536;

/// What separates entries; Python reads every kind of line break as one line feed.
static SEPARATOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\r\n|\r|\n)§(?:\r\n|\r|\n)").expect("it is valid"));

const INVISIBLE: &[char] = &[
    '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{2062}', '\u{2063}', '\u{2064}', '\u{feff}',
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}',
];

/// Up to eight words between two others. Letters outside of ASCII count as parts of words.
const FILLER: &str = r"(?:[\w\x80-\xff]+\s+){0,8}";

/// The threat patterns of its strict scope, words in lower case of which each match holds at least one, and the ids by which it names
/// them.
const PATTERNS: &[(&str, &[&str], &str)] = &[
    (
        r"ignore\s+FILLER(previous|all|above|prior)\s+FILLERinstructions",
        &["ignore"],
        "prompt_injection",
    ),
    (
        r"system\s+prompt\s+override",
        &["override"],
        "sys_prompt_override",
    ),
    (
        r"disregard\s+FILLER(your|all|any)\s+FILLER(instructions|rules|guidelines)",
        &["disregard"],
        "disregard_rules",
    ),
    (
        r"act\s+as\s+(if|though)\s+FILLERyou\s+FILLER(have\s+no|don't\s+have)\s+FILLER(restrictions|limits|rules)",
        &["restrictions", "limits", "rules"],
        "bypass_restrictions",
    ),
    (
        r"<!--[^>]{0,512}(?:ignore|override|system|secret|hidden)[^>]{0,512}-->",
        &["<!--"],
        "html_comment_injection",
    ),
    (
        r#"<\s*div\s+style\s*=\s*["'][^>]{0,2048}display\s*:\s*none"#,
        &["div"],
        "hidden_div",
    ),
    (
        r"translate\s+[^\n]{0,512}\s+into\s+[^\n]{0,512}\s+and\s+(execute|run|eval)",
        &["translate"],
        "translate_execute",
    ),
    (
        r"do\s+not\s+FILLERtell\s+FILLERthe\s+user",
        &["tell"],
        "deception_hide",
    ),
    (
        r"you\s+are\s+FILLERnow\s+(?:a|an|the)\s+",
        &["now"],
        "role_hijack",
    ),
    (
        r"pretend\s+FILLER(you\s+are|to\s+be)\s+",
        &["pretend"],
        "role_pretend",
    ),
    (
        r"output\s+FILLER(system|initial)\s+prompt",
        &["prompt"],
        "leak_system_prompt",
    ),
    (
        r"(respond|answer|reply)\s+without\s+FILLER(restrictions|limitations|filters|safety)",
        &["without"],
        "remove_filters",
    ),
    (
        r"you\s+have\s+been\s+FILLER(updated|upgraded|patched)\s+to",
        &["been"],
        "fake_update",
    ),
    (
        r"\bname\s+yourself\s+\w+",
        &["yourself"],
        "identity_override",
    ),
    (
        r"register\s+(as\s+)?a?\s*node",
        &["register"],
        "c2_node_registration",
    ),
    (
        r"(heartbeat|beacon|check[\s\-]?in)\s+(to|with)\s+",
        &["heartbeat", "beacon", "check"],
        "c2_heartbeat",
    ),
    (
        r"pull\s+(down\s+)?(?:new\s+)?task(?:ing|s)?\b",
        &["pull"],
        "c2_task_pull",
    ),
    (
        r"connect\s+to\s+the\s+network\b",
        &["connect"],
        "c2_network_connect",
    ),
    (
        r"you\s+must\s+(?:\w+\s+){0,3}(register|connect|report|beacon)\b",
        &["must"],
        "forced_action",
    ),
    (
        r"only\s+use\s+one[\s\-]?liners?\b",
        &["liner"],
        "anti_forensic_oneliner",
    ),
    (
        r"never\s+FILLER(?:create|write)\s+FILLER(?:script|file)\s+FILLERdisk",
        &["disk"],
        "anti_forensic_disk",
    ),
    (
        r"unset\s+\w*(?:CLAUDE|CODEX|HERMES|AGENT|OPENAI|ANTHROPIC)\w*",
        &["unset"],
        "env_var_unset_agent",
    ),
    (
        r"\b(?:cobalt\s*strike|sliver|havoc|mythic|metasploit|brainworm)\b",
        &[
            "strike",
            "sliver",
            "havoc",
            "mythic",
            "metasploit",
            "brainworm",
        ],
        "known_c2_framework",
    ),
    (
        r"\bc2\s+(?:server|channel|infrastructure|beacon)\b",
        &["c2"],
        "c2_explicit",
    ),
    (
        r"\bcommand\s+and\s+control\b",
        &["control"],
        "c2_explicit_long",
    ),
    (
        r"curl\s+[^\n]{0,2048}\$\{?\w*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)",
        &["curl"],
        "exfil_curl",
    ),
    (
        r"wget\s+[^\n]{0,2048}\$\{?\w*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)",
        &["wget"],
        "exfil_wget",
    ),
    (
        r"cat\s+[^\n]{0,2048}(\.env|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc)",
        &[
            ".env",
            "credentials",
            ".netrc",
            ".pgpass",
            ".npmrc",
            ".pypirc",
        ],
        "read_secrets",
    ),
    (
        r"(send|post|upload|transmit)\s+[^\n]{0,2048}\s+(to|at)\s+https?://",
        &["://"],
        "send_to_url",
    ),
    (
        r"(include|output|print|share)\s+FILLER(conversation|chat\s+history|previous\s+messages|full\s+context|entire\s+context)",
        &["conversation", "chat", "messages", "context"],
        "context_exfil",
    ),
    (r"authorized_keys", &["authorized_keys"], "ssh_backdoor"),
    (r"\$HOME/\.ssh|\~/\.ssh", &["/.ssh"], "ssh_access"),
    (
        r"\$HOME/\.hermes/\.env|\~/\.hermes/\.env",
        &["/.hermes/.env"],
        "hermes_env",
    ),
    (
        r"(update|modify|edit|write|change|append|add\s+to)\s+[^\n]{0,2048}(?:AGENTS\.md|CLAUDE\.md|\.cursorrules|\.clinerules)",
        &["agents.md", "claude.md", ".cursorrules", ".clinerules"],
        "agent_config_mod",
    ),
    (
        r"(update|modify|edit|write|change|append|add\s+to)\s+[^\n]{0,2048}\.hermes/(config\.yaml|SOUL\.md)",
        &[".hermes/"],
        "hermes_config_mod",
    ),
    (
        r#"(?:api[_-]?key|token|secret|password)\s*[=:]\s*["'][A-Za-z0-9+/=_-]{20,}"#,
        &["key", "token", "secret", "password"],
        "hardcoded_secret",
    ),
];

/// Each is compiled when a text holds one of its words: all together take 30 ms.
static COMPILED: [OnceLock<regex::bytes::Regex>; PATTERNS.len()] =
    [const { OnceLock::new() }; PATTERNS.len()];

fn compiled(pattern: &str) -> regex::bytes::Regex {
    regex::bytes::RegexBuilder::new(&pattern.replace("FILLER", FILLER))
        .case_insensitive(true)
        // Classes of all of Unicode, repeated so often, would take many megabytes.
        .unicode(false)
        .build()
        .expect("it is valid")
}

/// The ids of the threat patterns that an entry matches, in its order.
pub(super) fn threats(entry: &str) -> Vec<String> {
    let scanned: String = entry.chars().take(SCANNED_CHARS_MAX).collect();
    let mut ids: Vec<String> = INVISIBLE
        .iter()
        .filter(|sign| scanned.contains(**sign))
        .map(|sign| format!("invisible_unicode_U+{:04X}", u32::from(*sign)))
        .collect();
    let folded: String = scanned.nfkc().collect();
    let lower = folded.to_ascii_lowercase();
    for ((pattern, words, id), regex) in PATTERNS.iter().zip(&COMPILED) {
        if words.iter().any(|word| lower.contains(word))
            && regex
                .get_or_init(|| compiled(pattern))
                .is_match(folded.as_bytes())
        {
            ids.push((*id).to_owned());
        }
    }
    ids
}

/// What Hermes loads of a file.
pub(super) fn entries(text: &str, name: &str, cap: &Cap) -> Measured {
    let mut kept: Vec<Kept> = Vec::new();
    let mut left_out = Vec::new();
    let mut given: Vec<String> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for range in ranges(text) {
        let entry = &text[range.clone()];
        if known.contains(&entry) {
            left_out.push(LeftOut {
                range,
                threats: Vec::new(),
            });
            continue;
        }
        known.push(entry);
        let threats = if entry.starts_with("[BLOCKED:") {
            Vec::new()
        } else {
            threats(entry)
        };
        if threats.is_empty() {
            given.push(entry.to_owned());
            kept.push(Kept {
                range,
                part: Part::Head,
            });
        } else {
            given.push(format!(
                "[BLOCKED: {name} entry contained threat pattern(s): {}. Removed from system prompt; use memory(action=remove) to delete the original.]",
                threats.join(", ")
            ));
            left_out.push(LeftOut { range, threats });
        }
    }
    let stored = known.join("\n§\n");
    Measured {
        kept,
        left_out,
        removed: Vec::new(),
        given: given.join("\n§\n"),
        counts: cap
            .limits
            .iter()
            .map(|limit| Count {
                unit: limit.unit,
                used: limit.unit.size(&stored),
                cap: limit.most,
                cut: None,
                left_out: 0,
            })
            .collect(),
    }
}

/// Where the entries of a file are, without the blanks around them.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    let mut ends = Vec::new();
    for separator in SEPARATOR.find_iter(text) {
        ends.push(separator.start());
        starts.push(separator.end());
    }
    ends.push(text.len());
    let trimmed = |(start, end): (usize, usize)| {
        let entry = &text[start..end];
        let from = start + entry.len() - entry.trim_start().len();
        from..from + entry.trim().len()
    };
    let ranges = starts.into_iter().zip(ends).map(trimmed);
    ranges.filter(|range| !range.is_empty()).collect()
}
