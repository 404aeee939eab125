//! A session whose folder is gone.

use super::common::Place;
use super::{common, stores};

/// A folder that is gone is looked for, and folders that it may have been moved to are suggested:
/// nothing is placed into one of them unasked.
#[test]
fn a_moved_folder_is_suggested_and_never_used_unasked() {
    let place = Place::new();
    let put = |name: &str, text: &str| common::put(&place.path().join(name), text);
    let top = place.path().canonicalize().unwrap();
    let id = "019e6100-1000-7000-8000-0000000000a2";
    let remote = "git@git.example.org:ana/pond.git";
    let meta = format!(
        "{{\"timestamp\":\"2026-10-16T10:30:00.000Z\",\"type\":\"session_meta\",\"payload\":{{\
         \"id\":\"{id}\",\"cwd\":\"{}/old/pond\",\"cli_version\":\"0.169.0\",\"source\":\"cli\",\
         \"git\":{{\"branch\":\"main\",\"repository_url\":\"{remote}\"}}}}}}\n",
        top.display()
    );
    let asked = "{\"timestamp\":\"2026-10-16T10:30:01.000Z\",\"type\":\"response_item\",\
                 \"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":[{\
                 \"type\":\"input_text\",\"text\":\"Feed the carp\"}]}}\n";
    let file = format!("home/.codex/sessions/2026/10/16/rollout-2026-10-16T11-30-00-{id}.jsonl");
    put(&file, &(meta + asked));
    let before = stores(&place);
    let ran = place.run(&["resume", id]);
    let folder = |ran: &common::Ran| ran.err.contains("there is no folder");
    assert!(ran.code == 3 && folder(&ran) && ran.err.contains("`--folder FOLDER`"), "{}", ran.err);

    // One of the name is of another remote; one of another name has the remote.
    put("play/pond/.git/config", "[remote \"origin\"]\n\turl = https://git.example.org/b/pond\n");
    put(
        "garden/.git/config",
        "[remote \"origin\"]\n\turl = https://git.example.org/ana/pond.git\n",
    );
    let ran = place.run(&["resume", id]);
    assert!(folder(&ran) && ran.err.contains("`--folder FOLDER`"), "{}", ran.err);
    let mut there = place.command(&["resume", id]);
    let ran = common::ran(there.current_dir(top.join("garden")).output().unwrap());
    let says = format!("`--folder {}/garden` (it has the same remote)", top.display());
    let err = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.code == 3 && err.contains(&says) && !err.contains("play/pond"), "{err}");
    put("yard/pond/notes.txt", "");
    let err = place.run(&["resume", id, "--to", "gemini"]).err;
    let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(err.contains(&format!("{}/yard/pond` (it has the same name)", top.display())), "{err}");
    assert_eq!(stores(&place), before, "nothing is placed unasked");
    let ran = place.run(&["resume", id, "--folder", "garden"]);
    assert!(ran.code == 0, "{}", ran.err);
}
