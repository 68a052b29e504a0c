//! Faults of mail servers, and of the process between asking and sending.

use std::time::Duration;

use adapter_outbound::{Smtp, SmtpServer, SmtpTls};
use kernel::port::{Letter, MailError, Mailer};
use kernel::secret::SecretString;
use reqwest::Method;
use serde_json::json;
use types::id::{MailId, Uuid};

use crate::canary::files;
use crate::util::process::{Soit, free_port};
use crate::util::smtp::{MailServer, token};

fn letter(to: &str) -> Letter {
    Letter {
        id: MailId::from_uuid(Uuid::from_u128(7)),
        to: to.to_owned(),
        subject: "Grüße / 邀请".to_owned(),
        text: "line one\n\nhttp://localhost/#sl_1\n".to_owned(),
        html: "<p>邀请</p>".to_owned(),
    }
}

fn server(server: &MailServer, tls: SmtpTls) -> SmtpServer {
    SmtpServer { host: "localhost".to_owned(), port: server.port(), tls, login: None }
}

fn smtp(server: &SmtpServer, authority: Option<&std::path::Path>) -> Smtp {
    let pem = authority.map(|path| std::fs::read(path).expect("a certificate"));
    Smtp::new(server, "soit <soit@example.com>", pem.as_deref()).expect("a mailer")
}

fn unavailable(why: &str) -> Result<(), MailError> {
    Err(MailError::Unavailable(why.to_owned()))
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written_with_an_id_of_its_own() {
    let mut box_ = MailServer::start("plain").await;
    let mailer = smtp(&server(&box_, SmtpTls::None), None);
    mailer.send(&letter("ada@bücher.example")).await.expect("sent");
    let mail = box_.mail().await;
    assert_eq!((&mail["subject"], &mail["tls"]), (&json!("Grüße / 邀请"), &json!(false)));
    assert_eq!(mail["text"].as_str().expect("a text").replace("\r\n", "\n").trim_end(), letter("").text.trim_end());
    assert!(mail["html"].as_str().expect("a text").contains("<p>邀请</p>"));
    let headers = mail["headers"].to_string();
    assert!(headers.contains(&format!("<{}@example.com>", letter("").id)), "{headers}");
}

#[tokio::test]
async fn tls_is_used_and_a_server_without_it_or_with_a_foreign_certificate_gets_nothing() {
    for (mode, tls) in [("starttls", SmtpTls::StartTls), ("wrapped", SmtpTls::Wrapped)] {
        let mut box_ = MailServer::start(mode).await;
        let named = server(&box_, tls);
        smtp(&named, Some(&box_.authority())).send(&letter("ada@example.com")).await.expect("sent");
        assert_eq!(box_.mail().await["tls"], true, "{mode}");
        let stranger = smtp(&named, None).send(&letter("ada@example.com")).await;
        assert!(matches!(stranger, Err(MailError::Unavailable(_))), "{mode}: {stranger:?}");
        assert!(box_.is_quiet(Duration::from_millis(300)).await, "{mode}");
    }
    let plain = MailServer::start("plain").await;
    for tls in [SmtpTls::StartTls, SmtpTls::Wrapped] {
        let sent = smtp(&server(&plain, tls), None).send(&letter("ada@example.com")).await;
        assert!(matches!(sent, Err(MailError::Unavailable(_))), "{tls:?}: {sent:?}");
    }
}

#[tokio::test]
async fn what_will_not_change_is_told_apart_and_no_address_is_repeated() {
    let refusing = MailServer::start("refuse").await;
    let sent = smtp(&server(&refusing, SmtpTls::None), None).send(&letter("ada@example.com")).await;
    assert_eq!(sent, Err(MailError::Refused("it answers 550".to_owned())));
    let mut later = MailServer::start("later").await;
    let mailer = smtp(&server(&later, SmtpTls::None), None);
    for _ in 0..2 {
        assert_eq!(mailer.send(&letter("ada@example.com")).await, unavailable("it answers 451"));
    }
    mailer.send(&letter("ada@example.com")).await.expect("the third try");
    later.mail().await;
    for wrong in ["", "ada", "ada@example.com\r\nRCPT TO:<eve@example.com>", "a b@example.com"] {
        let sent = mailer.send(&letter(wrong)).await;
        assert!(matches!(sent, Err(MailError::Refused(_))), "{wrong}: {sent:?}");
    }
    let nobody = SmtpServer { port: free_port(), ..server(&later, SmtpTls::None) };
    assert_eq!(smtp(&nobody, None).send(&letter("ada@example.com")).await, unavailable("it cannot be reached"));
}

#[tokio::test]
async fn who_must_sign_in_does_and_a_wrong_password_is_no_reason_to_give_up() {
    let mut box_ = MailServer::start("login").await;
    let with = |password: &str| {
        let login = Some(("soit".to_owned(), SecretString::new(password.to_owned())));
        smtp(&SmtpServer { login, ..server(&box_, SmtpTls::None) }, None)
    };
    let (right, wrong) = (with("pa:ss"), with("word"));
    right.send(&letter("ada@example.com")).await.expect("sent");
    box_.mail().await;
    let refused = wrong.send(&letter("ada@example.com")).await;
    assert!(matches!(refused, Err(MailError::Unavailable(_))), "{refused:?}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_in_time() {
    let silent = MailServer::start("silent").await;
    let since = std::time::Instant::now();
    let sent = smtp(&server(&silent, SmtpTls::None), None).send(&letter("ada@example.com")).await;
    assert_eq!(sent, unavailable("no answer in time"));
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
}

/// The process dies before the mail server is there: both come back, and the mail arrives. The token is in no file.
async fn a_mail_survives(database: Option<testkit::database::TestDatabase>) {
    let port = free_port();
    let url = format!("smtp://127.0.0.1:{port}?tls=none");
    let logs = tempfile::tempdir().expect("a folder");
    let mut settings = vec![
        ("SYSTEM_MAIL_ENABLED", "true"),
        ("SYSTEM_MAIL_URL", url.as_str()),
        ("SYSTEM_MAIL_FROM", "soit@example.com"),
        ("LOG_LEVEL", "debug"),
    ];
    if let Some(database) = &database {
        settings.push(("DATABASE_URL", database.url()));
        settings.extend([("LIMITS_ON_STORE_DOWN", "local"), ("STORAGE_SHARED", "true")]);
    }
    let log = logs.path().join("soit.log");
    let mut soit = Soit::new(&settings).logging_to(log.clone());
    soit.start().await;
    let nobody = soit.admin().await.with_token("");
    let asked =
        nobody.request(Method::POST, "/api/v1/auth/password-reset", Some(json!({"email": "admin@example.com"})));
    assert_eq!(asked.send().await.expect("an answer").status(), 204);
    soit.kill().await;
    let mut box_ = MailServer::start_at("plain", port).await;
    soit.start().await;
    let mail = box_.mail().await;
    let link = token(&mail);
    let body = json!({"token": link, "password": "lantern orchid gravel 42"});
    let nobody = nobody.at(&soit);
    let reset = nobody.request(Method::POST, "/api/v1/auth/password-reset/confirm", Some(body)).send().await;
    assert_eq!(reset.expect("an answer").status(), 204);
    soit.kill().await;
    for file in files(soit.data_dir()).into_iter().chain([log]) {
        let bytes = std::fs::read(&file).expect("a file");
        for secret in [link.as_str(), "lantern orchid"] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{}", file.display());
        }
    }
    if let Some(database) = &database {
        let held = database.texts("SELECT row_to_json(mails)::text FROM mails").await.join("\n");
        assert!(held.contains("admin@example.com") && !held.contains(&link), "{held}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_survives_kill_9_and_a_server_that_is_down_on_sqlite() {
    a_mail_survives(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_survives_kill_9_and_a_server_that_is_down_on_postgres() {
    a_mail_survives(Some(testkit::database::TestDatabase::postgres().await)).await;
}
