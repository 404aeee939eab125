//! Native paths, each stored once: position of a native field in its event's own value.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use session::value;

/// A path: an index into [`Paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PathIx(u32);

/// The event's own value.
pub(crate) const ROOT: PathIx = PathIx(0);

struct Step<'s> {
    parent: PathIx,
    key: Cow<'s, str>,
    /// The paths that were requested after this one the last times: similar events have the same
    /// sequence.
    next: [PathIx; 2],
}

/// All paths so far.
pub(crate) struct Paths<'s> {
    steps: Vec<Step<'s>>,
    /// By hash of parent and key. If two have one hash, the second is under the next number.
    found: HashMap<u64, PathIx>,
    /// The path requested last.
    last: PathIx,
}

impl<'s> Paths<'s> {
    pub(crate) fn new() -> Self {
        let root = Step { parent: ROOT, key: Cow::Borrowed(""), next: [ROOT; 2] };
        Self { steps: vec![root], found: HashMap::new(), last: ROOT }
    }

    /// The path of a member: `name` is its key without quotes, escapes as written.
    pub(crate) fn member(&mut self, parent: PathIx, name: &'s [u8]) -> PathIx {
        for guess in self.steps[self.last.0 as usize].next {
            let step = &self.steps[guess.0 as usize];
            let same = step.parent == parent && step.key.as_bytes() == name && guess != ROOT;
            // An escape in the name could make it equal to another key.
            if same && memchr::memchr(b'\\', name).is_none() {
                self.last = guess;
                return guess;
            }
        }
        let path = match memchr::memchr(b'\\', name) {
            None => self.step(parent, String::from_utf8_lossy(name)),
            Some(_) => self.step(parent, value::unescape(name)),
        };
        let next = &mut self.steps[self.last.0 as usize].next;
        *next = [path, next[0]];
        self.last = path;
        path
    }

    /// The path of an element of the array at `parent`: `-` means any index.
    pub(crate) fn element(&mut self, parent: PathIx) -> PathIx {
        self.step(parent, Cow::Borrowed("-"))
    }

    fn step(&mut self, parent: PathIx, key: Cow<'s, str>) -> PathIx {
        let mut hasher = DefaultHasher::new();
        (parent, key.as_bytes()).hash(&mut hasher);
        let mut hash = hasher.finish();
        while let Some(&found) = self.found.get(&hash) {
            let step = &self.steps[found.0 as usize];
            if step.parent == parent && step.key == key {
                return found;
            }
            hash = hash.wrapping_add(1);
        }
        let path = PathIx(u32::try_from(self.steps.len()).unwrap_or(u32::MAX));
        self.steps.push(Step { parent, key, next: [ROOT; 2] });
        self.found.insert(hash, path);
        path
    }

    /// The last key of a path; empty for the root.
    pub(crate) fn key(&self, path: PathIx) -> &str {
        &self.steps[path.0 as usize].key
    }

    /// Whether it is a member of the event's own value.
    pub(crate) fn is_top(&self, path: PathIx) -> bool {
        path != ROOT && self.steps[path.0 as usize].parent == ROOT
    }

    /// The keys of a path, from the event's own value on.
    pub(crate) fn keys(&self, path: PathIx) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        let mut at = path;
        while at != ROOT {
            let step = &self.steps[at.0 as usize];
            keys.push(&step.key);
            at = step.parent;
        }
        keys.reverse();
        keys
    }

    /// The path as a JSON Pointer (RFC 6901).
    pub(crate) fn pointer(&self, path: PathIx) -> String {
        let mut pointer = String::new();
        for key in self.keys(path) {
            pointer.push('/');
            pointer.push_str(&escape(key));
        }
        pointer
    }
}

/// A key as a step of a JSON Pointer.
pub(crate) fn escape(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        return Cow::Owned(key.replace('~', "~0").replace('/', "~1"));
    }
    Cow::Borrowed(key)
}

/// The keys of a JSON Pointer; `None` if the text is not one.
pub(crate) fn steps(pointer: &str) -> Option<Vec<Cow<'_, str>>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    Some(
        steps
            .map(|step| match step.contains('~') {
                true => Cow::Owned(step.replace("~1", "/").replace("~0", "~")),
                false => Cow::Borrowed(step),
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_kept_once_and_reads_back() {
        let mut paths = Paths::new();
        let message = paths.member(ROOT, b"message");
        let id = paths.member(message, b"id");
        assert_eq!(paths.member(message, b"id"), id);
        assert_eq!(paths.member(message, b"\\u0069d"), id);
        let escaped = paths.member(ROOT, b"a\\\\bc");
        for _ in 0..2 {
            assert_ne!(paths.member(ROOT, b"a\\bc"), escaped);
            assert_eq!(paths.member(ROOT, b"a\\\\bc"), escaped);
        }
        assert_ne!(paths.member(ROOT, b"id"), id);
        assert_eq!(paths.pointer(id), "/message/id");
        assert!(paths.is_top(message) && !paths.is_top(id) && !paths.is_top(ROOT));
        let odd = paths.member(ROOT, b"a/b~1");
        assert_eq!(paths.pointer(odd), "/a~1b~01");
        assert_eq!(steps(&paths.pointer(odd)).unwrap(), ["a/b~1"]);
        assert_eq!(steps("").unwrap().len(), 0);
        assert_eq!(steps("a"), None);
    }
}
