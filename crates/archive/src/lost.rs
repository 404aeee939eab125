//! Contents that packs have lost.

use std::collections::HashSet;

use session::Sorting as _;

use crate::digest::Digest;
use crate::pack;
use crate::run::Content;
use crate::state::{Archive, ArchiveFault, Version};

impl Archive {
    /// Whether a content needs no other one, and packs have all of its pieces.
    pub(crate) fn is_whole(&self, content: &Content) -> bool {
        content.base.is_none() && content.pieces.iter().all(|piece| self.pieces.contains_key(piece))
    }

    /// The contents that can't be given back: no pack has one of their pieces.
    pub(crate) fn lost(&self) -> HashSet<Digest> {
        let mut contents: Vec<&Content> = self.contents.values().collect();
        // Each beginning is shorter than what it is the beginning of.
        contents.in_order_by_key(|content| content.length);
        let mut lost: HashSet<Digest> = HashSet::new();
        for content in contents {
            let is_sound = |base: &Digest| {
                let known = self.contents.get(base);
                known.is_some_and(|known| known.length < content.length) && !lost.contains(base)
            };
            let has_pieces = content.pieces.iter().all(|piece| self.pieces.contains_key(piece));
            if !has_pieces || !content.base.as_ref().is_none_or(is_sound) {
                lost.insert(content.digest);
            }
        }
        lost
    }

    /// The versions that can't be given back since packs or runs are missing or damaged.
    #[must_use]
    pub fn lost_versions(&self) -> Vec<&Version> {
        let lost = self.lost();
        let is_lost = |content| lost.contains(content) || !self.contents.contains_key(content);
        let mut versions = self.versions();
        versions.retain(|version| version.session.files.iter().any(|file| is_lost(&file.content)));
        versions
    }

    /// The faults that are left after damaged packs were replaced.
    pub(crate) fn faults_now(&self) -> Vec<ArchiveFault> {
        let is_replaced = |fault: &&ArchiveFault| {
            fault.path.parent() == Some(&*self.place.packs()) && pack::table(&fault.path).is_ok()
        };
        self.faults.iter().filter(|fault| !is_replaced(fault)).cloned().collect()
    }
}
