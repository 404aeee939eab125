//! Signed notes, verifier keys and checkpoints: by the published ones, and in one line.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use verbatim_sign::{
    Checkpoint, EntryProof, Hash, KeyType, Note, NoteFault, NoteKey, NoteKind, NoteSignature,
    SecretKey, Tree, leaf_hash,
};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A path of a vector; `None` if one of its hashes is not of SHA-256.
fn path(value: &Value) -> Option<Vec<Hash>> {
    let hashes = value.as_array().into_iter().flatten();
    let hash = |it: &Value| STANDARD.decode(it.as_str()?).ok()?.try_into().ok();
    hashes.map(hash).collect()
}

/// Whether a verifier key is of a kind that is not read: ECDSA, RFC 6962, ML-DSA.
fn is_of_other_kind(text: &str) -> bool {
    NoteKey::read(text)
        .is_err_and(|fault| matches!(fault, NoteFault::Key(why) if why.contains("kind")))
}

fn text_of(case: &Value) -> Option<String> {
    match case["note"].as_str() {
        Some(text) => Some(text.to_owned()),
        None => String::from_utf8(STANDARD.decode(case["note_b64"].as_str()?).unwrap()).ok(),
    }
}

#[test]
fn published_notes() {
    let Some(folder) = samples::shared("vectors/checkpoint") else { return };
    let cases = json(&folder.join("notes.json"));
    let mut other_kinds = 0;
    for case in cases["notes"].as_array().unwrap() {
        let id = &case["id"];
        let texts: Vec<&str> =
            case["vkeys"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        let others = texts.iter().filter(|text| is_of_other_kind(text)).count();
        let keys: Vec<NoteKey> = texts.iter().filter_map(|text| NoteKey::read(text).ok()).collect();
        assert_eq!(keys.len() + others, texts.len(), "{id}");
        let note = text_of(case).and_then(|text| Note::read(&text).ok());
        if case["expect"] == "malformed" {
            assert!(note.is_none(), "{id}");
            continue;
        }
        let note = note.unwrap();
        let signers = note.signers(&keys);
        if others > 0 {
            other_kinds += 1;
            assert_eq!(signers.unwrap().len(), keys.len(), "{id}");
            continue;
        }
        match case["expect"].as_str().unwrap() {
            "verified" => {
                let names: Vec<String> =
                    signers.clone().unwrap().into_iter().map(|it| it.name).collect();
                let expected: Vec<&str> =
                    case["verified"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                assert_eq!(names, expected, "{id}");
            }
            "no-verifiable-signature" => assert_eq!(signers, Ok(Vec::new()), "{id}"),
            _ => assert!(signers.is_err(), "{id}"),
        }
        if let Some(size) = case["size"].as_u64() {
            let checkpoint = Checkpoint::read(&note.text).unwrap();
            assert_eq!((checkpoint.size, checkpoint.text()), (size, note.text.clone()), "{id}");
            assert_eq!(note.written(), text_of(case).unwrap(), "{id}");
        }
        for cosignature in case["cosignatures"].as_array().into_iter().flatten() {
            let name = cosignature["name"].as_str().unwrap();
            let signers = note.signers(&keys).unwrap();
            let signer = signers.iter().find(|it| it.name == name).unwrap();
            assert_eq!(signer.kind, NoteKind::Cosignature, "{id}");
            assert_eq!(signer.time, cosignature["time"].as_u64(), "{id}");
        }
    }
    assert_eq!(other_kinds, 5, "ECDSA and RFC 6962 keys");
}

#[test]
fn published_keys_and_bodies() {
    let Some(folder) = samples::shared("vectors/checkpoint") else { return };
    let cases = json(&folder.join("vkeys.json"));
    for case in cases["vkeys"].as_array().unwrap() {
        let Some(text) = case["vkey"].as_str() else { continue };
        let read = NoteKey::read(text);
        match case["type"].as_u64() {
            Some(1 | 4) => assert_eq!(read.unwrap().text(), text),
            _ => assert!(read.is_err(), "{}", case["id"]),
        }
    }
    let good = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    for at in 0..good.len() {
        assert!(NoteKey::read(&good[..at]).is_err() && NoteKey::read(&good[at + 1..]).is_err());
        let mut bytes = good.as_bytes().to_vec();
        bytes[at] += 1;
        assert!(NoteKey::read(&String::from_utf8(bytes).unwrap()).is_err(), "{at}");
    }
    let cases = json(&folder.join("bodies-and-proofs.json"));
    for case in cases["bodies"].as_array().unwrap() {
        // The roots of these are words: they are no SHA-256, and a strict reader wants it.
        let text = case["text"].as_str().unwrap();
        let read = Checkpoint::read(text);
        match case["error"].as_bool().unwrap() {
            true => assert!(read.is_err(), "{}", case["id"]),
            false => assert!(
                matches!(&read, Err(NoteFault::Form(why)) if why.contains("root")),
                "{}",
                case["id"]
            ),
        }
    }
    for case in cases["tlog_proof"]["marshal"].as_array().unwrap() {
        let proof = EntryProof {
            index: case["index"].as_u64().unwrap(),
            path: path(&case["hashes_b64"]).unwrap(),
            extra: case["extra_b64"].as_str().map(|text| STANDARD.decode(text).unwrap()),
            checkpoint: case["checkpoint"].as_str().unwrap().into(),
        };
        assert_eq!(proof.text(), case["bytes"].as_str().unwrap());
        assert_eq!(EntryProof::read(&proof.text()).unwrap(), proof);
    }
    for case in cases["tlog_proof"]["refuse"].as_array().unwrap() {
        assert!(EntryProof::read(case["text"].as_str().unwrap()).is_err(), "{}", case["id"]);
    }
}

/// The heads of a small log, each of which is the beginning of the next.
#[test]
fn a_published_log() {
    let Some(folder) = samples::shared("vectors/checkpoint/tessera-log") else { return };
    let key = "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx";
    let key = NoteKey::read(key).unwrap();
    for size in 0..=15 {
        let text = std::fs::read_to_string(folder.join(format!("checkpoint.{size}"))).unwrap();
        let (head, note) = Checkpoint::signed(&text).unwrap();
        assert_eq!(head.size, size);
        assert_eq!(note.signers(std::slice::from_ref(&key)).unwrap().len(), 1);
    }
}

/// A head goes into a line and back.
#[test]
fn a_head_in_one_line() {
    let secret = SecretKey::new(KeyType::Ed25519, &[5; 32]).unwrap();
    let key = NoteKey::new("log.example", NoteKind::Ed25519, &secret.public()).unwrap();
    let mut tree = Tree::default();
    ["0", "1", "2"].iter().for_each(|leaf| tree.push(leaf_hash(leaf.as_bytes())));
    let root = tree.root(3).unwrap();
    let head = Checkpoint { origin: "log.example".into(), size: 3, root, rest: String::new() };
    let bytes = secret.sign(head.text().as_bytes());
    let signature = NoteSignature { name: key.name.clone(), id: key.id(), bytes };
    let note = Note { text: head.text(), signatures: vec![signature.clone()] };
    let line = head.line(&signature).unwrap();
    assert!(!line.contains('\n'));
    for text in [line, note.written()] {
        let (read, note) = Checkpoint::signed(&text).unwrap();
        assert_eq!(read, head);
        assert_eq!(note.signers(std::slice::from_ref(&key)).unwrap().len(), 1);
        let changed = text.replacen('3', "4", 1);
        if let Ok((_, note)) = Checkpoint::signed(&changed) {
            assert!(note.signers(std::slice::from_ref(&key)).is_err());
        }
    }
}
