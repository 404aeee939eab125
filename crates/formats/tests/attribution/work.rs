//! A hundred edits and more, applied to files on disk and recorded in an agent's format.

use crate::disk::{By, Disk, Splice};

/// Amount of detail that an agent records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Each edit with the previous text, so that others may edit too.
    Whole,
    /// The edits alone: files are read first, and nobody else edits.
    Bare,
}

/// An act of a tool. Texts are as on disk before it.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// The file is read whole.
    Read,
    /// Replacements of texts, one after another.
    Edit(Vec<Replace>),
    /// The file is written whole.
    Write { after: String, fresh: bool },
    /// Lines at known places.
    Patch(Vec<Splice>),
    /// The file is removed.
    Remove,
}

/// Replacement of a text.
#[derive(Clone, Debug)]
pub(crate) struct Replace {
    pub old: String,
    pub new: String,
    pub all: bool,
}

/// One step of a session.
pub(crate) struct Step<'d> {
    pub number: usize,
    pub path: String,
    pub before: String,
    pub act: Act,
    /// The reason why it was refused, if it was.
    pub refused: Option<&'static str>,
    /// Whether a sub-agent did it.
    pub sub: bool,
    /// Whether somebody else edited the file after the session last saw it.
    pub stale: bool,
    pub disk: &'d Disk,
}

/// The acts that an agent has tools for.
pub(crate) struct Tools {
    pub telling: Telling,
    /// Whether files exist when the session begins.
    pub begin: bool,
    pub edits: bool,
    pub several: bool,
    pub patches: bool,
    pub writes: bool,
    pub removes: bool,
    pub subs: bool,
    /// Whether its records show the edits of others.
    pub others: bool,
}

const FILES: [&str; 4] = ["src/door.rs", "src/window.rs", "lab/plan.ipynb", "Makefile"];

/// Edits files and records each step. Returns the files.
pub(crate) fn work(
    seed: u64,
    edits: usize,
    tools: &Tools,
    tell: &mut dyn FnMut(&Step<'_>),
) -> Disk {
    let mut disk = Disk::new(seed);
    let mut number = 0;
    if tools.begin {
        for (at, path) in FILES.iter().enumerate() {
            disk.begin(path, 20 + 9 * at);
        }
    }
    while disk.paths().len() < FILES.len() {
        number += 1;
        create(&mut disk, number, tools, tell);
    }
    if tools.begin && tools.telling == Telling::Bare {
        for path in FILES {
            tell(&step(&disk, 0, path, Act::Read));
        }
    }
    while number < edits {
        let stale = if tools.others && disk.below(6) == 0 { other(&mut disk) } else { None };
        number += 1;
        let paths = disk.paths();
        let any = paths[disk.below(paths.len())].clone();
        let told = &mut |step: &Step<'_>| {
            tell(&Step {
                stale: stale.is_some(),
                path: step.path.clone(),
                act: step.act.clone(),
                before: step.before.clone(),
                ..*step
            });
        };
        let path = stale.as_ref().unwrap_or(&any);
        let kinds = [tools.edits, tools.several, tools.patches, tools.writes, tools.writes];
        // An edit of the file must show the edits of others.
        let kind = if stale.is_some() { 0 } else { disk.below(kinds.len() + 2) };
        match kind {
            0..5 if !kinds[kind] => number -= 1,
            0 => replace(&mut disk, number, path, 1, tools, told),
            1 => replace(&mut disk, number, path, 3, tools, told),
            2 => patch(&mut disk, number, path, tools, told),
            3 => write(&mut disk, number, path, tools, told),
            4 => create(&mut disk, number, tools, told),
            5 => refuse(&mut disk, number, path, tools, told),
            _ if tools.removes && paths.len() > 6 && path.starts_with("new/") => {
                told(&step(&disk, number, path, Act::Remove));
                disk.remove(path);
            }
            _ => number -= 1,
        }
    }
    disk
}

fn step<'d>(disk: &'d Disk, number: usize, path: &str, act: Act) -> Step<'d> {
    let before = if disk.path(path).exists() { disk.text(path) } else { String::new() };
    Step {
        number,
        path: path.to_owned(),
        before,
        act,
        refused: None,
        sub: false,
        stale: false,
        disk,
    }
}

/// A place in a file and its new lines. At least one line of the file remains.
fn splice(disk: &mut Disk, path: &str) -> Splice {
    let count = disk.count(path);
    let at = disk.below(count - 2);
    let gone = disk.below(4).min(count - 2 - at);
    let new = disk.below(4) + usize::from(gone == 0);
    Splice { at, gone, new: disk.fresh(new) }
}

/// Somebody else edits a file.
fn other(disk: &mut Disk) -> Option<String> {
    let path = FILES[disk.below(FILES.len())];
    if disk.count(path) < 12 {
        return None;
    }
    let splice = splice(disk, path);
    disk.splice(path, &splice, By::Other);
    Some(path.to_owned())
}

/// One or several replacements in one call, each of a text that occurs once, or of all occurrences.
fn replace(
    disk: &mut Disk,
    number: usize,
    path: &str,
    count: usize,
    tools: &Tools,
    tell: &mut dyn FnMut(&Step<'_>),
) {
    if disk.count(path) < 8 {
        return create(disk, number, tools, tell);
    }
    let sub = tools.subs && disk.below(3) == 0;
    let before = disk.text(path);
    let mut edits = Vec::new();
    for round in 0..count {
        if disk.below(4) == 0 {
            let tag = disk.below(9);
            let (old, new) = (format!("tag{tag}."), format!("tag{tag}_{number}_{round}."));
            if disk.text(path).contains(&old) {
                disk.rename(path, &old, &new, By::Edit(number));
                edits.push(Replace { old, new, all: true });
                continue;
            }
        }
        let splice = splice(disk, path);
        // Whole lines, with one before or after them so that the text is never empty.
        let lines = |from: usize, to: usize| -> Vec<String> {
            (from..to).map(|at| disk.line(path, at).to_owned()).collect()
        };
        let old = lines(splice.at, splice.at + splice.gone + 1);
        let new = [splice.new.clone(), lines(splice.at + splice.gone, splice.at + splice.gone + 1)];
        edits.push(Replace { old: old.join("\n"), new: new.concat().join("\n"), all: false });
        disk.splice(path, &splice, By::Edit(number));
    }
    let step = Step { before, sub, ..step(disk, number, path, Act::Edit(edits)) };
    tell(&step);
}

/// Lines at two places of a file.
fn patch(
    disk: &mut Disk,
    number: usize,
    path: &str,
    tools: &Tools,
    tell: &mut dyn FnMut(&Step<'_>),
) {
    if disk.count(path) < 20 {
        return create(disk, number, tools, tell);
    }
    let before = disk.text(path);
    let half = disk.count(path) / 2;
    let mut splices = Vec::new();
    for (from, to) in [(0, half - 5), (half + 5, disk.count(path) - 2)] {
        let at = from + disk.below(to - from);
        let gone = disk.below(3).min(to - at);
        let new = disk.below(3) + usize::from(gone == 0);
        splices.push(Splice { at, gone, new: disk.fresh(new) });
    }
    for splice in splices.iter().rev() {
        disk.splice(path, splice, By::Edit(number));
    }
    let step = Step { before, ..step(disk, number, path, Act::Patch(splices)) };
    tell(&step);
}

/// The file is overwritten. Some of its lines stay.
fn write(
    disk: &mut Disk,
    number: usize,
    path: &str,
    tools: &Tools,
    tell: &mut dyn FnMut(&Step<'_>),
) {
    if disk.count(path) < 8 {
        return create(disk, number, tools, tell);
    }
    let before = disk.text(path);
    let splice = splice(disk, path);
    disk.splice(path, &splice, By::Edit(number));
    let after = disk.text(path);
    let step = Step { before, ..step(disk, number, path, Act::Write { after, fresh: false }) };
    tell(&step);
}

/// A new file is created.
fn create(disk: &mut Disk, number: usize, tools: &Tools, tell: &mut dyn FnMut(&Step<'_>)) {
    let path = format!("new/{number}.txt");
    let count = 8 + disk.below(9);
    let splice = Splice { at: 0, gone: 0, new: disk.fresh(count) };
    disk.splice(&path, &splice, By::Edit(number));
    let after = disk.text(&path);
    let act =
        if tools.writes { Act::Write { after, fresh: true } } else { Act::Patch(vec![splice]) };
    let step = Step { before: String::new(), ..step(disk, number, &path, act) };
    tell(&step);
}

/// An edit that fails, or that the person denies: the file is unchanged.
fn refuse(
    disk: &mut Disk,
    number: usize,
    path: &str,
    tools: &Tools,
    tell: &mut dyn FnMut(&Step<'_>),
) {
    let why =
        ["String to replace not found in file.", "The user doesn't want to proceed with this."];
    let refused = Some(why[disk.below(2)]);
    let old = disk.line(path, 0).to_owned();
    let new = disk.fresh(2).join("\n");
    let act = match tools.edits {
        true => Act::Edit(vec![Replace { old, new, all: false }]),
        false => Act::Patch(vec![Splice { at: 0, gone: 1, new: vec![new] }]),
    };
    let step = Step { refused, ..step(disk, number, path, act) };
    tell(&step);
}
