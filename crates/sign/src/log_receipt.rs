//! Receipts of a log (RFC 9942) over a tree of RFC 9162: the log signs its root, and a proof beside
//! the signature leads to that root.

use coset::cbor::value::Value;
use coset::{CoseSign1Builder, HeaderBuilder, TaggedCborSerializable as _};

use crate::envelope::{Envelope, encoded_header};
use crate::header::{Claims, structure};
use crate::key::PublicKey;
use crate::merkle_proof::{ProofFault, consistency_root, inclusion_root};
use crate::strict::{self, EnvelopeFault};
use crate::tree::Hash;

/// Label of the kind of tree, in the protected header.
const KIND: i64 = 395;
/// The only kind that is known: RFC 9162 with SHA-256.
const RFC9162: i64 = 1;
/// Label of the proofs, in the unprotected header.
const PROOFS: i64 = 396;
const INCLUSION: i64 = -1;
const CONSISTENCY: i64 = -2;

/// Greatest number of hashes of a proof: two for each level of a tree.
const PATH: usize = 128;

/// A proof of a log, before it is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogProof {
    /// The log has an entry.
    Inclusion {
        /// The number of entries.
        size: u64,
        /// The place of the entry, from 0.
        index: u64,
        /// The hashes that lead from it to the root.
        path: Vec<Hash>,
    },
    /// The log had fewer entries, and still has these.
    Consistency {
        /// The number of entries that it had.
        old: u64,
        /// The number of entries that it has.
        new: u64,
        /// The hashes that lead from the older root to the newer one.
        path: Vec<Hash>,
    },
}

/// The reason why a receipt shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptFault {
    /// The proof leads to no root.
    #[error(transparent)]
    Proof(#[from] ProofFault),
    /// It has a proof of another kind.
    #[error("it has no proof of this kind")]
    Kind,
    /// The key did not sign the root that the proof leads to.
    #[error("the key did not sign the root that its proof leads to")]
    Signature,
}

/// A receipt that was read: its form is good, and nothing is said about its signature.
#[derive(Clone, Debug)]
pub struct LogReceipt {
    /// The envelope, whose content is the root.
    pub envelope: Envelope,
    /// The proof.
    pub proof: LogProof,
}

impl LogReceipt {
    /// Reads a receipt strictly: one proof, of one kind.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn read(bytes: &[u8]) -> Result<Self, EnvelopeFault> {
        let envelope = Envelope::read(bytes)?;
        let kind = envelope.signed_value(KIND).and_then(Value::as_integer);
        if kind.and_then(|kind| i64::try_from(kind).ok()) != Some(RFC9162) {
            return Err(EnvelopeFault::Policy(
                "its protected header does not name the tree of RFC 9162 (395: 1)".into(),
            ));
        }
        let proofs = envelope.own_value(PROOFS).and_then(Value::as_map);
        let Some([(label, proofs)]) = proofs.map(Vec::as_slice) else {
            return Err(structure("it has not proofs of one kind (396)"));
        };
        let Some([Value::Bytes(proof)]) = proofs.as_array().map(Vec::as_slice) else {
            return Err(structure("it has not one proof"));
        };
        let label = label.as_integer().and_then(|label| i64::try_from(label).ok());
        let proof = proof_of(label, proof)?;
        Ok(Self { envelope, proof })
    }

    /// The root that the log signed over the entry with this leaf hash. The log signs the root
    /// alone: nothing shows the size and the index that the proof names, but that they lead there.
    ///
    /// # Errors
    /// The receipt does not show that the log of this key has the entry.
    pub fn includes(&self, leaf: &Hash, key: &PublicKey) -> Result<Hash, ReceiptFault> {
        let LogProof::Inclusion { size, index, path } = &self.proof else {
            return Err(ReceiptFault::Kind);
        };
        self.signed(inclusion_root(*index, *size, leaf, path)?, key)
    }

    /// The newer root that the log signed, of which this older one is the beginning.
    ///
    /// # Errors
    /// The receipt does not show that the log of this key only grew.
    pub fn extends(&self, old_root: &Hash, key: &PublicKey) -> Result<Hash, ReceiptFault> {
        let LogProof::Consistency { old, new, path } = &self.proof else {
            return Err(ReceiptFault::Kind);
        };
        self.signed(consistency_root(*old, *new, old_root, path)?, key)
    }

    fn signed(&self, root: Hash, key: &PublicKey) -> Result<Hash, ReceiptFault> {
        match self.envelope.verify(Some(&root), &[], key) {
            Some(_) => Ok(root),
            None => Err(ReceiptFault::Signature),
        }
    }

    /// The protected header of a new receipt, as bytes.
    ///
    /// # Errors
    /// It can't be encoded.
    pub fn protected(key: &PublicKey, claims: &Claims) -> Result<Vec<u8>, EnvelopeFault> {
        encoded_header(key, None, claims, Some((KIND, Value::from(RFC9162))))
    }

    /// A new receipt, from its protected header, the signature of the root and the proof.
    ///
    /// # Errors
    /// It is not one that [`LogReceipt::read`] would accept.
    pub fn write(
        protected: &[u8],
        signature: &[u8],
        proof: &LogProof,
    ) -> Result<Vec<u8>, EnvelopeFault> {
        let (label, [one, other], path) = match proof {
            LogProof::Inclusion { size, index, path } => (INCLUSION, [*size, *index], path),
            LogProof::Consistency { old, new, path } => (CONSISTENCY, [*old, *new], path),
        };
        let mut bytes = vec![0x83];
        let hashes = Value::Array(path.iter().map(|hash| Value::Bytes(hash.to_vec())).collect());
        for value in [Value::from(one), Value::from(other), hashes] {
            let put = coset::cbor::ser::into_writer(&value, &mut bytes);
            put.map_err(|error| EnvelopeFault::Structure(error.to_string()))?;
        }
        let proofs = Value::Array(vec![Value::Bytes(bytes)]);
        let proofs = Value::Map(vec![(Value::from(label), proofs)]);
        let broken = |error: coset::CoseError| EnvelopeFault::Structure(error.to_string());
        let mut cose = CoseSign1Builder::new()
            .unprotected(HeaderBuilder::new().value(PROOFS, proofs).build())
            .signature(signature.to_vec())
            .build();
        cose.protected = crate::envelope::decoded_header(protected)?;
        let bytes = cose.to_tagged_vec().map_err(broken)?;
        Self::read(&bytes)?;
        Ok(bytes)
    }
}

/// The proof of a label and its bytes.
fn proof_of(label: Option<i64>, bytes: &[u8]) -> Result<LogProof, EnvelopeFault> {
    strict::check(bytes)?;
    let value: Value =
        coset::cbor::de::from_reader(bytes).map_err(|_| structure("its proof can't be decoded"))?;
    let Some([one, other, path]) = value.as_array().map(Vec::as_slice) else {
        return Err(structure("its proof is no list of two numbers and a path"));
    };
    let number = |value: &Value| value.as_integer().and_then(|it| u64::try_from(it).ok());
    let hash = |value: &Value| value.as_bytes().and_then(|it| Hash::try_from(&**it).ok());
    // The form of RFC 9942 has at least one hash, but logs of one entry are known that have none.
    let path = path.as_array().filter(|path| path.len() <= PATH);
    let path: Option<Vec<Hash>> = path.and_then(|path| path.iter().map(hash).collect());
    let (Some(one), Some(other), Some(path)) = (number(one), number(other), path) else {
        return Err(structure("its proof is no list of two numbers and a path"));
    };
    match label {
        Some(INCLUSION) => Ok(LogProof::Inclusion { size: one, index: other, path }),
        Some(CONSISTENCY) => Ok(LogProof::Consistency { old: one, new: other, path }),
        _ => Err(structure("its proof is neither of inclusion nor of consistency")),
    }
}
