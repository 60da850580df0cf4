use std::io::{self, Read};
use std::path::PathBuf;

use memlens_document::Document;
use memlens_engine::acts;
use memlens_engine::providers;
use memlens_engine::{HttpChoice, HttpState, KeyState, Library, RerankChange, RerankTest};
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::{RerankProviderAct, RerankProviderArgs, SetProviderArgs};
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::open;

/// The most bytes read as a key; no real key is this long.
const KEY_BYTES_MAX: u64 = 64 << 10;

#[derive(Serialize)]
struct ProviderReport {
    schema_version: u32,
    /// `None` if no provider was ever set.
    provider: Option<HttpState>,
}

#[derive(Serialize)]
struct TestReport {
    schema_version: u32,
    #[serde(flatten)]
    test: RerankTest,
}

/// Sets, shows, tests or switches off the HTTP provider.
pub fn run(library: Option<PathBuf>, arguments: &RerankProviderArgs) -> Result<(), CliError> {
    let library = open(library)?;
    match &arguments.act {
        RerankProviderAct::Set(arguments) => set(&library, arguments),
        RerankProviderAct::Show(arguments) => {
            let provider = providers::rerank_settings(&library)?.http;
            if arguments.json {
                return print_json(&ProviderReport {
                    schema_version: 1,
                    provider,
                });
            }
            print(&page(provider.as_ref()))
        }
        RerankProviderAct::Test(arguments) => {
            let test = providers::test_rerank_http(&library, Some(arguments.max_docs))?;
            if arguments.json {
                return print_json(&TestReport {
                    schema_version: 1,
                    test,
                });
            }
            let scores: Vec<String> = test.scores.iter().map(|score| number(*score, 3)).collect();
            let scores = match scores.as_slice() {
                [answer, rest] => {
                    format!("{answer} for the matching text, at most {rest} for the others")
                }
                _ => scores.join(", "),
            };
            let mut page = Document::new();
            page.line(format!(
                "{} answered about {} texts in {} ms: score {} (scale {})",
                test.host,
                test.n_texts,
                number(test.ms, 0),
                scores,
                test.scale
            ));
            test.notices.iter().for_each(|notice| page.line(notice));
            print(&page)
        }
        RerankProviderAct::Off { forget_key } => {
            acts::change_rerank(&library.to_write(), RerankChange::HttpOff)?;
            let provider = providers::rerank_settings(&library)?.http;
            if *forget_key {
                acts::change_rerank(&library.to_write(), RerankChange::ForgetKey)?;
            }
            notify(match provider {
                Some(_) => "the provider is off; nothing is sent",
                None => "no provider is set; nothing is sent",
            });
            Ok(())
        }
    }
}

fn set(library: &Library, arguments: &SetProviderArgs) -> Result<(), CliError> {
    let key = arguments.key_stdin.then(read_key).transpose()?;
    let SetProviderArgs {
        kind,
        url,
        model,
        shape,
        key_env,
        key_stdin: _,
        timeout_ms,
    } = arguments;
    let choice = HttpChoice {
        kind: kind.clone(),
        url: url.clone(),
        model: model.clone(),
        shape: shape.clone(),
        key_env: key_env.clone(),
        timeout_ms: *timeout_ms,
        is_on: true,
    };
    acts::change_rerank(&library.to_write(), RerankChange::Http(choice, key))?;
    let Some(provider) = providers::rerank_settings(library)?.http else {
        return Ok(());
    };
    let host = &provider.host;
    notify(if provider.is_remote {
        format!(
            "{host} is on for this library: --set rerank=http sends it your question and text from your notes"
        )
    } else {
        format!("{host} is on for this library: --set rerank=http uses it")
    });
    if let Some(hint) = hint(&provider) {
        notify(hint);
    }
    Ok(())
}

/// Returns what is still missing before the provider can be asked, as far as that is known.
fn hint(provider: &HttpState) -> Option<String> {
    match (provider.key, &provider.key_env) {
        (KeyState::Unusable, _) => Some("the key that was found is not valid".to_owned()),
        (KeyState::None | KeyState::Unavailable, Some(variable)) => {
            Some(format!("{variable} is not set; set it before you search"))
        }
        (KeyState::None | KeyState::Unavailable, None) if provider.is_remote => Some(
            "it has no key yet: use --key-env VAR, or --key-stdin to store one in the keyring"
                .to_owned(),
        ),
        (KeyState::None | KeyState::Unavailable, None) => None,
        (KeyState::Keyring | KeyState::Environment | KeyState::NotAsked, _) => None,
    }
}

fn read_key() -> Result<String, CliError> {
    let mut key = String::new();
    io::stdin()
        .lock()
        .take(KEY_BYTES_MAX)
        .read_to_string(&mut key)
        .map_err(CliError::Input)?;
    // `echo` ends the key with a line end. An empty key is refused here: storing it would delete the stored key.
    let key = key.trim_end_matches(['\r', '\n']);
    if key.trim().is_empty() {
        return Err(CliError::NoKey);
    }
    Ok(key.to_owned())
}

fn page(provider: Option<&HttpState>) -> Document {
    let mut page = Document::new();
    let Some(provider) = provider else {
        page.line("no provider is set");
        return page;
    };
    let state = if provider.is_on { "on" } else { "off" };
    page.line(format!("{} at {}, {state}", provider.kind, provider.url));
    let model = provider.model.as_deref().unwrap_or("its default");
    page.item(5, format!("model    {model}"));
    if let Some(shape) = &provider.shape {
        page.item(5, format!("shape    {shape}"));
    }
    let key = match provider.key {
        KeyState::Keyring => "in the system's keyring",
        KeyState::Environment => "in the environment",
        KeyState::None => "none",
        KeyState::Unavailable => "in the keyring, which does not answer",
        KeyState::Unusable => "not valid",
        KeyState::NotAsked => "not checked while off",
    };
    let variable = provider.key_env.as_ref();
    let variable = variable.map_or(String::new(), |name| format!(" ({name})"));
    page.item(5, format!("key      {key}{variable}"));
    if let Some(timeout_ms) = provider.timeout_ms {
        page.item(5, format!("timeout  {timeout_ms} ms"));
    }
    let goes = if provider.is_remote {
        "text leaves this machine"
    } else {
        "text stays on this machine"
    };
    page.item(5, format!("host     {}: {goes}", provider.host));
    page
}
