//! Keys and tokens.

use std::collections::HashMap;
use std::ops::Range;

use super::label::USE;
use super::letters::floor;
use super::rule::{Edges, Growth, Rule, Trigger, Verdict};
use crate::kind::Kind;

/// The longest private key and its longest first line, in bytes.
const LONGEST_KEY: usize = 16 << 10;
const LONGEST_HEADER: usize = 65;

pub(super) fn rules() -> Vec<Rule> {
    let key = |name: &'static str, about: &'static str| {
        Rule::new(name, Kind::Secret, about, 0.97).edges(Edges::Word)
    };
    vec![
        key("aws-key", "An access key of Amazon Web Services.")
            .shape("(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}"),
        key("github-token", "A token of GitHub.")
            .shape("gh[pousr]_[A-Za-z0-9]{36,120}")
            .shape("github_pat_[A-Za-z0-9_]{22,100}"),
        key("gitlab-token", "A token of GitLab.")
            .shape_at(&["glpat", "gldt", "glrt", "glptt"], "gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,64}"),
        key("slack-token", "A token or hook of Slack.")
            .shape_at(&["xoxb", "xoxa", "xoxp", "xoxr", "xoxs", "xoxe"], "xox[abeprs]-[A-Za-z0-9-]{10,150}"),
        key("stripe-key", "A key of Stripe.").shape("(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,120}"),
        key("google-key", "A key of Google.").shape("AIza[A-Za-z0-9_-]{35}"),
        key("model-key", "A key of a service that runs language models.")
            .shape_at(&["sk"], "sk-(?:[a-z]{2,6}[0-9]{0,2}-)?(?:[a-z]{3,5}[0-9]{2}-)?[A-Za-z0-9_-]{20,200}")
            .shape("hf_[A-Za-z0-9]{30,60}")
            .checked("entropy", looks_random, 0.95)
            .scored(0.6),
        key("npm-token", "A token of npm.").shape("npm_[A-Za-z0-9]{36}"),
        key("pypi-token", "A token of PyPI.").shape_at(&["pypi"], "pypi-[A-Za-z0-9_-]{16,250}"),
        key("sendgrid-key", "A key of SendGrid.")
            .shape_at(&["sg"], r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
        key("twilio-key", "An account or key of Twilio.").shape("(?:AC|SK)[0-9a-f]{32}"),
        key("azure-key", "A storage key of Azure.")
            .led(&["accountkey", "sharedaccesskey"], r"=([A-Za-z0-9+/]{40,90}={0,2})"),
        key("jwt", "A signed token (JSON Web Token).")
            .shape(r"eyJ[A-Za-z0-9_-]{8,250}\.")
            .checked("three parts", jwt, 0.97)
            .growing(Growth { from: 0, inside: in_token, loose: |c| matches!(c, '.' | '-') })
            .swallowing(),
        key("private-key", "A PEM private key.").parsed(Trigger::Words(&["begin"]), private_key),
        key("url-password", "A user name and password in a web address.")
            .parsed(Trigger::Scheme, credentials),
        Rule::new("secret-labelled", Kind::Secret, "A random value after a label for a secret.", 0.45)
            .led(
                &[
                    "secret",
                    "token",
                    "key",
                    "apikey",
                    "accesskey",
                    "secretkey",
                    "auth",
                    "bearer",
                    "credential",
                    "credentials",
                    "authorization",
                    "signature",
                    "privatekey",
                    "clientsecret",
                    "cookie",
                    "session",
                    "sessionid",
                    "webhook",
                ],
                // Names of variables may have any ending: `API_KEY_FOR_MAPS`.
                [
                    "(?i)(?:[ _-]?(?:key|token|id|secret|value)|",
                    USE,
                    r#"|(?-i:_[A-Z0-9]{1,20})){0,4}["'`]?\s{0,3}(?::|=>|:=|=|\bis\b|)\s{0,3}"#,
                    r#"(?:bearer |basic |token )?["'`]?([A-Za-z0-9_+/.~=-]{8,250})"#,
                ]
                .concat(),
            )
            .growing(Growth { from: 250, inside: in_secret, loose: |c| c == '.' })
            .checked("entropy", looks_random, 0.88)
            .edges(Edges::Word),
        Rule::new("hex-key", Kind::Secret, "A long run of hexadecimal digits.", 0.3)
            .shape("[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}")
            .shape("[0-9A-F]{32}|[0-9A-F]{64}|[0-9A-F]{128}")
            .filtered(|text| if entropy(text) > 2.8 { Verdict::Unsure } else { Verdict::Invalid })
            .near(["key", "secret", "token", "api key", "api_key", "apikey", "credential", "password"], 0.85)
            .edges(Edges::Word),
    ]
}

fn in_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn in_secret(c: char) -> bool {
    in_token(c) || matches!(c, '+' | '/' | '~' | '=')
}

/// Returns the Shannon entropy of the characters in bits.
fn entropy(text: &str) -> f32 {
    let mut counts: HashMap<char, f32> = HashMap::new();
    for c in text.chars() {
        *counts.entry(c).or_default() += 1.0;
    }
    let all: f32 = counts.values().sum();
    let mut shares: Vec<f32> = counts.into_values().map(|count| count / all).collect();
    // Sorted, because sums of floats depend on the order, and the result must be deterministic.
    shares.sort_unstable_by(f32::total_cmp);
    -shares.into_iter().map(|share| share * share.log2()).sum::<f32>()
}

/// Returns whether a text looks random: it mixes digits and letters and rarely repeats characters.
fn looks_random(text: &str) -> Verdict {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let switches = text
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    let length = text.len() as f32;
    // About the entropy of a random text of this length over 36 characters.
    let expected = length.min(36.0).log2();
    if digits == 0 || letters == 0 || entropy(text) < 0.72 * expected {
        Verdict::Invalid
    } else if switches >= 3 && text.len() >= 12 {
        Verdict::Valid
    } else {
        Verdict::Unsure
    }
}

fn jwt(text: &str) -> Verdict {
    let mut parts = text.split('.');
    let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 8);
    match (long(parts.next()), long(parts.next()), parts.next().is_some()) {
        (true, true, true) => Verdict::Valid,
        (true, true, false) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

fn private_key(text: &str, word: usize, found: &mut Vec<Range<usize>>) {
    let Some(start) = word.checked_sub(5).filter(|start| text.get(*start..word) == Some("-----")) else {
        return;
    };
    let until = floor(text, start.saturating_add(LONGEST_KEY).min(text.len()));
    // Not at a line break: in JSON and environment files a key is one line with escaped line breaks.
    let header = &text[word..floor(text, word.saturating_add(LONGEST_HEADER).min(until))];
    if !header.split_once("-----").is_some_and(|(header, _)| header.contains("PRIVATE KEY")) {
        return;
    }
    let end = text[word..until].find("-----END").map(|at| word + at).and_then(|at| {
        let tail = &text[at + 8..until];
        tail.find("-----").map(|dashes| at + 8 + dashes + 5)
    });
    // A truncated key ends at the end of the text.
    found.push(start..end.unwrap_or_else(|| text[..until].trim_end().len()));
}

/// Finds `user:password` between the scheme and the host.
fn credentials(text: &str, colon: usize, found: &mut Vec<Range<usize>>) {
    let start = colon + 3;
    let until = floor(text, start.saturating_add(200).min(text.len()));
    let Some(rest) = text.get(start..until) else { return };
    let authority =
        rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>'));
    let authority = authority.map_or(rest, |end| &rest[..end]);
    let Some((login, _)) = authority.rsplit_once('@') else { return };
    if login.split_once(':').is_some_and(|(_, password)| !password.is_empty() && !password.starts_with("${"))
    {
        found.push(start..start + login.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{finds, ignores};

    /// Joins the parts of an example at run time, so that secret scanners do not report this file.
    fn made(prefix: &str, length: usize) -> String {
        let letters = b"q7Rk2mZx9TbW4cYh8LnD3vGs6JfP1aEd5Uo";
        let tail: String = (0..length).map(|i| char::from(letters[i * 13 % letters.len()])).collect();
        format!("{prefix}{tail}")
    }

    fn finds_made(rule: &str, token: &str) {
        for text in [
            format!("[[{token}]]"),
            format!("key=[[{token}]]"),
            format!("use [[{token}]]."),
            format!("\"[[{token}]]\","),
            format!("a\n[[{token}]]\nb"),
        ] {
            finds(rule, &[&text]);
        }
    }

    #[test]
    fn keys_with_a_prefix() {
        for (rule, token) in [
            ("github-token", made("ghp_", 36)),
            ("github-token", made("github_pat_", 60)),
            ("gitlab-token", made("glpat-", 20)),
            ("slack-token", made("xoxb-", 40)),
            ("stripe-key", made("sk_live_", 24)),
            ("google-key", made("AIza", 35)),
            ("model-key", made("sk-", 48)),
            ("model-key", made("sk-proj-", 48)),
            ("model-key", made("sk-ant-api03-", 80)),
            ("npm-token", made("npm_", 36)),
            ("pypi-token", made("pypi-", 100)),
            ("sendgrid-key", format!("{}{}", made("SG.", 22), made(".", 43))),
            ("aws-key", "AKIA".to_owned() + "QZ7TRM2KX5WBNHDS"),
            ("twilio-key", "AC".to_owned() + &"0f1e2d3c4b5a6978".repeat(2)),
        ] {
            finds_made(rule, &token);
        }
    }

    #[test]
    fn similar_texts_are_not_keys() {
        ignores(
            "aws-key",
            &["AKIA", "AKIA1234", "akiaqz7trm2kx5wbnhds", "XAKIAQZ7TRM2KX5WBNHDS", "AKIA of things"],
        );
        ignores("github-token", &["ghp_", "ghp_short1", "ghp 123", "github_pat", "aghp_1"]);
        ignores("gitlab-token", &["glpat", "glpat-1", "glpat-short", "glpat 12", "xglpat-1"]);
        ignores("slack-token", &["xoxb", "xoxb-1", "xox-1234567890123", "xoxo-1234567890", "boxoxb-1"]);
        ignores(
            "stripe-key",
            &["sk_live_", "sk_live_1", "sk_demo_1234567890", "task_live_1234567890", "sk live"],
        );
        ignores("model-key", &["sk-", "sk-learn", "sk-something-long-without-number", "task-1", "hf_model"]);
        ignores("npm-token", &["npm_config_prefix", "npm_1", "npm i", "npm_token", "xnpm_12"]);
        ignores("pypi-token", &["pypi", "pypi-1", "pypi.org", "pypi-server", "from pypi"]);
        ignores("google-key", &["AIza", "AIzaSy", "AIza-1", "aiza12", "Aiza"]);
        ignores("sendgrid-key", &["SG.", "SG.1.2", "SG 12", "MSG.abc", "SG.short.x1"]);
        ignores("twilio-key", &["AC12", "AC/DC", "SK2", "AC 0f1e", "ACDC0f"]);
    }

    #[test]
    fn tokens_with_several_parts() {
        for length in [700, 8192, 20_000] {
            finds_made("jwt", &format!("{}.{}.{}", made("eyJ", 30), made("eyJ", length), made("", 43)));
        }
        ignores(
            "jwt",
            &["eyJ", "eyJabc.def", "eyJhbGciOi", "eyJhbGciOiJIUzI1NiJ9.", "heyJudeeeeeeee.eyJudeeeeeeee.x1"],
        );
        let body = made("", 60);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----");
        finds_made("private-key", &key);
        let escaped = key.replace('\n', r"\n");
        finds("private-key", &[&format!("{{\n  \"private_key\": \"[[{escaped}]]\\n\",\n  \"id\": 1\n}}")]);
        finds("private-key", &[&format!("TLS_KEY=\"[[{escaped}]]\"\nPORT=1")]);
        ignores(
            "private-key",
            &[
                "-----BEGIN CERTIFICATE-----\nx",
                "begin PRIVATE KEY",
                "-----BEGIN PUBLIC KEY-----\nx",
                "----- BEGIN",
                "-----BEGIN",
            ],
        );
        finds(
            "url-password",
            &[
                "https://[[ada:hunter2]]@example.org/x",
                "postgres://[[db:pw]]@10.0.0.1:5432",
                "ftp://[[a:b]]@h",
                "redis://[[:topsecret]]@cache:6379/0",
                "\"amqp://[[u:p@ss]]@mq\"",
            ],
        );
        ignores(
            "url-password",
            &[
                "https://example.org",
                "https://ada@example.org",
                "http://a:80/x@y",
                "http://u:${PASS}@h",
                "://",
            ],
        );
        let azure = made("", 86) + "==";
        finds("azure-key", &[&format!("AccountKey=[[{azure}]];x"), &format!("SharedAccessKey=[[{azure}]]")]);
        ignores(
            "azure-key",
            &["AccountKey=abc", "AccountKey", "accountkey: x", "MyAccountKeys=1", "AccountKey=;"],
        );
    }

    #[test]
    fn labelled() {
        let token = made("", 24);
        for text in [
            format!("secret={token}"),
            format!("api_key: \"{token}\""),
            format!("Authorization: Bearer {token}"),
            format!("\"clientSecret\":\"{token}\""),
            format!("my token is {token}"),
            format!("s3_secret_key={token}"),
            format!("oauth2_token={token}"),
            format!("oauth2Token: {token}"),
            format!("API_KEY_FOR_MAPS={token}"),
            format!("stripeSecretLive2 = '{token}'"),
        ] {
            finds("secret-labelled", &[&text.replace(&token, &format!("[[{token}]]"))]);
        }
        ignores(
            "secret-labelled",
            &[
                "the secret is out",
                "token: string",
                "key = value_of_the_map",
                "keys: 12345678",
                "auth: authentication",
                "session 2021-03-04",
                "key aaaaaaaa1",
                "token_count: 12ab34cd56ef",
                "monkey2_bars=12ab34cd56ef",
            ],
        );
        for length in [249, 250, 251, 300, 5000] {
            let long = made("", length);
            finds("secret-labelled", &[&format!("secret={}", format_args!("[[{long}]]"))]);
        }
        let hex = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
        finds(
            "hex-key",
            &[
                &format!("key [[{hex}]]"),
                &format!("token=[[{hex}]]"),
                &format!("api key: [[{hex}{hex}]]"),
                &format!("secret '[[{hex}]]'"),
                &format!("password [[{hex}]]."),
                &format!("secret_key_base: [[{hex}{hex}{hex}{hex}]]"),
            ],
        );
        ignores(
            "hex-key",
            &[hex, "key 0f1e2d3c", "key 00000000000000000000000000000000", "token", &format!("key x{hex}")],
        );
    }

    #[test]
    fn entropy_of_texts() {
        assert_eq!(entropy("aaaa"), 0.0);
        assert!((entropy("abcd") - 2.0).abs() < 1e-6);
    }
}
