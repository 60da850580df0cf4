//! A repository's own `.git` folder: its newest commit and its objects, and why they cannot be read.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use gix_hash::ObjectId;
use gix_object::FindExt;
use gix_odb::store::init::Options;
use gix_odb::{Handle, HeaderExt};
use gix_ref::file::ReferenceExt;
use memlens_ingest::MAX_FILE_BYTES;

use crate::Commit;

/// Bytes of one object; larger ones are not read.
const OBJECT_BYTES: u64 = MAX_FILE_BYTES;
/// Bytes of a file that names a commit or a format.
const SMALL_FILE_BYTES: u64 = 64 << 10;
/// A symbolic reference leads to another one so often.
const REFS_MOST: usize = 5;

/// Characters of the first line of a message.
const SUBJECT_CHARS: usize = 200;

const LINKED: &str = "a part of its .git folder is a link, which is not followed";

/// A repository that can be read.
pub(crate) struct Repository {
    /// The folder that holds `.git`.
    pub root: PathBuf,
    pub head: ObjectId,
    objects: Handle,
    /// The folder of its objects.
    folder: PathBuf,
    is_shallow: bool,
}

/// A commit with its author's time, its tree and its parents.
type CommitParts = (Commit, i64, ObjectId, Vec<ObjectId>);

impl Repository {
    /// The repository of the nearest folder around a file that has a `.git`, which is `top` or a folder in it; `None` if there is none,
    /// or it has no commit.
    ///
    /// # Errors
    /// Why it cannot be read, as a clause about it.
    pub fn around(top: &Path, file: &Path) -> Result<Option<Repository>, String> {
        let folders = file.parent().into_iter().flat_map(Path::ancestors);
        let mut folders = folders.take_while(|folder| folder.starts_with(top));
        let found = folders.find_map(|folder| {
            let found = folder.join(".git").symlink_metadata().ok()?;
            Some((folder, found))
        });
        match found {
            None => Ok(None),
            Some((_, found)) if found.is_symlink() => Err(LINKED.to_owned()),
            // Of a worktree or a submodule.
            Some((_, found)) if !found.is_dir() => Err(
                "its .git is a file that names a folder elsewhere, which is not read".to_owned(),
            ),
            Some((root, _)) => Repository::open(root),
        }
    }

    fn open(root: &Path) -> Result<Option<Repository>, String> {
        let git = root.join(".git");
        let folder = git.join("objects");
        if folder.symlink_metadata().is_err() || git.join("HEAD").symlink_metadata().is_err() {
            return Ok(None);
        }
        if git.join("commondir").symlink_metadata().is_ok() {
            return Err("its commits are in a folder elsewhere, which is not read".to_owned());
        }
        check_format(&git)?;
        for path in ["objects/info/alternates", "objects/info/http-alternates"] {
            if git.join(path).symlink_metadata().is_ok() {
                return Err(
                    "its objects are in a folder elsewhere (alternates), which is not read"
                        .to_owned(),
                );
            }
        }
        check_no_links(&folder)?;
        check_no_links(&folder.join("pack"))?;
        let name = head_name(&git)?;
        let options = Options {
            alloc_limit_bytes: Some(OBJECT_BYTES as usize),
            ..Options::default()
        };
        let kind = gix_hash::Kind::Sha1;
        let objects =
            gix_odb::at_opts(&folder, kind, None, options).map_err(|error| error.to_string())?;
        let refs = gix_ref::file::Store::at(git.clone(), kind);
        let found = refs.try_find(name.as_str());
        let Some(mut found) = found.map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        let head = found
            .peel_to_id(&refs, &objects)
            .map_err(|error| format!("its newest commit cannot be read: {error}"))?;
        Ok(Some(Repository {
            root: root.to_owned(),
            head,
            objects,
            folder,
            is_shallow: git.join("shallow").symlink_metadata().is_ok(),
        }))
    }

    /// A commit.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn commit(&self, id: ObjectId) -> Result<CommitParts, String> {
        self.check(&id)?;
        let mut buffer = Vec::new();
        let commit = self.objects.find_commit(&id, &mut buffer);
        let commit = commit.map_err(|error| format!("commit {id} cannot be read: {error}"))?;
        let ms = |seconds: i64| seconds.saturating_mul(1000);
        let at = commit.time().map_err(|error| error.to_string())?.seconds;
        let author = commit
            .author()
            .map_err(|error| error.to_string())?
            .seconds();
        let short = Commit {
            id: id.to_string().chars().take(8).collect(),
            at_ms: ms(at),
        };
        Ok((short, ms(author), commit.tree(), commit.parents().collect()))
    }

    /// The first line of a commit's message, at most [`SUBJECT_CHARS`] characters.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn subject(&self, id: &ObjectId) -> Result<String, String> {
        let mut buffer = Vec::new();
        let commit = self.objects.find_commit(id, &mut buffer);
        let commit = commit.map_err(|error| format!("commit {id} cannot be read: {error}"))?;
        let message = String::from_utf8_lossy(commit.message);
        let first = message.trim_start().lines().next().unwrap_or_default();
        Ok(first.chars().take(SUBJECT_CHARS).collect())
    }

    /// The blob at a path of a tree; `None` if there is no regular file.
    ///
    /// # Errors
    /// Why a folder of it cannot be read.
    pub fn blob_at(&self, tree: &ObjectId, path: &str) -> Result<Option<ObjectId>, String> {
        let mut id = *tree;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            let mut entries = self.entries(&id)?.into_iter();
            let found =
                entries.find(|(entry, _, is_folder)| entry == name && *is_folder != is_last);
            match found {
                Some((_, found, _)) => id = found,
                None => return Ok(None),
            }
        }
        Ok(Some(id))
    }

    /// The files and folders of a tree with UTF-8 names, each with whether it is a folder. Links and submodules are left out.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn entries(&self, tree: &ObjectId) -> Result<Vec<(String, ObjectId, bool)>, String> {
        self.check(tree)?;
        let mut buffer = Vec::new();
        let tree = self.objects.find_tree(tree, &mut buffer);
        let tree = tree.map_err(|error| format!("a folder of a commit cannot be read: {error}"))?;
        let entries = tree.entries.iter().filter_map(|entry| {
            let name = std::str::from_utf8(entry.filename).ok()?;
            let is_folder = entry.mode.is_tree();
            (is_folder || entry.mode.is_blob()).then(|| {
                let id: ObjectId = entry.oid.to_owned();
                (name.to_owned(), id, is_folder)
            })
        });
        Ok(entries.collect())
    }

    /// The text of a blob; `None` if it is no text.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn text(&self, blob: &ObjectId) -> Result<Option<String>, String> {
        self.check(blob)?;
        let mut buffer = Vec::new();
        let found = self.objects.find_blob(blob, &mut buffer);
        let found = found.map_err(|error| format!("a note of a commit cannot be read: {error}"))?;
        Ok(memlens_ingest::text_of(found.data))
    }

    /// Checks that an object is there, not too large, and not reached through a link.
    fn check(&self, id: &ObjectId) -> Result<(), String> {
        let hex = id.to_string();
        let loose = self.folder.join(&hex[..2]).join(&hex[2..]);
        if loose.symlink_metadata().is_ok_and(|it| it.is_symlink()) {
            return Err(LINKED.to_owned());
        }
        if id.is_empty_tree() || id.is_empty_blob() {
            return Ok(());
        }
        match self.objects.header(id) {
            Ok(header) if header.size() > OBJECT_BYTES => Err(format!(
                "a file in its commits is larger than {} MiB",
                OBJECT_BYTES >> 20
            )),
            Ok(_) => Ok(()),
            Err(_) if self.is_shallow => {
                Err("its clone is shallow: it lacks older commits".to_owned())
            }
            Err(error) => Err(format!("it lacks the object {}: {error}", &hex[..8])),
        }
    }
}

/// # Errors
/// For a repository whose objects or refs have another format.
fn check_format(git: &Path) -> Result<(), String> {
    let Some(config) = small_file(&git.join("config"))? else {
        return Ok(());
    };
    for line in config.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim().trim_matches('"').to_lowercase();
        let (what, usual) = match &*key.trim().to_lowercase() {
            "objectformat" => ("objects", "sha1"),
            "refstorage" => ("refs", "files"),
            _ => continue,
        };
        if value != usual {
            return Err(format!(
                "its {what} have the format {value}, which is not read"
            ));
        }
    }
    Ok(())
}

/// The name of the reference that `HEAD` leads to; `HEAD` itself if it names a commit.
fn head_name(git: &Path) -> Result<String, String> {
    let mut name = "HEAD".to_owned();
    if git
        .join("packed-refs")
        .symlink_metadata()
        .is_ok_and(|it| it.is_symlink())
    {
        return Err(LINKED.to_owned());
    }
    for _ in 0..REFS_MOST {
        let mut path = git.to_owned();
        for part in name.split('/') {
            path.push(part);
            if path.symlink_metadata().is_ok_and(|it| it.is_symlink()) {
                return Err(LINKED.to_owned());
            }
        }
        let text = small_file(&path)?.unwrap_or_default();
        let Some(next) = text.trim().strip_prefix("ref:") else {
            return Ok(name);
        };
        let next = next.trim();
        let is_plain = next.starts_with("refs/")
            && next.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_plain {
            return Err("its HEAD names no reference of its own".to_owned());
        }
        next.clone_into(&mut name);
    }
    Err("its HEAD leads in a circle".to_owned())
}

/// The text of a small file; `None` if there is no regular file.
fn small_file(path: &Path) -> Result<Option<String>, String> {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => return Err(LINKED.to_owned()),
        Ok(found) if found.is_file() => {}
        Ok(_) | Err(_) => return Ok(None),
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let mut file = file.take(SMALL_FILE_BYTES);
    file.read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// # Errors
/// If a folder or one of its entries is a link.
fn check_no_links(folder: &Path) -> Result<(), String> {
    match folder.symlink_metadata() {
        Ok(found) if found.is_symlink() => return Err(LINKED.to_owned()),
        Ok(_) => {}
        Err(_) => return Ok(()),
    }
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.file_type().is_ok_and(|it| it.is_symlink()) {
            return Err(LINKED.to_owned());
        }
    }
    Ok(())
}
