//! English.

use super::SecondFactor;

pub(crate) const EN: SecondFactor = SecondFactor {
    any_code_hint: "Six digits of the app, or a recovery code.",
    behind: "You signed in here without it. A code makes up for that.",
    code: "Code",
    code_hint: "The six digits the app shows now.",
    codes: "Keep these recovery codes where you find them without your device. Each works once. They are not shown again.",
    confirm: "Confirm",
    disable: "Turn it off",
    disabled: "The second factor is off. Signing in asks for your password alone.",
    download: "Download",
    enabled: "The second factor is on.",
    enforced: "A workspace of yours asks for it, so it cannot be turned off.",
    go_on: "Continue",
    left: |left| match left {
        1 => "1 recovery code is left.".to_owned(),
        left => format!("{left} recovery codes are left."),
    },
    manage: "Manage",
    needed: "This workspace asks for a second factor",
    needed_text: "Set one up, or give a code if you have one. Then you are let in.",
    off: "Signing in asks for your password alone.",
    on: "Signing in asks for a code, since",
    open_app: "Open it in an app on this device",
    pending: "An app was set up and waits for its first code.",
    proven: "Confirmed. It counts for ten minutes.",
    qr: "QR code for an authenticator app",
    renew: "Make new recovery codes",
    scan: "Scan this with an authenticator app, then type in the code it shows.",
    set_up: "Set up an authenticator app",
    set_up_anew: "Set up another app",
    title: "Second factor",
    type_in: "Or type this into the app. It is not shown again.",
};
