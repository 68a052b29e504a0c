//! Codes of authenticator apps.

use chrono::TimeDelta;
use kernel::port::{SEED, Totp};
use types::id::{UserId, Uuid};

use crate::sample::noon;
use crate::totp::{code, step};

/// One step early or late is a slow hand or a clock that is a little off; two are not.
pub fn a_code_counts_for_its_step_and_the_neighbours(totp: &impl Totp) {
    let user = UserId::from_uuid(Uuid::from_u128(1));
    let (seed, shown) = totp.enroll(user, 1, "ada@example.com", &[5; SEED]).expect("a seed");
    let check = |code: &str| totp.step_of(user, &seed, code, noon()).expect("a seed that can be read");
    for steps in -3..=3 {
        let at = noon() + TimeDelta::seconds(30 * steps);
        let expected = (steps.abs() <= 1).then(|| step(at));
        assert_eq!(check(&code(shown.secret.expose(), at)), expected, "{steps}");
    }
    for wrong in ["", "12345", "1234567", "abcdef", "+12345", "１２３４５６"] {
        assert_eq!(check(wrong), None, "{wrong}");
    }
}

/// A row that was copied elsewhere is worth nothing.
pub fn a_seed_belongs_to_its_person_and_number(totp: &impl Totp) {
    let [user, other] = [1, 2].map(|number| UserId::from_uuid(Uuid::from_u128(number)));
    let (seed, shown) = totp.enroll(user, 1, "ada@example.com", &[5; SEED]).expect("a seed");
    let code = code(shown.secret.expose(), noon());
    assert!(totp.step_of(user, &seed, &code, noon()).expect("a seed that can be read").is_some());
    assert!(totp.step_of(other, &seed, &code, noon()).is_err(), "another person");
    let renumbered = kernel::record::TotpSeed { number: 2, ..seed };
    assert!(totp.step_of(user, &renumbered, &code, noon()).is_err(), "another number");
}
