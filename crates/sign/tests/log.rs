//! Trees and receipts of logs: by the published vectors, by another implementation,
//! and by every change of a proof.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use verbatim_sign::{
    Claims, Envelope, Hash, KeyType, LogProof, LogReceipt, PublicKey, SecretKey, Tree, TreePart,
    consistency_root, inclusion_root, leaf_hash, root_of_parts,
};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    bytes.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
    text
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len() / 2).map(|at| digit(at * 2)).collect()
}

/// The tree of the leaves "0", "1", and so on.
fn tree(size: u64) -> Tree {
    let mut tree = Tree::default();
    (0..size).for_each(|leaf| tree.push(leaf_hash(leaf.to_string().as_bytes())));
    tree
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    found.sort();
    found
}

/// A root of a vector; `None` if it is empty. Some are short words, of which only equality counts:
/// digests are in their place.
fn root(value: &Value) -> Option<Hash> {
    let bytes = STANDARD.decode(value.as_str().unwrap()).unwrap();
    let word = || Sha256::digest([b"a word ", &*bytes].concat()).into();
    (!bytes.is_empty()).then(|| Hash::try_from(&*bytes).unwrap_or_else(|_| word()))
}

/// A path of a vector; `None` if one of its hashes is not of SHA-256.
fn path(value: &Value) -> Option<Vec<Hash>> {
    let hashes = value.as_array().into_iter().flatten();
    let hash = |it: &Value| STANDARD.decode(it.as_str()?).ok()?.try_into().ok();
    hashes.map(hash).collect()
}

#[test]
fn published_proofs() {
    let Some(folder) = samples::shared("vectors/merkle/testdata") else { return };
    let (mut good, mut faults) = (0, 0);
    for file in files(&folder.join("inclusion")) {
        let case = json(&file);
        let (index, size) = (case["leafIdx"].as_u64().unwrap(), case["treeSize"].as_u64().unwrap());
        let known = (path(&case["proof"]), root(&case["leafHash"]), root(&case["root"]));
        let holds = match known {
            (Some(path), Some(leaf), Some(root)) => {
                inclusion_root(index, size, &leaf, &path) == Ok(root)
            }
            _ => false,
        };
        assert_eq!(holds, case["wantErr"] == false, "{}", file.display());
        *(if holds { &mut good } else { &mut faults }) += 1;
    }
    for file in files(&folder.join("consistency")) {
        let case = json(&file);
        let (old, new) = (case["size1"].as_u64().unwrap(), case["size2"].as_u64().unwrap());
        let known = (path(&case["proof"]), root(&case["root1"]), root(&case["root2"]));
        let holds = match known {
            (Some(path), Some(older), Some(newer)) => {
                consistency_root(old, new, &older, &path) == Ok(newer)
            }
            _ => false,
        };
        assert_eq!(holds, case["wantErr"] == false, "{}", file.display());
        *(if holds { &mut good } else { &mut faults }) += 1;
    }
    assert_eq!((good, faults), (12, 184));
}

/// Proofs of a log of 962 million entries.
#[test]
fn a_large_log() {
    let Some(folder) = samples::shared("vectors/merkle/ct-argon2020") else { return };
    let head = json(&folder.join("sth.json"));
    let (size, newest) =
        (head["tree_size"].as_u64().unwrap(), root(&head["sha256_root_hash"]).unwrap());
    let proof = json(&folder.join("inclusion-10000.json"));
    let leaf = root(&Value::from("nCs3mfIydh9x4CKyQ+u2xtmpxmFggA5MLymHwNQSlLg=")).unwrap();
    let included = path(&proof["audit_path"]).unwrap();
    assert_eq!(inclusion_root(10_000, size, &leaf, &included), Ok(newest));
    let proof = json(&folder.join("consistency-3654490.json"));
    let old = root(&Value::from("AuIZ5V6sDUj1vn3Y1K85oOaQ7y+FJJKtyRTl1edIKBQ=")).unwrap();
    let grown = path(&proof["consistency"]).unwrap();
    assert_eq!(consistency_root(3_654_490, size, &old, &grown), Ok(newest));
}

/// The proofs of a tree at each size are those of the definitions, as a short script in Python has
/// them, and is accepted by the verifier.
#[test]
fn every_size_to_300() {
    const SIZES: u64 = 300;
    let tree = tree(SIZES);
    let mut lines = String::new();
    for size in 1..=SIZES {
        let (mut inclusion, mut consistency) = (Sha256::new(), Sha256::new());
        let newest = tree.root(size).unwrap();
        for index in 0..size {
            let path = tree.inclusion(index, size).unwrap();
            path.iter().for_each(|hash| inclusion.update(hash));
            let grown = tree.consistency(index + 1, size).unwrap();
            grown.iter().for_each(|hash| consistency.update(hash));
            // Verifying takes longer than making: of large trees it is a share.
            if size > 64 && (index + size) % 9 != 0 {
                continue;
            }
            let leaf = leaf_hash(index.to_string().as_bytes());
            assert_eq!(inclusion_root(index, size, &leaf, &path), Ok(newest));
            let (old, path) = (tree.root(index + 1).unwrap(), grown);
            assert_eq!(consistency_root(index + 1, size, &old, &path), Ok(newest));
        }
        let (inclusion, consistency) = (hex(&inclusion.finalize()), hex(&consistency.finalize()));
        writeln!(lines, "{size} {} {inclusion} {consistency}", hex(&newest)).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/merkle.py");
    match Command::new("python3").arg(script).arg(SIZES.to_string()).output() {
        Ok(ran) if ran.status.success() => {
            let theirs = String::from_utf8(ran.stdout).unwrap();
            assert_eq!(lines.replace('\r', ""), theirs.replace('\r', ""));
        }
        _ => {
            let _ = writeln!(std::io::stderr(), "skipped: comparing trees needs python3");
        }
    }
}

/// Any parts of a tree, covered or shown, lead to its root, and no other parts do.
#[test]
fn parts_lead_to_the_root() {
    let mut dice = samples::Dice::seeded(7);
    for size in (1..70).chain([127, 128, 129, 1000]) {
        let tree = tree(size);
        let (mut parts, mut start) = (Vec::new(), 0);
        while start < size {
            let left = usize::try_from(size - start).unwrap();
            let count = 1 + dice.roll(left) as u64;
            match dice.roll(3) {
                0 => {
                    let nodes = tree.cover(start, start + count).unwrap();
                    assert!(nodes.len() <= 2 * 10);
                    parts.push(TreePart::Covered { leaves: count, nodes });
                    start += count;
                }
                _ => {
                    parts.push(TreePart::Leaf(leaf_hash(start.to_string().as_bytes())));
                    start += 1;
                }
            }
        }
        let whole = tree.root(size).unwrap();
        assert_eq!(root_of_parts(&parts), Ok(whole), "{size}: {parts:?}");
        for at in 0..parts.len() {
            let mut changed = parts.clone();
            match &mut changed[at] {
                TreePart::Leaf(hash) => hash[3] ^= 1,
                TreePart::Covered { nodes, .. } => nodes[0][3] ^= 1,
            }
            assert_ne!(root_of_parts(&changed), Ok(whole), "{size}, {at}");
            let mut other = parts.clone();
            other.remove(at);
            assert_ne!(root_of_parts(&other), Ok(whole), "{size}, without {at}");
        }
    }
    assert!(root_of_parts(&[]).is_err());
    let endless = TreePart::Covered { leaves: u64::MAX, nodes: vec![[0; 32]] };
    assert!(root_of_parts(&[endless.clone(), endless]).is_err());
}

fn secret(key_type: KeyType) -> SecretKey {
    SecretKey::new(key_type, &[5; 32]).unwrap()
}

/// A receipt of a log that `secret` signs.
fn receipt(secret: &SecretKey, root: &Hash, proof: &LogProof) -> Vec<u8> {
    let claims = Claims { issuer: Some("https://log.example".into()), ..Claims::default() };
    let protected = LogReceipt::protected(&secret.public(), &claims).unwrap();
    let signature = secret.sign(&verbatim_sign::signature_input(&protected, &[], root));
    LogReceipt::write(&protected, &signature, proof).unwrap()
}

#[test]
fn receipts_of_both_kinds() {
    for key_type in [KeyType::Ed25519, KeyType::P256] {
        let (secret, tree) = (secret(key_type), tree(9));
        let (key, root, leaf) = (secret.public(), tree.root(9).unwrap(), leaf_hash(b"4"));
        let path = tree.inclusion(4, 9).unwrap();
        let bytes = receipt(&secret, &root, &LogProof::Inclusion { size: 9, index: 4, path });
        let read = LogReceipt::read(&bytes).unwrap();
        assert_eq!(read.includes(&leaf, &key), Ok(root));
        assert!(read.includes(&leaf_hash(b"5"), &key).is_err());
        assert!(read.extends(&root, &key).is_err());
        let other = SecretKey::new(key_type, &[6; 32]).unwrap().public();
        assert!(read.includes(&leaf, &other).is_err());
        let path = tree.consistency(5, 9).unwrap();
        let bytes = receipt(&secret, &root, &LogProof::Consistency { old: 5, new: 9, path });
        let read = LogReceipt::read(&bytes).unwrap();
        assert_eq!(read.extends(&tree.root(5).unwrap(), &key), Ok(root));
        assert!(read.extends(&tree.root(6).unwrap(), &key).is_err());
        assert!(read.includes(&leaf, &key).is_err());
    }
}

/// No bit of a receipt can be changed but those of the size, which the log does not sign: a tree of
/// 7 leaves would have a path of the same shape.
#[test]
fn no_bit_of_a_receipt_can_be_changed() {
    let (secret, tree) = (secret(KeyType::Ed25519), tree(5));
    let (key, root, leaf) = (secret.public(), tree.root(5).unwrap(), leaf_hash(b"2"));
    let path = tree.inclusion(2, 5).unwrap();
    let bytes = receipt(&secret, &root, &LogProof::Inclusion { size: 5, index: 2, path });
    let holds = |bytes: &[u8]| {
        LogReceipt::read(bytes).is_ok_and(|read| read.includes(&leaf, &key) == Ok(root))
    };
    assert!(holds(&bytes));
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let is_of_7 = LogReceipt::read(&changed)
            .is_ok_and(|it| matches!(it.proof, LogProof::Inclusion { size: 6..=8, .. }));
        assert!(!holds(&changed) || is_of_7, "bit {bit}");
    }
}

/// A statement carries receipts, and stays the statement that the log has.
#[test]
fn a_transparent_statement() {
    let secret = secret(KeyType::Ed25519);
    let protected =
        Envelope::protected(&secret.public(), "application/json", &Claims::default()).unwrap();
    let signature = secret.sign(&verbatim_sign::signature_input(&protected, &[], b"{}"));
    let statement = Envelope::write(&protected, &signature).unwrap();
    let mut tree = Tree::default();
    tree.push(leaf_hash(b"the beginning"));
    let leaf = leaf_hash(&Sha256::digest(&statement));
    tree.push(leaf);
    let (root, path) = (tree.root(2).unwrap(), tree.inclusion(1, 2).unwrap());
    let receipt = receipt(&secret, &root, &LogProof::Inclusion { size: 2, index: 1, path });
    let plain = Envelope::read(&statement).unwrap();
    assert_eq!(plain.receipts(), Some(Vec::new()));
    let bytes = plain.transparent(std::slice::from_ref(&receipt)).unwrap();
    let read = Envelope::read(&bytes).unwrap();
    assert!(read.verify(Some(b"{}"), &[], &secret.public()).is_some());
    assert_eq!(read.statement().unwrap(), statement);
    assert_eq!(read.receipts(), Some(vec![&*receipt]));
    let own = LogReceipt::read(read.receipts().unwrap()[0]).unwrap();
    assert_eq!(own.includes(&leaf, &secret.public()), Ok(root));
}

/// Receipts of others: those of the draft have no key, and are read; of the others the verdict is
/// the published one.
#[test]
fn published_receipts() {
    let Some(folder) = samples::shared("vectors/receipts") else { return };
    for (name, is_inclusion) in [("inclusion", true), ("consistency", false)] {
        let file = folder.join(format!("cose-draft/examples/{name}-receipt.cbor"));
        let read = LogReceipt::read(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(matches!(read.proof, LogProof::Inclusion { size: 5, .. }), is_inclusion);
        assert_eq!(matches!(read.proof, LogProof::Consistency { new: 5, .. }), !is_inclusion);
    }
    let mut verdicts = Vec::new();
    for entry in folder.join("scitt-cose/test-vectors/v1").read_dir().unwrap() {
        let folder = entry.unwrap().path();
        let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let expected = json(&folder.join("expected.json"));
        let statement = file("statement.cose");
        let Ok(key) = PublicKey::read(&file("log-key.pub")) else {
            verdicts.push((folder.file_name().unwrap().to_owned(), "key"));
            continue;
        };
        let leaf = leaf_hash(&Sha256::digest(&statement));
        let verdict = match LogReceipt::read(&file("receipt.cose")) {
            Err(_) => "form",
            Ok(read) => match read.includes(&leaf, &key) {
                Ok(root) => {
                    let known = expected["reconstructed_root"].as_str().unwrap();
                    assert_eq!(hex(&root), known);
                    "good"
                }
                Err(_) => "bad",
            },
        };
        let has_kind_1 = expected["protected_header"]["receipt"]["vds"] == 1;
        let good = expected["receipt_valid"] == true && has_kind_1;
        assert_eq!(verdict == "good", good, "{}: {verdict}", folder.display());
        verdicts.push((folder.file_name().unwrap().to_owned(), verdict));
    }
    assert_eq!(verdicts.len(), 6);
    let shared = json(&folder.join("scitt-cose/interop/ccf/shared-vector.json"));
    let ours = [
        (&shared["statement"]["bytes_hex"], &shared["our_receipt"]),
        (&Value::Null, &shared["direction_flip"]["our_receipt"]),
    ];
    for (statement, theirs) in ours {
        let statement = match statement.as_str() {
            Some(text) => unhex(text),
            None => {
                let text = shared["direction_flip"]["statement_bytes_base64"].as_str().unwrap();
                STANDARD.decode(text).unwrap()
            }
        };
        let read = LogReceipt::read(&unhex(theirs["bytes_hex"].as_str().unwrap())).unwrap();
        let key = PublicKey::read(theirs["ts_public_key_pem"].as_str().unwrap().as_bytes());
        let root = read.includes(&leaf_hash(&Sha256::digest(&statement)), &key.unwrap()).unwrap();
        assert_eq!(hex(&root), theirs["verify_result"]["root"].as_str().unwrap());
    }
}
