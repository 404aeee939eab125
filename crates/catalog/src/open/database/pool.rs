//! Connection pool. A database holds many sessions, and opening it costs more than reading one of
//! them, so connections are reused. There are few of them, and they close when their worker ends,
//! so that other programs can use the file soon.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::state::State;

thread_local! {
    /// Open connections of this thread, the most recently used one last; `None` outside a worker.
    static KEPT: RefCell<Option<Vec<Kept>>> = const { RefCell::new(None) };
}

/// An open connection, and the state of its database.
struct Kept {
    path: PathBuf,
    state: State,
    connection: Connection,
}

/// Maximum number of connections that a thread keeps.
const MOST: usize = 4;

/// Runs `work` as a worker: connections that this thread opens stay open until it ends.
pub(crate) fn keeping<T>(work: impl FnOnce() -> T) -> T {
    KEPT.set(Some(Vec::new()));
    let done = work();
    KEPT.set(None);
    done
}

/// Takes a pooled connection to this database in this state.
pub(super) fn take(path: &Path, state: &State) -> Option<Connection> {
    KEPT.with_borrow_mut(|kept| {
        let kept = kept.as_mut()?;
        let at = kept.iter().position(|kept| kept.path == path && kept.state == *state)?;
        Some(kept.remove(at).connection)
    })
}

/// Returns a connection to the pool, if the thread has one.
pub(super) fn put(path: &Path, state: &State, connection: Connection) {
    KEPT.with_borrow_mut(|kept| {
        let Some(kept) = kept else { return };
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(Kept { path: path.to_path_buf(), state: state.clone(), connection });
    });
}

/// Closes the pooled connections to a database.
pub(super) fn forget(path: &Path) {
    // When a thread ends, its pool may already be gone.
    let _ = KEPT.try_with(|kept| {
        if let Some(kept) = kept.borrow_mut().as_mut() {
            kept.retain(|kept| kept.path != path);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::Snapshot;
    use super::*;

    fn kept() -> usize {
        KEPT.with_borrow(|kept| kept.as_ref().map_or(0, Vec::len))
    }

    #[test]
    fn what_is_kept_is_used_again_until_the_database_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = |name: &str| {
            let path = folder.path().join(name);
            let writer = Connection::open(&path).expect("a database");
            writer.execute_batch("CREATE TABLE t (n); INSERT INTO t VALUES (1)").expect("SQL");
            path
        };
        let sum = |snapshot: &Snapshot| {
            let asked = |connection: &Connection, _: Option<&State>| {
                let mut query = connection.prepare_cached("SELECT sum(n) FROM t")?;
                Ok(query.query_row([], |row| row.get::<_, u32>(0))?)
            };
            snapshot.read(asked).expect("a sum")
        };
        let path = made("one.db");
        let snapshot = Snapshot::take(&path).expect("a snapshot");
        assert_eq!((sum(&snapshot), kept()), (1, 0), "no worker runs");
        keeping(|| {
            assert_eq!((sum(&snapshot), kept()), (1, 1));
            assert_eq!((sum(&snapshot), kept()), (1, 1));
            let writer = Connection::open(&path).expect("a database");
            writer.execute_batch("INSERT INTO t VALUES (2)").expect("SQL");
            assert_eq!(sum(&snapshot), 3);
            for more in 0..2 * MOST {
                let path = made(&format!("more-{more}.db"));
                assert_eq!(sum(&Snapshot::take(&path).expect("a snapshot")), 1);
            }
            assert_eq!(kept(), MOST);
        });
        assert_eq!(kept(), 0);
    }
}
