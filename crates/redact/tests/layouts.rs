//! Values as tools print them: in tables, aligned, in members beside each other, behind options;
//! tokens of new forms; and what looks like them and stays.

use verbatim_redact::rules::{Class, Rules};
use verbatim_redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

/// A value that no rule knows by its shape.
fn value() -> String {
    ["tR4", "wQ9", "zKm2", "Xb7"].concat()
}

thread_local! {
    static REDACTOR: Redactor = {
        let options = RedactionOptions::new(Profile::Secrets, TagKey::new([5; 32]));
        Redactor::new(Rules::shipped().expect("shipped"), options)
    };
}

fn redacted(text: &str) -> String {
    let session = plain::session("text", text.into()).expect("short");
    let draft = REDACTOR.with(|redactor| redactor.draft(&[&session], &[]).expect("redacted"));
    String::from_utf8(draft.bundle.members[0].bytes().to_vec()).expect("UTF-8")
}

/// Layouts with `{}` for a value.
const LAYOUTS: &[(&str, &str)] = &[
    ("aligned names", "Login:\n  account:     mail\n  passphrase:      {}\n  site:  mail.test"),
    ("aligned without marks", "Key           Value\n---           -----\nsmtp_password     {}"),
    ("a wide sign", "    client_secret           = {}"),
    ("a record of a database", "-[ RECORD 3 ]-+------\nid            | 12\nmail_password | {}"),
    (
        "a table with bars",
        "+----+-----------+\n| id | api_token |\n+----+-----------+\n| 3 | {} |\n+---+",
    ),
    ("a table of Markdown", "| user | password |\n|---|---|\n| ops | {} |"),
    ("a table in a box", "│ user │ password │\n├──────┼──────────┤\n│ ops  │ {} │"),
    ("a table without edges", " id |     db_password\n----+------------------\n  4 | {}"),
    ("commas with heads", "host,user,password\nmail.test,ops,{}\n"),
    ("tabs with heads", "host\tuser\tpassword\nmail.test\tops\t{}\n"),
    ("semicolons with heads", "host;password\nmail.test;\"{}\"\n"),
    (
        "columns below rules",
        "Name     Password          Age\n----     --------          ---\nops      {}  3",
    ),
    ("columns below capitals", "NAME     PASSWORD           AGE\nops      {}    3d"),
    (
        "an INSERT",
        "INSERT INTO staff (id, mail, password) VALUES (4, 'a, b', '{}'), (5, 'c', 'x');",
    ),
    ("a COPY", "COPY public.staff (id, password, mail) FROM stdin;\n4\t{}\ta@b.test\n\\.\n"),
    (
        "a value within the object of its name",
        "{\"smtp_password\": {\"sensitive\": true, \"type\": \"string\", \"value\": \"{}\"}}",
    ),
    (
        "a path and a value",
        "{\"Parameter\": {\"Name\": \"/shop/smtp/password\", \"Version\": 3, \"Value\": \"{}\"}}",
    ),
    (
        "an address and a value",
        "{\"id\": \"https://v.test/secrets/smtp-password/0a1b2c\", \"value\": \"{}\"}",
    ),
    ("a value and a name", "[{\"value\": \"{}\", \"label\": \"api_token\"}]"),
    ("a block of YAML", "smtp:\n  password: >-\n    {}\n  user: ops"),
    ("the next line of YAML", "smtp:\n  password:\n    \"{}\"\n  user: ops"),
    ("a dump of PHP", "array(1) {\n  [\"password\"]=>\n  string(13) \"{}\"\n}"),
    ("a setting of a server", "port 6380\nrequirepass {}\n"),
    ("a list of passwords", "printf '%s' \"ops:{}\" | sudo chpasswd"),
    ("a command by standard input", "echo '{}' | docker login -u ops --password-stdin mail.test"),
    ("an option with a capital", "sqlcmd -S mail.test -U sa -P {} -Q 'select 1'"),
    ("a password behind a name", "htpasswd -bB /srv/users ops {}"),
    ("a login of a share", "smbclient //mail.test/share -U ops%{}"),
    ("a directory", "ldapsearch -x -D cn=ops,dc=test -w {} -b dc=test"),
    ("a secure string", "$p = ConvertTo-SecureString \"{}\" -AsPlainText -Force"),
    ("a question with its answer", "{\"What is the password of the mail server?\": \"{}\"}"),
    ("another language", "пароль: {}"),
    ("a wide colon", "密码：{}"),
    ("a value as code", "Your API key is `{}`"),
    ("a value of a name as code", "The value of `SHOP_PASSWORD` is `{}`."),
    ("a name that is set", "`SHOP_PASSWORD` is set to `{}`"),
    ("a value before its name", "It's `{}` (the database password)."),
    ("a password of somebody", "The password for ops is `{}`"),
    ("a changed password", "the admin password was changed to \"{}\""),
    ("an argument in prose", "use password `{}` for the user ops"),
    ("a cell as code", "| SHOP_PASSWORD | `{}` |"),
    ("a short name", "pw: {}"),
    ("a value behind a word", "log in with the token {}"),
    ("a secret in prose", "the secret is: {}"),
    ("a block behind a line", "Here is the API key you asked for:\n\n```\n{}\n```"),
];

#[test]
fn a_value_is_gone_in_each_layout() {
    let value = value();
    let left = |(what, layout): &(&str, &str)| {
        let out = redacted(&layout.replacen("{}", &value, 1));
        out.contains(&value).then(|| format!("{what}: {out}"))
    };
    let left: Vec<String> = LAYOUTS.iter().filter_map(left).collect();
    assert!(left.is_empty(), "{} of {}: {left:#?}", left.len(), LAYOUTS.len());
}

/// Layouts of many tools: a line each.
const TOOLS: &str = include_str!("layouts/tools.list");
/// The least number of them in which the value is found.
const FOUND: usize = 259;

#[test]
fn a_value_is_gone_in_the_layouts_of_tools() {
    let value = value();
    let layouts: Vec<&str> = TOOLS.lines().filter(|line| !line.starts_with('#')).collect();
    let left = |line: &&str| {
        let (tool, layout) = line.split_once('\t').expect("a tab");
        let layout = layout.replace("\\n", "\n").replace("\\t", "\t");
        let out = redacted(&layout.replace("{}", &value));
        out.contains(&value).then(|| tool.to_owned())
    };
    let left: Vec<String> = layouts.iter().filter_map(left).collect();
    let found = layouts.len() - left.len();
    assert!(found >= FOUND, "{found} of {}: {left:#?}", layouts.len());
    println!("{found} of {}: {left:#?}", layouts.len());
    // Each family with a page has layouts.
    for source in TOOLS.lines().filter_map(|line| line.strip_prefix("# source ")) {
        let family = source.split(' ').next().expect("a family");
        assert!(layouts.iter().any(|line| line.starts_with(family)), "{family}");
    }
}

/// Texts without a value.
const PLAIN: &[&str] = &[
    "fn login(user, password, host)\n    a1, b2x9, c3\n",
    "| password | required | string |\n|---|---|---|\n| token | optional | string |",
    "password      the password of the account\ntoken         a token",
    "| field | type |\n|---|---|\n| password | varchar(255) |",
    "name,password\nops,none\n",
    "{\"name\": \"password\", \"type\": \"string\", \"value\": \"required\"}",
    "let token      = next_token(state2);",
    "{\"name\": \"theme\", \"value\": \"Dark2Blue9Mode\"}",
    "[[package]]\nname = \"api-i686-pc-mingw-gnu\"\n[[package]]\nname = \"winapi-x86_64-pc-gnu\"",
    "see client_secret-handling in service-account-v2-setup-notes",
    "{\"type\": \"dependencies\", \"cookie\": \"^1.2.3\"}",
    "-      \"cookie\": \"^0.8.1\",\n-      \"url\": \"https://funds.test/parser\"",
    "apiKey: import.meta.env.VITE_SHOP_API_KEY,",
    "headers.Authorization = shopToken.toUpperCase();",
    "toolu_01Gh7KpQr2Ws5Tv8Xy1Za4Bc6D and msg_bdrk_01Gh7KpQr2Ws5Tv8Xy1Za4Bc6D",
    "feature_flag-SomeLongNameOfAnItemOfAProgram2",
    "--secret-name smtp_password --token-type bearer",
    "The token is `refresh_token` and the secret is `client_secret`.",
    "set the password to `hunter` or `letmein`, and the API key is `sk-...`",
    "Use the token `IDENTIFIER` here; the token is \"string2\".",
    "The API key is `process.env.API_KEY2`, the token is `getToken2()`",
    "`useAuth2Hook` (the token)",
    "Here is the code for the token:\n\n```\ncargo-test-token\n```",
];

#[test]
fn texts_that_look_like_layouts_stay() {
    let changed = PLAIN.iter().filter(|text| redacted(text) != **text);
    let changed: Vec<String> = changed.map(|text| redacted(text)).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

/// Letters and digits that are always the same, and look as if they were made by chance.
fn chance(length: usize) -> String {
    let letters = b"q7Wn2Rk9Lx4Tz8Vb3Mc6Yd1Hf5Gj0Ps2Ua4zKe8wNr3xCt7v";
    letters.iter().cycle().take(length).map(|&byte| char::from(byte)).collect()
}

fn digits(length: usize) -> String {
    b"7d1f0a9c4be25368".iter().cycle().take(length).map(|&byte| char::from(byte)).collect()
}

fn all_are_found_alone(tokens: &[String]) {
    let left: Vec<&String> = tokens
        .iter()
        .filter(|token| redacted(&format!("made\n{token}\nok\n")).contains(&token[20..]))
        .collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn tokens_of_new_forms_are_found_alone() {
    let uuid = "5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5";
    let (c, d) = (chance, digits);
    let tokens = [
        format!("cfat_{}", c(48)),
        format!("lin_oauth_{}", d(64)),
        format!("signkey-test-{}", d(64)),
        format!("tr_stg_{}", c(24)),
        format!("tr_prod_sk_{}", c(24)),
        format!("acxd_live_{}.{}", c(20), c(32)),
        format!("xaat-{uuid}"),
        format!("dtn_{}", d(64)),
        format!("bb_live_{}", c(27)),
        format!("sgamp_user_01J4UZUM4GLE4QM138I03L2FJX_{}", d(64)),
        format!("ctx7sk-{uuid}"),
        format!("sk-{}", c(22)),
        format!("0.{uuid}.{}:{}==", c(30), c(22)),
        format!("phx_{}", c(43)),
        format!("ATTA{}7D1F0A9C", d(64)),
        format!("AVNS_{}", c(19)),
        format!("nbp_{}", c(36)),
        format!("cal_live_{}", d(32)),
        format!("sb_secret_{}", c(31)),
        format!("napi_{}", c(64).to_lowercase()),
        format!("K10{}::server:{}", d(64), d(32)),
        format!("MTk4MzY0NjM5ODUzMTMzMjUxNw.{}.{}", c(6), c(38)),
        format!("acme_{}", c(32)),
        format!("acme_live_{}", c(24)),
        format!("newvendor-sk-{}", c(40)),
    ];
    all_are_found_alone(&tokens);
    let long = format!("{{\"refresh_token\": \"1.A{}\"}}", c(400));
    assert!(!redacted(&long).contains(&c(400)[40..]));
    let hash = format!("$argon2id$v=19$m=65536,t=3,p=4$7c6JMlwLoaOcO39KDMAHZg${}", c(43));
    assert!(!redacted(&hash).contains(&c(43)[10..]));
}

#[test]
fn tokens_of_forms_of_this_year_are_found_alone() {
    let uuid = "5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5";
    let (c, d) = (chance, digits);
    all_are_found_alone(&[
        format!("vck_{}", c(56)),
        format!("crsr_{}", d(64)),
        format!("apk_user_{}", c(48)),
        format!("ak_{}", c(20)),
        format!("snyk_uat.{}.{}.{}", d(8), c(40), c(43)),
        format!("sktsec_{}_api", c(43)),
        format!("hcaik_{}", c(58).to_lowercase()),
        format!("rpa_{}", c(40).to_uppercase()),
        format!("shpua_{}", d(32)),
        format!("wandb_v1_{}_{}", c(27), c(48)),
        format!("ydc-sk-{}-{}-{}", d(16), c(32), d(8)),
        format!("depot_org_{}", d(64)),
        format!("ory_at_{}.{}", c(43), c(43)),
        format!("testsk_{}.eu", c(32)),
        format!("sdk-{uuid}"),
        format!("prod-{}v3", d(64)),
        format!("live_{}", d(35)),
        format!("FLWSECK-{}-X", d(32)),
        format!("akab-{}-{}", c(16).to_lowercase(), c(16).to_lowercase()),
        format!("cpk_{}.{}.{}", d(32), d(32), c(32)),
        format!("luma-{uuid}-{}", d(32)),
        format!("inference-{}", d(32)),
        format!("ser.{}", c(22)),
        format!("acme_{}", d(40)),
        format!("acme_{}", c(36).to_lowercase()),
        format!("acme-key-{uuid}"),
    ]);
}

/// Ids, digests and names that have the same form.
#[test]
fn names_and_ids_with_digits_behind_a_sign_stay() {
    let uuid = "5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5";
    let (c, d) = (chance, digits);
    for text in [
        format!("call_{}", d(32)),
        format!("request_{}", d(32)),
        format!("sha256_{}", d(64)),
        format!("session-{uuid}"),
        format!("container_{}", d(64)),
        format!("img_{}", c(30).to_lowercase()),
        format!("index-{}.js", d(32)),
        format!("acme-{}", d(40)),
        format!("pk_{}", d(48)),
        "field_name_of_a_long_column_in_a_table_2".to_owned(),
        "the_id_00000000000000000000000000000001".to_owned(),
        "_mm512_extracti32x4_epi32_and_others_of_it".to_owned(),
        "let data_key = _mm512_xor_si512 (a, b);".to_owned(),
        "let has_pass = !required_before_properties;".to_owned(),
        "https://cov.test/gh/a/b/badge.svg?token=Z82NHFQ71K".to_owned(),
    ] {
        assert_eq!(redacted(&text), text);
    }
}

/// Members of the data of a secret, whose names say nothing.
const DATA: &[&str] = &[
    "apiVersion: v1\ndata:\n  smtp: {}\nkind: Secret\nmetadata:\n  name: mail\ntype: Opaque\n",
    "kind: Secret\ntype: Opaque\nstringData:\n  smtp: \"{}\"\n",
    "$ show\n{\"data\": {\"a\": \"b2s=\", \"smtp\": \"{}\"}, \"kind\": \"Secret\"}",
    "kind: Secret\nstringData:\n  smtp.conf: |\n    {}\n    port\n",
];

#[test]
fn each_member_of_the_data_of_a_secret_goes_and_nothing_else() {
    let value = "a2l0ZS1sYW5l";
    for text in DATA {
        let out = redacted(&text.replace("{}", value));
        let kept = ["kind", "Secret"].iter().all(|word| out.contains(word));
        assert!(!out.contains(value) && kept, "{out}");
        let other = text.replace("{}", value).replace("Secret", "ConfigMap");
        assert_eq!(redacted(&other), other);
    }
    let out = redacted(&DATA[0].replace("{}", value));
    assert!(out.contains("name: mail") && out.contains("type: Opaque") && out.contains("smtp: ["));
}

#[test]
fn a_token_that_a_login_takes_as_its_argument_goes() {
    let token = chance(27);
    for command in [
        "cargo login {}",
        "cargo login --registry shop {}",
        "cargo login -- {}",
        "vault login {}",
        "snyk auth {}",
        "ngrok config add-authtoken {}",
        "echo {} | cargo login",
    ] {
        assert!(!redacted(&command.replace("{}", &token)).contains(&token), "{command}");
    }
    for command in [
        "cargo login --registry our-registry-number2",
        "cargo login",
        "vault login -method=userpass username=ops",
        "cargo login $CARGO_TOKEN_OF_THE_SHOP",
    ] {
        assert_eq!(redacted(command), command);
    }
}

#[test]
fn each_rule_of_a_vendor_names_its_source() {
    let text = include_str!("../rules/vendors.rules");
    let rules: Vec<&str> = text.split("\nrule ").skip(1).collect();
    assert!(rules.len() > 20);
    let without = rules.iter().filter(|rule| !rule.contains("\nsource "));
    let without: Vec<&str> = without.filter_map(|rule| rule.lines().next()).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn a_placeholder_is_no_keyword_of_a_value_beside_it() {
    let key = TagKey::new([5; 32]);
    let put = key.placeholder(Class::ProviderToken, b"x");
    let near = format!("{put}\nnaIzq7Wn2Rk9Lx4Tz8Vb3Mc6Yd1Hf5Gj0Ps2Ua4z\n");
    assert_eq!(redacted(&near), near);
    let made = format!("DB_PASSWORD=[REDACTED:{}:K3J5QZ7RMA]", value().to_lowercase());
    assert!(!redacted(&made).contains(&value().to_lowercase()));
}

#[test]
fn a_word_for_an_example_is_no_end_of_a_password() {
    let value = value();
    for text in [
        format!("DB_PASSWORD=example-{value}"),
        format!("API_KEY=your_{value}_key"),
        format!("postgres://ops:dummy{value}@db.test/x"),
        format!("SECRET_KEY=aB12:34:56{value}"),
    ] {
        assert!(!redacted(&text).contains(&value), "{text}");
    }
    for text in ["DB_PASSWORD=example-password", "API_KEY=your_secret_key", "TOKEN=xxxxxxxxxxxx"] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn hexadecimal_digits_are_decoded_whatever_is_beside_them() {
    let token = format!("ghp_{}", chance(36));
    let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
    let (head, tail) = hex.split_at(60);
    for text in [
        format!("{hex}\nmade of it\n"),
        format!("begin\n{hex}\nend"),
        format!("{head}\n{tail}\ndone\n"),
        serde_json::json!(["first", hex, "metadata"]).to_string(),
        serde_json::json!({ "output": hex, "metadata": { "exit_code": 0 } }).to_string(),
    ] {
        let out = redacted(&text);
        assert!(!out.contains(head) && !out.contains(tail), "{out}");
    }
}

#[test]
fn the_last_line_of_a_cut_token_goes_from_an_output_in_json() {
    let token = format!("sk-proj-{}T3BlbkFJ{}", chance(74), chance(60));
    for width in [24, 30, 36] {
        let shown = format!("value: {token}");
        let lines: Vec<&str> = shown
            .as_bytes()
            .chunks(width)
            .map(|line| std::str::from_utf8(line).expect("ASCII"))
            .collect();
        let output =
            serde_json::json!({ "output": lines.join("\n"), "metadata": { "exit_code": 0 } });
        let line = serde_json::json!({ "content": output.to_string() }).to_string();
        let last = lines.last().expect("lines");
        let out = redacted(&line);
        assert!(last.len() < 5 || !out.contains(last), "{width}: {out}");
    }
}
