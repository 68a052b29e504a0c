//! English.

use types::identity::Role;
use types::problem::Code;

use super::Access;

pub(crate) const EN: Access = Access {
    accept: "Accept the invitation",
    accept_text: "You were invited to a workspace of soit. The link works once, for the address it was sent to.",
    accept_title: "Join a workspace",
    change_role: "Change role",
    count: |count| match count {
        1 => "1 person".to_owned(),
        count => format!("{count} people"),
    },
    create_invitation: "Make the link",
    email: "E-mail",
    email_hint: "The link works for this address alone.",
    expires: "Expires",
    gone: "The link is not shown again",
    gone_text: "It is shown once, right after it was made. If it is lost, invite the address again: the old link then stops working.",
    has_account: "If you have an account already: sign in, open the link again, and leave name and password empty.",
    invitations: "Invitations",
    invite: "Invite somebody",
    invited_by: "Invited by",
    joined: "Joined",
    leave: "Leave",
    leave_question: "Leave this workspace?",
    leave_text: "Your keys here are revoked. To come back, somebody has to add you again.",
    link_ready: "The link is ready",
    link_ready_text: "It is shown once. Copy it then, it cannot be read again.",
    name_hint: "How others see you. Only for a new account.",
    no_invitations: "No invitations",
    no_invitations_text: "An invitation is a link for one address. It works once and expires.",
    password_hint: "12 characters or more, hard to guess. Only for a new account.",
    people: "People",
    refused: |code| match code {
        Code::NotFound => Some("The code is wrong or was taken back, or it is for another address than yours."),
        Code::Unauthenticated => Some("The address has an account already. Sign in with it, then open the link again."),
        Code::InvitationUsed => Some("It works once. If it was you, simply sign in."),
        Code::InvitationExpired => Some("Ask whoever invited you for a new one."),
        Code::WeakPassword => {
            Some("Use several unrelated words, 12 characters or more, and nothing from your name or address.")
        }
        Code::Invalid => Some("A new account needs a name and a password."),
        _ => None,
    },
    remove: "Remove",
    remove_question: |name| format!("Remove {name}?"),
    remove_text: "Their keys here are revoked and their sessions here end at once. What they did stays in the record.",
    reveal: "Send it to the person yourself. It is shown this once and cannot be read again.",
    reveal_title: |email| format!("Invitation for {email}"),
    revoke: "Take back",
    role: "Role",
    role_meaning: |role| match role {
        Role::Owner => "Everything, owners included.",
        Role::Admin => "Manages all but owners.",
        Role::Dev => "Builds, calls models, makes keys of their own.",
        Role::Viewer => "Reads.",
    },
    show_link: "Show the link",
    tenant_role: "In the tenant",
    title: "Access",
    to_list: "Done",
    token: "Code of the invitation",
    token_hint: "What stands behind the # of the link. It is filled in for you where scripts run.",
    told_removed: "Removed.",
    told_revoked: "Taken back.",
    told_role: "Role changed.",
    you: "you",
    view_as: "View as",
    view_as_text: "Shows and allows only what the role may, until you stop or sign out.",
};
