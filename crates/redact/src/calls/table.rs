//! Programs that print the value of a name, and what they are given.

use super::shell::name_of;
use crate::rules::naming;

/// The sign that a program prints a value that gives access.
#[derive(Clone, Copy)]
enum Prints {
    /// It always does, with these arguments.
    Always,
    /// One of its arguments names it.
    Named,
    /// A file is named like it.
    File,
    /// A variable that is an argument by itself is named like it.
    Variable,
    /// A program that is one of its arguments names it.
    Code,
    /// A template that asks a store of passwords.
    Template,
}

use Prints::{Always, Code, File, Named, Template, Variable};

/// Programs, each with words that must be among its arguments (of `a|b`, one).
const PROGRAMS: &[(&str, &[&str], Prints)] = &[
    ("printenv", &[], Named),
    ("echo", &[], Variable),
    ("printf", &[], Variable),
    ("print", &[], Variable),
    ("write-output", &[], Variable),
    ("write-host", &[], Variable),
    ("cat", &[], File),
    ("bat", &[], File),
    ("head", &[], File),
    ("tail", &[], File),
    ("less", &[], File),
    ("more", &[], File),
    ("type", &[], File),
    ("get-content", &[], File),
    ("gc", &[], File),
    ("jq", &[], Named),
    ("yq", &[], Named),
    ("dasel", &[], Named),
    ("sed", &["-n|-e|-ne|-En|-rn|-nE"], Named),
    ("awk", &[], Named),
    ("gawk", &[], Named),
    ("crudini", &["--get"], Named),
    ("vault", &["-field"], Named),
    ("vault", &["print", "token"], Always),
    ("consul", &["kv", "get"], Named),
    ("etcdctl", &["get"], Named),
    ("redis-cli", &["get|hget|GET|HGET|CONFIG|config"], Named),
    ("xmllint", &["--xpath"], Named),
    ("xmlstarlet", &["sel"], Named),
    ("crane", &["auth", "get"], Always),
    ("wrangler", &["secret", "get"], Always),
    ("supabase", &["secrets", "get"], Named),
    ("kubectl", &["config", "view", "--raw"], Named),
    ("oc", &["whoami", "-t|--show-token"], Always),
    ("argocd", &["initial-password"], Always),
    ("glab", &["auth", "token"], Always),
    ("hcloud", &["config", "get", "token"], Always),
    ("doctl", &["auth", "token"], Always),
    ("get-secret", &["-AsPlainText"], Always),
    ("get-vaultsecret", &[], Always),
    ("openssl", &["rand"], Always),
    ("heroku", &["config:get"], Named),
    ("doppler", &["secrets", "get"], Named),
    ("infisical", &["secrets", "get"], Named),
    ("chamber", &["read"], Named),
    ("credstash", &["get"], Always),
    ("berglas", &["access"], Always),
    ("terraform", &["output"], Named),
    ("tofu", &["output"], Named),
    ("terragrunt", &["output"], Named),
    ("pulumi", &["get|output"], Named),
    ("git", &["config"], Named),
    ("git", &["config", "http.extraheader|http.extraHeader"], Always),
    ("npm", &["config", "get"], Named),
    ("yarn", &["config", "get"], Named),
    ("pnpm", &["config", "get"], Named),
    ("pip", &["config", "get"], Named),
    ("composer", &["config"], Named),
    ("poetry", &["config"], Named),
    ("kubectl", &["secret|secrets", ".data|.stringData|index"], Always),
    ("oc", &["secret|secrets", ".data|.stringData|index"], Always),
    ("kubectl", &["create", "token"], Always),
    ("op", &["read|get"], Named),
    ("wp", &["config", "get"], Named),
    ("sops", &["-d|--decrypt|decrypt", "--extract"], Named),
    ("psql", &["-c|-tAc|-Atc|-tc|-At"], Named),
    ("mysql", &["-e|-N|-sN|-Ne|-sNe"], Named),
    ("mariadb", &["-e|-N|-sN|-Ne|-sNe"], Named),
    ("sqlite3", &[], Named),
    ("aws", &["secretsmanager", "get-secret-value", "SecretString"], Always),
    ("aws", &["ssm", "get-parameter"], Named),
    ("aws", &["configure", "get"], Named),
    ("aws", &["--query"], Named),
    ("aws", &["get-login-password"], Always),
    ("gcloud", &["secrets", "access"], Always),
    ("gcloud", &["print-access-token|print-identity-token"], Always),
    ("az", &["keyvault", "secret", "show", "value"], Always),
    ("az", &["--query"], Named),
    ("security", &["find-generic-password|find-internet-password", "-w"], Always),
    ("secret-tool", &["lookup"], Always),
    ("keyring", &["get"], Always),
    ("gopass", &["show"], Always),
    ("pass", &["show"], Always),
    ("bw", &["get", "password|totp"], Always),
    ("lpass", &["show", "--password"], Always),
    ("keepassxc-cli", &["show"], Named),
    ("gh", &["auth", "token"], Always),
    ("glab", &["config", "get"], Named),
    ("fly", &["auth", "token"], Always),
    ("flyctl", &["auth", "token"], Always),
    ("railway", &["variables", "get"], Named),
    ("rails", &["secret"], Always),
    ("dotenv", &["get"], Named),
    ("ansible-vault", &["view|decrypt"], File),
    ("rails", &["runner|r"], Code),
    ("python", &["-c|<<"], Code),
    ("python3", &["-c|<<"], Code),
    ("uv", &["-c|<<"], Code),
    ("node", &["-e|-p|-pe|--print|--eval|<<"], Code),
    ("bun", &["-e|-p"], Code),
    ("deno", &["eval"], Code),
    ("ruby", &["-e|<<"], Code),
    ("perl", &["-e|-E|-ne|<<"], Code),
    ("php", &["-r"], Code),
    ("chezmoi", &["execute-template"], Named),
    ("chezmoi", &["execute-template"], Template),
    ("chezmoi", &["data"], Always),
    ("convertfrom-json", &[], Named),
    ("select-object", &["-ExpandProperty|-expandproperty"], Named),
    ("select", &["-ExpandProperty|-expandproperty"], Named),
    ("foreach-object", &[], Named),
    ("%", &[], Named),
    ("select-xml", &[], Named),
    ("plutil", &["-extract"], Named),
    ("defaults", &["read"], Named),
];

/// Programs that print what they are given, or a part of it.
const PASSES: &[&str] = &[
    "cut",
    "sed",
    "awk",
    "gawk",
    "tr",
    "base64",
    "head",
    "tail",
    "jq",
    "yq",
    "xargs",
    "cat",
    "tee",
    "perl",
    "python",
    "python3",
    "node",
    "ruby",
    "grep",
    "egrep",
    "sort",
    "uniq",
    "rev",
    "gunzip",
    "zcat",
    "strings",
    "xxd",
    "gpg",
    "openssl",
    "column",
    "fold",
    "convertfrom-json",
    "select-object",
    "select",
    "foreach-object",
    "%",
    "out-string",
    "write-output",
    "select-string",
];

/// Words of a program or an argument with which something else is printed than the value.
const OTHERS: &[&str] = &[
    "length",
    "keys",
    "type",
    "has(",
    "==",
    "!=",
    "len(",
    "count(",
    "bool(",
    " in ",
    "test(",
    ".length",
    "is not None",
    "strlen",
    "sha256",
    "md5",
    "hashlib",
    ".metadata",
    "describe-",
    "list-",
];

/// Options of `grep` with which it prints no value, but files, numbers or nothing.
const COUNTS: &[&str] = &["-c", "-q", "-l", "-L", "-rl", "-rn", "-n", "-r", "-lr", "--count"];

/// Whether a pipeline prints the value of a name that says that it gives access, by the programs of
/// its stages with their arguments.
pub(super) fn prints_value(stages: &[&[String]]) -> bool {
    let mut is_named = false;
    for (number, &stage) in stages.iter().enumerate() {
        let Some((program, arguments)) = stage.split_first() else { return false };
        let program = name_of(program).to_ascii_lowercase();
        let has_other = |argument: &String| OTHERS.iter().any(|other| argument.contains(other));
        if program != "echo" && arguments.iter().any(has_other) {
            return false;
        }
        let is_search = matches!(&*program, "grep" | "egrep" | "rg");
        if is_search {
            let counts = arguments.iter().any(|of| COUNTS.contains(&of.as_str()));
            let is_last = number + 1 == stages.len();
            let is_cut = arguments.iter().any(|of| of.contains("\\K") || of.contains("(?<="));
            if counts || (is_last && !is_cut && !is_named) {
                return false;
            }
            is_named |= arguments.iter().any(|of| is_named_in(of));
            continue;
        }
        let names = names_value(&program, stage, arguments);
        if number > 0 && !names && !PASSES.contains(&program.as_str()) {
            return false;
        }
        is_named |= names;
    }
    is_named
}

fn names_value(program: &str, stage: &[String], arguments: &[String]) -> bool {
    // `$env:DB_PASSWORD` is a command of PowerShell.
    let first = stage.first().map_or("", String::as_str);
    let is_shown = stage.len() == 1 && variable(first).is_some_and(is_secret);
    let is_asked = first.contains("GetEnvironmentVariable") && is_named_in(first);
    let of = PROGRAMS.iter().filter(|(name, ..)| *name == program);
    is_shown
        || is_asked
        || of.into_iter().any(|(_, words, prints)| {
            let has = |word: &str| arguments.iter().any(|argument| is_word(argument, word));
            words.iter().all(|any| any.split('|').any(has))
                && match prints {
                    Always => true,
                    Named => arguments.iter().any(|of| is_named_in(of)),
                    Code => arguments.iter().any(|of| is_named_in(of) || of.contains("getpass.")),
                    File => arguments.iter().any(|of| is_secret_file(of)),
                    Variable => is_variable(arguments),
                    Template => arguments.iter().any(|of| is_asking(of)),
                }
        })
}

/// Whether an argument is a word of the table, or has it as the option of a value or in a path.
fn is_word(argument: &str, word: &str) -> bool {
    let is_path = word.starts_with('.') || word == "index" || word == "SecretString";
    argument == word
        || (word.starts_with('-') && argument.split('=').next() == Some(word))
        || (is_path && argument.contains(word))
}

fn is_secret(name: &str) -> bool {
    naming::is_secret(name.as_bytes())
}

/// Whether a name in an argument says that its value gives access.
fn is_named_in(argument: &str) -> bool {
    let is_other = |letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter));
    argument.split(is_other).any(|name| is_secret(name.trim_start_matches('-')))
        || (argument.contains(".auth") && argument.contains("auths"))
}

/// Programs that make passwords, each in a line of its own, with the options that say how many and
/// whether the second of the arguments without an option does.
const GENERATORS: &[(&str, &[&str], bool)] = &[
    ("pwgen", &["-N", "--num-passwords"], true),
    ("apg", &["-n"], false),
    ("makepasswd", &["--count"], false),
    ("xkcdpass", &["-c", "--count"], false),
    ("diceware", &[], false),
];

/// The number of passwords that a pipeline makes.
pub(super) fn generated(stages: &[&[String]]) -> Option<usize> {
    let [[program, arguments @ ..]] = stages else { return None };
    let program = name_of(program).to_ascii_lowercase();
    let (_, options, is_second) = GENERATORS.iter().find(|(name, ..)| *name == program)?;
    let behind = |option: &&str| {
        let at = arguments.iter().position(|of| of == option)?;
        arguments.get(at + 1)?.parse::<usize>().ok()
    };
    let mut numbers = arguments.iter().filter_map(|of| of.parse::<usize>().ok());
    let second = numbers.nth(1).filter(|_| *is_second);
    let usual = if program == "apg" { 6 } else { 1 };
    let count = options.iter().find_map(behind).or(second).unwrap_or(usual);
    (1..=200).contains(&count).then_some(count)
}

/// Whether a template calls a function that reads a store of passwords.
fn is_asking(template: &str) -> bool {
    const STORES: [&str; 11] = [
        "keyring",
        "pass",
        "passRaw",
        "onepassword",
        "onepasswordRead",
        "vault",
        "bitwarden",
        "gopass",
        "lastpass",
        "keepassxc",
        "secret",
    ];
    let is_letter = |letter: char| letter.is_ascii_alphanumeric();
    let mut words = template.split(|letter: char| !is_letter(letter));
    template.contains("{{") && words.any(|word| STORES.contains(&word))
}

/// Whether a line of a program reads the value of a name from its environment or a file.
pub(super) fn is_read_from(line: &str) -> bool {
    const READS: [&str; 10] = [
        "environ",
        "getenv",
        "process.env",
        "ENV[",
        "env(",
        "Getenv",
        "open(",
        "readFile",
        "getpass",
        "get_secret",
    ];
    READS.iter().any(|of| line.contains(of)) && is_named_in(line)
}

/// The name of the variable that a word is, as shells write it.
pub(super) fn variable(word: &str) -> Option<&str> {
    let env = word.strip_prefix("$env:").or_else(|| word.strip_prefix("$Env:"));
    let shell = || word.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let plain = || word.strip_prefix('$');
    let batch = || word.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
    let name = env.or_else(shell).or_else(plain).or_else(batch)?;
    // `${A:-b}` and `${A:0:4}` have the value; `${#A}` its length, `${A:+b}` a word.
    let name = name.strip_prefix('!').unwrap_or(name);
    let end = name.find([':', '-', '%', '/', '?']).unwrap_or(name.len());
    let behind = &name[end..];
    let is_name = name[..end].bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    (is_name && end > 0 && !behind.starts_with(":+")).then_some(&name[..end])
}

/// Whether the arguments are one variable that names a value, and formats or options.
fn is_variable(arguments: &[String]) -> bool {
    let others = |word: &&String| {
        !word.starts_with('-') && !matches!(word.trim_end_matches("\\n"), "%s" | "")
    };
    let mut words = arguments.iter().filter(others);
    let (first, second) = (words.next(), words.next());
    let first = first.filter(|_| second.is_none());
    first.and_then(|word| variable(word.trim())).is_some_and(is_secret)
}

/// Endings of files that have no value alone.
const ENDINGS: &[&str] = &[
    "md", "rs", "ts", "tsx", "js", "jsx", "py", "go", "rb", "java", "kt", "c", "h", "cpp", "cs",
    "php", "html", "css", "json", "yaml", "yml", "toml", "xml", "sql", "sh", "lock", "log", "env",
    "csv", "rst", "el", "lua", "vue", "svelte", "tf", "ini", "conf", "cfg", "pub",
];

/// Files of logins.
const LOGINS: &[&str] = &[".netrc", "_netrc", ".pgpass", ".git-credentials", ".my.cnf"];

/// Whether a file is named like a value that gives access, or is in a folder of such files.
pub(super) fn is_secret_file(path: &str) -> bool {
    let path = path.trim_start_matches('@');
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let folder = &path[..path.len() - name.len()];
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_code = ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
    let is_mounted = ["/run/secrets/", "/secrets/"].iter().any(|of| folder.contains(of));
    let stem = if stem.is_empty() { ending } else { stem };
    let is_named = is_secret(stem) || is_secret(name) || LOGINS.contains(&name);
    !path.starts_with('-') && !name.is_empty() && !is_code && (is_named || is_mounted)
}
