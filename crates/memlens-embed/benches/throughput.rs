//! Compares the speed of the bundled model with that of ONNX Runtime alone on the same threads.
//!
//! Run by `cargo xtask bench`, or alone by `cargo bench --profile dev -p memlens-embed --bench throughput`. Prints one
//! series per line as JSON. The bare session has the same model file and settings and gets prepared token ids: it
//! neither tokenizes nor pools and normalises, which [`Bundled`] does within its time.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use memlens_embed::{Bundled, Embedder, Locations, indexing_threads};
use ort::environment::Environment;
use ort::session::Session;
use ort::value::TensorRef;
use serde_json::json;
use tokenizers::{Tokenizer, TruncationParams};

/// Number of chunks, and their minimum length.
const N_CHUNKS: usize = 500;
const CHUNK_CHARS: usize = 1500;
/// Maximum number of tokens of a chunk, as in [`Bundled`].
const MAX_TOKENS: usize = 256;
/// Both sides take turns after this many chunks, so that other load slows both down.
const BLOCK: usize = 10;
/// Makes this program the process that runs ONNX Runtime alone: fastembed does not share the one environment of its
/// process.
const ALONE: &str = "--onnxruntime-alone";

fn main() {
    let chunks = chunks();
    let threads = indexing_threads();
    if env::args().any(|argument| argument == ALONE) {
        serve(&chunks, threads);
    } else {
        compare(&chunks, threads);
    }
}

/// Embeds block after block, alternating with a process that runs ONNX Runtime alone.
fn compare(chunks: &[String], threads: usize) {
    let at = Locations::find(&[]).expect("`cargo xtask setup` was run");
    let mut bundled = Bundled::load(&at, threads).expect("library and model fit");
    assert_eq!(bundled.info().max_tokens, MAX_TOKENS);
    let mut alone = Alone::start();
    let go_on = AtomicBool::new(false);
    let mut embed = |block: &[String]| {
        let started = Instant::now();
        for chunk in block {
            let embedded = bundled.embed(&[chunk], &go_on);
            embedded.expect("a chunk has a vector");
        }
        started.elapsed()
    };
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // Runs the first block once before, to warm up.
    embed(&chunks[..BLOCK]);
    alone.run(0);
    for (number, block) in chunks.chunks(BLOCK).enumerate() {
        // Each side goes first every other time.
        let (embedded, ran) = if number % 2 == 0 {
            let embedded = embed(block);
            (embedded, alone.run(number))
        } else {
            let ran = alone.run(number);
            (embed(block), ran)
        };
        let rate = |time: Duration| block.len() as f64 / time.as_secs_f64();
        ours.push(rate(embedded));
        theirs.push(rate(ran));
        ratios.push(rate(embedded) / rate(ran));
    }
    let note = format!("{N_CHUNKS} chunks of {CHUNK_CHARS} characters, threads: {threads}");
    print("embed chunks", "/s", &note, &ours);
    print("embed chunks, ONNX Runtime alone", "/s", &note, &theirs);
    let note = "tokenizer, pooling and unit length cost time on our side only";
    print("embed chunks, ratio to ONNX Runtime", "", note, &ratios);
}

/// Runs the blocks whose numbers it reads, and prints the nanoseconds that each took.
fn serve(chunks: &[String], threads: usize) {
    let at = Locations::find(&[]).expect("the other process found them");
    let _builder = ort::init_from(&at.runtime).expect("the other process loaded it");
    let environment = ort::init().build().expect("this process has none yet");
    let mut bare = Bare::load(&environment, &at.model, threads);
    let tokens: Vec<Vec<i64>> = chunks.iter().map(|chunk| bare.tokens(chunk)).collect();
    for number in std::io::stdin().lines() {
        let number: usize = number
            .expect("the other process writes text")
            .parse()
            .expect("and numbers only");
        let started = Instant::now();
        for ids in tokens.iter().skip(number * BLOCK).take(BLOCK) {
            bare.run(ids);
        }
        println!("{}", started.elapsed().as_nanos());
    }
}

/// The process that runs ONNX Runtime alone; it ends when this is dropped.
struct Alone {
    _process: Child,
    numbers: ChildStdin,
    times: BufReader<ChildStdout>,
}

impl Alone {
    fn start() -> Alone {
        let program = env::current_exe().expect("this program has a path");
        let mut process = Command::new(program)
            .arg(ALONE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started once more");
        Alone {
            numbers: process.stdin.take().expect("it was piped"),
            times: BufReader::new(process.stdout.take().expect("it was piped")),
            _process: process,
        }
    }

    /// Runs a block and returns the time that it took.
    fn run(&mut self, number: usize) -> Duration {
        writeln!(self.numbers, "{number}").expect("the other process listens");
        let mut nanos = String::new();
        self.times
            .read_line(&mut nanos)
            .expect("the other process answers");
        Duration::from_nanos(nanos.trim().parse().expect("with a number"))
    }
}

fn print(name: &str, unit: &str, note: &str, samples: &[f64]) {
    println!(
        "{}",
        json!({ "name": name, "unit": unit, "note": note, "samples": samples })
    );
}

/// The model in its own session.
struct Bare {
    session: Session,
    tokenizer: Tokenizer,
}

impl Bare {
    fn load(environment: &Environment, model: &Path, threads: usize) -> Bare {
        let session = Session::builder(environment)
            .and_then(|builder| Ok(builder.with_intra_threads(threads)?))
            .and_then(|builder| {
                Ok(builder.with_config_entry("session.intra_op.allow_spinning", "0")?)
            })
            .and_then(|mut builder| builder.commit_from_file(model.join("model.onnx")))
            .expect("the model was loaded before");
        let mut tokenizer =
            Tokenizer::from_file(model.join("tokenizer.json")).expect("it was loaded before");
        let truncation = TruncationParams {
            max_length: MAX_TOKENS,
            ..TruncationParams::default()
        };
        tokenizer
            .with_truncation(Some(truncation))
            .expect("the model has a longest text");
        tokenizer.with_padding(None);
        Bare { session, tokenizer }
    }

    fn tokens(&self, text: &str) -> Vec<i64> {
        let encoding = self
            .tokenizer
            .encode_fast(text, true)
            .expect("the tokenizer takes every text");
        encoding.get_ids().iter().map(|id| i64::from(*id)).collect()
    }

    fn run(&mut self, ids: &[i64]) {
        let shape = [1, ids.len()];
        let (mask, types) = (vec![1_i64; ids.len()], vec![0_i64; ids.len()]);
        let tensor =
            |values| TensorRef::from_array_view((shape, values)).expect("it has the shape");
        let inputs = ort::inputs! {
            "input_ids" => tensor(ids),
            "attention_mask" => tensor(&mask[..]),
            "token_type_ids" => tensor(&types[..]),
        };
        let outputs = self.session.run(inputs).expect("the model runs");
        assert!(outputs.len() > 0, "the model answers");
    }
}

/// Returns distinct chunks made of the words of the fixture's notes.
fn chunks() -> Vec<String> {
    let words = words();
    // Steps that are coprime to the number of words visit all words, each in a different order.
    let steps = (1..).filter(|step| greatest_common_divisor(*step, words.len()) == 1);
    let chunk = |step: usize| {
        let mut chunk = String::new();
        for at in 1.. {
            if chunk.len() >= CHUNK_CHARS {
                break;
            }
            chunk += &words[at * step % words.len()];
            chunk.push(if at % 12 == 0 { '\n' } else { ' ' });
        }
        chunk
    };
    steps.map(chunk).take(N_CHUNKS).collect()
}

fn words() -> Vec<String> {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/agent-memory-57");
    let mut words = BTreeSet::new();
    for folder in ["people", "protocols", "reference"] {
        for note in fs::read_dir(fixture.join(folder)).expect("the fixture is there") {
            let note = note.expect("the fixture can be read").path();
            let text = fs::read_to_string(note).expect("a note is text");
            words.extend(text.split_whitespace().map(str::to_owned));
        }
    }
    words.into_iter().collect()
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}
