//! What qmd indexes: the files of each collection that its pattern names, without hidden ones and those of dependencies and builds.
//!
//! Source: runs of the published package 2.8.3.

use serde_json::Value;

use super::pattern::Pattern;
use super::{Index, Root, RootKind, Searched, Skips};
use crate::agents;
use crate::config::{self, Format};
use crate::home::Home;

pub(super) fn searched(home: &Home) -> Option<Searched> {
    let path = agents::qmd_config(home);
    let config = config::read(&path, Format::Yaml, home.folder()).ok()??;
    let collections = config["collections"].as_object()?;
    let root = |(name, collection): (&String, &Value)| {
        let folder = home.expanded(collection["path"].as_str()?)?;
        let pattern = collection["pattern"].as_str().unwrap_or("**/*.md");
        Some(Root {
            folder: memlens_files::canonical(&folder).unwrap_or(folder),
            kind: RootKind::Folder {
                prefix: format!("{name}/"),
                pattern: Some(Pattern::new(pattern)),
                skips: Skips::Qmd,
            },
        })
    };
    Some(Searched {
        agent: agents::qmd_agent(),
        indexes: vec![Index {
            program: agents::qmd_agent().name,
            member: String::new(),
            is_default: true,
            switched_off: None,
            config: home.shown(&path),
            extra_key: None,
            roots: collections.iter().filter_map(root).collect(),
        }],
    })
}
