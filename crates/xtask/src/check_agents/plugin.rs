//! Installs the plugin for OpenClaw in the published OpenClaw, and compares what it registers with its manifest.

use std::path::Path;

use serde_json::Value;

use super::homes::{Scratch, unreadable};
use super::programs::{Installed, Program};
use crate::error::Result;
use crate::openclaw_plugin;
use crate::project::Project;

/// Differences, a sentence each.
pub fn differences(
    project: &Project,
    installed: &Installed,
    homes: &Path,
    url: &str,
) -> Result<Vec<String>> {
    openclaw_plugin::build(project)?;
    let folder = openclaw_plugin::folder(project);
    let scratch = Scratch::new(homes, "openclaw-plugin", Program::OpenClaw)?;
    scratch.put(
        ".openclaw/openclaw.json",
        r#"{"plugins": {"entries": {"memory-core": {"enabled": false}}}}"#,
    )?;
    let path = folder.display().to_string();
    installed.run_openclaw(
        &scratch,
        url,
        &[
            "plugins",
            "install",
            "--force",
            "--accept-capabilities",
            &path,
        ],
    )?;
    let printed = installed.run_openclaw(
        &scratch,
        url,
        &["plugins", "inspect", "memlens", "--runtime", "--json"],
    )?;
    let manifest = std::fs::read_to_string(folder.join("openclaw.plugin.json"))
        .map_err(|source| super::programs::read(&folder, source))?;
    let manifest: Value =
        serde_json::from_str(&manifest).map_err(|error| unreadable("the manifest", error))?;
    compared(&printed, &manifest)
}

/// What OpenClaw prints about the plugin, compared with the manifest. Lines before the JSON are warnings.
fn compared(printed: &str, manifest: &Value) -> Result<Vec<String>> {
    let json = printed.find("{\n").map_or("", |start| &printed[start..]);
    let mut answers = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    let answer = match answers.next() {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return Err(unreadable("openclaw plugins inspect", error)),
        None => return Err(unreadable("openclaw plugins inspect", "it printed no JSON")),
    };
    let plugin = &answer["plugin"];
    let mut found = Vec::new();
    if plugin["status"] != "loaded" || plugin["activationReason"] != "selected memory slot" {
        found.push(format!(
            "the plugin is {}, activated by {}, and not loaded in the memory slot",
            plugin["status"], plugin["activationReason"]
        ));
    }
    let names = |value: &Value| -> Vec<String> {
        let names = value.as_array().into_iter().flatten();
        let mut names: Vec<String> = names.map(ToString::to_string).collect();
        names.sort();
        names
    };
    let (registered, declared) = (
        names(&plugin["toolNames"]),
        names(&manifest["contracts"]["tools"]),
    );
    if registered != declared {
        found.push(format!(
            "the plugin registers {}, and its manifest names {}",
            registered.join(", "),
            declared.join(", ")
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::compared;

    #[test]
    fn what_the_plugin_registers_is_compared_with_its_manifest() {
        let manifest = json!({"contracts": {"tools": ["memory_get", "memory_search"]}});
        let printed = |tools: &str, reason: &str| {
            format!(
                "[plugins] a warning {{}}\n{{\n \"plugin\": {{\"status\": \"loaded\", \"activationReason\": \"{reason}\", \"toolNames\": [{tools}]}}\n}}\n"
            )
        };
        let all = "\"memory_search\", \"memory_get\"";
        let found =
            |tools: &str, reason: &str| compared(&printed(tools, reason), &manifest).unwrap();
        assert_eq!(found(all, "selected memory slot"), [""; 0]);
        assert_eq!(found(all, "enabled").len(), 1);
        assert_eq!(found("\"memory_get\"", "selected memory slot").len(), 1);
        assert!(compared("no JSON", &manifest).is_err());
    }
}
