//! The skeleton of a record: a valid record without entries, with the root of the tree of salted
//! commitments to all that the record has. It is what is signed so that parts can be withheld.
//!
//! The first leaf is the frame, and each other leaf is an entry. A frame is committed to as the
//! list of its members' paths and commitments; an entry as its text, around the commitments to its
//! large fields. See `sign::commitment` for the bytes.

use sign::{Hash, RecordSecret, Salt, Tree, commitment, hash_of_hex, hex, leaf_hash};

use crate::attest::record_parts::{RecordParts, members};
use crate::attest::record_places::RecordPlaces;

/// The rule by which leaves are made, as the skeleton names it.
const RULE: &str = "sha-256 of cbor [salt, text, commitment, text, ...]";

/// Members of the frame that the skeleton has, so that every presentation shows them.
pub(crate) const NAMED: [&str; 3] = ["/version", "/id", "/session/session-id"];

/// The member of which the skeleton has the two parts that every record has.
pub(crate) const AGENT: &str = "/session/agent-meta";

/// A skeleton that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skeleton {
    /// Its text.
    pub(crate) text: String,
    /// The number of leaves: the frame and the entries.
    pub(crate) size: u64,
    /// The root of their tree.
    pub(crate) root: Hash,
}

/// The salt and the commitment of a field, or of the unit itself.
pub(crate) fn field(secret: &RecordSecret, unit: u64, name: &str, value: &str) -> (Salt, Hash) {
    let salt = secret.salt(unit, Some(name));
    (salt, commitment(&salt, &[value.as_bytes()], &[]))
}

/// The commitment to the frame: the paths of its members, and the commitment to each.
pub(crate) fn frame_commitment<'p>(
    salt: &Salt,
    members: impl Iterator<Item = (&'p str, Hash)>,
) -> Hash {
    let (mut paths, hashes): (Vec<&[u8]>, Vec<Hash>) =
        members.map(|(path, hash)| (path.as_bytes(), hash)).unzip();
    paths.push(b"");
    commitment(salt, &paths, &hashes)
}

/// The parts of a record, and the tree of the commitments to them.
///
/// # Errors
/// It is no record in JSON, an entry is no object, or has a name twice.
pub(crate) fn tree<'r>(
    record: &'r str,
    secret: &RecordSecret,
) -> Result<(RecordParts<'r>, Tree), String> {
    tree_of(&RecordPlaces::read(record)?, record, secret)
}

/// The same of a record of which the places of its parts are known.
///
/// # Errors
/// They are those of another text.
pub(crate) fn tree_of<'r>(
    places: &RecordPlaces,
    record: &'r str,
    secret: &RecordSecret,
) -> Result<(RecordParts<'r>, Tree), String> {
    let parts = places.parts(record);
    let mut tree = Tree::default();
    let members = parts.frame.iter();
    let members = members.map(|(path, value)| (&**path, field(secret, 0, path, value).1));
    tree.push(leaf_hash(&frame_commitment(&secret.salt(0, None), members)));
    for (unit, cut) in (1..).zip(places.cut(record)) {
        let cut = cut?;
        let hash = |(name, value): &(String, &str)| field(secret, unit, name, value).1;
        let fields: Vec<Hash> = cut.fields.iter().map(hash).collect();
        tree.push(leaf_hash(&commitment(&secret.salt(unit, None), &cut.texts, &fields)));
    }
    Ok((parts, tree))
}

impl Skeleton {
    /// The skeleton of a record with this tree.
    ///
    /// # Errors
    /// The record lacks a member that every record has.
    pub(crate) fn of(parts: &RecordParts<'_>, tree: &Tree) -> Result<Self, String> {
        let named = NAMED.map(|path| parts.member(path));
        let agent = agent(parts.member(AGENT).unwrap_or_default()).ok();
        let ([Some(version), Some(id), Some(session)], Some(agent)) = (named, agent) else {
            return Err("it lacks a member that every record has".into());
        };
        let (size, root) = (tree.size(), tree.root(tree.size()).unwrap_or_default());
        Ok(Self { text: text([version, id, session, &agent], size, &root), size, root })
    }

    /// Reads a skeleton: it has one form, and nothing beside what it is made of.
    ///
    /// # Errors
    /// It is no skeleton.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let parts = RecordParts::read(text)?;
        let tree = parts.member("/verbatim").ok_or("it has no tree")?;
        let tree = members(tree)?.into_iter().find(|(name, _)| name == "entry-tree");
        let tree = members(tree.ok_or("it has no tree")?.1)?;
        let value = |name: &str| tree.iter().find(|(it, _)| it == name).map(|(_, value)| *value);
        let size: Option<u64> = value("size").and_then(|size| size.parse().ok());
        let root =
            value("root").and_then(|root| hash_of_hex(root.strip_prefix('"')?.strip_suffix('"')?));
        let (Some(size), Some(root)) = (size, root) else {
            return Err("its tree has no size or no root".into());
        };
        let named = [NAMED[0], NAMED[1], NAMED[2], AGENT];
        let values = named.map(|path| parts.member(path).unwrap_or_default());
        let again = agent(values[3])
            .map(|it| self::text([values[0], values[1], values[2], &it], size, &root));
        match again {
            Ok(again) if again == text => Ok(Self { text: again, size, root }),
            _ => Err("it is not in the one form of a skeleton".into()),
        }
    }

    /// The value of a member that it has.
    pub(crate) fn member(&self, path: &str) -> Option<String> {
        RecordParts::read(&self.text).ok()?.member(path).map(str::to_owned)
    }
}

/// The part of the agent that a skeleton has.
fn agent(meta: &str) -> Result<String, String> {
    let members = members(meta)?;
    let value = |name: &str| members.iter().find(|(it, _)| it == name).map(|(_, value)| *value);
    match (value("model-id"), value("model-provider")) {
        (Some(model), Some(provider)) => {
            Ok(format!("{{\"model-id\":{model},\"model-provider\":{provider}}}"))
        }
        _ => Err("the agent has no model".into()),
    }
}

fn text([version, id, session, agent]: [&str; 4], size: u64, root: &Hash) -> String {
    let root = hex(root);
    format!(
        "{{\"version\":{version},\"id\":{id},\"session\":{{\"session-id\":{session},\
         \"agent-meta\":{agent},\"entries\":[]}},\"verbatim\":{{\"entry-tree\":{{\"vds\":1,\
         \"size\":{size},\"root\":\"{root}\",\"commitment\":\"{RULE}\"}}}}}}\n"
    )
}
