//! Claude Code: a memory folder for each project.

use std::path::{Path, PathBuf};

use crate::agent::{Agent, Cap, Keeps, Limit, Removed, Source, Unit};
use crate::always::chain::{git_root, main_worktree};
use crate::claude_settings::{ClaudeSettings, MemoryFrom};
use crate::home::Home;
use crate::looking::{Found, IfMissing, LoadFile, Loads, Look, SwitchedOff};

pub(super) static AGENT: Agent = Agent {
    id: "claude-code",
    name: "Claude Code",
    source: SOURCE,
    recall: "opens files with its tools",
    loads: "the beginning of each project's MEMORY.md; other notes only when it opens them itself",
    instructions: &[
        "~/.claude/CLAUDE.md",
        "~/.claude/rules/**/*.md",
        "CLAUDE.md, .claude/CLAUDE.md, .claude/rules/**/*.md and CLAUDE.local.md of the folders that its sessions worked in, and of those above",
        "what these import with @path, below the home folder or the project",
    ],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "2.1.332",
    from: "seen in the published program",
};

fn memory_file() -> LoadFile {
    LoadFile {
        name: "MEMORY.md",
        cap: Cap {
            removed: &[
                Removed::FrontMatter,
                Removed::BlockComments,
                Removed::BlankEnd,
                Removed::BlankStart,
            ],
            limits: vec![Limit::of(Unit::Lines, 200), Limit::of(Unit::Utf16, 25_000)],
            keeps: Keeps::Beginning,
            entries_split_by: None,
            source: SOURCE,
        },
        if_missing: IfMissing::Nothing,
    }
}

/// The folder of its settings, memory and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.folder_of("CLAUDE_CONFIG_DIR", ".claude")
}

/// Version and source that its rules were checked with.
pub(crate) fn source() -> Source {
    SOURCE
}

/// The default memory folder of sessions in a folder: that of the repository, which its worktrees share.
fn usual_memory(root: &Path, cwd: &Path) -> PathBuf {
    let resolved = memlens_files::canonical(cwd).unwrap_or_else(|_| cwd.to_owned());
    let repository = git_root(&resolved).map_or(resolved.clone(), main_worktree);
    let name = repository.to_string_lossy();
    let name = name.replace(|sign: char| !sign.is_ascii_alphanumeric(), "-");
    root.join("projects").join(name).join("memory")
}
fn own_places(home: &Home) -> Vec<PathBuf> {
    // `CLAUDE_CONFIG_DIR` moves both.
    vec![
        root(home),
        home.join(".claude.json"),
        root(home).join(".claude.json"),
    ]
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    if !look.own(&root) {
        return;
    }
    let home = look.home();
    for file in ClaudeSettings::files(home, None) {
        look.place(&file);
    }
    let mut settings = ClaudeSettings::read(home, None);
    let memory = settings.memory();
    for finding in settings.findings {
        look.problem(finding);
    }
    if let MemoryFrom::Folder { folder, .. } = &memory {
        look.named_place(folder, "autoMemoryDirectory");
    }
    let projects = look.children(&root.join("projects"));
    let usual = projects.into_iter().map(|project| project.join("memory"));
    let usual: Vec<PathBuf> = usual.filter(|memory| look.folder(memory)).collect();
    let load = |look: &mut Look<'_>, folder: &Path| look.loads(folder, vec![memory_file()], None);
    match memory {
        MemoryFrom::Nowhere(why) => {
            let said = format!("{why}, so Claude Code loads no MEMORY.md");
            look.switch_off(&usual, &[memory_file()], said);
        }
        MemoryFrom::Folder { folder, by } => {
            if !usual.is_empty() {
                let said = format!(
                    "{by} names another folder, so Claude Code loads no MEMORY.md of the usual ones"
                );
                look.switch_off(&usual, &[memory_file()], said);
            }
            load(look, &folder);
        }
        MemoryFrom::Usual => usual.iter().for_each(|memory| load(look, memory)),
    }
}

/// Applies the project settings of sessions in these folders to what was found to load. With `is_all` other sessions
/// count too, otherwise only these.
pub(crate) fn follow_projects(found: &mut Found, home: &Home, projects: &[PathBuf], is_all: bool) {
    let root = root(home);
    let mut user = ClaudeSettings::read(home, None);
    let by_user = user.memory();
    // The folders that sessions load from, and those that some sessions would load from without a setting of theirs.
    let mut from: Vec<PathBuf> = Vec::new();
    let mut not_from: Vec<(PathBuf, String)> = Vec::new();
    for project in projects {
        let mut settings = ClaudeSettings::read(home, Some(project));
        let memory = settings.memory();
        let usual = usual_memory(&root, project);
        let folder_of = |memory: &MemoryFrom| match memory {
            MemoryFrom::Usual => Some(usual.clone()),
            MemoryFrom::Folder { folder, .. } => Some(folder.clone()),
            MemoryFrom::Nowhere(_) => None,
        };
        let folder = folder_of(&memory);
        for finding in settings.findings {
            // Problems of the user's own settings are problems of the agent.
            if !user.findings.contains(&finding) {
                found.add_switch(finding);
            }
        }
        if memory == by_user {
            from.extend(folder);
            continue;
        }
        let shown = home.shown(project);
        let said = match &memory {
            MemoryFrom::Nowhere(why) => {
                format!("{why}, so Claude Code loads no MEMORY.md in {shown}")
            }
            MemoryFrom::Folder { folder, by } => {
                let unread = if may_be_read(home, project, folder) {
                    ""
                } else {
                    "; Memlens does not read it, as it is outside the home folder and the project"
                };
                let folder = home.shown(folder);
                format!(
                    "{by} names {folder}, so in {shown} Claude Code loads the MEMORY.md there and not the usual one{unread}"
                )
            }
            MemoryFrom::Usual => format!(
                "the settings of {shown} go before those of the user, so Claude Code loads the usual MEMORY.md there"
            ),
        };
        found.add_switch(said.clone());
        from.extend(folder.filter(|folder| may_be_read(home, project, folder)));
        not_from.extend(folder_of(&by_user).map(|folder| (folder, said)));
    }
    let has_none = |folder: &PathBuf| not_from.iter().any(|(it, _)| it == folder);
    let is_loaded = |folder: &PathBuf| from.contains(folder) || (is_all && !has_none(folder));
    found.loads.retain(|loads| is_loaded(&loads.folder));
    found.switched_off.retain(|off| !from.contains(&off.folder));
    let off = not_from.iter().filter(|(folder, _)| !is_loaded(folder));
    found
        .switched_off
        .extend(off.map(|(folder, said)| SwitchedOff {
            folder: folder.clone(),
            names: vec![memory_file().name],
            said: said.clone(),
        }));
    from.sort();
    from.dedup();
    for folder in from {
        let is_known = found.loads.iter().any(|loads| loads.folder == folder);
        if !is_known && folder.is_dir() {
            found.loads.push(Loads {
                folder,
                files: vec![memory_file()],
                in_all: None,
            });
        }
    }
}

/// Whether the settings of a project, which others may have written, can name a folder for Memlens to read: only below the home
/// folder and the project.
fn may_be_read(home: &Home, project: &Path, folder: &Path) -> bool {
    // A folder that does not exist yet is judged by its path.
    let resolved = |path: &Path| memlens_files::canonical(path).unwrap_or_else(|_| path.to_owned());
    let folder = resolved(folder);
    let is_named =
        |around: &Path| folder.starts_with(around) || folder.starts_with(resolved(around));
    [home.folder(), project].into_iter().any(is_named)
}
