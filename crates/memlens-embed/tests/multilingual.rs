//! Tests of the real multilingual model: ids against the tokenizers crate, roles, counts, long and unusual texts.
//!
//! The model is optional: without it (`cargo xtask setup --model multilingual`) each test says so and ends.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use memlens_embed::{CosineScale, Embedder, Locations, Model, Multilingual};
use tokenizers::Tokenizer;

fn locations() -> Option<Locations> {
    let checkout = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let extra = [".fetched/onnxruntime", ".fetched/multilingual"].map(|it| checkout.join(it));
    let found = Locations::find_model(Model::Multilingual, &extra);
    if let Err(error) = &found {
        eprintln!("not tested: {error}");
    }
    found.ok()
}

fn load() -> Option<Multilingual> {
    Some(Multilingual::load(&locations()?, 1).expect("library and model fit"))
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
fn tokens_are_counted_as_by_the_tokenizers_crate() {
    let Some(at) = locations() else { return };
    let model = Multilingual::load(&at, 1).expect("library and model fit");
    let theirs = Tokenizer::from_file(at.model.join("tokenizer.json")).expect("it is valid");
    for text in TEXTS {
        let expected = theirs
            .encode_fast(*text, false)
            .expect("it takes every text");
        assert_eq!(model.count_tokens(text) as usize, expected.len(), "{text}");
    }
}

/// In eleven languages, code, emoji and characters that NFKC changes.
const TEXTS: &[&str] = &[
    "The relay in the hall is switched off between 22:00 and 06:00.",
    "Lena muss am 14. Mai um 9:30 Uhr zur zahnärztlichen Kontrolle.",
    "La sauvegarde du serveur est restaurée chaque premier lundi du mois.",
    "Las plantas del balcón se riegan cada diez días; en invierno, la mitad.",
    "Резервную копию сервера восстанавливаем раз в месяц.",
    "妈妈的血压药每天早饭后吃一片,周末我要帮她把下周的药分进药盒。",
    "母の血圧の薬は毎朝食後に一錠。週末に来週分を薬箱に分ける。",
    "اجتماع الفريق يوم الأحد الساعة العاشرة صباحًا.",
    "दादी को मूंगफली से एलर्जी है, बाहर खाना मँगाते समय बताना ज़रूरी है।",
    "백업은 매달 첫째 월요일에 복원해 본다.",
    "ประชุมทีมทุกวันอาทิตย์ตอนสิบโมงเช้า",
    "fn merge_user(cache: &mut Cache) -> Result<(), Error> { cache.lock()? }",
    "deploy 🚀🚀 done ✅ ﬁne ½ № ㎏ ＡＢＣ１２３",
    "e\u{301}te\u{301} na\u{308}chste",
    "a\tb\n\nc   d",
];

#[test]
fn questions_and_notes_of_any_language_meet() {
    let Some(mut model) = load() else { return };
    let notes = [TEXTS[1], TEXTS[2], TEXTS[5], TEXTS[7]];
    let questions = [
        "When is Lena's dental check?",
        "How often do we try to restore the backup?",
        "When does mum take her blood pressure pills?",
        "When does the team meet?",
    ];
    let notes = model.embed(&notes, &NEVER).expect("notes have vectors");
    let questions = model
        .embed_questions(&questions, &NEVER)
        .expect("questions have vectors");
    let scale = CosineScale::for_model(&model.info().id);
    for (at, question) in questions.iter().enumerate() {
        let scores: Vec<f64> = notes
            .iter()
            .map(|note| scale.score(cosine(question, note)))
            .collect();
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        assert_eq!(scores[at], best, "question {at}: {scores:?}");
        let others = scores.iter().enumerate().filter(|(other, _)| *other != at);
        let mean = others.map(|(_, score)| score).sum::<f64>() / 3.0;
        assert!(best > 0.2 && mean < 0.2, "question {at}: {scores:?}");
    }
}

#[test]
fn a_question_is_read_otherwise_than_a_note() {
    let Some(mut model) = load() else { return };
    let question = model.embed_questions(&["relay"], &NEVER).expect("a vector");
    let note = model.embed(&["relay"], &NEVER).expect("a vector");
    let cosine = cosine(&question[0], &note[0]);
    assert!((0.8..0.9999).contains(&cosine), "{cosine}");
}

#[test]
fn what_follows_the_last_token_is_not_seen() {
    let Some(mut model) = load() else { return };
    let n_read = model.info().max_tokens - 2;
    let text = |n: usize| vec!["the"; n].join(" ");
    assert_eq!(model.count_tokens(&text(n_read)) as usize, n_read);
    let (full, longer) = (text(n_read), format!("{} relay", text(n_read)));
    let much_longer = format!("{longer}{}", " night".repeat(20_000));
    let shorter = text(n_read - 1);
    let vectors = model
        .embed(&[&full, &longer, &much_longer, &shorter], &NEVER)
        .expect("every text has a vector");
    assert_eq!(vectors[0], vectors[1]);
    assert_eq!(vectors[0], vectors[2]);
    assert_ne!(vectors[0], vectors[3]);
}

#[test]
fn odd_texts_have_vectors() {
    let Some(mut model) = load() else { return };
    let long = [
        "备份".repeat(100_000),
        " ".repeat(100_000),
        "x".repeat(1_000_000),
    ];
    let texts = [
        "", " \n", "\0", "🎉🎉", "<s> </s>", &long[0], &long[1], &long[2],
    ];
    let vectors = model
        .embed(&texts, &NEVER)
        .expect("every text has a vector");
    for (text, vector) in texts.iter().zip(vectors) {
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-4, "{text:.20}");
    }
    let n_tokens = model.count_tokens(&long[0]);
    assert!((50_000..=200_100).contains(&n_tokens), "{n_tokens}");
}

#[test]
fn tokens_have_vectors_and_places() {
    let Some(mut model) = load() else { return };
    let text = "Lena's café, 妈妈";
    let found = model.token_vectors(text).expect("it returns them");
    assert_eq!(found.vectors.len(), found.ranges.len() * 384);
    let whole: String = found
        .ranges
        .iter()
        .map(|range| &text[range.clone()])
        .collect();
    assert_eq!(whole.replace(' ', ""), "Lena'scafé,妈妈");
}

#[test]
fn what_the_model_cannot_read_is_known() {
    let Some(model) = load() else { return };
    for (text, expected) in [
        ("", true),
        ("where does the router stand?", true),
        ("备份", true),
        ("สำรองข้อมูล", true),
        ("\u{13000}\u{13001}\u{13002}", false),
        ("\u{13000} \u{13001} \u{13002}", false),
    ] {
        assert_eq!(model.reads(text), expected, "{text}");
    }
}
