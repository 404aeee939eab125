//! Calls that name values, and calls that do not.

use super::*;

fn asks(command: &str) -> bool {
    names_value(
        serde_json::json!({ "command": command }).to_string().as_bytes(),
        &Scripts::default(),
    )
    .is_some()
}

/// Commands that print the value of a name and nothing else.
const VALUES: &[&str] = &[
    "printenv SMTP_PASSWORD",
    "echo $SMTP_PASSWORD",
    "echo -n \"${SMTP_PASSWORD}\"",
    "printf '%s\\n' \"$API_KEY\"",
    "cd /srv && source .env && echo $API_TOKEN",
    "cat /run/secrets/smtp",
    "cat ~/.vault-token",
    "sudo cat /var/lib/app/secrets/initialAdminPassword",
    "vault kv get -field=password kv/mail",
    "kubectl get secret mail -n shop -o jsonpath='{.data.smtp}' | base64 -d",
    "kubectl exec deploy/shop -- printenv SMTP_PASSWORD",
    "docker exec -it shop sh -c 'echo $SMTP_PASSWORD'",
    "docker compose exec shop printenv SMTP_PASSWORD",
    "ssh ops@mail.test 'printenv SMTP_PASSWORD'",
    "jq -r .mail.password config.json",
    "grep SMTP_PASSWORD .env | cut -d= -f2-",
    "cat .env | grep API_KEY | cut -d '=' -f 2 | tr -d '\"'",
    "grep -oP '(?<=SMTP_PASSWORD=).*' .env",
    "sed -n 's/^SMTP_PASSWORD=//p' .env",
    "awk -F= '/SMTP_PASSWORD/{print $2}' .env",
    "aws ssm get-parameter --name /shop/smtp/password --with-decryption --query Parameter.Value",
    "aws secretsmanager get-secret-value --secret-id mail --query SecretString --output text",
    "aws configure get aws_secret_access_key",
    "gcloud secrets versions access latest --secret=mail",
    "az keyvault secret show --vault-name v --name mail --query value -o tsv",
    "security find-generic-password -s mail -w",
    "pass show mail/smtp",
    "op read op://shop/mail/password",
    "gh auth token",
    "heroku config:get SMTP_PASSWORD -a shop",
    "terraform output -raw db_password",
    "python3 -c \"import os; print(os.environ['SMTP_PASSWORD'])\"",
    "node -p process.env.SMTP_PASSWORD",
    "curl -s https://shop.test/login -d @a.json | jq -r .access_token",
    "bash -lc 'echo $SMTP_PASSWORD'",
    "echo \"$(cat /run/secrets/smtp)\"",
    "$env:SMTP_PASSWORD",
    "printenv SMTP_PASSWORD 2>/dev/null",
    "pwgen -s 20 1",
    "git config --get http.extraheader",
    "chezmoi execute-template '{{ .smtp.password }}'",
    "chezmoi execute-template '{{ keyring \"mail\" \"ops\" }}'",
    "$env:SMTP_PASSWORD; $env:COMPUTERNAME",
    "(Get-Content shop.json -Raw | ConvertFrom-Json).smtp.password",
    "Get-Content shop.json | ConvertFrom-Json | Select-Object -ExpandProperty SmtpPassword",
    "Get-Content shop.json | ConvertFrom-Json | ForEach-Object { $_.smtp.password }",
    "echo $(</run/secrets/smtp)",
    "cat < /run/secrets/smtp",
];

/// Commands whose output stays.
const OTHERS: &[&str] = &[
    "echo $HOME",
    "echo $PORT",
    "printenv PATH",
    "printenv NODE_ENV",
    "cat /run/secrets/smtp | wc -l",
    "wc -c < password.txt",
    "cat password.txt | sha256sum",
    "echo ${#SMTP_PASSWORD}",
    "echo ${SMTP_PASSWORD:+set}",
    "test -n \"$SMTP_PASSWORD\" && echo set",
    "echo password",
    "echo \"$SMTP_PASSWORD\" > pw.txt",
    "grep -c password src/login.ts",
    "grep -rl password src",
    "grep -n token src/lexer.rs",
    "cat src/password.ts",
    "cat package.json | jq -r .version",
    "jq '.mail.password | length' config.json",
    "jq -r .token_type config.json",
    "kubectl get secret mail -o jsonpath='{.metadata.name}'",
    "kubectl get secrets -o name",
    "aws configure get region",
    "git config user.name",
    "git config --get remote.origin.url",
    "ls secrets/",
    "stat -c %s token.txt",
    "printenv TOKEN_URL",
    "printenv PASSWORD_MIN_LENGTH",
    "pass ls",
    "gh auth status",
    "vault status",
    "terraform output -raw db_host",
    "python3 -c \"import os; print(len(os.environ['SMTP_PASSWORD']))\"",
    "cat tokenizer.json | head -1",
    "which pass",
    "echo $MAX_TOKENS",
    "docker secret ls -q",
    "gh secret list",
    "git config --get http.proxy",
    "chezmoi execute-template '{{ .chezmoi.hostname }}'",
    "chezmoi managed",
    "Get-Content shop.json | ConvertFrom-Json | Select-Object -ExpandProperty port",
    "$env:COMPUTERNAME; $env:PORT",
    "echo $(<notes.txt)",
];

#[test]
fn commands_that_print_the_value_of_a_name_are_told_from_others() {
    let missed: Vec<_> = VALUES.iter().filter(|command| !asks(command)).collect();
    let wrong: Vec<_> = OTHERS.iter().filter(|command| asks(command)).collect();
    assert!(missed.is_empty() && wrong.is_empty(), "missed {missed:#?}, wrong {wrong:#?}");
}

#[test]
fn inputs_of_other_tools_name_values_too() {
    let asks = |input: serde_json::Value| {
        names_value(input.to_string().as_bytes(), &Scripts::default()).is_some()
    };
    assert!(asks(serde_json::json!({ "command": ["bash", "-lc", "printenv SMTP_PASSWORD"] })));
    assert!(asks(serde_json::json!({ "command": ["printenv", "SMTP_PASSWORD"] })));
    assert!(asks(serde_json::json!("{\"cmd\":\"printenv SMTP_PASSWORD\"}")));
    assert!(asks(serde_json::json!({ "file_path": "/run/secrets/smtp" })));
    assert!(asks(serde_json::json!({ "key": "SMTP_PASSWORD" })));
    let question = serde_json::json!([{ "question": "What is the password of the mail server?" }]);
    assert!(asks(serde_json::json!({ "questions": question })));
    assert!(!asks(serde_json::json!({ "key": "SMTP_PASSWORD", "value": "x" })));
    assert!(!asks(serde_json::json!({ "file_path": "src/password.rs" })));
    assert!(!asks(serde_json::json!({ "pattern": "password", "path": "src" })));
    let question = serde_json::json!([{ "question": "Which editor do you use?" }]);
    assert!(!asks(serde_json::json!({ "questions": question })));
}

/// The values of an output of a program that prints the value alone.
fn alone(text: &str) -> Vec<std::ops::Range<usize>> {
    values(text.as_bytes(), &Printed::value_alone(false))
}

#[test]
fn the_one_value_of_an_output_is_found() {
    let made = ["Qz7", "wK2", "mRt9"].concat();
    for text in [
        "{}",
        "{}\n",
        "\"{}\"",
        "     1\u{2192}{}",
        "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{}\n",
        "Command: x\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: 0",
        "{\"output\":\"{}\\n\",\"metadata\":{\"exit_code\":0}}",
        "{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}]}",
        "You were answered: \"What is it?\"=\"{}\". Go on.",
    ] {
        let text = text.replacen("{}", &made, 1);
        let found: Vec<_> = alone(&text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, [&*made], "{text}");
    }
    for text in [
        "",
        "\n",
        "null",
        "printenv: not found",
        "one\ntwo",
        "a b",
        "SMTP_PASSWORD=q7",
        "***",
        "Error: no such key",
        "set",
        "{\"error\":\"x\"}",
        "[REDACTED",
        "{}",
    ] {
        assert!(alone(text).is_empty(), "{text}");
    }
}

/// Commands that print other lines beside the value, and their outputs.
const LINES: &[(&str, &str)] = &[
    ("printenv SMTP_PASSWORD; true", "{}"),
    ("printenv SMTP_PASSWORD || true", "{}"),
    ("printenv SMTP_PASSWORD || echo missing", "{}"),
    ("printenv SMTP_PASSWORD && echo ok", "{}\nok"),
    ("(cd /srv/shop && printenv SMTP_PASSWORD)", "{}"),
    ("if [ -f .env ]; then . ./.env; fi; printenv SMTP_PASSWORD", "{}"),
    ("echo \"pw: $SMTP_PASSWORD\"", "pw: {}"),
    ("echo \"The password is '$SMTP_PASSWORD'.\"", "The password is '{}'."),
    ("printf 'pw <%s>\\n' \"$SMTP_PASSWORD\"", "pw <{}>"),
    ("printf '%s %s\\n' \"$SMTP_USER\" \"$SMTP_PASSWORD\"", "ops {}"),
    ("echo $SMTP_USER:$SMTP_PASSWORD", "ops:{}"),
    ("echo ---; printenv SMTP_PASSWORD; echo ---", "---\n{}\n---"),
    ("hostname; printenv SMTP_PASSWORD", "shop-1\n{}"),
    ("PW=$(pass show mail/smtp); echo \"$PW\"", "{}"),
    ("P=$SMTP_PASSWORD && echo \"[$P]\"", "[{}]"),
    ("read -r P < /run/secrets/smtp; echo $P", "{}"),
    ("eval echo \\$SMTP_PASSWORD", "{}"),
    ("python3 - <<'EOF'\nimport os\nprint(os.environ['SMTP_PASSWORD'])\nEOF", "{}"),
    ("bash <<EOF\nprintenv SMTP_PASSWORD\nEOF", "{}"),
    ("heroku run printenv SMTP_PASSWORD", "{}"),
    ("fly ssh console -C 'printenv SMTP_PASSWORD'", "{}"),
    ("for i in 1; do printenv SMTP_PASSWORD; done", "{}"),
    ("redis-cli CONFIG GET requirepass | tail -1", "{}"),
    ("cmd /c echo %SMTP_PASSWORD%", "{}"),
    ("argocd admin initial-password -n argocd", "{}\n\n This password must be changed."),
    ("./deploy.sh; printenv SMTP_PASSWORD", "built in 3 s\nall is well\n{}"),
    ("printenv SMTP_PASSWORD", "{}\n\n<system-reminder>\nA file was changed.\n</system-reminder>"),
    ("printenv SMTP_PASSWORD", "<system-reminder>\nA file\n</system-reminder>\n{}"),
    ("printenv SMTP_PASSWORD", "{}<system-reminder>be careful</system-reminder>"),
    ("printenv SMTP_PASSWORD", "Exit code 1\n{}"),
    ("printenv SMTP_PASSWORD", "{}\nShell cwd was reset to /srv/shop"),
    ("printenv SMTP_PASSWORD", "<tool_use_error>{}</tool_use_error>"),
    ("printenv SMTP_PASSWORD", "<result>{}</result>"),
    ("printenv SMTP_PASSWORD", "<response><output>{}</output></response>"),
    ("printenv SMTP_PASSWORD", "<returncode>0</returncode>\n<output>\n{}\n</output>"),
    ("printenv SMTP_PASSWORD", "<status>completed</status>\n<stdout>{}</stdout>"),
    ("printenv SMTP_PASSWORD", "<system-reminder>{}"),
    ("printenv SMTP_PASSWORD", "{}<system-reminder>be careful"),
    ("printenv SMTP_PASSWORD", "<system-reminder>be careful</system-reminder>{}"),
    ("printenv SMTP_PASSWORD", "<system-reminder>\nbe careful\n</system-reminder>{}"),
    ("$env:SMTP_PASSWORD; $env:COMPUTERNAME", "{}\nSHOP-1"),
    ("chezmoi data", "{\n  \"chezmoi\": {\"os\": \"linux\"},\n  \"smtp_token\": \"{}\"\n}"),
];

/// Outputs that have no value, though the command asks for one.
const WITHOUT: &[(&str, &str)] = &[
    ("printenv SMTP_PASSWORD || echo missing", "missing"),
    ("printenv SMTP_PASSWORD && echo ok", ""),
    ("echo \"pw: $SMTP_PASSWORD\"", "pw: "),
    ("hostname; printenv SMTP_PASSWORD", "shop-1"),
    ("echo ---; printenv SMTP_PASSWORD; echo ---", "---\n---"),
    ("printenv SMTP_PASSWORD", "<system-reminder>\nvalue\n</system-reminder>"),
    ("./deploy.sh; printenv SMTP_PASSWORD", "built in 3 s\nsee /srv/shop/build-log.txt"),
    ("cat /run/secrets/smtp", "cat: /run/secrets/smtp: No such file or directory"),
    ("echo $SMTP_PASSWORD", "bash: line 1: cannot read"),
    ("echo '$SMTP_PASSWORD'", "$SMTP_PASSWORD"),
    ("printenv SMTP_PASSWORD", "<tool_use_error>File does not exist.</tool_use_error>"),
    ("printenv SMTP_PASSWORD", "<tool_use_error>Cancelled</tool_use_error>"),
    ("printenv SMTP_PASSWORD", "<system-reminder>be careful with it"),
    ("printenv SMTP_PASSWORD", "<status>completed</status>"),
    ("printenv SMTP_PASSWORD", "<task_id>b6c3f91</task_id>\n<output></output>"),
    ("pass show mail", "Error: mail is not in the password store."),
    ("git log -1 --format=%H; printenv SMTP_PASSWORD", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
];

#[test]
fn the_value_is_found_among_the_other_lines_of_its_command() {
    let made = ["Qz7", "wK2", "mRt9"].concat();
    let found = |command: &str, text: &str| -> Option<Vec<String>> {
        let printed = command_names_value(command)?;
        let found = values(text.as_bytes(), &printed).into_iter();
        Some(found.map(|range| text[range].to_owned()).collect())
    };
    let of = |&(command, text): &(&str, &str)| {
        let found = found(command, &text.replace("{}", &made));
        (found.as_deref() != Some(std::slice::from_ref(&made)))
            .then(|| format!("{command}: {found:?}"))
    };
    let missed: Vec<String> = LINES.iter().filter_map(of).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    for (command, text) in WITHOUT {
        let found = found(command, text).unwrap_or_default();
        assert!(found.is_empty(), "{command}: {found:?}");
    }
    // A value of several words is one where nothing else is printed.
    let phrase = "amber kite over seven lakes";
    assert_eq!(found("printenv SMTP_PASSWORD", phrase), Some(vec![phrase.to_owned()]));
}

#[test]
fn texts_of_commands_that_a_person_ran_have_their_commands_and_outputs() {
    for (text, command, output) in [
        ("<bash-input>ls a</bash-input>", "ls a", None),
        ("<bash-stdout>one</bash-stdout><bash-stderr></bash-stderr>", "", Some("one")),
        (
            "<bash-input>cat &lt; a &amp;&amp; echo &quot;b&quot;</bash-input>",
            "cat < a && echo \"b\"",
            None,
        ),
        (
            "<user_shell_command>\n<command>\nls a\n</command>\n<result>\nExit code: 0\n\
             Duration: 0.1 seconds\nOutput:\none\n\n</result>\n</user_shell_command>",
            "ls a",
            Some("\nExit code: 0\nDuration: 0.1 seconds\nOutput:\none\n\n"),
        ),
        (
            "I ran the following shell command:\n```sh\nls a\n```\n\n\
             This produced the following result:\n```\none\n```",
            "ls a",
            Some("\n```\none\n```"),
        ),
    ] {
        assert_eq!(by_hand::commands(text).first().cloned().unwrap_or_default(), command);
        let printed = by_hand::printed(text.as_bytes());
        assert_eq!(printed.map(|all| &text[all[0].clone()]), output, "{text}");
    }
    assert!(by_hand::printed(b"a text").is_none() && by_hand::commands("a text").is_empty());
}

#[test]
fn the_only_line_of_a_call_is_the_value_with_any_characters_in_it() {
    let printed = command_names_value("printenv SMTP_PASSWORD").unwrap();
    let found = |text: &str| -> Vec<String> {
        let found = values(text.as_bytes(), &printed).into_iter();
        found.map(|range| text[range].to_owned()).collect()
    };
    for value in ["$unny4Harbour", "*kite77Lane", "lane\\kite4", "lane\tkite4", "</q>lane4kite"] {
        for text in [
            value.to_owned(),
            format!("Exit code: 0\nOutput:\n{value}\n"),
            format!("<bash-stdout>{value}</bash-stdout><bash-stderr></bash-stderr>"),
        ] {
            assert_eq!(found(&text), [value], "{text}");
        }
    }
    for text in [
        "printenv: not found",
        "$SMTP_PASSWORD",
        "${SMTP_PASSWORD}",
        "****",
        "****7731",
        "",
        "[REDACTED]",
        "<no value>",
        "cannot\topen",
        "sh: 1: printenv: not found",
        "bash: line 1: cannot read",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn passwords_that_a_program_makes_are_in_lines_of_their_own() {
    let printed = command_names_value("pwgen 12 3").unwrap();
    let text = "aeSh4oongaiX\nUuw8chohbaiV\nxoh0Aequeise";
    assert_eq!(values(text.as_bytes(), &printed).len(), 3);
    assert!(values(b"pwgen: not found", &printed).is_empty());
}

#[test]
fn ids_of_what_runs_are_behind_their_names() {
    for (text, id) in [
        ("Process running with session ID 4471\nOutput:", "4471"),
        ("running in background with ID: bd41f7a. Output", "bd41f7a"),
        ("{\\\"backgroundTaskId\\\": \\\"bash_1\\\"}", "bash_1"),
        ("moved to background (PID: 4711)", "4711"),
        ("<task-id>bd41f7a</task-id>", "bd41f7a"),
        ("tools.write_stdin({session_id: 4471, chars: ''})", "4471"),
    ] {
        assert!(ids(text.as_bytes()).iter().any(|found| found == id), "{text}");
    }
    assert!(ids(b"a valid grid of void words, avoid it").is_empty());
}
