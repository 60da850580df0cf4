//! Each rule and each guard, on sentences of its own; properties of every comparison; bounds on hostile texts.

use memlens_contradict::{
    Apart, Kind, Opposition, Oppositions, Rules, SENTENCES_MAX, SENTENCES_READ_MAX, Side, Verdict,
};
use proptest::prelude::*;

fn rules() -> Rules {
    Rules::new(&Oppositions::standard())
}

/// Returns kind and sureness, or why there is none, whichever comes first.
fn verdict(a: &str, b: &str) -> Result<(Kind, bool), Apart> {
    let rules = rules();
    let (x, y) = (rules.read(a), rules.read(b));
    let (there, back) = (rules.compare(&x, &y), rules.compare(&y, &x));
    let of = |verdict: &Verdict| match verdict {
        Verdict::Contradiction(found) => Ok((found.kind, found.sure)),
        Verdict::Apart(why) => Err(*why),
    };
    assert_eq!(of(&there), of(&back), "{a} / {b}");
    of(&there)
}

/// Two texts and what is expected of them.
type Case<'a> = (&'a str, &'a str, Result<(Kind, bool), Apart>);

fn check(cases: &[Case<'_>]) {
    let mut wrong = Vec::new();
    for (a, b, expected) in cases {
        let found = verdict(a, b);
        if found != *expected {
            wrong.push(format!("{a} / {b}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_name_is_no_form_of_a_verb() {
    check(&[
        (
            "Signe calls about the harbour lease.",
            "She never signs the harbour lease.",
            Err(Apart::Agree),
        ),
        (
            "She signs the harbour lease.",
            "She never signs the harbour lease.",
            Ok((Kind::Negation, false)),
        ),
        // A silent "e" belongs to every form of the verb.
        (
            "Cache the harbour tiles.",
            "The proxy never caches the harbour tiles.",
            Ok((Kind::Negation, false)),
        ),
    ]);
}

#[test]
fn each_kind_is_found() {
    check(&[
        (
            "Deploys are forbidden on Fridays.",
            "Deploys are allowed on Fridays.",
            Ok((Kind::Opposition, true)),
        ),
        (
            "The heating in the cellar is on.",
            "The heating in the cellar is off.",
            Ok((Kind::Opposition, true)),
        ),
        (
            "The harbour office accepts parcels on Mondays.",
            "The harbour office rejects parcels on Mondays.",
            Ok((Kind::Opposition, true)),
        ),
        (
            "The certificate is valid for the mail host.",
            "The certificate is invalid for the mail host.",
            Ok((Kind::Opposition, true)),
        ),
        (
            "The exporter writes to the archive.",
            "The exporter never writes to the archive.",
            Ok((Kind::Negation, true)),
        ),
        (
            "Wait four minutes after the restart.",
            "Wait two minutes after the restart.",
            Ok((Kind::Time, false)),
        ),
        (
            "The standup starts at 9:30.",
            "The standup starts at 10:15.",
            Ok((Kind::Time, true)),
        ),
        (
            "The report is sent out weekly.",
            "The report is sent out daily.",
            Ok((Kind::Time, true)),
        ),
        (
            "The lease ends on 14 February.",
            "The lease ends on 2 March.",
            Ok((Kind::Date, true)),
        ),
        (
            "The review is on the calendar for Tuesday.",
            "The review is on the calendar for Friday.",
            Ok((Kind::Date, false)),
        ),
        (
            "The parcel locker code is 4711.",
            "The parcel locker code is 4712.",
            Ok((Kind::Number, true)),
        ),
        (
            "The licence costs 200 euros a year.",
            "The licence costs 200 dollars a year.",
            Ok((Kind::Unit, false)),
        ),
        (
            "Jonas lives in Oslo.",
            "Jonas lives in Dublin.",
            Ok((Kind::Name, true)),
        ),
        (
            "Katrin reports to Jonas.",
            "Jonas reports to Katrin.",
            Ok((Kind::Roles, true)),
        ),
        (
            "The parser depends on the lexer.",
            "The lexer depends on the parser.",
            Ok((Kind::Roles, false)),
        ),
    ]);
}

#[test]
fn negations_are_counted_by_their_word() {
    check(&[
        (
            "The office is closed on Mondays.",
            "The office is not open on Mondays.",
            Err(Apart::Agree),
        ),
        (
            "Do not restart the relay without asking.",
            "Ask before you restart the relay.",
            Err(Apart::Agree),
        ),
        (
            "It is not true that the relay is not encrypted.",
            "It is true that the relay is encrypted.",
            Err(Apart::Agree),
        ),
        (
            "Not only the relay is encrypted.",
            "The relay is encrypted as well.",
            Err(Apart::Agree),
        ),
        (
            "The mirror is never mounted by hand.",
            "The mirror isn't mounted by hand.",
            Err(Apart::Agree),
        ),
        (
            "We never deploy the relay on Fridays.",
            "We deploy the relay on Mondays.",
            Err(Apart::Scope),
        ),
    ]);
}

#[test]
fn values_that_agree_are_no_contradiction() {
    check(&[
        (
            "The job runs for 24 hours.",
            "The job runs for one day.",
            Err(Apart::Agree),
        ),
        (
            "Keep the logs of the proxy for 90 days.",
            "Keep the logs of the proxy for three months.",
            Err(Apart::Agree),
        ),
        (
            "Python 3 or later is required for the build.",
            "Python 4 is required for the build.",
            Err(Apart::Agree),
        ),
        (
            "The build takes about 10 minutes.",
            "The build takes 11 minutes.",
            Err(Apart::Agree),
        ),
        (
            "The train to work leaves at 5 pm.",
            "The train to work leaves at 17:00.",
            Err(Apart::Agree),
        ),
        (
            "The disk holds at most 500 photos.",
            "The disk holds 300 photos.",
            Err(Apart::Agree),
        ),
        (
            "The shop is open Monday to Thursday.",
            "The shop is open on Wednesday.",
            Err(Apart::Agree),
        ),
    ]);
}

#[test]
fn what_is_no_claim_is_left_out_with_its_reason() {
    check(&[
        (
            "| port | 8093 | relay |",
            "| port | 8443 | relay |",
            Err(Apart::Table),
        ),
        (
            "let port = relay.port(8093);",
            "let port = relay.port(8443);",
            Err(Apart::Code),
        ),
        (
            "console.error('the relay can be run')",
            "console.error('the relay cannot be run')",
            Err(Apart::Code),
        ),
        (
            "Does the relay listen on port 8093?",
            "The relay listens on port 8443.",
            Err(Apart::Question),
        ),
        (
            "> The relay listens on port 8093.",
            "The relay listens on port 8443.",
            Err(Apart::Quoted),
        ),
        (
            "The sign at the front door says \"closed\" in red.",
            "The sign at the front door says \"open\" in red.",
            Err(Apart::Quoted),
        ),
        (
            "Ben: I paid 30 euros for the ticket!",
            "Ben: I paid 40 euros for the ticket!",
            Err(Apart::Speech),
        ),
        (
            "Yeah, the relay listens on port 8093.",
            "Yeah, the relay listens on port 8443.",
            Err(Apart::Speech),
        ),
        (
            "Das B\u{fc}ro ist montags geschlossen und nicht besetzt.",
            "Das B\u{fc}ro ist montags offen und nicht besetzt.",
            Err(Apart::Language),
        ),
        (
            "\u{4e2d}\u{7ee7}\u{7aef}\u{53e3}\u{662f} 8093 \u{7aef}\u{53e3}",
            "\u{4e2d}\u{7ee7}\u{7aef}\u{53e3}\u{662f} 8443 \u{7aef}\u{53e3}",
            Err(Apart::Language),
        ),
        (
            "On 2026-05-02 the disk was 71 % full.",
            "On 2026-06-02 the disk was 84 % full.",
            Err(Apart::Log),
        ),
        (
            "The disk is 71 % full today.",
            "The disk is 84 % full today.",
            Err(Apart::Log),
        ),
        (
            "# Release 14 of the relay",
            "# Release 16 of the relay",
            Err(Apart::Heading),
        ),
        ("port 8093", "port 8443", Err(Apart::Short)),
        (
            "~~The relay listens on port 8093.~~",
            "The relay listens on port 8443.",
            Err(Apart::Struck),
        ),
        (
            "The relay listens on port ~~8093~~ 8181.",
            "The relay listens on port 8443.",
            Err(Apart::Struck),
        ),
        (
            "It was grey. ~~It was red. The relay listens on port 8093.~~",
            "The relay listens on port 8443.",
            Err(Apart::Struck),
        ),
        // One mark alone strikes nothing through.
        (
            "The relay listens on port 8093. ~~",
            "The relay listens on port 8443.",
            Ok((Kind::Number, true)),
        ),
    ]);
}

/// Lines of reference documentation: what they are about is said by a heading or another line.
#[test]
fn fragments_are_never_sure() {
    for (a, b) in [
        ("Default is true.", "Default is false."),
        (
            "Decode a base58check string to bytes asynchronously",
            "Decode a base58check string to bytes synchronously",
        ),
        (
            "Stores that support iterator():",
            "Stores that do not support iterator():",
        ),
        (
            "The example below shows this.",
            "The above is just an example.",
        ),
        (
            "Node 0.8+ is supported",
            "Remove the node from the container.",
        ),
        (
            "A new option to an existing rule that does not result in more errors by default.",
            "A new option to an existing rule that results in more errors by default.",
        ),
        (
            "Returns true if the identifier is a keyword in edition 5.1.",
            "Returns true if the identifier is a keyword in edition 6.",
        ),
        (
            "Insert the given object before the reference object.",
            "Insert the given object after the reference object.",
        ),
        (
            "`algorithm` (string, optional) - The hash algorithm to use (defaults to 'Rust')",
            "`algorithm` (string, optional) - The hash algorithm to use (defaults to 'Go')",
        ),
        ("Upgrade to Unicode 16.0.", "Upgrade to Unicode version 12."),
        (
            "Copyright (c) 2024 Kazz and others",
            "Copyright (c) 2023 Kazz and others",
        ),
    ] {
        assert!(!verdict(a, b).is_ok_and(|(_, sure)| sure), "{a} / {b}");
    }
}

#[test]
fn what_is_left_out_is_counted_by_its_reason() {
    let read = rules().read(
        "Is it on? Is it off? Short one. ~~The relay is grey and old.~~ The relay listens on port 8093.",
    );
    assert_eq!(
        (read.n_sentences(), read.left_out()),
        (
            1,
            &[(Apart::Question, 2), (Apart::Short, 1), (Apart::Struck, 1)][..]
        )
    );
}

#[test]
fn other_subjects_are_kept_apart() {
    let not_sure = |kind| Ok((kind, false));
    check(&[
        (
            "The build server is in room 204.",
            "The mail server is in room 310.",
            Err(Apart::Subject),
        ),
        (
            "Logs are kept for 30 days.",
            "Traces are kept for 90 days.",
            Err(Apart::Unrelated),
        ),
        (
            "PR #48 reworks the colour of warnings.",
            "PR #94 reworks the colour of warnings.",
            Err(Apart::Subject),
        ),
        (
            "The tests run in staging on port 81.",
            "The tests run in production on port 82.",
            Err(Apart::Scope),
        ),
        (
            "Jonas moved to Oslo in 2019.",
            "Katrin moved to Oslo in 2021.",
            Err(Apart::Subject),
        ),
        (
            "Backups are kept for 30 days.",
            "Database backups are kept for 90 days.",
            not_sure(Kind::Time),
        ),
        (
            "Its metrics page answers on port 81.",
            "Its metrics page answers on port 82.",
            not_sure(Kind::Number),
        ),
        (
            "The office is open.",
            "The office is closed on Mondays.",
            not_sure(Kind::Opposition),
        ),
        (
            "The old API will be removed.",
            "The old API is supported.",
            Err(Apart::Tense),
        ),
        (
            "The office used to be in Oslo.",
            "The office is in Dublin.",
            Err(Apart::Tense),
        ),
        (
            "The alarm is on if the door is open.",
            "The alarm is on if the door is closed.",
            Err(Apart::Scope),
        ),
    ]);
}

#[test]
fn an_update_names_the_newer_side() {
    let rules = rules();
    let update = |a: &str, b: &str| {
        let verdict = rules.compare(&rules.read(a), &rules.read(b));
        verdict
            .contradiction()
            .map(|found| (found.sure, found.update))
    };
    let old = "Logs of the proxy are kept for 35 days.";
    let newer = "Logs of the proxy are kept for 90 days now, not 35 days.";
    assert_eq!(update(old, newer), Some((false, Some(Side::B))));
    assert_eq!(update(newer, old), Some((false, Some(Side::A))));
    assert_eq!(
        update(
            "The relay is encrypted.",
            "The relay is no longer encrypted."
        ),
        Some((false, Some(Side::B)))
    );
    assert_eq!(
        update("The relay is encrypted.", "The relay is not encrypted."),
        Some((true, None))
    );
}

/// Pairs that are sure must say the same but for what opposes.
#[test]
fn only_sentences_that_say_the_same_are_sure() {
    for (a, b) in [
        // An update.
        (
            "The push relay listens on port 8093.",
            "The push relay listens on port 8443 now.",
        ),
        // Two things.
        (
            "The gates of the harbour are closed on Mondays.",
            "The gates of the marina are open on Mondays.",
        ),
        (
            "The gates of my harbour are closed on Mondays.",
            "The gates of your harbour are open on Mondays.",
        ),
        // No predicate.
        (
            "The curator keeps the public archive.",
            "The curator keeps the private archive.",
        ),
        // Exchanged roles.
        (
            "The push relay accepts the mirror.",
            "The mirror rejects the push relay.",
        ),
        // A rule and a fact.
        (
            "Reports of the harbour must be signed.",
            "Reports of the harbour are not signed.",
        ),
        (
            "Never deploy the relay on Fridays.",
            "We deploy the relay on Fridays.",
        ),
        // A denial of some or of all.
        (
            "The gates of the harbour are open on Mondays.",
            "The gates of the harbour are not all open on Mondays.",
        ),
        // Where somebody is, and how long a walk takes.
        ("Ana is at home.", "Ana is not at home."),
        (
            "The walk to the harbour takes 20 minutes.",
            "The walk to the harbour takes 30 minutes.",
        ),
        // A condition, a quantifier, a default, an example, a quote, a bracket.
        (
            "The push relay listens on port 8093 if the proxy is up.",
            "The push relay listens on port 8443 if the proxy is up.",
        ),
        (
            "Some backups of the archive are kept for 30 days.",
            "Some backups of the archive are kept for 90 days.",
        ),
        (
            "The default port of the push relay is 8093.",
            "The default port of the push relay is 8443.",
        ),
        (
            "The push relay listens on port 8093 for example.",
            "The push relay listens on port 8443 for example.",
        ),
        (
            "The \"push\" relay listens on port 8093.",
            "The \"push\" relay listens on port 8443.",
        ),
        (
            "The push relay (west) listens on port 8093.",
            "The push relay (west) listens on port 8443.",
        ),
        // What a reference says of each option.
        (
            "The option is enabled in the harbour.",
            "The option is disabled in the harbour.",
        ),
        // Two years.
        (
            "The lease ends on 14 February 2025.",
            "The lease ends on 2 March 2026.",
        ),
        // A word that is not of the sentence denies it.
        (
            "Backups of the archive are not only encrypted.",
            "Backups of the archive are encrypted.",
        ),
    ] {
        assert!(!verdict(a, b).is_ok_and(|(_, sure)| sure), "{a} / {b}");
    }
    for (a, b) in [
        (
            "The push relay listens on port 8093.",
            "the push relay listens on port 8443",
        ),
        (
            "On port 8093 the push relay listens.",
            "The push relay serves on port 8443.",
        ),
        (
            "The gates of the harbour are closed on Mondays.",
            "The gates of our harbour are open on Mondays.",
        ),
        (
            "Guests can't smoke in the hall.",
            "Guests can smoke in the hall.",
        ),
        (
            "The push relay doesn't accept uploads from guests.",
            "The push relay accepts uploads from guests.",
        ),
        (
            "We do not deploy the relay on Fridays.",
            "We deploy the relay on Fridays.",
        ),
        (
            "The nightly build is not enabled.",
            "The nightly build is enabled.",
        ),
        (
            "The archive of the harbour has a backup.",
            "The archive of the harbour does not have a backup.",
        ),
        (
            "The feature flag new_search is enabled.",
            "new_search is disabled.",
        ),
        (
            "Do not email generated invoices.",
            "Generated invoices should be emailed.",
        ),
        (
            "Never push releases to main.",
            "Pushing releases to main is fine.",
        ),
        (
            "Leo's dentist appointment on 17 June is at 9:30.",
            "Leo's dentist appointment on 17 June is at 10:15.",
        ),
        ("Node 18 is required.", "Node 20 is required."),
        ("Tom is the owner of the relay.", "Katrin owns the relay."),
    ] {
        assert!(verdict(a, b).is_ok_and(|(_, sure)| sure), "{a} / {b}");
    }
}

#[test]
fn the_opposing_words_are_named() {
    let rules = rules();
    let words = |a: &str, b: &str| {
        let (x, y) = (rules.read(a), rules.read(b));
        let verdict = rules.compare(&x, &y);
        let found = verdict.contradiction().expect("they contradict each other");
        let of = |text: &str, words: &[std::ops::Range<usize>]| -> Vec<String> {
            words
                .iter()
                .map(|word| text[word.clone()].to_owned())
                .collect()
        };
        (of(a, &found.a.words), of(b, &found.b.words))
    };
    let (a, b) = words(
        "First point. Logs are kept for 30 days.",
        "Logs are kept for 90 days.",
    );
    assert_eq!(
        (a, b),
        (vec!["30 days".to_owned()], vec!["90 days".to_owned()])
    );
    let (a, b) = words(
        "CI runs on every pull request.",
        "CI does not run on pull requests.",
    );
    assert_eq!(
        (a, b),
        (
            vec!["runs".to_owned()],
            vec!["not".to_owned(), "run".to_owned()]
        )
    );
    let (a, b) = words(
        "The backup is encrypted.",
        "The backup is stored in plain text.",
    );
    assert_eq!(
        (a, b),
        (vec!["encrypted".to_owned()], vec!["plain text".to_owned()])
    );
}

#[test]
fn the_list_of_oppositions_decides() {
    let text = (
        "The valve in the cellar is primed.",
        "The valve in the cellar is drained.",
    );
    assert_eq!(verdict(text.0, text.1), Err(Apart::Agree));
    let own = Rules::new(&Oppositions::parse("primed | drained").unwrap());
    let found = own.compare(&own.read(text.0), &own.read(text.1));
    assert_eq!(
        found.contradiction().map(|found| (found.kind, found.sure)),
        Some((Kind::Opposition, true))
    );
    // Own pairs are read as the standard ones, which can be switched off.
    let pair = Opposition::from_typed("primed, topped up", "drained").unwrap();
    let own = Rules::new(&Oppositions::edited(vec![pair], |pair| {
        pair.words[0] == "allow"
    }));
    let found = |a: &str, b: &str| {
        let verdict = own.compare(&own.read(a), &own.read(b));
        verdict.contradiction().map(|found| found.kind)
    };
    assert_eq!(found(text.0, text.1), Some(Kind::Opposition));
    assert_eq!(
        found("The valve in the cellar is topped up.", text.1),
        Some(Kind::Opposition)
    );
    assert_eq!(
        found("The valve in the cellar is not primed.", text.1),
        None
    );
    assert_eq!(
        found(
            "The office is open on Mondays.",
            "The office is closed on Mondays."
        ),
        Some(Kind::Opposition)
    );
    assert_eq!(
        found(
            "Deploys are forbidden on Fridays.",
            "Deploys are allowed on Fridays."
        ),
        None
    );
    let none = Rules::new(&Oppositions::parse("").unwrap());
    let (a, b) = (
        "Deploys are forbidden on Fridays.",
        "Deploys are allowed on Fridays.",
    );
    assert_eq!(
        none.compare(&none.read(a), &none.read(b)).contradiction(),
        None
    );
}

#[test]
fn a_text_that_contradicts_itself_is_read_as_it_is() {
    let both = "The relay is encrypted and the relay is not encrypted, on port 8093 and 8443.";
    assert_eq!(verdict(both, both), Err(Apart::Same));
    let one = "The relay is encrypted. The relay is not encrypted.";
    assert_eq!(verdict(one, "The relay is encrypted."), Err(Apart::Agree));
    assert!(verdict(both, "The relay is encrypted, on port 8093.").is_err());
}

#[test]
fn a_line_that_contradicts_itself_opposes_no_other() {
    let open = "The hall is open on Mondays.";
    let closed = "The hall is closed on Mondays.";
    check(&[(open, closed, Ok((Kind::Opposition, true)))]);
    for both in [
        "The hall is open on Mondays. The hall is closed on Mondays.",
        "The hall is open on Mondays, the hall is closed on Mondays.",
        "The hall is open and closed on Mondays.",
        "The hall is open on Mondays but closed on Mondays.",
    ] {
        for one in [open, closed] {
            let found = verdict(both, one);
            assert!(!matches!(found, Ok((_, true))), "{both} / {one}: {found:?}");
        }
        assert_eq!(verdict(both, both), Err(Apart::Same));
    }
}

#[test]
fn two_negations_are_none() {
    let agree = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    for (a, b) in [
        agree("The relay is encrypted.", "The relay is not unencrypted."),
        agree("The valve is not never closed.", "The valve is closed."),
        agree(
            "The proxy never starts without the ledger.",
            "The proxy starts with the ledger.",
        ),
        agree(
            "The job does not fail to write the archive.",
            "The job writes the archive.",
        ),
        agree(
            "The relay cannot not be encrypted.",
            "The relay is encrypted.",
        ),
    ] {
        let found = verdict(&a, &b);
        assert!(found.is_err(), "{a} / {b}: {found:?}");
    }
    // The denial of a clause is not understood.
    let denied = "It is not true that the relay is not encrypted.";
    let found = verdict(denied, "The relay is encrypted.");
    assert!(!matches!(found, Ok((_, true))), "{found:?}");
}

#[test]
fn what_is_quoted_or_measured_in_other_units_or_days_is_no_alert() {
    for (a, b) in [
        (
            "The sign at the gate says \"closed\".",
            "The sign at the gate says \"open\".",
        ),
        (
            "Signe wrote \u{201c}the relay listens on port 8093\u{201d}.",
            "The relay listens on port 8443.",
        ),
        ("The relay is 'encrypted'.", "The relay is not 'encrypted'."),
        (
            "The trail around the lake is 5 km long.",
            "The trail around the lake is 5000 m long.",
        ),
        (
            "The backup of the archive takes 2 hours.",
            "The backup of the archive takes 120 minutes.",
        ),
        (
            "The disk of the mirror holds 2 TB.",
            "The disk of the mirror holds 2000 GB.",
        ),
        (
            "The boat is lifted out today.",
            "The boat is lifted out tomorrow.",
        ),
        (
            "The meeting with Signe is next week.",
            "The meeting with Signe is next month.",
        ),
        (
            "The office of the harbour was closed yesterday.",
            "The office of the harbour was open last week.",
        ),
        (
            "The lease of the hall ends in May 2025.",
            "The lease of the hall ends in June 2026.",
        ),
    ] {
        let found = verdict(a, b);
        assert!(!matches!(found, Ok((_, true))), "{a} / {b}: {found:?}");
    }
}

#[test]
fn other_languages_are_skipped_and_said_so() {
    for (a, b) in [
        (
            "Le bureau est ouvert le lundi et le mardi.",
            "Le bureau est ferm\u{e9} le lundi et le mardi.",
        ),
        (
            "La oficina est\u{e1} abierta los lunes y los martes.",
            "La oficina no est\u{e1} abierta los lunes y los martes.",
        ),
        (
            "Das B\u{fc}ro ist am Montag offen.",
            "The office is closed on Mondays.",
        ),
        (
            "\u{4e8b}\u{52a1}\u{6240}\u{661f}\u{671f}\u{4e00}\u{5173}\u{95e8}\u{3002}",
            "The office is closed on Mondays.",
        ),
        (
            "\u{41e}\u{444}\u{438}\u{441} \u{43e}\u{442}\u{43a}\u{440}\u{44b}\u{442} \u{43f}\u{43e} \u{43f}\u{43e}\u{43d}\u{435}\u{434}\u{435}\u{43b}\u{44c}\u{43d}\u{438}\u{43a}\u{430}\u{43c}.",
            "The office is closed on Mondays.",
        ),
    ] {
        assert_eq!(verdict(a, b), Err(Apart::Language), "{a}");
    }
    // The English sentences of a mixed text are compared.
    let rules = rules();
    let mixed = rules.read("Das B\u{fc}ro ist am Montag geschlossen. The hall is open on Mondays.");
    assert_eq!(
        (mixed.n_sentences(), mixed.left_out()),
        (1, &[(Apart::Language, 1)][..])
    );
    let other = rules.read("The hall is closed on Mondays.");
    let found = rules.compare(&mixed, &other);
    assert!(found.contradiction().is_some_and(|found| found.sure));
}

#[test]
fn hostile_texts_are_bounded() {
    let rules = rules();
    let line = "the relay listens on port 8093 and ".repeat(150_000);
    assert!(line.len() > 5_000_000);
    let long = rules.read(&line);
    assert_eq!(
        (long.n_sentences(), long.left_out()),
        (0, &[(Apart::Long, 1)][..])
    );
    let other = rules.read("The relay listens on port 8443.");
    assert_eq!(rules.compare(&long, &other), Verdict::Apart(Apart::Long));

    let many: String = (0..10_000)
        .map(|at| format!("The relay number {at} listens on port {at}. "))
        .collect();
    let many = rules.read(&many);
    assert_eq!(
        (many.n_sentences(), many.n_skipped()),
        (SENTENCES_MAX, 10_000 - SENTENCES_MAX)
    );
    let turned: String = (0..10_000)
        .map(|at| format!("The relay number {at} listens on port {}. ", at + 1))
        .collect();
    let turned = rules.read(&turned);
    assert_eq!(
        (turned.n_sentences(), turned.n_skipped()),
        (SENTENCES_MAX, 10_000 - SENTENCES_MAX)
    );
    let verdict = rules.compare(&many, &turned);
    assert_eq!(verdict, rules.compare(&many, &turned));
    assert!(
        !verdict.contradiction().is_some_and(|found| found.sure),
        "they speak of different relays"
    );

    let marks = "\"".repeat(900) + "not ".repeat(20).as_str() + &"(".repeat(50);
    assert_eq!(rules.read(&marks).n_sentences(), 0);
    // Sentences behind many signs that could begin a heading.
    let signs = "#".repeat(8_000_000) + &" ab. ab.".repeat(20_000);
    let signs = rules.read(&signs);
    assert_eq!(signs.n_sentences(), 0);
    assert!(signs.n_skipped() >= 40_000 - SENTENCES_READ_MAX);
    rules.read(&". ".repeat(1_000_000));
    rules.read(&"-".repeat(1_000_000));
    rules.read(&"a: ".repeat(300_000));
    rules.read(&"~~".repeat(500_000));
    rules.read(&"~~ ".repeat(500_000));
}

/// Pieces of sentences that meet the rules.
const PIECES: [&str; 44] = [
    "the relay",
    "listens",
    "on port 8093",
    "on port 8443",
    "is",
    "not",
    "never",
    "encrypted",
    "unencrypted",
    "open",
    "closed",
    "on Mondays",
    "for 30 days",
    "for 90 days",
    "Oslo",
    "Berlin",
    "before",
    "after",
    "without",
    "at least",
    "2026-05-02",
    "5 pm",
    "\u{20ac}5",
    "must",
    "no longer",
    "now",
    "every two weeks",
    "weekly",
    "second",
    "half past two",
    ",",
    ".",
    ";",
    "\"",
    "\n",
    ": ",
    "Anna",
    "owns",
    "called main",
    "-5",
    "\u{e9}\u{1f600}",
    "instead of",
    "#42",
    "or later",
];

fn said() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..14)
        .prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn comparisons_are_symmetric_and_marks_fit(a in said(), b in said()) {
        let rules = rules();
        let (x, y) = (rules.read(&a), rules.read(&b));
        let (there, back) = (rules.compare(&x, &y), rules.compare(&y, &x));
        match (there, back) {
            (Verdict::Contradiction(there), Verdict::Contradiction(back)) => {
                prop_assert_eq!((there.kind, there.sure, there.update), (back.kind, back.sure, back.update.map(Side::other)));
                prop_assert_eq!((&there.a, &there.b), (&back.b, &back.a));
                prop_assert!(there.score.is_finite() && (0.0..=1.0).contains(&there.score));
                for (text, place) in [(&a, &there.a), (&b, &there.b)] {
                    prop_assert!(!place.words.is_empty());
                    for word in &place.words {
                        prop_assert!(place.sentence.start <= word.start && word.end <= place.sentence.end);
                        prop_assert!(!text[word.clone()].is_empty());
                    }
                }
            }
            (Verdict::Apart(there), Verdict::Apart(back)) => prop_assert_eq!(there, back),
            (there, back) => prop_assert!(false, "{:?} {:?}", there, back),
        }
    }

    #[test]
    fn no_text_contradicts_itself(a in said(), b in "\\PC{0,60}") {
        let rules = rules();
        for text in [&a, &b] {
            prop_assert_eq!(rules.compare(&rules.read(text), &rules.read(text)), Verdict::Apart(Apart::Same));
        }
        rules.compare(&rules.read(&a), &rules.read(&b));
    }

    #[test]
    fn sentences_compare_symmetrically_and_only_if_they_overlap(a in said(), b in said()) {
        let rules = rules();
        let (x, y) = (rules.read(&a), rules.read(&b));
        for of_a in 0..x.n_sentences() {
            for of_b in 0..y.n_sentences() {
                let there = rules.compare_sentences(&x, of_a, &y, of_b);
                let back = rules.compare_sentences(&y, of_b, &x, of_a);
                match (&there, &back) {
                    (Verdict::Contradiction(there), Verdict::Contradiction(back)) => {
                        prop_assert_eq!((there.kind, there.sure), (back.kind, back.sure));
                        prop_assert_eq!(there.update, back.update.map(Side::other));
                        prop_assert_eq!((&there.a, &there.b), (&back.b, &back.a));
                    }
                    (Verdict::Apart(there), Verdict::Apart(back)) => prop_assert_eq!(there, back),
                    (there, back) => prop_assert!(false, "{:?} {:?}", there, back),
                }
                if let Verdict::Contradiction(found) = there {
                    let (one, other) = (x.subject(of_a), y.subject(of_b));
                    let n_both = one.iter().filter(|word| other.contains(word)).count();
                    let n_all = one.len() + other.len() - n_both;
                    prop_assert!(n_both as f64 / n_all as f64 >= memlens_contradict::OVERLAP_MIN);
                    prop_assert_eq!(found.score, n_both as f64 / n_all as f64);
                }
            }
        }
    }
}
