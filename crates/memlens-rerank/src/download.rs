//! Downloads a model that the user requested, and nothing else.
//!
//! Every file is requested from the hub, which redirects most requests to a storage server. A file has a temporary name
//! until it is complete and its checksum is the one that the hub announced, and the one that this program knows or that the first
//! download had ([`sums`]). If the connection breaks or the user stops
//! the download, the downloaded part stays and is continued later. No account is used and no data about this machine is
//! sent.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use memlens_embed::HubModel;
use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url};
use sha2::{Digest, Sha256};
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::http::{Kind, Provider, builder, host, root_cause};
use crate::models::Model;
use crate::{CancellationToken, RerankError, runtime, sum};

use sums::Sums;

pub(crate) mod sums;

/// The environment variable that names another hub; other programs read it too.
const HUB_VARIABLE: &str = "HF_ENDPOINT";
/// The environment variable by which the user forbids downloads; other programs read it too.
const OFFLINE_VARIABLE: &str = "HF_HUB_OFFLINE";
const HUB: &str = "https://huggingface.co";
/// The requested revision of a model that was never downloaded; the commit that it names at that time is downloaded.
const REVISION: &str = "main";

/// The headers in which the hub gives a redirected file's checksum and commit.
const LINKED_SUM: &str = "x-linked-etag";
const COMMIT: &str = "x-repo-commit";
/// Number of characters of a sha256.
const SUM_CHARS: usize = 64;

const N_REDIRECTS_MAX: usize = 10;
/// A server that does not accept a connection, or sends nothing, for this long is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a broken connection is resumed where it broke, and the first pause before that, which then doubles.
const N_RESUMES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// File extension of incomplete files.
const PART: &str = "part";

/// Files of a repository that are downloaded into a folder.
pub(crate) struct Wanted {
    /// Name of the model, and of its folder in the folder of models.
    pub(crate) name: &'static str,
    pub(crate) repository: &'static str,
    /// The commit to download; `None` for that of the first download, or else the newest one.
    pub(crate) revision: Option<&'static str>,
    pub(crate) files: Vec<&'static str>,
    /// Known checksums: files with their sha256.
    pub(crate) sums: &'static [(&'static str, &'static str)],
}

impl Model {
    /// Downloads the missing files of the model into its folder in `models`, and returns that folder. See [`download_embedding`].
    ///
    /// # Errors
    /// Like [`download_embedding`].
    pub fn download(
        &self,
        models: &Path,
        progress: &mut dyn FnMut(u64, u64),
        cancel: &CancellationToken,
    ) -> Result<PathBuf, RerankError> {
        let folder = self.folder(models);
        if self.is_there(models) {
            return Ok(folder);
        }
        if let Some(former) = self.former {
            // A part of a graph that is not downloaded any more would never be continued.
            let path = folder.join(former);
            match forget_others(&path, &path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(RerankError::Download {
                        name: self.name,
                        cause: format!("{}: {error}", folder.display()),
                    });
                }
                Ok(()) | Err(_) => {}
            }
        }
        self.wanted().download(models, progress, cancel)
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            name: self.name,
            repository: self.repository,
            revision: self.revision,
            files: self.files().collect(),
            sums: self.sums,
        }
    }
}

/// Downloads the missing files of an embedding model into its folder in `models`, and returns that folder.
///
/// `progress` is called repeatedly, from this thread, with the downloaded bytes and those of the whole model.
/// Blocks until the download is complete. Must not be called from a thread that runs async tasks. Existing files
/// are not requested again, so a complete model needs no network.
///
/// # Errors
/// [`RerankError::Download`] with the cause, or [`RerankError::DownloadCancelled`]; the next call continues from
/// there. [`RerankError::Url`] if `HF_ENDPOINT` is not a usable address.
pub fn download_embedding(
    model: &HubModel,
    models: &Path,
    progress: &mut dyn FnMut(u64, u64),
    cancel: &CancellationToken,
) -> Result<PathBuf, RerankError> {
    let wanted = Wanted {
        name: model.name,
        repository: model.repository,
        revision: model.revision,
        files: model.files().collect(),
        sums: model.sums,
    };
    wanted.download(models, progress, cancel)
}

/// Returns the host that models are downloaded from.
pub fn hub_host() -> String {
    let named = env::var(HUB_VARIABLE)
        .ok()
        .filter(|hub| !hub.trim().is_empty());
    let hub = hub_url(named.as_deref().unwrap_or(HUB));
    hub.map_or_else(|_| HUB_VARIABLE.to_owned(), |url| host(&url))
}

/// Returns why nothing may be downloaded; `None` if the user may start a download.
pub fn downloads_are_off() -> Option<String> {
    let value = env::var(OFFLINE_VARIABLE).ok()?;
    let is_set = ["1", "true", "yes", "on"].contains(&value.trim().to_lowercase().as_str());
    is_set.then(|| format!("downloads are switched off by the variable {OFFLINE_VARIABLE}"))
}

impl Wanted {
    fn download(
        &self,
        models: &Path,
        progress: &mut dyn FnMut(u64, u64),
        cancel: &CancellationToken,
    ) -> Result<PathBuf, RerankError> {
        let named = env::var(HUB_VARIABLE).ok();
        let hub = named.filter(|hub| !hub.trim().is_empty());
        self.download_from(hub.as_deref().unwrap_or(HUB), models, progress, cancel)
    }

    fn download_from(
        &self,
        hub: &str,
        models: &Path,
        progress: &mut dyn FnMut(u64, u64),
        cancel: &CancellationToken,
    ) -> Result<PathBuf, RerankError> {
        let folder = models.join(self.name);
        if self.files.iter().all(|file| folder.join(file).is_file()) {
            return Ok(folder);
        }
        let failed = |cause: String| RerankError::Download {
            name: self.name,
            cause,
        };
        if let Some(why) = downloads_are_off() {
            return Err(failed(why));
        }
        let hub = hub_url(hub)?;
        let client = builder(&hub)
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .build()
            .map_err(|error| failed(root_cause(&error)))?;
        let hub = Hub {
            client,
            url: hub,
            wanted: self,
            sums: Sums::new(models, self),
        };
        let work = hub.fetch(&folder, progress);
        let outcome = runtime::block_on(cancel.run_until_cancelled(work))
            .map_err(|error| failed(error.to_string()))?;
        match outcome {
            None => Err(RerankError::DownloadCancelled { name: self.name }),
            Some(Err(cause)) => Err(failed(cause)),
            Some(Ok(())) => Ok(folder),
        }
    }
}

/// Returns the hub's address; one without encryption must be on this machine.
fn hub_url(hub: &str) -> Result<Url, RerankError> {
    Provider::new(Kind::Custom, hub).endpoint()
}

/// A repository of a hub. Its error messages name the file or the host.
struct Hub<'a> {
    client: Client,
    url: Url,
    wanted: &'a Wanted,
    sums: Sums<'a>,
}

/// The hub's metadata of a file.
struct Remote {
    name: &'static str,
    n_bytes: u64,
    /// The content's sha256, which the hub gives only for large files.
    sum: Option<String>,
    /// Changes whenever the content changes.
    tag: String,
    commit: String,
}

/// The response to a request for a file.
struct Answer {
    response: Response,
    /// The headers of the hub's own response, before the redirect.
    first: HeaderMap,
}

/// Why a file is not complete yet.
enum Failure {
    /// The connection broke and can be resumed.
    Broken(String),
    /// Another attempt would fail too.
    Final(String),
}

impl Hub<'_> {
    async fn fetch(&self, folder: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<(), String> {
        let revision = match self.wanted.revision {
            Some(revision) => revision.to_owned(),
            None => self.sums.revision()?.unwrap_or_else(|| REVISION.to_owned()),
        };
        let mut remotes = Vec::with_capacity(self.wanted.files.len());
        for name in &self.wanted.files {
            let remote = self.look(name, &revision).await?;
            if let Some(announced) = &remote.sum {
                // Found before gigabytes are downloaded.
                self.sums.check(name, announced)?;
            }
            remotes.push(remote);
        }
        let total = remotes.iter().map(|remote| remote.n_bytes).sum();
        let mut before = 0;
        for remote in &remotes {
            let path = folder.join(remote.name);
            let mut report = |n_bytes: u64| progress(before + n_bytes, total);
            if fs::metadata(&path).is_ok_and(|file| file.len() == remote.n_bytes) {
                report(remote.n_bytes);
            } else {
                self.fetch_file(remote, &path, &mut report).await?;
            }
            before += remote.n_bytes;
        }
        Ok(())
    }

    /// Requests a file's metadata without its content.
    async fn look(&self, name: &'static str, revision: &str) -> Result<Remote, String> {
        let Answer { response, first } = self.ask(name, revision, "bytes=0-0".to_owned()).await?;
        let status = response.status();
        let headers = response.headers();
        let n_bytes = match status {
            StatusCode::PARTIAL_CONTENT => whole_bytes(headers),
            // A server that ignores the range sends the whole file with its length, as does one with an empty file.
            _ => response.content_length(),
        };
        let wrong = |what: &str| format!("{} does not report {what} of {name}", host(&self.url));
        let tag = text(&first, LINKED_SUM)
            .or_else(|| text(&first, ETAG.as_str()))
            .or_else(|| text(headers, ETAG.as_str()));
        let is_sum =
            |tag: &String| tag.len() == SUM_CHARS && tag.chars().all(|c| c.is_ascii_hexdigit());
        Ok(Remote {
            name,
            n_bytes: n_bytes.ok_or_else(|| wrong("the length"))?,
            sum: text(&first, LINKED_SUM).filter(is_sum),
            tag: tag.ok_or_else(|| wrong("the version"))?,
            commit: text(&first, COMMIT).unwrap_or_else(|| revision.to_owned()),
        })
    }

    /// Downloads the missing part of a file, and renames it once it is complete.
    async fn fetch_file(
        &self,
        remote: &Remote,
        path: &Path,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), String> {
        let parent = path.parent().unwrap_or(path);
        let at_path = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(parent).map_err(|error| at_path(parent, error))?;
        let part = part_path(path, &remote.tag);
        forget_others(path, &part).map_err(|error| at_path(parent, error))?;
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let mut file =
            memlens_files::open_own(&part, &mut options).map_err(|error| at_path(&part, error))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => "it is already being downloaded".to_owned(),
            TryLockError::Error(error) => at_path(&part, error),
        })?;
        let mut n_resumes = 0;
        loop {
            match self.append(remote, &mut file, progress).await {
                Ok(()) => break,
                Err(Failure::Broken(_)) if n_resumes < N_RESUMES => {
                    sleep(FIRST_PAUSE * 2_u32.pow(n_resumes)).await;
                    n_resumes += 1;
                }
                Err(Failure::Broken(cause) | Failure::Final(cause)) => return Err(cause),
            }
        }
        let checked = sum_of(&mut file, remote).and_then(|sum| {
            self.sums.check(remote.name, &sum)?;
            Ok(sum)
        });
        let sum = match checked {
            Ok(sum) => sum,
            Err(cause) => {
                // The partial file is unusable.
                drop(file);
                fs::remove_file(&part).map_err(|error| at_path(&part, error))?;
                return Err(cause);
            }
        };
        self.sums.remember(&remote.commit, remote.name, &sum)?;
        file.sync_all().map_err(|error| at_path(&part, error))?;
        drop(file);
        memlens_files::rename(&part, path).map_err(|error| at_path(path, error))
    }

    /// Appends the missing part to a file.
    async fn append(
        &self,
        remote: &Remote,
        file: &mut File,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), Failure> {
        let written = |error: io::Error| Failure::Final(format!("{}: {error}", remote.name));
        let mut n_bytes = file.seek(SeekFrom::End(0)).map_err(written)?;
        if n_bytes > remote.n_bytes {
            file.set_len(0).map_err(written)?;
            n_bytes = file.seek(SeekFrom::Start(0)).map_err(written)?;
        }
        progress(n_bytes);
        if n_bytes == remote.n_bytes {
            return Ok(());
        }
        let range = format!("bytes={n_bytes}-");
        let answer = self.ask(remote.name, &remote.commit, range).await;
        let mut response = answer.map_err(Failure::Broken)?.response;
        match first_byte(response.headers()) {
            Some(first) if first == n_bytes => {}
            Some(_) => {
                let cause = format!(
                    "{} sent the wrong part of {}",
                    host(response.url()),
                    remote.name
                );
                return Err(Failure::Final(cause));
            }
            // The server sends the whole file.
            None => {
                file.set_len(0).map_err(written)?;
                n_bytes = file.seek(SeekFrom::Start(0)).map_err(written)?;
            }
        }
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    file.write_all(&bytes).map_err(written)?;
                    n_bytes += bytes.len() as u64;
                    progress(n_bytes.min(remote.n_bytes));
                    // Yields after each part, so that cancelling is noticed even if the next part is there already.
                    yield_now().await;
                }
                Ok(None) if n_bytes == remote.n_bytes => return Ok(()),
                Ok(None) => {
                    let cause = format!(
                        "{} ended after {n_bytes} of {} bytes",
                        remote.name, remote.n_bytes
                    );
                    return Err(Failure::Broken(cause));
                }
                Err(error) => {
                    let cause = format!(
                        "the connection for {} broke: {}",
                        remote.name,
                        root_cause(&error)
                    );
                    return Err(Failure::Broken(cause));
                }
            }
        }
    }

    /// Requests a part of a file, and follows redirects.
    async fn ask(&self, name: &str, revision: &str, range: String) -> Result<Answer, String> {
        let mut url = self.url.clone();
        url.path_segments_mut()
            .expect("an address with a host has a path")
            .pop_if_empty()
            .extend(self.wanted.repository.split('/'))
            .extend(["resolve", revision])
            .extend(name.split('/'));
        let mut first = None;
        for _ in 0..=N_REDIRECTS_MAX {
            let asked = self.client.get(url.clone()).header(RANGE, &range);
            let response = asked.send().await.map_err(|error| {
                format!("cannot connect to {}: {}", host(&url), root_cause(&error))
            })?;
            let headers = response.headers();
            // The file's metadata is in the response that redirects away from the hub.
            if first.is_none() || headers.contains_key(LINKED_SUM) {
                first = Some(headers.clone());
            }
            let status = response.status();
            if status.is_redirection() {
                let to = text(headers, LOCATION.as_str()).and_then(|to| url.join(&to).ok());
                url = to.ok_or_else(|| format!("{} redirects to no address", host(&url)))?;
                continue;
            }
            if !status.is_success() {
                return Err(format!("{} answered {status} for {name}", host(&url)));
            }
            let first = first.unwrap_or_default();
            return Ok(Answer { response, first });
        }
        Err(format!("{} redirects too many times", host(&self.url)))
    }
}

/// Returns a header's text without the quotes of tags.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(text.trim_start_matches("W/").replace('"', ""))
}

/// Returns the length of the whole file of which a part is sent.
fn whole_bytes(headers: &HeaderMap) -> Option<u64> {
    let range = text(headers, CONTENT_RANGE.as_str())?;
    range.rsplit_once('/')?.1.parse().ok()
}

/// Returns the position of the first byte that is sent; `None` if the response is not a part.
fn first_byte(headers: &HeaderMap) -> Option<u64> {
    let range = text(headers, CONTENT_RANGE.as_str())?;
    let range = range.strip_prefix("bytes ")?;
    range.split_once('-')?.0.parse().ok()
}

/// Returns the path of an incomplete file. Parts of another version have another name and are not continued.
fn part_path(path: &Path, tag: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    let tag: String = tag.chars().filter(char::is_ascii_alphanumeric).collect();
    name.push(format!(".{tag}.{PART}"));
    path.with_file_name(name)
}

/// Removes incomplete files of other versions.
fn forget_others(path: &Path, part: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for entry in fs::read_dir(path.parent().unwrap_or(path))? {
        let other = entry?.path();
        let is_part = other.extension().is_some_and(|extension| extension == PART);
        let is_of_file = other
            .file_name()
            .is_some_and(|other| other.to_string_lossy().starts_with(&format!("{name}.")));
        if is_part && is_of_file && other != part {
            fs::remove_file(other)?;
        }
    }
    Ok(())
}

/// Returns the checksum of a complete file, which must be the one that the hub announced, if it did.
fn sum_of(file: &mut File, remote: &Remote) -> Result<String, String> {
    let read = |error: io::Error| format!("{}: {error}", remote.name);
    let mut sum = Sha256::new();
    file.seek(SeekFrom::Start(0)).map_err(read)?;
    sum::add(&mut sum, file).map_err(read)?;
    let sum = sum::hex(sum);
    match &remote.sum {
        Some(announced) if !sum.eq_ignore_ascii_case(announced) => Err(format!(
            "what came of {} is not what the hub announced",
            remote.name
        )),
        Some(_) | None => Ok(sum),
    }
}

/// Checks, with a hub on this machine, that a whole model is downloaded and can be loaded; broken, stopped and outdated
/// downloads; the hub's possible errors; that existing files are not requested.
#[cfg(test)]
mod tests;
