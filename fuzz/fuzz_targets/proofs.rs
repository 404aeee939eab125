//! Arbitrary bytes as receipts of logs, notes, checkpoints, proofs of trees, skeletons,
//! presentations and their pages: nothing panics, nobody's signature is good, and what is read is
//! written again.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sign::{
    Checkpoint, EntryProof, Hash, KeyType, LogProof, LogReceipt, Note, NoteKey, NoteKind,
    SecretKey, TreePart, consistency_root, inclusion_root, leaf_hash, root_of_parts,
    signature_input,
};
use verbatim_operations::attest::{
    VerifyResult, VerifyTask, VerifyVerdict, verify_page, verify_presentation,
};

static SECRET: LazyLock<SecretKey> =
    LazyLock::new(|| SecretKey::new(KeyType::Ed25519, &[7; 32]).expect("a key"));

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    match choice % 5 {
        0 => receipt(bytes),
        1 => note(bytes),
        2 => tree(bytes),
        3 => presentation(bytes),
        _ => page(bytes),
    }
});

/// A receipt that nobody with the key has made.
fn receipt(bytes: &[u8]) {
    let Ok(receipt) = LogReceipt::read(bytes) else { return };
    let key = SECRET.public();
    assert!(receipt.includes(&leaf_hash(bytes), &key).is_err());
    assert!(receipt.extends(&leaf_hash(bytes), &key).is_err());
    // With a good signature over the root that it leads to, it holds.
    let leaf = leaf_hash(b"an entry");
    if let LogProof::Inclusion { size, index, path } = &receipt.proof
        && let Ok(root) = inclusion_root(*index, *size, &leaf, path)
    {
        let protected = LogReceipt::protected(&key, &Default::default()).expect("a header");
        let signature = SECRET.sign(&signature_input(&protected, &[], &root));
        let made = LogReceipt::write(&protected, &signature, &receipt.proof).expect("a receipt");
        let read = LogReceipt::read(&made).expect("a receipt");
        assert_eq!(read.includes(&leaf, &key), Ok(root));
        assert_eq!(read.proof, receipt.proof);
    }
}

fn note(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let key = NoteKey::new("log.example", NoteKind::Ed25519, &SECRET.public()).expect("a key");
    if let Ok(note) = Note::read(text) {
        assert_eq!(Note::read(&note.written()).as_ref(), Ok(&note));
        assert!(note.signers(&[key]).map_or(true, |signers| signers.is_empty()));
    }
    if let Ok(head) = Checkpoint::read(text) {
        assert_eq!(Checkpoint::read(&head.text()), Ok(head));
    }
    if let Ok(proof) = EntryProof::read(text) {
        assert_eq!(EntryProof::read(&proof.text()), Ok(proof));
    }
    if let Ok(key) = NoteKey::read(text) {
        assert_eq!(key.text(), text);
    }
    let _ = Checkpoint::signed(text);
}

/// Parts and proofs of any sizes.
fn tree(bytes: &[u8]) {
    let (numbers, rest) = bytes.split_at(bytes.len().min(16));
    let (hashes, _) = rest.as_chunks::<32>();
    let number = |at: usize| {
        let bytes = numbers.get(at..at + 8).and_then(|it| <[u8; 8]>::try_from(it).ok());
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let path: Vec<Hash> = hashes.to_vec();
    let _ = inclusion_root(number(0), number(8), &[1; 32], &path);
    let _ = consistency_root(number(0), number(8), &[1; 32], &path);
    let parts: Vec<TreePart> = path
        .iter()
        .map(|hash| match hash[0] % 3 {
            0 => TreePart::Leaf(*hash),
            kind => TreePart::Covered {
                leaves: u64::from(hash[1]) << (hash[2] % 60),
                nodes: vec![*hash; usize::from(kind)],
            },
        })
        .collect();
    let _ = root_of_parts(&parts);
}

const TASK: VerifyTask<'_> =
    VerifyTask { signature: None, keys: &[], as_draft: false, now: session::UtcTime(0) };

fn catalog() -> catalog::Catalog<'static> {
    catalog::Catalog { formats: formats::ALL, machine: catalog::Machine::default() }
}

/// A presentation of a skeleton that nobody signed.
fn presentation(bytes: &[u8]) {
    if let Some(report) = verify_presentation("a.json", bytes, TASK, &catalog()) {
        assert_ne!(report.verdict("bytes"), VerifyVerdict::Shown);
        assert_ne!(report.verdict("entries"), VerifyVerdict::Shown);
    }
}

/// A page, and a page that carries the bytes: no known key has signed what it carries. It may be a
/// page of a key that nobody knows: then it shows what it carries, which shows nothing of the key.
fn page(bytes: &[u8]) {
    let begun = b"<script type=\"application/json\" id=\"presentation\" data-key=\"a\">";
    let carrying = [&begun[..], bytes, b"</script>\n<script>"].concat();
    for page in [bytes, &carrying] {
        if let Some(report) = verify_page("a.html", page, TASK, &catalog()) {
            assert_ne!(report.result, VerifyResult::Signed);
            for what in ["bytes", "entries"] {
                assert_ne!(report.verdict(what), VerifyVerdict::Shown, "{what}");
            }
        }
    }
}
