//! Signature algorithms, and the types of keys that they are bound to.

/// Type of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyType {
    /// Edwards curve 25519 (RFC 8032).
    Ed25519,
    /// NIST P-256.
    P256,
}

impl KeyType {
    /// Name of the type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ed25519 => "ed25519",
            Self::P256 => "p256",
        }
    }

    /// The type of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ed25519, Self::P256].into_iter().find(|it| it.name() == name)
    }

    /// The algorithm that a new signature names. The older number is used: every library knows it.
    #[must_use]
    pub const fn algorithm(self) -> Algorithm {
        match self {
            Self::Ed25519 => Algorithm::EdDsa,
            Self::P256 => Algorithm::Es256,
        }
    }
}

/// Signature algorithm, by the numbers of the COSE registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// EdDSA (-8), here of Ed25519 only.
    EdDsa,
    /// Ed25519 (-19), fully specified.
    Ed25519,
    /// ES256 (-7), here of P-256 only.
    Es256,
    /// ESP256 (-9), fully specified.
    Esp256,
}

impl Algorithm {
    /// Number in the COSE registry.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::EdDsa => -8,
            Self::Ed25519 => -19,
            Self::Es256 => -7,
            Self::Esp256 => -9,
        }
    }

    /// The algorithm of a number; `None` for any other than these four.
    #[must_use]
    pub fn numbered(number: i64) -> Option<Self> {
        let all = [Self::EdDsa, Self::Ed25519, Self::Es256, Self::Esp256];
        all.into_iter().find(|it| it.number() == number)
    }

    /// Name in the COSE registry.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Ed25519 => "Ed25519",
            Self::Es256 => "ES256",
            Self::Esp256 => "ESP256",
        }
    }

    /// The only type of key that it is used with.
    #[must_use]
    pub const fn key_type(self) -> KeyType {
        match self {
            Self::EdDsa | Self::Ed25519 => KeyType::Ed25519,
            Self::Es256 | Self::Esp256 => KeyType::P256,
        }
    }
}
