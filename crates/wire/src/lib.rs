//! How bytes travel: child processes with all their descendants, bounded lines.
