use std::path::Path;

use memlens_files::System;

use super::*;
use crate::home::Home;

fn described(line: &str) -> Vec<String> {
    let home = Home::new(Path::new("/home/iris"));
    let folders = Folders::new(&home).with(Path::new("/home/iris/.codex"), "memories");
    describe(actions(
        line,
        Syntax::Posix,
        &folders,
        Some("/home/iris/garden"),
        None,
    ))
}

fn described_on_windows(line: &str) -> Vec<String> {
    let home = Home::new(Path::new(r"C:\Users\iris")).on(System::Windows);
    let folders = Folders::new(&home).with(Path::new(r"C:\Users\iris\.codex"), "memories");
    let from = Some(r"C:\Users\iris\garden");
    describe(actions(line, Syntax::PowerShell, &folders, from, None))
}

fn describe(actions: Vec<Action>) -> Vec<String> {
    let actions = actions.into_iter().map(|action| match action {
        Action::Searches {
            pattern,
            paths,
            output,
            ..
        } => format!("{pattern} in {} {output:?}", paths.join(" ")),
        Action::Reads { path, part } => format!("{path} {part:?}"),
        Action::ReadsAmong {
            folder,
            pattern,
            part,
        } => format!("{part:?} of {pattern} below {folder}"),
        Action::Lists { .. } => "lists".to_owned(),
    });
    actions.collect()
}

#[test]
fn searches_and_readings_below_a_memory_folder_are_found() {
    for (line, actions) in [
        (
            r#"rg -n -i -C 2 "pond pump" ~/.codex/memories"#,
            &["pond pump in ~/.codex/memories Lines"][..],
        ),
        (
            "grep -rn 'koi' --include '*.md' /home/iris/.codex/memories/MEMORY.md | head -20",
            &["koi in /home/iris/.codex/memories/MEMORY.md Lines"],
        ),
        (
            "cd ~/.codex/memories && rg -e koi -e pond",
            &["koi\npond in . Lines"],
        ),
        (
            "rg koi . ~/.codex/memories",
            &["koi in ~/.codex/memories Lines"],
        ),
        (
            "LC_ALL=C /usr/bin/grep -- -x ~/.codex/memories/a.md",
            &["-x in ~/.codex/memories/a.md Lines"],
        ),
        (
            "sed -n '12,40p' ~/.codex/memories/MEMORY.md",
            &["~/.codex/memories/MEMORY.md Lines(12, 40)"],
        ),
        (
            "head -n 20 ~/.codex/memories/a.md; cat \"$HOME/.codex/memories/b c.md\"",
            &[
                "~/.codex/memories/a.md Lines(1, 20)",
                "$HOME/.codex/memories/b c.md Whole",
            ],
        ),
        (
            "head -5 ~/.codex/memories/a.md",
            &["~/.codex/memories/a.md Lines(1, 5)"],
        ),
        (
            "head ~/.codex/memories/a.md",
            &["~/.codex/memories/a.md Lines(1, 10)"],
        ),
        (
            "tail -n 5 ~/.codex/memories/a.md; tail -n +7 ~/.codex/memories/b.md",
            &[
                "~/.codex/memories/a.md Unknown",
                "~/.codex/memories/b.md Lines(7, 4294967295)",
            ],
        ),
        // The folder in which it runs is part of the note's name.
        (
            "cd ~/.codex/memories && cat a.md",
            &["/home/iris/.codex/memories/a.md Whole"],
        ),
        // Only what the pipeline's end shows was given.
        (
            "cat ~/.codex/memories/a.md | grep -n koi",
            &["koi in ~/.codex/memories/a.md Lines"],
        ),
        (
            "cat ~/.codex/memories/a.md | head -20 | tail -n +5",
            &["~/.codex/memories/a.md Lines(5, 20)"],
        ),
        (
            "cd ~/.codex/memories && cat a.md | grep koi",
            &["koi in /home/iris/.codex/memories/a.md Lines"],
        ),
        ("cat ~/.codex/memories/a.md | wc -l", &[]),
        ("cat ~/.codex/memories/a.md > /tmp/a.md", &[]),
        (
            "cat ~/.codex/memories/a.md 2>&1 | nl",
            &["~/.codex/memories/a.md Whole"],
        ),
        (
            "rg -l koi ~/.codex/memories",
            &["koi in ~/.codex/memories Names"],
        ),
        (
            "grep -rc koi ~/.codex/memories || true",
            &["koi in ~/.codex/memories Names"],
        ),
        (
            "rg koi ~/.codex/memories | wc -l",
            &["koi in ~/.codex/memories Changed"],
        ),
        (
            "for f in ~/.codex/memories/a.md ~/.codex/memories/b.md; do cat \"$f\"; done",
            &[
                "~/.codex/memories/a.md Whole",
                "~/.codex/memories/b.md Whole",
            ],
        ),
        (
            "M=~/.codex/memories; cat $M/a.md",
            &["~/.codex/memories/a.md Whole"],
        ),
        (
            "cat > ~/.codex/memories/a.md <<'EOF'\ncat ~/.codex/memories/b.md\nEOF",
            &[],
        ),
        (
            "cat ~/.codex/memories/a.md 2>/dev/null >> ~/.codex/memories/b.md",
            &[],
        ),
        (
            "cat ~/.codex/memories/a.md 2>/dev/null",
            &["~/.codex/memories/a.md Whole"],
        ),
        // Neither a number nor a script is a note.
        (
            "cd ~/.codex/memories; sed -n '1,40p' a.md; sed -n -e 2p b.md; awk '/koi/' c.md; tail -n 3 d.md",
            &[
                "/home/iris/.codex/memories/a.md Lines(1, 40)",
                "/home/iris/.codex/memories/b.md Lines(2, 2)",
                "/home/iris/.codex/memories/c.md Unknown",
                "/home/iris/.codex/memories/d.md Unknown",
            ],
        ),
        // A pattern names notes, and not which of them were shown.
        (
            "cat ~/.codex/memories/*.md",
            &["Whole of *.md below /home/iris/.codex/memories"],
        ),
        (
            "cd ~/.codex/memories && head -n 5 */*.md notes/{a,b}.md",
            &[
                "Lines(1, 5) of */*.md below /home/iris/.codex/memories",
                "/home/iris/.codex/memories/notes/a.md Lines(1, 5)",
                "/home/iris/.codex/memories/notes/b.md Lines(1, 5)",
            ],
        ),
        (
            "for f in ~/.codex/memories/*.md; do echo \"$f\"; cat \"$f\"; done",
            &["Whole of *.md below /home/iris/.codex/memories"],
        ),
        (
            "cd ~/.codex/memories; ls | while read f; do cat \"$f\"; done",
            &["Whole of ** below /home/iris/.codex/memories"],
        ),
        (
            r"find ~/.codex/memories -name '*.md' -type f -exec cat {} \;",
            &["Whole of **/*.md below /home/iris/.codex/memories"],
        ),
        (
            "find ~/.codex/memories -iname '*.md' -exec grep -l koi {} +",
            &["koi in /home/iris/.codex/memories Names"],
        ),
        (
            "find ~/.codex/memories -name '*.md' -print0 | sort -z | xargs -0 -n 1 head -n 3",
            &["Lines(1, 3) of **/*.md below /home/iris/.codex/memories"],
        ),
        (
            "rg -l koi ~/.codex/memories | xargs cat",
            &["Whole of ** below /home/iris/.codex/memories"],
        ),
        (
            "ls ~/.codex/memories/*.md | xargs cat | head -5",
            &["Whole of *.md below /home/iris/.codex/memories"],
        ),
        ("find ~/.codex/memories -name '*.md'", &["lists"]),
        ("find ~/.codex/memories -name '*.md' | wc -l", &[]),
        ("find ~ -name '*.md' -exec cat {} +", &[]),
        ("find ~/.codex/memories -name '*.md' -exec rm {} +", &[]),
        ("cat ~/.codex/memories/*.md | grep koi", &["koi in  Lines"]),
        ("cat ~/.codex/memories/../../.ssh/*.md", &[]),
        (
            "rg -g '*.md' koi ~/.codex/memories; rg -g'*local*.md' koi ~/.codex/memories; grep -m1 -lA2 koi ~/.codex/memories/a.md",
            &[
                "koi in ~/.codex/memories Lines",
                "koi in ~/.codex/memories Lines",
                "koi in ~/.codex/memories/a.md Names",
            ],
        ),
        (
            "rg koi ~/.codex/memories/*.md",
            &["koi in ~/.codex/memories/*.md Lines"],
        ),
        (
            "sed 20q ~/.codex/memories/a.md; sed 1,5d ~/.codex/memories/b.md; sed 's/a/b/' ~/.codex/memories/c.md",
            &[
                "~/.codex/memories/a.md Lines(1, 20)",
                "~/.codex/memories/b.md Unknown",
                "~/.codex/memories/c.md Whole",
            ],
        ),
        ("sed -i 's/koi/carp/' ~/.codex/memories/a.md", &[]),
        ("rg koi", &[]),
        ("cat src/main.rs", &[]),
        ("rm -rf ~/.codex/memories", &[]),
        ("rg", &[]),
        ("cat 'unfinished ~/.codex/memories/a.md", &[]),
        ("", &[]),
    ] {
        assert_eq!(described(line), actions, "{line}");
    }
}

/// What does not match is no answer to the pattern: the lines were read, and the names were listed.
#[test]
fn a_search_for_what_does_not_match_is_no_question() {
    let note = "/home/iris/.codex/memories/a.md";
    let read = format!("{note} Unknown");
    for line in [
        format!("grep -v koi {note}"),
        format!("grep -niv -e koi {note}"),
        format!("grep --invert-match koi {note}"),
        format!("grep --invert koi {note}"),
        format!("rg -v koi {note}"),
        format!("ag -v koi {note}"),
        format!("cat {note} | grep -v koi"),
        format!("grep -ve koi {note} | head -5"),
    ] {
        assert_eq!(described(&line), [read.as_str()], "{line}");
    }
    for line in [
        format!("grep -L koi {note}"),
        "grep -rL koi ~/.codex/memories".to_owned(),
        "grep --files-without-match koi -r ~/.codex/memories".to_owned(),
        "rg --files-without-match koi ~/.codex/memories".to_owned(),
        "ag --files-without-matches koi ~/.codex/memories".to_owned(),
        "grep -rlv koi ~/.codex/memories".to_owned(),
    ] {
        assert_eq!(described(&line), ["lists"], "{line}");
    }
    for (line, action) in [
        (
            "grep -rv koi ~/.codex/memories",
            "Unknown of ** below /home/iris/.codex/memories",
        ),
        (
            "grep -v koi ~/.codex/memories/*.md",
            "Unknown of *.md below /home/iris/.codex/memories",
        ),
        (
            "find ~/.codex/memories -name '*.md' | xargs grep -v koi",
            "Unknown of **/*.md below /home/iris/.codex/memories",
        ),
        (
            "find ~/.codex/memories -name '*.md' -exec grep -v koi {} +",
            "Unknown of **/*.md below /home/iris/.codex/memories",
        ),
        (
            "rg --files-without-match koi ~/.codex/memories | xargs cat",
            "Whole of ** below /home/iris/.codex/memories",
        ),
        // What it leaves of another search's answer is as that search printed it.
        (
            "rg pond ~/.codex/memories | grep -v koi",
            "pond in ~/.codex/memories Lines",
        ),
        // It follows links.
        (
            "rg -L koi ~/.codex/memories",
            "koi in ~/.codex/memories Lines",
        ),
    ] {
        assert_eq!(described(line), [action], "{line}");
    }
    let none: [&str; 0] = [];
    for line in [
        "grep -qv koi ~/.codex/memories/a.md",
        "find ~/.codex/memories -name '*.md' -exec grep -L koi {} +",
    ] {
        assert_eq!(described(line), none, "{line}");
    }
    let read = r"C:\Users\iris\.codex\memories\a.md".replace('\\', "/");
    for line in [
        r"Select-String -NotMatch koi C:\Users\iris\.codex\memories\a.md",
        r"Get-Content C:\Users\iris\.codex\memories\a.md | sls koi -NotMatch",
        r"findstr /n /V koi C:\Users\iris\.codex\memories\a.md",
    ] {
        let actions = described_on_windows(line);
        assert_eq!(actions.len(), 1, "{line}: {actions:?}");
        let action = actions[0].replace('\\', "/");
        assert_eq!(action, format!("{read} Unknown"), "{line}");
    }
}

#[test]
fn commands_of_powershell_are_found() {
    for (line, actions) in [
        (
            r"Get-Content C:\Users\iris\.codex\memories\a.md",
            &[r"C:\Users\iris\.codex\memories\a.md Whole"][..],
        ),
        (
            r#"gc -Raw -LiteralPath "$HOME\.codex\memories\b c.md" -Encoding UTF8"#,
            &[r"$HOME\.codex\memories\b c.md Whole"],
        ),
        (
            r"cat ~\.codex\memories\a.md, '~\.codex\memories\it''s.md'",
            &[
                r"~\.codex\memories\a.md Whole",
                r"~\.codex\memories\it's.md Whole",
            ],
        ),
        (
            r"Get-Content -Path $env:USERPROFILE\.codex\memories\a.md -TotalCount 20",
            &[r"$env:USERPROFILE\.codex\memories\a.md Lines(1, 20)"],
        ),
        (
            r"gc ~\.codex\memories\a.md -Tail 5",
            &[r"~\.codex\memories\a.md Unknown"],
        ),
        (
            r"Get-Content ~/.codex/memories/a.md | Select-Object -Skip 10 -First 5",
            &["~/.codex/memories/a.md Lines(11, 15)"],
        ),
        (
            r"(Get-Content ~/.codex/memories/a.md)[11..39]",
            &["~/.codex/memories/a.md Lines(12, 40)"],
        ),
        (
            "$lines = Get-Content ~/.codex/memories/a.md\n$lines[0..4]",
            &["~/.codex/memories/a.md Lines(1, 5)"],
        ),
        // What a variable holds is not shown.
        (
            "$text = Get-Content ~/.codex/memories/a.md; $text.Length | Out-Null",
            &[],
        ),
        (
            r#"$dir = "$HOME\.codex\memories"; Get-Content "$dir\a.md""#,
            &[r"$HOME\.codex\memories\a.md Whole"],
        ),
        (
            r"Get-Content (Join-Path $HOME '.codex\memories\a.md')",
            &[r"$HOME/.codex\memories\a.md Whole"],
        ),
        (
            r"Set-Location ~\.codex\memories; type a.md",
            &[r"C:\Users\iris\.codex\memories/a.md Whole"],
        ),
        (
            r"Get-Content ~/.codex/memories/*.md",
            &["Whole of *.md below C:/Users/iris/.codex/memories"],
        ),
        (
            r"Select-String -Path C:\Users\iris\.codex\memories\*.md -Pattern 'koi','pond' -SimpleMatch",
            &[r"koi
pond in C:\Users\iris\.codex\memories\*.md Lines"],
        ),
        (
            r"sls koi ~/.codex/memories/a.md -Context 2,3 | Select-Object -First 20",
            &["koi in ~/.codex/memories/a.md Lines"],
        ),
        (
            r"Select-String koi ~/.codex/memories/a.md | Select-Object Path, LineNumber, Line",
            &["koi in ~/.codex/memories/a.md Changed"],
        ),
        (
            r"Get-Content ~/.codex/memories/a.md | Select-String -Pattern koi",
            &["koi in ~/.codex/memories/a.md Lines"],
        ),
        (
            r"Get-ChildItem -Recurse -Filter *.md ~/.codex/memories | Select-String koi",
            &["koi in C:/Users/iris/.codex/memories Lines"],
        ),
        (
            r"gci $HOME\.codex\memories -Rec -File | ForEach-Object { Get-Content $_.FullName }",
            &["Whole of ** below C:/Users/iris/.codex/memories"],
        ),
        (
            r"dir ~/.codex/memories -Include *.md -r | Sort-Object Name | % { gc $_ | Select-Object -First 3 }",
            &["Unknown of **/*.md below C:/Users/iris/.codex/memories"],
        ),
        (
            r"Get-Content ~/.codex/memories/a.md | ForEach-Object { $i++; '{0}: {1}' -f $i, $_ }",
            &["~/.codex/memories/a.md Unknown"],
        ),
        ("Get-ChildItem ~/.codex/memories", &["lists"]),
        (
            "Get-Content ~/.codex/memories/a.md | Measure-Object -Line",
            &[],
        ),
        ("Get-Content ~/.codex/memories/a.md > copy.md", &[]),
        ("Get-Content ~/.codex/memories/a.md *>copy.md", &[]),
        (
            "Get-Content ~/.codex/memories/a.md 2>$null",
            &["~/.codex/memories/a.md Whole"],
        ),
        (
            r#"& 'C:\tools\rg.exe' -n "koi" /c/Users/iris/.codex/memories"#,
            &["koi in /c/Users/iris/.codex/memories Lines"],
        ),
        (
            r#"findstr /s /n /i /c:"koi pond" "%USERPROFILE%\.codex\memories\*.md""#,
            &[r"koi pond in %USERPROFILE%\.codex\memories\*.md Lines"],
        ),
        (
            r#"powershell.exe -NoProfile -Command "Get-Content '~/.codex/memories/a.md'""#,
            &["~/.codex/memories/a.md Whole"],
        ),
        ("Get-Content src\\main.rs # ~/.codex/memories/a.md", &[]),
        ("Remove-Item ~/.codex/memories -Recurse", &[]),
        ("Get-Content", &[]),
        ("(((", &[]),
        ("", &[]),
    ] {
        assert_eq!(described_on_windows(line), actions, "{line}");
    }
}

#[test]
fn a_shell_is_known_by_its_name() {
    for (shell, syntax) in [
        ("powershell.exe", Some(Syntax::PowerShell)),
        (
            r"C:\Program Files\PowerShell\7\pwsh.exe",
            Some(Syntax::PowerShell),
        ),
        ("cmd", Some(Syntax::PowerShell)),
        ("/usr/bin/zsh", Some(Syntax::Posix)),
        (r"C:\Program Files\Git\bin\bash.exe", Some(Syntax::Posix)),
        ("python3", None),
    ] {
        assert_eq!(Syntax::of_shell(shell), syntax, "{shell}");
    }
}

#[test]
fn a_long_chain_of_assignments_nests_no_calls() {
    assert_eq!(described_on_windows(&"$a = ".repeat(13_000)), [""; 0]);
    let chain = r"$a = $b = Get-Content C:\Users\iris\.codex\memories\a.md; $a";
    assert_eq!(described_on_windows(chain), [""; 0]);
}
