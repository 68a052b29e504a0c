//! English.

use types::identity::Role;
use types::problem::Code;

use super::Problems;

pub(crate) const EN: Problems = Problems {
    title: |code| match code {
        Code::Invalid => "Some fields need attention".to_owned(),
        Code::InvalidCredentials => "E-mail or password is wrong".to_owned(),
        Code::Unauthenticated | Code::CredentialsExpired => "You are signed out".to_owned(),
        Code::InvalidCode => "The code is wrong".to_owned(),
        Code::ChallengeExpired => "The sign-in took too long".to_owned(),
        Code::MfaRequired => "A second factor is needed".to_owned(),
        Code::SsoRequired => "Sign in with your identity provider".to_owned(),
        Code::SsoFailed => "The sign-in could not be completed".to_owned(),
        Code::SsoRefused => "Your account at the identity provider has no way in here".to_owned(),
        Code::SsoUnavailable => "The identity provider does not answer".to_owned(),
        Code::MfaEnforced => "A workspace asks for a second factor".to_owned(),
        Code::StepUpRequired => "Confirm that it is you".to_owned(),
        Code::RoleRequired => "Your role does not allow this".to_owned(),
        Code::LoginThrottled => "Too many failed sign-ins".to_owned(),
        Code::CsrfFailed => "The form did not come from this console".to_owned(),
        Code::PreconditionFailed | Code::PolicyConflict => "Someone changed it in the meantime".to_owned(),
        Code::IdempotencyInFlight => "The first request is not done yet".to_owned(),
        Code::TaskNotRerunnable => "Nobody here does tasks of this type".to_owned(),
        Code::ReplayDiverged => "The repetition is not as it is in the record".to_owned(),
        Code::RunNotFinal => "The run is not over yet".to_owned(),
        Code::ChainBroken => "The chain is not as it was written".to_owned(),
        Code::NotSupported => "It cannot be done to this".to_owned(),
        Code::ContentNotKept => "It was not kept".to_owned(),
        Code::AlreadyExists => "It exists already".to_owned(),
        Code::InUse => "It is still in use".to_owned(),
        Code::WeakPassword => "The password is too easy to guess".to_owned(),
        Code::StorageUnavailable => "The content store does not answer".to_owned(),
        Code::ArtifactCorrupt => "What was kept has been altered".to_owned(),
        Code::Internal => "Something went wrong inside soit".to_owned(),
        Code::NotFound => "Not found".to_owned(),
        Code::Timeout => "No answer in time".to_owned(),
        other => other.title(),
    },
    conflict: "Nothing was saved. What you changed is still here, with what is stored now beneath; the other fields show \
               what is stored. Save again to store it like this.",
    cut: |fields| format!("The text of {fields} was too long to be kept whole. Only its beginning is still here."),
    denied: "Not yours to see",
    denied_text: "Your role in this workspace does not include this page.",
    go_home: "Go to Home",
    needs: |action, roles| match words(roles).as_slice() {
        [] => format!("Needs `{action}`."),
        [one] => format!("Needs `{action}`. The {one} of this workspace have it."),
        [most @ .., last] => format!("Needs `{action}`. The {} and {last} of this workspace have it.", most.join(", ")),
    },
    not_found: "Nothing here",
    not_found_text: "The address is wrong, or it leads to something that is gone or hidden from you.",
    not_loaded: "This page could not be loaded",
    not_loaded_text: "The connection is cut, or soit was updated since this tab was opened. Nothing is lost. The second try \
                      loads the whole page anew.",
    password: "Password",
    request: "Request",
    resumed: "Your session had ended, so nothing was sent. What you typed is still here: look it over and send it again.",
    retry: "Try again",
    retry_after: |seconds| format!("Try again in {seconds} s."),
    secret_again: "It is not kept here: enter it again if you had.",
    sign_in_again: "Sign in again",
    sign_in_hint: "It opens in a new tab: what you typed here stays, and can be sent again afterwards.",
    step_up: "This action asks for your password again. It counts for ten minutes.",
    step_up_provider: "This action asks you to sign in to your identity provider again, in a tab of its own. It counts for ten minutes.",
    step_up_go: "Sign in again",
    step_up_code: "Or a code",
    step_up_submit: "Confirm",
    wrong_password: "That is not your password.",
    step_up_done: "Confirmed. Now repeat the action.",
};

fn words(roles: &[Role]) -> Vec<&'static str> {
    let word = |role: &Role| match role {
        Role::Owner => "owners",
        Role::Admin => "admins",
        Role::Dev => "developers",
        Role::Viewer => "viewers",
    };
    roles.iter().map(word).collect()
}
