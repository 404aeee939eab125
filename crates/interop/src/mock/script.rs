//! Scripts of the mock model: each is a list of steps, one answer per step.

/// An act of the model, independent of the agent. Paths are relative to the work folder.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Read a file.
    Read(&'static str),
    /// Replace a text that occurs once in a file.
    Edit { path: &'static str, old: &'static str, new: &'static str },
    /// Create a file.
    Write { path: &'static str, text: &'static str },
    /// Run a command line.
    Run(&'static str),
    /// Give a prompt to a sub-agent.
    Delegate(&'static str),
    /// Wait for the sub-agent, if the previous call did not.
    Wait,
}

/// Ending of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The answer is complete.
    Well,
    /// The mock refuses the request.
    Refused,
    /// The answer stops in the middle of the text. The connection stays open and silent.
    Silent,
}

/// One answer of a script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Whether the model sends reasoning before its text.
    pub thinks: bool,
    /// Its tool calls.
    pub acts: &'static [Act],
    /// Its ending.
    pub end: End,
}

const SAY: Step = Step { thinks: false, acts: &[], end: End::Well };
const fn acts(acts: &'static [Act]) -> Step {
    Step { thinks: false, acts, end: End::Well }
}

/// The files of the work folder before the agent runs.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("prices.txt", "apple 3\npear 4\nplum 5\nquince 6\nfig 7\n"),
    ("README.md", "# Shop\n\nPrices are in prices.txt.\n"),
    ("stall/melons.txt", "melon 9\n"),
];

const EDIT: Act =
    Act::Edit { path: "prices.txt", old: "pear 4\nplum 5\n", new: "pear 40\nplum 50\nmedlar 55\n" };
const NEW: Act =
    Act::Write { path: "notes/todo.txt", text: "count the figs\nask for quinces\nclose at six\n" };
const LATER: Act = Act::Edit { path: "prices.txt", old: "fig 7\n", new: "fig 70\nlime 8\n" };

/// The scripts, by the word that selects them.
const SCRIPTS: &[(&str, &[Step])] = &[
    ("[[hello]]", &[Step { thinks: true, ..SAY }]),
    (
        "[[work]]",
        &[
            Step { thinks: true, ..acts(&[Act::Read("prices.txt"), Act::Read("README.md")]) },
            acts(&[EDIT]),
            acts(&[NEW]),
            acts(&[Act::Run("grep -c banana prices.txt")]),
            SAY,
        ],
    ),
    ("[[more]]", &[acts(&[Act::Read("prices.txt")]), acts(&[LATER]), SAY]),
    ("[[agent]]", &[acts(&[Act::Delegate(CHILD)]), acts(&[Act::Wait]), SAY]),
    ("[[child]]", &[acts(&[Act::Read("prices.txt")]), SAY]),
    ("[[stall]]", &[acts(&[Act::Read("stall/melons.txt")]), SAY]),
    ("[[denied]]", &[acts(&[Act::Run("rm stall/melons.txt")]), SAY]),
    ("[[error]]", &[Step { end: End::Refused, ..SAY }]),
    ("[[hang]]", &[Step { thinks: true, acts: &[], end: End::Silent }]),
];

/// The prompt of a sub-agent.
pub(crate) const CHILD: &str = "Count the fruits. [[child]]";

/// The name of the script that a prompt selects.
pub(crate) fn word(prompt: &str) -> Option<&'static str> {
    called(prompt).map(|(word, _)| plain(word))
}

fn plain(word: &str) -> &str {
    word.trim_matches(['[', ']'])
}

fn steps(name: &str) -> &'static [Step] {
    SCRIPTS.iter().find(|(word, _)| plain(word) == name).map_or(&[], |(_, steps)| *steps)
}

/// Whether the last answer of a script is complete.
pub(crate) fn ends_well(name: &str) -> bool {
    steps(name).last().is_some_and(|step| step.end == End::Well)
}

/// The paths of the files that scripts write as a whole.
pub(crate) fn written() -> impl Iterator<Item = &'static str> {
    let acts = SCRIPTS.iter().flat_map(|(_, steps)| *steps).flat_map(|step| step.acts);
    acts.filter_map(|act| match act {
        Act::Write { path, .. } => Some(*path),
        _ => None,
    })
}

/// Number of lines of files that a script writes.
pub(crate) fn lines(name: &str) -> usize {
    let of = |act: &Act| match act {
        Act::Edit { new, .. } => new.lines().count(),
        Act::Write { text, .. } => text.lines().count(),
        _ => 0,
    };
    steps(name).iter().flat_map(|step| step.acts).map(of).sum()
}

/// The script whose word occurs last in the text.
fn called(text: &str) -> Option<(&'static str, &'static [Step])> {
    let places =
        SCRIPTS.iter().filter_map(|(word, steps)| Some((text.rfind(word)?, *word, *steps)));
    places.max_by_key(|(at, ..)| *at).map(|(_, word, steps)| (word, steps))
}

/// The current step of a conversation: the last prompt that selects a script, and the number of
/// answers after it. Returns `None` if no script continues.
pub(crate) fn find(turns: &[super::Turn]) -> Option<(String, usize, Step)> {
    use super::Turn;
    let (at, word, steps) = turns.iter().enumerate().rev().find_map(|(at, turn)| match turn {
        Turn::User(text) => called(text).map(|(word, steps)| (at, word, steps)),
        Turn::Model | Turn::Other => None,
    })?;
    let behind = &turns[at..];
    let begins = |pair: &&[Turn]| matches!(pair[1], Turn::Model) && !matches!(pair[0], Turn::Model);
    let answers = behind.windows(2).filter(begins).count();
    steps.get(answers).map(|step| (plain(word).to_owned(), answers, *step))
}

#[cfg(test)]
mod tests {
    use super::super::Turn;
    use super::*;

    fn step(turns: &[Turn]) -> Option<(String, usize)> {
        find(turns).map(|(word, step, _)| (word, step))
    }

    #[test]
    fn the_step_is_the_number_of_answers_behind_the_last_prompt() {
        let user = |text: &str| Turn::User(text.to_owned());
        assert_eq!(step(&[]), None);
        assert_eq!(step(&[user("nothing")]), None);
        assert_eq!(step(&[user("[[work]] now")]), Some(("work".to_owned(), 0)));
        let twice = [user("[[work]]"), Turn::Model, Turn::Model, Turn::Other, user("told")];
        assert_eq!(step(&twice), Some(("work".to_owned(), 1)));
        let next = [user("[[work]]"), Turn::Model, user("[[more]]"), Turn::Model, Turn::Other];
        assert_eq!(step(&next), Some(("more".to_owned(), 1)));
        assert_eq!(step(&[user("[[hello]]"), Turn::Model, user("sum up")]), None);
    }
}
