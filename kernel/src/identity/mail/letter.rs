//! The texts of mails, in the language of who asked; that of an invitation in every language, for nobody knows its reader.

use chrono::TimeDelta;
use types::account::{Language, MailKind};

use crate::port::Letter;
use crate::record::Mail;

/// What a mail is about.
#[derive(Debug)]
pub(super) enum Content<'a> {
    /// A link that is good for a while.
    Link { link: String, life: TimeDelta },
    /// The link of an invitation.
    Invitation { link: String, workspace: &'a str },
    /// The account has another address.
    EmailChanged { sign_in: &'a str },
    /// The address has an account.
    AccountExists { sign_in: &'a str },
}

/// One part of a mail.
enum Part {
    Said(String),
    Linked(String),
}

use Part::{Linked, Said};

/// Writes a mail.
pub(super) fn write(mail: &Mail, content: &Content<'_>) -> Letter {
    let (subject, parts) = match mail.language {
        _ if mail.kind == MailKind::Invitation => both(content),
        Language::English => english(mail.kind, content),
        Language::Chinese => chinese(mail.kind, content),
    };
    let lang = mail.language;
    let text: Vec<&str> = parts.iter().map(|(Said(text) | Linked(text))| text.as_str()).collect();
    let html = parts.iter().map(|part| match part {
        Said(text) => format!("<p>{}</p>\n", escaped(text)),
        Linked(link) => format!("<p><a href=\"{0}\">{0}</a></p>\n", escaped(link)),
    });
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head><meta charset=\"utf-8\"></head>\n<body>\n{}</body>\n</html>\n",
        html.collect::<String>()
    );
    Letter { id: mail.id, to: mail.email.clone(), subject, text: text.join("\n\n") + "\n", html }
}

fn said(text: &str) -> Part {
    Said(text.to_owned())
}

fn english(kind: MailKind, content: &Content<'_>) -> (String, Vec<Part>) {
    let (subject, parts) = match content {
        Content::Link { link, life } => {
            let (subject, why, otherwise) = match kind {
                MailKind::PasswordReset => (
                    "Set a new password for soit",
                    "Somebody, probably you, asked for a new password for your account.",
                    "If it was not you, do nothing: your password stays as it is.",
                ),
                MailKind::Registration => (
                    "Finish your registration at soit",
                    "Somebody, probably you, wants to make an account with this address.",
                    "If it was not you, do nothing: no account is made.",
                ),
                MailKind::EmailChange => (
                    "Confirm your new address at soit",
                    "Somebody, probably you, wants an account to have this address.",
                    "If it was not you, do nothing: the account keeps the address it has.",
                ),
                _ => (
                    "Confirm your address at soit",
                    "Please confirm that this is the address of your account.",
                    "If you did not ask for it, do nothing.",
                ),
            };
            let use_it = match life.num_hours() {
                0 => format!("Open this link within {} minutes. It works once.", life.num_minutes()),
                1 => "Open this link within an hour. It works once.".to_owned(),
                hours => format!("Open this link within {hours} hours. It works once."),
            };
            (subject, vec![said(why), Said(use_it), Linked(link.clone()), said(otherwise)])
        }
        Content::Invitation { link, .. } => (
            "Invitation",
            vec![
                said("You are invited to a workspace of soit. The link works once, for this address."),
                Linked(link.clone()),
            ],
        ),
        Content::EmailChanged { sign_in } => (
            "The address of your account was changed",
            vec![
                said("Your account at soit has another address from now on. It is signed in to with that one."),
                said("If it was not you, tell whoever runs this soit at once:"),
                Linked((*sign_in).to_owned()),
            ],
        ),
        Content::AccountExists { sign_in } => (
            "You have an account at soit",
            vec![
                said(
                    "Somebody, probably you, wanted to use this address for an account. It has one already: sign in there, or \
                      have a new password set.",
                ),
                Linked((*sign_in).to_owned()),
                said("If it was not you, do nothing."),
            ],
        ),
    };
    (subject.to_owned(), parts)
}

fn chinese(kind: MailKind, content: &Content<'_>) -> (String, Vec<Part>) {
    let (subject, parts) = match content {
        Content::Link { link, life } => {
            let (subject, why, otherwise) = match kind {
                MailKind::PasswordReset => (
                    "设置新的 soit 密码",
                    "有人（可能是您）请求为您的账户设置新密码。",
                    "如果不是您本人，请忽略此邮件：密码不会改变。",
                ),
                MailKind::Registration => (
                    "完成 soit 注册",
                    "有人（可能是您）希望用此邮箱创建账户。",
                    "如果不是您本人，请忽略此邮件：不会创建账户。",
                ),
                MailKind::EmailChange => (
                    "确认新的 soit 邮箱",
                    "有人（可能是您）希望将账户的邮箱改为此邮箱。",
                    "如果不是您本人，请忽略此邮件：账户的邮箱不会改变。",
                ),
                _ => ("确认您的 soit 邮箱", "请确认这是您账户的邮箱。", "如果您没有提出请求，请忽略此邮件。"),
            };
            let use_it = match life.num_hours() {
                0 => format!("请在 {} 分钟内打开此链接，仅可使用一次。", life.num_minutes()),
                hours => format!("请在 {hours} 小时内打开此链接，仅可使用一次。"),
            };
            (subject, vec![said(why), Said(use_it), Linked(link.clone()), said(otherwise)])
        }
        Content::Invitation { link, .. } => (
            "邀请",
            vec![said("您被邀请加入 soit 的一个工作区。链接仅对此邮箱有效，且只能使用一次。"), Linked(link.clone())],
        ),
        Content::EmailChanged { sign_in } => (
            "您账户的邮箱已更改",
            vec![
                said("您的 soit 账户从现在起使用另一个邮箱，请用新邮箱登录。"),
                said("如果不是您本人所为，请立即告知此 soit 的管理员："),
                Linked((*sign_in).to_owned()),
            ],
        ),
        Content::AccountExists { sign_in } => (
            "您已有 soit 账户",
            vec![
                said("有人（可能是您）希望将此邮箱用于账户，但它已有账户：请直接登录，或设置新密码。"),
                Linked((*sign_in).to_owned()),
                said("如果不是您本人，请忽略此邮件。"),
            ],
        ),
    };
    (subject.to_owned(), parts)
}

/// An invitation, in every language.
fn both(content: &Content<'_>) -> (String, Vec<Part>) {
    let workspace = if let Content::Invitation { workspace, .. } = content { *workspace } else { "soit" };
    let (_, mut parts) = english(MailKind::Invitation, content);
    parts.extend(chinese(MailKind::Invitation, content).1);
    (format!("Invitation to {workspace} / 邀请加入 {workspace}"), parts)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use types::id::{MailId, Uuid};

    use super::*;

    fn mail(kind: MailKind, language: Language) -> Mail {
        let now = chrono::DateTime::UNIX_EPOCH;
        Mail {
            id: MailId::from_uuid(Uuid::nil()),
            kind,
            user_id: None,
            invitation_id: None,
            email: "ada@example.com".to_owned(),
            email_key: "ada@example.com".to_owned(),
            language,
            digest: None,
            applicant: None,
            created_at: now,
            expires_at: now,
            used_at: None,
            version: 1,
        }
    }

    #[test]
    fn a_mail_is_in_its_language_and_says_how_long_its_link_is_good() {
        let kinds =
            [MailKind::PasswordReset, MailKind::Registration, MailKind::EmailChange, MailKind::EmailVerification];
        for kind in kinds {
            let link = || "https://soit.test/x?a=1&b=2#sl_1".to_owned();
            let content = Content::Link { link: link(), life: TimeDelta::minutes(30) };
            let english = write(&mail(kind, Language::English), &content);
            let chinese = write(&mail(kind, Language::Chinese), &content);
            assert!(english.text.contains("within 30 minutes") && chinese.text.contains("30 分钟"), "{kind}");
            assert!(english.text.is_ascii() && english.subject.is_ascii(), "{kind}");
            assert!(!chinese.text.contains("Somebody") && chinese.html.contains("lang=\"zh-CN\""), "{kind}");
            for letter in [&english, &chinese] {
                assert!(letter.text.contains(&link()), "{}", letter.text);
                assert!(letter.html.contains("href=\"https://soit.test/x?a=1&amp;b=2#sl_1\""), "{}", letter.html);
            }
        }
        let day = Content::Link { link: String::new(), life: TimeDelta::hours(24) };
        assert!(write(&mail(MailKind::Registration, Language::English), &day).text.contains("within 24 hours"));
    }

    #[test]
    fn what_somebody_is_called_is_text_and_nothing_else() {
        let content = Content::Invitation { link: "https://soit.test/invite#si_1".to_owned(), workspace: "<b>\"A&B" };
        let letter = write(&mail(MailKind::Invitation, Language::English), &content);
        assert!(letter.subject.contains("<b>\"A&B") && !letter.html.contains("<b>"), "{}", letter.html);
        assert!(letter.text.contains("invited") && letter.text.contains("邀请"), "{}", letter.text);
    }
}
