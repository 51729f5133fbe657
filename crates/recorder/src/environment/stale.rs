//! Temporary folders that nobody uses any more: what is left of a session that was killed.
//!
//! A session holds a lock on a file in its folder for as long as it lives, and the system lets go of it however the session
//! ends. A folder whose lock can be taken is stale. Process ids would not tell: those of a container are its own, and its
//! temporary folder may be that of the host.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Once;
use std::thread;

use fs_err as fs;

/// How the name of a temporary folder begins.
pub(super) const PREFIX: &str = "agentci-record-";
/// The file that is locked, and its name until it is.
const LOCK: &str = "lock";
const NEW_LOCK: &str = "lock.new";
/// How many entries of the folder for temporary files are looked at.
const MOST_ENTRIES: usize = 10_000;

/// Says that a folder is in use, until what this gives is dropped.
pub(super) fn hold(folder: &Path) -> io::Result<File> {
    let file = File::create_new(folder.join(NEW_LOCK))?;
    file.lock()?;
    // By its name it is locked from the first moment on.
    fs::rename(folder.join(NEW_LOCK), folder.join(LOCK))?;
    Ok(file)
}

/// Removes stale folders beside the work of this process, once.
pub(super) fn sweep_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Nobody waits for it; what it does not get done is left to the next run.
        let _ = thread::Builder::new().name("stale-folders".to_owned()).spawn(|| sweep(&std::env::temp_dir()));
    });
}

fn sweep(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    let ours = rustix::process::getuid().as_raw();
    for entry in entries.flatten().take(MOST_ENTRIES) {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // A link is not followed.
        let own = || fs::symlink_metadata(entry.path()).is_ok_and(|found| found.is_dir() && found.uid() == ours);
        if named && own() && is_stale(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the lock is there and nobody holds it. A folder without one may be about to get it.
fn is_stale(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(LOCK)) else { return false };
    file.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_nobody_holds_are_removed() {
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
