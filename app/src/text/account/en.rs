//! English.

use types::problem::Code;

use super::Account;

pub(crate) const EN: Account = Account {
    change_email: "Change the address",
    change_email_hint: "A link goes to the new address. Until it is opened, you sign in with the present one.",
    close: "Close the account",
    close_question: "Close your account?",
    close_text: "After some days nobody can sign in with it, your keys stop working, and name and address are removed. What \
                 you did stays in the record under your id. Until then you can keep it after all.",
    closing: "This account will be closed.",
    code: "Code of the link",
    code_hint: "What stands behind the # of the link. It is filled in for you where scripts run.",
    confirm: "Confirm",
    confirm_text: "You were sent a link to this page. It works once.",
    confirm_title: "Confirm your address",
    confirmed: "Your address is confirmed.",
    forgot: "Forgotten password?",
    forgot_by_hand: "This deployment sends no mail. Ask whoever runs it for a link that sets a new password.",
    forgot_text: "A link to set a new one goes to the address of your account.",
    forgot_title: "Forgotten password",
    go_on: "Go on to soit",
    invitation_sent: |email| format!("The link went to {email}. It works once, for this address alone."),
    invitation_sent_title: "The invitation was sent",
    keep: "Keep the account",
    mail_sent: "A mail with a link is on its way.",
    new_email: "New address",
    not_offered: "Here, accounts are made by invitation only.",
    not_verified: "not confirmed",
    password_set: "Your password is set. Sign in with it.",
    refused: |code| match code {
        Code::NotFound => Some("The code is wrong. Open the link of the mail again, or copy what stands behind its #."),
        Code::LinkExpired => {
            Some("It works once and for a while, and only the newest one. Ask for another if you need it.")
        }
        Code::WeakPassword => {
            Some("Use several unrelated words, 12 characters or more, and nothing from your name or address.")
        }
        Code::Invalid => Some("A field is empty or has a wrong form, or the two passwords differ."),
        _ => None,
    },
    register: "Make the account",
    register_sent: "A mail is on its way. The account is made once its link is opened.",
    register_text: "You get a workspace of your own. A link goes to your address to confirm it.",
    register_title: "Make an account",
    reset: "Set the password",
    reset_sent: "If the address has an account, a mail with a link is on its way.",
    reset_text: "It ends every session of the account. The link works once.",
    reset_title: "Set a new password",
    send_link: "Send the link",
    to_sign_in: "Back to sign in",
    told_closing: "The account will be closed.",
    told_kept: "The account is kept.",
    verified: "confirmed",
    verify: "Confirm by mail",
};
