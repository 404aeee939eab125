//! A format of no agent, for tests of code that must not depend on a format. Its lines have an
//! `id`, a `time`, a `cwd` and the text `said`. Its sub-agents are in the folder `<id>/subs`.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{
    Base, Candidate, Claim, Format, FormatData, Place, Role, WriteError, Written, native,
};
use session::{Bundle, Case, Kind, Map, Memory, Node, Reading, Session, Split, map};

use super::catalog_crate::{Catalog, Machine};

pub(crate) struct Tiny;

pub(crate) static FORMATS: &[&dyn Format] = &[&Tiny];

/// Writes a file, and creates its folders.
pub(crate) fn put(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// The catalog of a machine with this home.
pub(crate) fn catalog(home: &Path) -> Catalog<'static> {
    let machine = Machine { home: Some(home.into()), ..Machine::default() };
    Catalog { formats: FORMATS, machine }
}

static BLOCK: Map = map! { "text" => kept, "type" => is(Type) };
static INNER: Map = map! { "model" => is(Model), "title" => is(Title) };
static LINE: Map = map! {
    "id" => is(Session), "time" => is(Time), "cwd" => is(WorkingDir),
    "said" => each(Content, block),
    "inner" => within(Native, &INNER), "version" => is(Version), "list" => kept,
};
static SAID: Case = Case::new("said", Kind::User, &LINE);
static BLOCKS: Case = Case::new("block", Kind::Assistant, &BLOCK);

fn block(node: Node<'_>) -> Option<&'static Case> {
    node.word(&["type"]).map(|_| &BLOCKS)
}

fn line(node: Node<'_>) -> Option<&'static Case> {
    node.word(&["id"]).map(|_| &SAID)
}

static DATA: FormatData = FormatData {
    places: &[
        Place { base: Base::List("TINY_HOME"), folder: "", leaves: &["talks", "old"] },
        Place { base: Base::Home, folder: ".tiny", leaves: &["talks", "old"] },
    ],
    ..FormatData::of("tiny", &[])
};

impl Format for Tiny {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        let name = file.file().trim_end_matches(".zst");
        let Some(stem) = name.strip_suffix(".tiny") else {
            return match name.strip_suffix(".note") {
                Some(_) => Claim::NoSession("a note"),
                None => Claim::No,
            };
        };
        let mut folders = file.folders();
        match (folders.next(), folders.next()) {
            (Some("subs"), Some(parent)) => {
                Claim::Part { group: parent.into(), role: Role::Sub(stem.into()) }
            }
            _ => Claim::Part { group: stem.into(), role: Role::Main },
        }
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new("tiny", &bundle, memory);
        for at in 0..bundle.members.len() {
            reading.member(at, Split::Lines, line);
        }
        let mut session = reading.finish();
        session.id =
            bundle.members.first().map(|member| member.stem().to_owned()).unwrap_or_default();
        vec![session]
    }

    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        Ok(native(session))
    }
}

/// Lines with every feature of the format.
pub(crate) const TALK: &str = concat!(
    r#"{"id":"one","time":"2026-03-01T10:00:00Z","cwd":"/home/kim","said":"paint \u00e9 blue"}"#,
    "\n",
    r#"{"id":"one","said":[{"type":"x","text":"a\ud800b"},"loose",{"type":"y","text":""}],"#,
    r#""list":[1,[2.50,{}],{"a":null}]}"#,
    "\n",
    r#"{"id":"one","inner":{"model":"m-1","title":"Blue","a":1,"a":-0},"other":true,"list":[]}"#,
    "\n",
    "[1,2]\n",
    r#"{"id":"one","time":"2026-03-01T10:05:00Z"}{"id":"two"}"#,
    "\n",
    r#"{"id":"cut"#,
);
