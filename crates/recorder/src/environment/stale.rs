//! Removes temporary folders that are no longer in use: those of sessions that were killed.
//!
//! A session holds a lock on a file in its folder, which the system releases however the session ends. A folder whose
//! lock can be taken is stale. Process IDs would not work: those of a container are its own, and its temporary folder
//! may be that of the host.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Once;
use std::thread;

use fs_err as fs;

/// Prefix of the names of temporary folders.
pub(super) const PREFIX: &str = "agentci-record-";
/// The lock file, and its name before it is locked.
const LOCK: &str = "lock";
const NEW_LOCK: &str = "lock.new";
/// How many entries of the temporary directory are examined.
const MOST_ENTRIES: usize = 10_000;

/// Marks a folder as in use until the returned file is dropped.
pub(super) fn hold(folder: &Path) -> io::Result<File> {
    let file = File::create_new(folder.join(NEW_LOCK))?;
    file.lock()?;
    // Under its final name, the file is always locked.
    fs::rename(folder.join(NEW_LOCK), folder.join(LOCK))?;
    Ok(file)
}

/// Removes stale folders in the background, once per process.
pub(super) fn sweep_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Nothing waits for this thread; the next run removes what it does not get to.
        let _ = thread::Builder::new().name("stale-folders".to_owned()).spawn(|| sweep(&std::env::temp_dir()));
    });
}

fn sweep(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    let ours = rustix::process::getuid().as_raw();
    for entry in entries.flatten().take(MOST_ENTRIES) {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // Symbolic links are not followed.
        let own = || fs::symlink_metadata(entry.path()).is_ok_and(|found| found.is_dir() && found.uid() == ours);
        if named && own() && is_stale(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the lock file exists and can be locked. A folder without one may be about to get it.
fn is_stale(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(LOCK)) else { return false };
    file.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_only_unlocked_folders() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = temporary.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("bundle.pem"), "x").unwrap();
            path
        };
        let (held, stale, new, other) =
            (folder("agentci-record-a"), folder("agentci-record-b"), folder("agentci-record-c"), folder("other"));
        let lock = hold(&held).unwrap();
        drop(hold(&stale).unwrap());
        drop(hold(&other).unwrap());
        let linked = temporary.path().join("agentci-record-link");
        std::os::unix::fs::symlink(&other, &linked).unwrap();
        sweep(temporary.path());
        assert_eq!([&held, &stale, &new, &other, &linked].map(|path| path.exists()), [true, false, true, true, true]);
        drop(lock);
        sweep(temporary.path());
        assert_eq!((held.exists(), new.exists()), (false, true));
    }
}
