//! Tests of the command line with the real binary, the bundled model and real files.
//!
//! Results go to standard output, everything else to standard error. The exit status is 0 for success, 1 for a failure
//! and 2 for misuse.

#[path = "command_line/hub.rs"]
mod hub;
#[path = "command_line/map.rs"]
mod map;
#[path = "command_line/memlens.rs"]
mod memlens;

#[path = "command_line/agents.rs"]
mod agents;
#[path = "command_line/autopsy.rs"]
mod autopsy;
#[path = "command_line/clusters.rs"]
mod clusters;
#[cfg(unix)]
#[path = "command_line/connecting.rs"]
mod connecting;
#[path = "command_line/copies.rs"]
mod copies;
#[path = "command_line/decaying.rs"]
mod decaying;
#[path = "command_line/downloaded_models.rs"]
mod downloaded_models;
#[path = "command_line/drift.rs"]
mod drift;
#[path = "command_line/emulated_reranking.rs"]
mod emulated_reranking;
#[path = "command_line/emulating.rs"]
mod emulating;
#[path = "command_line/erasing.rs"]
mod erasing;
#[path = "command_line/evaluating.rs"]
mod evaluating;
#[path = "command_line/evergreen.rs"]
mod evergreen;
#[path = "command_line/exporting.rs"]
mod exporting;
#[path = "command_line/exporting_made.rs"]
mod exporting_made;
#[path = "command_line/feedback.rs"]
mod feedback;
#[cfg(unix)]
#[path = "command_line/files.rs"]
mod files;
#[cfg(unix)]
#[path = "command_line/full_disk.rs"]
mod full_disk;
#[path = "command_line/history.rs"]
mod history;
#[path = "command_line/hook.rs"]
mod hook;
#[cfg(unix)]
#[path = "command_line/http_server.rs"]
mod http_server;
#[path = "command_line/indexing.rs"]
mod indexing;
#[cfg(unix)]
#[path = "command_line/killed_export.rs"]
mod killed_export;
#[cfg(unix)]
#[path = "command_line/killing.rs"]
mod killing;
#[path = "command_line/manual.rs"]
mod manual;
#[path = "command_line/models.rs"]
mod models;
#[path = "command_line/naming_models.rs"]
mod naming_models;
#[path = "command_line/note.rs"]
mod note;
#[path = "command_line/odd_arguments.rs"]
mod odd_arguments;
#[path = "command_line/odd_input.rs"]
mod odd_input;
#[path = "command_line/odd_texts.rs"]
mod odd_texts;
#[path = "command_line/oppositions.rs"]
mod oppositions;
#[path = "command_line/overview.rs"]
mod overview;
#[path = "command_line/own_config.rs"]
mod own_config;
#[path = "command_line/questions.rs"]
mod questions;
#[path = "command_line/reading.rs"]
mod reading;
#[path = "command_line/recalling.rs"]
mod recalling;
#[path = "command_line/rerank_model.rs"]
mod rerank_model;
#[path = "command_line/rerank_provider.rs"]
mod rerank_provider;
#[path = "command_line/searching.rs"]
mod searching;
#[path = "command_line/second_opinion.rs"]
mod second_opinion;
#[cfg(unix)]
#[path = "command_line/second_user.rs"]
mod second_user;
#[cfg(unix)]
#[path = "command_line/serving.rs"]
mod serving;
#[cfg(unix)]
#[path = "command_line/serving_http.rs"]
mod serving_http;
#[cfg(unix)]
#[path = "command_line/serving_recorded.rs"]
mod serving_recorded;
#[cfg(unix)]
#[path = "command_line/serving_rerank.rs"]
mod serving_rerank;
#[path = "command_line/sharing.rs"]
mod sharing;
#[cfg(target_os = "linux")]
#[path = "command_line/small_disk.rs"]
mod small_disk;
#[cfg(unix)]
#[path = "command_line/stdio_client.rs"]
mod stdio_client;
#[path = "command_line/tuning.rs"]
mod tuning;
#[path = "command_line/why.rs"]
mod why;
#[path = "command_line/without_runtime.rs"]
mod without_runtime;
