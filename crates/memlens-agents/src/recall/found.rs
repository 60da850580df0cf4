//! What searchers of files print, read back as results: `rg`, `grep`, and the agents' own tools of that kind.

use super::Returned;

/// So many results of one search are kept.
const RESULTS: usize = 1000;
/// What a note's name ends in.
const NOTES: &[&str] = &[".md", ".markdown", ".txt", ".mdx", ".org"];

/// The files that a text names, each with the lines that stand beside it; lines without a file are those of `place`.
pub(super) fn found(text: &str, place: &str) -> Vec<Returned> {
    // Codex tells of the process before its output.
    let text = text
        .split_once("\nOutput:\n")
        .map_or(text, |(_, output)| output);
    let mut found: Vec<Returned> = Vec::new();
    // Gemini CLI names a file once, and then its lines.
    let mut of_file: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_end();
        let (path, at) = if let Some(path) = line.strip_prefix("File: ") {
            of_file = Some(path);
            continue;
        } else if let Some(at) = numbered(line.strip_prefix('L').unwrap_or(line)) {
            (of_file.unwrap_or(place), Some(at))
        } else if let Some((path, at)) = named(line) {
            (path, at)
        } else {
            continue;
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        match found.last_mut() {
            // Lines that follow each other are one result.
            Some(last) if last.path == path => match (&mut last.lines, at) {
                (Some((_, end)), Some(at)) if at == *end || at == *end + 1 => {
                    *end = at;
                    continue;
                }
                (None, None) => continue,
                _ => {}
            },
            _ => {}
        }
        if found.len() == RESULTS {
            break;
        }
        found.push(Returned {
            path: path.to_owned(),
            lines: at.map(|at| (at, at)),
            score: None,
        });
    }
    found
}

/// Results that are told in words, as qmd does: `#a1b2c3 87% notes/pond.md - Title`.
pub(super) fn ranked(text: &str) -> Option<Vec<Returned>> {
    if text.starts_with("No results found") {
        return Some(Vec::new());
    }
    let results: Vec<Returned> = text
        .lines()
        .filter_map(|line| {
            let (id, rest) = line.strip_prefix('#')?.split_once(' ')?;
            let (share, rest) = rest.trim_start().split_once("% ")?;
            let path = rest.split(" - ").next()?.trim();
            let is_id = id.chars().all(|sign| sign.is_ascii_hexdigit());
            (is_id && !path.is_empty()).then_some(Returned {
                path: path.to_owned(),
                lines: None,
                score: Some(share.parse::<f64>().ok()? / 100.0),
            })
        })
        .take(RESULTS)
        .collect();
    (!results.is_empty()).then_some(results)
}

/// The number of a line such as `12:text`.
fn numbered(line: &str) -> Option<u32> {
    let (number, _) = line.split_once(':')?;
    number.parse().ok().filter(|number| *number > 0)
}

/// The file of a line such as `notes/pond.md:12:text`, `notes/pond.md:text` or `notes/pond.md`.
fn named(line: &str) -> Option<(&str, Option<u32>)> {
    let is_note = |path: &str| {
        let lower = path.to_lowercase();
        !path.is_empty() && NOTES.iter().any(|end| lower.ends_with(end))
    };
    let mut ends = line.match_indices(':').map(|(at, _)| at);
    let named = ends.find_map(|at| {
        let (path, rest) = (&line[..at], &line[at + 1..]);
        let number = numbered(rest);
        let is_it = is_note(path) || (number.is_some() && path.contains(['/', '\\']));
        is_it.then_some((path, number))
    });
    named.or_else(|| is_note(line).then_some((line, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let told = found(text, "/m/MEMORY.md")
            .into_iter()
            .map(|it| match it.lines {
                Some((first, last)) => format!("{}:{first}-{last}", it.path),
                None => it.path,
            });
        told.collect()
    }

    #[test]
    fn what_searchers_print_is_read_back() {
        for (text, results) in [
            (
                "/m/a.md:3:pond\n/m/a.md:4:pump\n/m/a.md:9:koi\n/m/b.md:1:x: y",
                &["/m/a.md:3-4", "/m/a.md:9-9", "/m/b.md:1-1"][..],
            ),
            (
                "12:pump of the pond\n13-after it\n",
                &["/m/MEMORY.md:12-12"],
            ),
            (
                "Found 2 files\n/m/a.md\n/m/b c.md",
                &["/m/a.md", "/m/b c.md"],
            ),
            ("./a.md:koi at 8:30\n./a.md:pond", &["a.md"]),
            ("C:\\m\\a.md:7:koi", &["C:\\m\\a.md:7-7"]),
            (
                "Found 2 matches for pattern \"koi\" in path \"/m\":\n---\nFile: a.md\nL4: koi\nL5: koi too\n---",
                &["a.md:4-5"],
            ),
            (
                "Chunk ID: 8a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nMEMORY.md:2:koi\n",
                &["MEMORY.md:2-2"],
            ),
            ("No files found", &[]),
            ("", &[]),
        ] {
            assert_eq!(told(text), results, "{text}");
        }
    }

    #[test]
    fn results_in_words_are_read_back() {
        let told = ranked("Found 1 result for \"koi\":\n\n#a1b2c3 87% notes/pond.md - The pond\n");
        let told = told.expect("they are results");
        assert_eq!(
            (told[0].path.as_str(), told[0].score),
            ("notes/pond.md", Some(0.87))
        );
        assert_eq!(ranked("No results found for \"koi\""), Some(Vec::new()));
        assert_eq!(ranked("# A note about 40% more"), None);
    }
}
