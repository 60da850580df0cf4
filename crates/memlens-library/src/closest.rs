//! Suggestions for an unknown name.

/// Maximum number of names that are suggested.
const SUGGESTED_MAX: usize = 3;
/// Minimum length of a prefix: shorter ones match too many names.
const BEGINNING_MIN: usize = 3;

/// "did you mean openclaw?", or the list of choices.
pub(crate) fn suggestion(typed: &str, names: &[&str]) -> String {
    let closest = closest(typed, names);
    if closest.is_empty() {
        format!("choose one of {}", names.join(", "))
    } else {
        format!("did you mean {}?", closest.join(" or "))
    }
}

/// All names, after those of programs that are close to the typed one. A version of a name is left out of the comparison.
pub fn with_closest(typed: &str, names: &[&str], all: String) -> String {
    let program = |name: &'_ str| name.split('@').next().unwrap_or_default().to_owned();
    let mut programs: Vec<String> = names.iter().map(|name| program(name)).collect();
    programs.dedup();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    let closest = closest(&program(typed), &programs);
    if closest.is_empty() {
        all
    } else {
        format!("did you mean {}? {all}", closest.join(" or "))
    }
}

/// The names that differ from the typed one in few letters or begin with it, closest first.
fn closest<'n>(typed: &str, names: &[&'n str]) -> Vec<&'n str> {
    let typed = typed.trim().to_lowercase();
    let n_typed = typed.chars().count();
    let mut found: Vec<(usize, &str)> = names
        .iter()
        // The typed text may be very long.
        .filter(|name| n_typed <= 2 * name.len())
        .map(|name| (strsim::damerau_levenshtein(&typed, name), *name))
        .filter(|(distance, name)| {
            let begins = n_typed >= BEGINNING_MIN && name.starts_with(&typed);
            begins || *distance * 3 <= name.len()
        })
        .collect();
    found.sort();
    found.truncate(SUGGESTED_MAX);
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested() {
        let names = memlens_agents::AGENTS.map(|agent| agent.id);
        for (typed, expected) in [
            ("opencl", &["openclaw"][..]),
            ("OpenClaw", &["openclaw"]),
            ("open", &["openclaw", "openviking"]),
            ("claude", &["claude-code"]),
            ("cdoex", &["codex"]),
            ("gemini", &["gemini-cli"]),
            ("hal", &[]),
            ("", &[]),
            ("x", &[]),
            (&"openclaw".repeat(1000), &[]),
        ] {
            assert_eq!(closest(typed, &names), expected, "{typed}");
        }
        assert_eq!(
            suggestion("open", &names),
            "did you mean openclaw or openviking?"
        );
        assert_eq!(suggestion("z", &["a", "b"]), "choose one of a, b");
        let versions = ["openclaw@2026.9", "openclaw@2026.7", "qmd@2.8"];
        let with = |typed| with_closest(typed, &versions, "all".to_owned());
        assert_eq!(with("opencl@2026.9"), "did you mean openclaw? all");
        assert_eq!(with("hal"), "all");
    }
}
