//! Calls that name values, and calls that do not.

use super::*;

fn asks(command: &str) -> bool {
    names_value(serde_json::json!({ "command": command }).to_string().as_bytes())
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
    "hostname; printenv SMTP_PASSWORD",
    "echo $MAX_TOKENS",
    "docker secret ls -q",
];

#[test]
fn commands_that_print_the_value_of_a_name_are_told_from_others() {
    let missed: Vec<_> = VALUES.iter().filter(|command| !asks(command)).collect();
    let wrong: Vec<_> = OTHERS.iter().filter(|command| asks(command)).collect();
    assert!(missed.is_empty() && wrong.is_empty(), "missed {missed:#?}, wrong {wrong:#?}");
}

#[test]
fn inputs_of_other_tools_name_values_too() {
    let asks = |input: serde_json::Value| names_value(input.to_string().as_bytes());
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
        let found = value(text.as_bytes()).map(|range| &text[range]);
        assert_eq!(found, Some(&*made), "{text}");
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
        assert_eq!(value(text.as_bytes()), None, "{text}");
    }
}
