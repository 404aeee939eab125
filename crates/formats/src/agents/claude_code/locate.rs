//! Claude Code's data directories, and the detection of its files by name, head and tail.

use session::{Bundle, JsonFault, Member, Node, Scan, Shape, Stream};

use super::{map, notices};
use crate::claim::{Candidate, Claim, END_BYTES, Role, Tail};
use crate::place::{Base, Place};
use crate::resume::is_uuid;
use crate::{probe, strangers};

/// Names of files that hold credentials.
pub(super) const SEALED: &[&str] = &[".credentials.json"];

/// `$CLAUDE_CONFIG_DIR`, or `~/.claude`; some installations used `~/.config/claude`.
pub(super) const PLACES: &[Place] = &[
    Place { base: Base::List("CLAUDE_CONFIG_DIR"), folder: "", leaves: LEAVES },
    Place { base: Base::Home, folder: ".claude", leaves: LEAVES },
    Place { base: Base::Config, folder: "claude", leaves: LEAVES },
];

const LEAVES: &[&str] = &["projects"];

/// Names of Claude Code's files that are not sessions.
const NO_SESSION: &[(&str, &str)] = &[
    (INDEX, "an index of sessions, often stale"),
    (".claude.json", "the agent's global state, not a session"),
    (".credentials.json", "credentials, no session"),
    ("settings.json", "the agent's settings"),
    ("settings.local.json", "the agent's settings"),
    ("stats-cache.json", "statistics that the agent keeps"),
];

/// Folders of Claude Code without sessions. A folder's name alone proves little, so such files
/// count as Claude Code's only below one of its own folders.
const NO_SESSIONS_IN: &[(&str, &str)] = &[
    ("tool-results", "output of a tool that was too long for the transcript, which names it"),
    ("file-history", "a copy of a file as it was before an edit"),
    ("memory", "notes that the agent keeps for itself"),
    ("todos", "in the folder of lists of things to do"),
    ("tasks", "in the folder of lists of tasks"),
    ("plans", "in the folder of plans"),
    ("sessions", "the register of running processes"),
    ("jobs", "the register of jobs"),
    ("shell-snapshots", "the state of a shell"),
];

/// Files in a session's own folder that are not sessions.
const NO_SESSION_BESIDE: &[(&str, &str)] = &[
    ("custom-title.json", "the title that was given to the session whose folder this is"),
    ("ccr-tip.json", "how far the session was copied to another machine"),
];

/// Whether a name is a transcript's: named after its session or its sub-agent.
pub(super) fn is_named(file: &Candidate<'_>) -> bool {
    let stem = stem(file.file());
    is_agent(stem) || is_uuid(stem)
}

/// The id in the name of a session's transcript.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    Some(stem(name)).filter(|stem| is_uuid(stem) && name.ends_with(".jsonl"))
}

/// Format detection.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    if let Some(why) = no_session(file) {
        return Claim::NoSession(why);
    }
    if let Some((session, part)) = folder_of_session(file.path) {
        return beside(session, part, file);
    }
    let name = file.file();
    let stem = stem(name);
    // Under any other name the content alone decides.
    let lines = name.ends_with(".jsonl") || name.contains(".jsonl.");
    // Another agent has transcripts of such names deeper in a folder of this name.
    let placed = file.folders().nth(1).is_some_and(|folder| LEAVES.contains(&folder));
    let ours = lines && (is_agent(stem) || is_uuid(stem) && placed);
    // Mostly one line is read.
    let mut scan = Scan::without_templates();
    if !lines && !begins_object(file.head) {
        return Claim::No;
    }
    let said = match transcript(file, ours, &mut scan) {
        Ok(said) => said,
        Err(claim) => return if lines { claim } else { Claim::No },
    };
    // Mostly the line that identifies the file has the stem's id, and nothing is read again.
    let named = said.filter(|said| said == stem && !is_agent(stem));
    // Without any id, files of the same name in two folders are two sessions.
    let id = named.or_else(|| id(stem, file.head, file.tail, &mut scan));
    let id = id.unwrap_or_else(|| file.path.to_owned());
    let role = if is_agent(stem) { Role::Sub(stem.to_owned()) } else { Role::Main };
    Claim::Part { group: id, role }
}

/// Whether the first byte that is text begins an object.
fn begins_object(head: &[u8]) -> bool {
    let padding = |byte: &&u8| **byte == 0 || byte.is_ascii_whitespace();
    probe::bare(head).iter().find(|byte| !padding(byte)) == Some(&b'{')
}

/// Whether a member of the main history is a transcript, and not a file beside one.
pub(super) fn is_transcript_of(member: &Member) -> bool {
    let (head, _) = ends(member.bytes());
    !member.name.ends_with(".json")
        || !probe::is_document(head)
            && matches!(looks(head, &mut Scan::new()), Looks::Transcript(_))
}

/// The session that the first line of a transcript names, if any. `ours` means that the file's name
/// and folder are Claude Code's.
///
/// # Errors
/// The claim on a `.jsonl` file whose head is not a transcript's.
fn transcript(file: &Candidate<'_>, ours: bool, scan: &mut Scan) -> Result<Option<String>, Claim> {
    let ours_but = |why| Err(if ours { Claim::NoSession(why) } else { Claim::No });
    if file.length == 0 || file.head.is_empty() {
        return ours_but("empty: nothing was written to it");
    }
    if file.head.starts_with(LFS_POINTER) {
        return ours_but("a pointer of Git LFS: what the file held is stored elsewhere");
    }
    // One value over several lines is no transcript, wherever it is and however it is called.
    if probe::is_document(file.head) {
        return Err(Claim::No);
    }
    match looks(file.head, scan) {
        Looks::Transcript(said) => Ok(said),
        Looks::Damaged | Looks::Bare if ours => Ok(None),
        Looks::PromptHistory => {
            Err(Claim::NoSession("the history of prompts over all sessions, not a session"))
        }
        Looks::Other if file.folders().nth(1).is_some_and(|folder| LEAVES.contains(&folder)) => {
            Err(Claim::NoSession("in this agent's folder, and not in the form of its sessions"))
        }
        Looks::Damaged | Looks::Bare | Looks::Other => Err(Claim::No),
    }
}

const LFS_POINTER: &[u8] = b"version https://git-lfs";

/// The reason why a file of Claude Code's is not a session, by its name.
fn no_session(file: &Candidate<'_>) -> Option<&'static str> {
    let own_name = |name: &str| name.starts_with(HOME) || name == INDEX;
    let by_name = NO_SESSION.iter().find(|(name, _)| *name == file.file());
    if let Some((name, why)) = by_name
        && (own_name(name) || file.folders().next() == Some(HOME))
    {
        return Some(why);
    }
    let beside = NO_SESSION_BESIDE.iter().find(|(name, _)| *name == file.file());
    if let Some((_, why)) = beside
        && file.folders().next().is_some_and(is_uuid)
    {
        return Some(why);
    }
    let mut near = file.folders().take(2);
    let (_, why) = near.find_map(|near| NO_SESSIONS_IN.iter().find(|(name, _)| *name == near))?;
    let ours = below(file, &[HOME]) || file.folders().take(3).any(is_uuid);
    ours.then_some(why)
}

/// The agent's folder in a home.
const HOME: &str = ".claude";
const INDEX: &str = "sessions-index.json";

fn below(file: &Candidate<'_>, folders: &[&str]) -> bool {
    file.folders().any(|folder| folders.contains(&folder))
}

/// Folders of one session, beside its transcript: `<session>/subagents/…`.
const PARTS: &[&str] = &[AGENTS, "workflows", "remote-agents"];
const AGENTS: &str = "subagents";
/// The journal of a workflow, in its folder.
const JOURNAL: &str = "journal.jsonl";

/// The session whose own folder contains a file, and the file's folder within that.
fn folder_of_session(path: &str) -> Option<(&str, &str)> {
    let folders: Vec<&str> = path.split('/').collect();
    let mut pairs = folders.windows(2).take(folders.len().saturating_sub(2));
    let inner = |pair: &&[&str]| {
        let part = pair[1];
        PARTS.contains(&part) && (part == AGENTS || is_uuid(pair[0]))
    };
    pairs.find(inner).map(|pair| (pair[0], pair[1]))
}

/// A file in a session's own folder.
fn beside(session: &str, part: &str, file: &Candidate<'_>) -> Claim {
    let (name, group) = (file.file(), session.to_owned());
    let stem = stem(name);
    let agent = (is_agent(stem) && part == AGENTS).then(|| stem.to_owned());
    let role = match name[stem.len()..].strip_prefix('.') {
        Some("jsonl") => {
            let ours = agent.is_some() || name == JOURNAL;
            if let Err(claim) = transcript(file, ours, &mut Scan::new()) {
                return claim;
            }
            agent.map_or(Role::Beside(None), Role::Sub)
        }
        // Only another agent names the session in such a file.
        Some("meta.json") if probe::look(file.head, names_session).unwrap_or(false) => {
            return Claim::No;
        }
        Some("meta.json") if agent.is_some() => Role::Beside(agent),
        Some("json" | "meta.json") if part != AGENTS => Role::Beside(None),
        _ => return Claim::No,
    };
    if file.length == 0 {
        return Claim::NoSession("empty: nothing was written to it");
    }
    Claim::Part { group, role }
}

fn names_session(root: Node<'_>) -> bool {
    root.at(map::SPAWNER).is_some()
}

/// Content type, detected from a file's head.
#[derive(Debug, PartialEq, Eq)]
enum Looks {
    /// A transcript, and the session named by the line that identifies it.
    Transcript(Option<String>),
    PromptHistory,
    /// Nothing was readable.
    Damaged,
    /// Lines outside the chain only: a fork or a journal that has just begun.
    Bare,
    /// JSON of another program.
    Other,
}

/// Number of lines to read: a transcript is identified by its first ones.
const LINES: usize = 32;

fn looks(head: &[u8], scan: &mut Scan) -> Looks {
    let mut seen = Looks::Damaged;
    for (line, is_cut) in begun_lines(head).take(LINES) {
        match scan.read(line, 0) {
            Ok(doc) if is_transcript(doc.root()) => {
                return Looks::Transcript(session_of(doc.root()));
            }
            Ok(doc) if is_prompt(doc.root()) => return Looks::PromptHistory,
            Ok(doc) if seen == Looks::Damaged && is_note(doc.root()) => seen = Looks::Bare,
            Ok(_) if seen != Looks::Bare => seen = Looks::Other,
            Ok(_) => {}
            // Truncated by the window, glued, or damaged: its beginning decides, or its member
            // names.
            Err(fault) => match begins(line, is_cut || fault.why == JsonFault::CutOff) {
                Some(true) => return Looks::Transcript(None),
                Some(false) if seen != Looks::Bare => seen = Looks::Other,
                _ => {}
            },
        }
    }
    seen
}

/// The lines that are not empty, without the NUL bytes that a crash leaves before them.
fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    begun_lines(bytes).map(|(line, _)| line)
}

/// The same lines of a head, each with whether it may go on beyond the head: the last one of a head
/// that is as long as a head can be.
fn begun_lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = (&[u8], bool)> {
    let is_full = bytes.len() >= END_BYTES;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).map(move |end| {
        let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |before| before + 1);
        let line = &bytes[start..end];
        let nul = line.iter().take_while(|&&byte| byte == 0).count();
        (line[nul..].trim_ascii(), is_full && end == bytes.len())
    });
    lines.filter(|(line, _)| !line.is_empty())
}

/// Whether a line has a type of the lines outside the chain.
fn is_note(line: Node<'_>) -> bool {
    line.word(map::TYPE).is_some_and(|word| notices::WORDS.contains(&word))
}

fn is_transcript(line: Node<'_>) -> bool {
    (is_note(line) || line.word(map::TYPE).is_some_and(|word| map::WORDS.contains(&word)))
        && !is_anothers(line)
        && map::EVIDENCE.iter().any(|path| line.at(path).is_some())
}

/// Whether a line says that another agent wrote it.
fn is_anothers(line: Node<'_>) -> bool {
    let named = line.word(map::AGENT_NAME).is_some_and(|agent| !agent.starts_with(map::OWN_NAME));
    named || probe::is_in_parts(line) || probe::begins_with_id(line) || strangers::is_iflow(line)
}

/// Whether a line is one of `history.jsonl`.
fn is_prompt(line: Node<'_>) -> bool {
    line.shape() == Shape::Object && map::PROMPT.iter().all(|path| line.at(path).is_some())
}

/// Whether the complete members at the beginning of a line that can't be parsed are a transcript's;
/// `None` if they do not say. Then the names of members in a damaged line decide; in one that is
/// only cut they may be those of any value within.
fn begins(line: &[u8], is_cut: bool) -> Option<bool> {
    let closed = session::closed(line).unwrap_or_default();
    let is = |line: Node<'_>| (is_transcript(line), is_anothers(line) || line.at(ROLE).is_some());
    let seen = Scan::new().read(&closed, 0).map(|doc| is(doc.root()));
    match seen.unwrap_or_default() {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => (!is_cut && told(line)).then_some(true),
    }
}

/// A name that no transcript's line has at its top.
const ROLE: &[&str] = &["role"];

/// Whether a line contains the member names of a transcript.
fn told(line: &[u8]) -> bool {
    let holds = |words: &[&str]| {
        words.iter().any(|word| memchr::memmem::find(line, word.as_bytes()).is_some())
    };
    holds(map::TYPE_WORDS) && holds(map::ID_WORDS)
}

/// The session's id in a transcript with this stem, head and tail.
///
/// The stem, if it is a UUID and the lines carry it, or no id at all. Otherwise the last id in the
/// lines, because a fork begins with lines of its parent session. A sub-agent's lines carry their
/// session's id.
fn id(stem: &str, head: &[u8], tail: Tail<'_>, scan: &mut Scan) -> Option<String> {
    let mut id = |line: &[u8]| scan.read(line, 0).ok().and_then(|doc| session_of(doc.root()));
    // Mostly the first line with an id has the stem's, and the file need not be read further. No
    // writer escapes the characters of a UUID.
    let is_named = |found: &String| found == stem;
    let may_name =
        |bytes: &[u8]| !is_uuid(stem) || memchr::memmem::find(bytes, stem.as_bytes()).is_some();
    if !is_agent(stem)
        && may_name(head)
        && let Some(named) = lines(head).filter_map(&mut id).find(is_named)
    {
        return Some(named);
    }
    let tail = tail.bytes();
    let mut last = None;
    let decides = is_agent(stem) || !may_name(&tail);
    for found in lines(&tail).rev().filter_map(&mut id) {
        if decides || is_named(&found) {
            return Some(found);
        }
        last = last.or(Some(found));
    }
    last.or_else(|| lines(head).rev().find_map(id))
        .or_else(|| is_uuid(stem).then(|| stem.to_owned()))
}

fn session_of(line: Node<'_>) -> Option<String> {
    let id = line.word(map::SESSION).or_else(|| line.word(map::SESSION_SNAKE))?;
    (!id.is_empty()).then(|| session::value::unescape(id).into_owned())
}

/// The id of a bundle's session, by the rule of the claims on its files.
pub(super) fn session_id(bundle: &Bundle) -> String {
    let transcripts = || bundle.members.iter().filter(|member| is_transcript_of(member));
    let main = transcripts().filter(|member| member.stream == Stream::Main);
    let by_lines = |member: &Member| {
        let (head, tail) = ends(member.bytes());
        id(member.stem(), head, Tail::Is(tail), &mut Scan::without_templates())
    };
    let folder =
        |member: &Member| folder_of_session(&member.name).map(|(session, _)| session.to_owned());
    let agents = || transcripts().filter(|member| member.stream != Stream::Main);
    main.clone()
        .find_map(by_lines)
        .or_else(|| bundle.members.iter().find_map(folder))
        .or_else(|| agents().find_map(by_lines))
        .or_else(|| bundle.members.first().map(|member| member.stem().to_owned()))
        .unwrap_or_default()
}

/// The head and tail of a whole file, as a claim would have seen them.
pub(super) fn ends(bytes: &[u8]) -> (&[u8], &[u8]) {
    if bytes.len() <= END_BYTES {
        return (bytes, &[]);
    }
    (&bytes[..END_BYTES], &bytes[bytes.len() - END_BYTES..])
}

/// A file's name without its ending: the part before the first dot. That of a sub-agent may have
/// dots of its own (`agent-review.v2.jsonl`).
fn stem(name: &str) -> &str {
    let whole = || [".meta.json", ".jsonl"].iter().find_map(|end| name.strip_suffix(end));
    let of_agent = || whole().map(str::len).or_else(|| name.rfind(".jsonl."));
    let end = if is_agent(name) { of_agent() } else { None };
    &name[..end.or_else(|| name.find('.')).unwrap_or(name.len())]
}

fn is_agent(stem: &str) -> bool {
    stem.starts_with("agent-")
}
