//! A machine, by its names in runs.

use serde::{Deserialize, Serialize};

/// A machine: its name for people, the id by which it stays the same one under another name, and
/// the labels that its user chose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MachineName {
    /// The name that the system has.
    #[serde(rename = "machine")]
    pub name: String,
    /// The id. Runs of the first version have none.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "machine_id")]
    pub id: Option<String>,
    /// The label of the machine in tables. An empty one means that it has none any more.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "machine_label")]
    pub label: Option<String>,
    /// The label of the account for which its sessions ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

impl MachineName {
    /// A machine without labels.
    #[must_use]
    pub const fn new(name: String, id: Option<String>) -> Self {
        Self { name, id, label: None, account: None }
    }

    /// The same machine with the labels of another run, where this one has none.
    #[must_use]
    pub fn labelled(mut self, label: Option<String>, account: Option<String>) -> Self {
        self.label = self.label.or(label);
        self.account = self.account.or(account);
        self
    }

    /// The same machine without labels.
    #[must_use]
    pub fn without_labels(self) -> Self {
        Self::new(self.name, self.id)
    }

    /// The label of the machine, and that of the account.
    #[must_use]
    pub fn labels(&self) -> [Option<&str>; 2] {
        [&self.label, &self.account].map(|label| label.as_deref().filter(|text| !text.is_empty()))
    }

    /// Whether both are one machine: by their ids, or by their names if one has no id.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(own), Some(id)) => own == id,
            _ => self.name == other.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_known_by_its_id() {
        let of =
            |name: &str, id: Option<&str>| MachineName::new(name.into(), id.map(str::to_owned));
        assert!(of("tide", Some("1")).is(&of("reef", Some("1"))));
        assert!(!of("tide", Some("1")).is(&of("tide", Some("2"))));
        assert!(
            of("tide", Some("1")).is(&of("tide", None)) && !of("tide", None).is(&of("a", None))
        );
        let old = "{\"run\":{\"schema\":\"verbatim-run-1\",\"time\":\"t\",\"machine\":\"tide\"}}";
        let line: serde_json::Value = serde_json::from_str(old).unwrap();
        let machine: MachineName = serde_json::from_value(line["run"].clone()).unwrap();
        assert_eq!(machine, of("tide", None));
    }
}
