use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options, Parser};

use super::*;

/// A word that only notes hold.
const OF_A_NOTE: &str = "zqxj";

/// A document with every kind of block, as it is made of foreign texts.
fn sample(texts: &[String]) -> Document {
    let mut texts = texts.iter().cycle().map(String::as_str);
    let mut next = || texts.next().unwrap_or_default();
    let mut document = Document::new();
    document.heading(1, next());
    document.line(strong(format!("It is {}.", next())) + " " + next());
    document.line(next());
    document.gap();
    document.notice(next());
    document.item(0, next());
    document.item(0, Text::from("Place: ") + place(next(), Some((3, 9))));
    document.item(0, code("id") + " " + code(next()) + next());
    document.item(0, warn(next()) + dim(next()));
    document.heading(2, Text::from("Words: ") + quoted_note([next(), next()]));
    let mut table = Table::new([left(next()).width(8), right("n"), left("why").gap(1)]);
    table.row(vec![next().into(), code(next()), note(next())]);
    table.row(vec![next().into(), "".into(), strong(next())]);
    document.table(table);
    document.numbered(3, place(next(), None) + ":");
    document.note_text(next());
    document.numbered(4, next());
    document.verbatim(next());
    document
}

fn parsed(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    Parser::new_ext(markdown, options)
}

/// What a parser makes of a page, without the texts.
fn structure(markdown: &str) -> Vec<String> {
    let is_text = |event: &Event<'_>| matches!(event, Event::Text(_) | Event::Code(_));
    let events = parsed(markdown).filter(|event| !is_text(event));
    let events = events.map(|event| format!("{event:?}"));
    events.collect()
}

fn without_blanks(text: impl Iterator<Item = char>) -> String {
    text.filter(|sign| !sign.is_whitespace() && !sign.is_control())
        .collect()
}

/// Texts of the kind that Markdown and terminals act on.
fn hostile() -> impl Strategy<Value = String> {
    let parts = select(vec![
        "`",
        "```",
        "*",
        "**",
        "_",
        "-",
        "- ",
        "+ ",
        "=",
        "===",
        "---",
        "#",
        "# ",
        "> ",
        "|",
        "\\",
        "&amp;",
        "&#35;",
        "&",
        "<b>",
        "<!--",
        "[x](y)",
        "![",
        "[^1]",
        "[ ] ",
        "[!NOTE]",
        "]",
        "(",
        "~~",
        "~~~",
        "1.",
        "2) ",
        "1. ",
        "\n",
        "\r\n",
        "\n\n",
        "\t",
        "    ",
        "\u{2028}",
        "\u{85}",
        "$",
        "!",
        ":",
        "{#x}",
        "http://a.b",
        "a",
        "b c",
        "é",
        " ",
        "\u{1b}[2J",
        "\u{1b}[0m",
        "\u{9b}1m",
        "\u{202e}",
        "\u{7}",
        "\u{0}",
        "東京",
        "\u{200d}",
    ]);
    vec(parts, 1..10).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_changes_the_structure_of_markdown(texts in vec(hostile(), 1..20)) {
        // A blank text makes no paragraph.
        let texts: Vec<String> = texts
            .into_iter()
            .map(|text| if without_blanks(text.chars()).is_empty() { "-".to_owned() } else { text })
            .collect();
        let plain = structure(&sample(&["x".to_owned()]).markdown(true));
        prop_assert_eq!(structure(&sample(&texts).markdown(true)), plain);
    }

    #[test]
    fn markdown_shows_a_text_as_it_is(text in hostile()) {
        let mut document = Document::new();
        document.line(&text);
        document.item(0, &text);
        let markdown = document.markdown(true);
        let shown = parsed(&markdown).filter_map(|event| {
            if let Event::Text(text) = event { Some(text.into_string()) } else { None }
        });
        let shown: String = shown.collect();
        prop_assert_eq!(
            without_blanks(shown.chars()),
            without_blanks([&*text, &*text].concat().chars())
        );
    }

    #[test]
    fn a_terminal_obeys_no_text(texts in vec(hostile(), 1..20)) {
        let mut printed = sample(&texts).terminal(true);
        for ansi in ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[33m", "\u{1b}[0m"] {
            printed = printed.replace(ansi, "");
        }
        let obeyed = |sign: char| sign != '\n' && (sign.is_control() || sign == '\u{202e}');
        prop_assert!(!printed.contains(obeyed), "{:?}", printed);
        let mut document = Document::new();
        texts.iter().for_each(|text| document.line(text));
        prop_assert_eq!(document.terminal(true).lines().count(), texts.len());
    }

    #[test]
    fn without_notes_no_form_holds_their_words(around in vec(hostile(), 1..20)) {
        let mut document = sample(&around);
        let word = || note(format!("{OF_A_NOTE} {}", around[0]));
        document.heading(2, Text::from("It is ") + word());
        document.heading(2, note_or(OF_A_NOTE, "a fact") + " is it");
        document.line(strong(Text::from("A ") + word()) + dim(word()));
        document.line(word());
        document.notice(word() + " again");
        document.item(4, quoted_note([OF_A_NOTE, OF_A_NOTE]));
        document.item(4, dim(word()));
        document.numbered(1, word());
        document.note_text(OF_A_NOTE);
        let mut table = Table::new([left("a"), left("b")]);
        table.row(vec![word(), Text::from("b") + word()]);
        document.table(table);
        document.replace("a", "b");
        let json = |document: &Document| serde_json::to_string(document).expect("it is plain data");
        for (with_text, forms) in [
            (true, [document.markdown(true), document.terminal(true), json(&document)]),
            (false, [document.markdown(false), document.terminal(false), json(&document.without_notes())]),
        ] {
            for form in forms {
                prop_assert_eq!(form.contains(OF_A_NOTE), with_text, "{}", form);
            }
        }
    }
}

fn page() -> Document {
    let mut document = Document::new();
    document.heading(1, "Why was “a|b” forgotten?");
    document.line(strong("Lost.") + " It is in " + place("a.md", Some((3, 3))) + ".");
    document.gap();
    document.notice("Only a part was read.");
    document.item(4, Text::from("Holds ") + quoted_note(["is", "it"]) + ".");
    document.item(4, note("Line: is it"));
    let mut table = Table::new([left("name"), right("n"), left("")]);
    table.row(vec!["東京".into(), "12".into(), dim("near")]);
    table.row(vec!["long name".into(), "".into(), "".into()]);
    table.row(vec!["a".into(), "this takes the rest of the line".into()]);
    document.table(table);
    document.numbered(1, place("a.md", Some((3, 9))) + ":");
    document.note_text("is ``` it\n");
    document
}

#[test]
fn a_page_is_markdown() {
    assert_eq!(
        page().markdown(true),
        "# Why was “a\\|b” forgotten?\n\n\
         **Lost.** It is in `a.md:3`.\n\n\
         > Only a part was read.\n\n\
         - Holds “is”, “it”.\n\
         - Line: is it\n\n\
         | name | n | |\n\
         |---|--:|---|\n\
         | 東京 | 12 | near |\n\
         | long name |  |  |\n\
         | a | this takes the rest of the line |\n\n\
         1. `a.md:3–9`:\n\n\
         ````text\nis ``` it\n````\n"
    );
    let blank = page().markdown(false);
    assert!(blank.contains("\n- Holds “…”, “…”.\n\n|"), "{blank}");
    assert!(blank.ends_with("1. `a.md:3–9`:\n"), "{blank}");
}

#[test]
fn a_page_is_lines_of_a_terminal() {
    let printed = page().terminal(true);
    assert!(printed.starts_with("\u{1b}[1mWhy was"), "{printed:?}");
    let plain = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m"]
        .iter()
        .fold(printed, |text, ansi| text.replace(ansi, ""));
    assert_eq!(
        plain,
        "Why was “a|b” forgotten?\n\
         Lost. It is in a.md:3.\n\
         \n\
         Only a part was read.\n    \
             Holds “is”, “it”.\n    \
             Line: is it\n\
         name        n\n\
         東京       12  near\n\
         long name\n\
         a          this takes the rest of the line\n\
         1. a.md:3–9:\n\
         is ``` it\n"
    );
}

#[test]
fn a_page_is_json() {
    let mut document = Document::new();
    document.heading(2, "Now");
    document.item(0, Text::from("Holds ") + quoted_note(["is"]));
    document.gap();
    assert_eq!(
        serde_json::to_value(&document).expect("it is plain data"),
        serde_json::json!({"blocks": [{"heading": [2, "Now"]}, {"list": [0, ["Holds “is”"]]}, "gap"]})
    );
}

#[test]
fn only_marked_words_are_left_out() {
    let first = Text::from("This is it: ") + quoted_note(["is", "it"]) + ".";
    assert_eq!(&*first, "This is it: “is”, “it”.");
    let both = Text::from("É. ") + &first;
    let blank = both.without_note().expect("it is not all of a note");
    assert_eq!(&*blank, "É. This is it: “…”, “…”.");
    assert_eq!(Text::from("is").without_note(), Some("is".into()));
    assert_eq!(note("is").without_note(), None);
}

#[test]
fn code_stays_on_its_line() {
    let markdown = |text| {
        let mut document = Document::new();
        document.line(text);
        document.markdown(true)
    };
    assert_eq!(markdown(code("a`b|c\r\nd")), "`a'b¦c  d`\n");
    assert_eq!(markdown(code("")), "–\n");
    assert_eq!(markdown(place("a.md", None)), "`a.md`\n");
    assert_eq!(markdown("- 1. & &lt;".into()), "\\- 1. & \\&lt;\n");
    assert_eq!(markdown("12) a".into()), "12\\) a\n");
}
