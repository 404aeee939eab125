//! Classes of values that must not be shared.

/// Class of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A credential with a shape of its provider's.
    ProviderToken,
    /// A private key, or a part of one.
    PrivateKey,
    /// The user and password of an address (RFC 3986, section 3.2.1).
    UrlCredential,
    /// The value of an HTTP header.
    Header,
    /// A password.
    Password,
    /// A JSON Web Token (RFC 7519).
    Jwt,
    /// An address that gives access to whoever knows it.
    Webhook,
    /// A connection string.
    Connection,
    /// A value that is assigned to a name such as `token`.
    Generic,
    /// A value that an agent's format marks as giving access.
    Marked,
    /// A number of a payment card.
    Card,
    /// A social security number of the United States.
    Ssn,
    /// The number of a bank account (ISO 13616).
    Iban,
    /// A number of a telephone.
    Phone,
    /// An address of electronic mail.
    Email,
    /// The name of a user of a machine.
    User,
    /// The name of a machine.
    Host,
    /// The name of a person.
    Person,
    /// The output of a tool.
    Output,
    /// An image.
    Image,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 20] = [
        Self::ProviderToken,
        Self::PrivateKey,
        Self::UrlCredential,
        Self::Header,
        Self::Password,
        Self::Jwt,
        Self::Webhook,
        Self::Connection,
        Self::Generic,
        Self::Marked,
        Self::Card,
        Self::Ssn,
        Self::Iban,
        Self::Phone,
        Self::Email,
        Self::User,
        Self::Host,
        Self::Person,
        Self::Output,
        Self::Image,
    ];

    /// Its name in placeholders, reports and rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProviderToken => "provider-token",
            Self::PrivateKey => "private-key",
            Self::UrlCredential => "url-credential",
            Self::Header => "header",
            Self::Password => "password",
            Self::Jwt => "jwt",
            Self::Webhook => "webhook",
            Self::Connection => "connection",
            Self::Generic => "generic",
            Self::Marked => "secret",
            Self::Card => "card",
            Self::Ssn => "ssn",
            Self::Iban => "iban",
            Self::Phone => "phone",
            Self::Email => "email",
            Self::User => "user",
            Self::Host => "host",
            Self::Person => "person",
            Self::Output => "output",
            Self::Image => "image",
        }
    }

    /// The class with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Whether it tells who somebody is, and gives access to nothing.
    #[must_use]
    pub const fn is_personal(self) -> bool {
        matches!(
            self,
            Self::Card
                | Self::Ssn
                | Self::Iban
                | Self::Phone
                | Self::Email
                | Self::User
                | Self::Host
                | Self::Person
        )
    }
}
