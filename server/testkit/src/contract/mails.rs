//! Mails and the tokens of their links.

use std::time::Duration;

use kernel::ledger::Refusal;
use kernel::port::Addressee;
use kernel::record::{Applicant, Digest, Mail, Row};
use types::account::{Language, MailKind};

use super::{Store, applied, refused, seeded};
use crate::sample::{Sample, noon, put};

fn mail(sample: &Sample, kind: MailKind, token: u8, minute: u64) -> Mail {
    Mail {
        id: sample.ids().mail(),
        kind,
        user_id: Some(sample.user_id),
        invitation_id: None,
        email: "Ada@sample.example".to_owned(),
        email_key: "ada@sample.example".to_owned(),
        language: Language::Chinese,
        digest: Some(Digest([token; 32])),
        applicant: None,
        created_at: noon() + Duration::from_secs(60 * minute),
        expires_at: noon() + Duration::from_secs(60 * (minute + 30)),
        used_at: None,
        version: 1,
    }
}

async fn put_all(store: &impl Store, sample: &Sample, mails: &[&Mail]) {
    applied(store, sample.opening(mails.iter().map(|mail| put(Row::Mail((*mail).clone()))))).await;
}

/// And a token belongs to one mail.
pub async fn a_mail_is_found_by_its_id_and_by_its_token(store: &impl Store) {
    let sample = seeded(store).await;
    let applicant = Applicant { name: "Ada".parse().expect("a name"), password_hash: "hash".to_owned() };
    let first = Mail { user_id: None, applicant: Some(applicant), ..mail(&sample, MailKind::Registration, 1, 0) };
    let silent = Mail { digest: None, ..mail(&sample, MailKind::AccountExists, 0, 0) };
    put_all(store, &sample, &[&first, &silent]).await;
    assert_eq!(store.find_mail(first.id).await.expect("a read"), Some(first.clone()));
    assert_eq!(store.find_mail(silent.id).await.expect("a read"), Some(silent));
    assert_eq!(store.find_mail_by_token(Digest([1; 32])).await.expect("a read"), Some(first.clone()));
    assert_eq!(store.find_mail_by_token(Digest([2; 32])).await.expect("a read"), None);

    let twin = mail(&sample, MailKind::PasswordReset, 1, 1);
    let refusal = refused(store, sample.opening([put(Row::Mail(twin))])).await;
    assert_eq!(refusal, Refusal::Unique { constraint: "mails_digest_key".to_owned() });

    let used = Mail { used_at: Some(noon()), applicant: None, version: 2, ..first };
    put_all(store, &sample, &[&used]).await;
    assert_eq!(store.find_mail(used.id).await.expect("a read"), Some(used.clone()));
    let refusal = refused(store, sample.opening([put(Row::Mail(used))])).await;
    assert_eq!(refusal, Refusal::Version { table: "mail", current: 2 });
}

/// Those about nobody are told by their address.
pub async fn the_newest_mail_is_told_for_each_person_kind_and_address(store: &impl Store) {
    let sample = seeded(store).await;
    let older = mail(&sample, MailKind::PasswordReset, 1, 0);
    let newer = mail(&sample, MailKind::PasswordReset, 2, 1);
    let other = mail(&sample, MailKind::EmailChange, 3, 2);
    let nobody = Mail { user_id: None, ..mail(&sample, MailKind::PasswordReset, 4, 3) };
    put_all(store, &sample, &[&newer, &older, &other, &nobody]).await;
    let newest = async |kind, to| store.newest_mail(kind, to).await.expect("a read");
    let person = Addressee::Person(sample.user_id);
    assert_eq!(newest(MailKind::PasswordReset, person).await, Some(newer));
    assert_eq!(newest(MailKind::EmailChange, person).await, Some(other));
    assert_eq!(newest(MailKind::Registration, person).await, None);
    let address = Addressee::Address("ada@sample.example");
    assert_eq!(newest(MailKind::PasswordReset, address).await, Some(nobody));
    assert_eq!(newest(MailKind::EmailChange, address).await, None);
    assert_eq!(newest(MailKind::PasswordReset, Addressee::Address("eve@sample.example")).await, None);
}

/// The oldest first, some at a time.
pub async fn mails_whose_time_is_long_over_are_deleted(store: &impl Store) {
    let sample = seeded(store).await;
    let mails = [0, 1, 2].map(|minute| mail(&sample, MailKind::PasswordReset, minute, u64::from(minute)));
    put_all(store, &sample, &mails.each_ref()).await;
    let before = mails[2].expires_at;
    assert_eq!(store.prune_mails(before, 1).await.expect("a prune"), 1);
    assert_eq!(store.find_mail(mails[0].id).await.expect("a read"), None);
    assert_eq!(store.prune_mails(before, 9).await.expect("a prune"), 1);
    assert_eq!(store.prune_mails(before, 9).await.expect("a prune"), 0);
    assert!(store.find_mail(mails[2].id).await.expect("a read").is_some());
}
