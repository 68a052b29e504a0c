use chrono::{DateTime, TimeDelta, Utc};
use kernel::OpContext;
use kernel::context::{Credential, Scope};
use kernel::identity::{FirstStep, Place, Presented, digest};
use kernel::ledger::Audit;
use kernel::port::SecondFactors;
use testkit::totp;
use types::identity::{Login, Refresh, Role, Scope as Reach, StepUp, UpdateWorkspace};
use types::mfa::{ConfirmMfa, LoginAnswer, LoginMfa, MfaLevel, MfaMethod, MfaRequired};
use types::problem::Code;

use super::world::{Home, PASSWORD, World, client, wanted};

const ADA: &str = "ada@example.com";

/// Somebody with a second factor, signed in without a code yet.
struct Ada {
    home: Home,
    ctx: OpContext,
    secret: String,
    codes: Vec<String>,
}

impl Ada {
    async fn of(world: &World) -> Self {
        Self::with_role(world, Role::Owner).await
    }

    async fn with_role(world: &World, role: Role) -> Self {
        let home = world.home("acme");
        let user = world.user(ADA);
        world.join(home, user.id, role);
        let token = world.login(ADA, PASSWORD).await.unwrap().access_token;
        let ctx = world.ask(&token).await.unwrap();
        let (secret, codes) = set_up(world, &ctx).await;
        // The code of the confirmation counts no more: the next step begins.
        world.time.pass(30);
        Self { home, ctx: again(world, &ctx).await, secret, codes }
    }

    fn code(&self, world: &World) -> String {
        totp::code(&self.secret, world.time.now_at())
    }
}

/// Sets a second factor up; its seed and its recovery codes.
async fn set_up(world: &World, ctx: &OpContext) -> (String, Vec<String>) {
    let secret = world.identity.setup_mfa(ctx).await.unwrap().secret;
    let command = ConfirmMfa { code: totp::code(&secret, world.time.now_at()) };
    let (_, codes) = world.identity.confirm_mfa(ctx, &command, None).await.unwrap();
    (secret, codes.recovery_codes)
}

/// The same session, asking now.
async fn again(world: &World, ctx: &OpContext) -> OpContext {
    let fresh = world.identity.reauthenticate(ctx).await.unwrap();
    OpContext { now: world.time.now_at(), ..fresh }
}

async fn asked(world: &World) -> MfaRequired {
    match world.first_step(ADA, PASSWORD).await.unwrap() {
        LoginAnswer::MfaRequired(asked) => asked,
        LoginAnswer::LoggedIn(_) => panic!("no second factor is asked for"),
    }
}

/// Answers a question with a code; the access token, or why not.
async fn answer(world: &World, asked: &MfaRequired, code: &str) -> Result<String, Code> {
    let command = LoginMfa { mfa_token: asked.mfa_token.clone(), code: code.to_owned() };
    let answered = world.identity.login_mfa(&client(), &command).await;
    answered.map(|logged_in| logged_in.access_token).map_err(|refused| refused.code())
}

async fn step_up(world: &World, ctx: &OpContext, code: &str) -> Result<(), Code> {
    let proof = StepUp { password: None, code: Some(code.to_owned()) };
    world.identity.step_up(ctx, &client(), &proof, None).await.map(drop).map_err(|refused| refused.code())
}

fn payload<'a>(audit: &'a [Audit], event: &str) -> &'a serde_json::Value {
    &audit.iter().rev().find(|row| row.event_type == event).expect("audited").payload
}

#[tokio::test]
async fn a_second_factor_counts_only_after_a_code_of_it() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user(ADA);
    world.join(home, user.id, Role::Dev);
    let token = world.login(ADA, PASSWORD).await.unwrap().access_token;
    let ctx = world.ask(&token).await.unwrap();
    let before = world.identity.confirm_mfa(&ctx, &ConfirmMfa { code: "123456".to_owned() }, None).await.unwrap_err();
    assert_eq!(before.code(), Code::InvalidTransition, "nothing was set up");

    let first = world.identity.setup_mfa(&ctx).await.unwrap();
    let second = world.identity.setup_mfa(&ctx).await.unwrap();
    assert_ne!(first.secret, second.secret);
    assert!(world.login(ADA, PASSWORD).await.is_ok(), "what waits asks nobody");
    let state = world.identity.find_mfa(&ctx).await.unwrap();
    assert_eq!((state.enabled, state.pending, state.recovery_codes_left), (false, true, 0));

    for code in [totp::code(&first.secret, world.time.now_at()), "000000".to_owned(), String::new()] {
        let refused = world.identity.confirm_mfa(&ctx, &ConfirmMfa { code }, None).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidCode, "only the newest seed counts");
    }
    let command = ConfirmMfa { code: totp::code(&second.secret, world.time.now_at()) };
    let (_, codes) = world.identity.confirm_mfa(&ctx, &command, None).await.unwrap();
    assert_eq!(codes.recovery_codes.len(), 10);
    assert!(codes.recovery_codes.iter().all(|code| code.len() == 19), "{}", codes.recovery_codes[0]);
    let state = world.identity.find_mfa(&ctx).await.unwrap();
    assert_eq!((state.enabled, state.pending, state.recovery_codes_left), (true, false, 10));
    assert_eq!(state.session, MfaLevel::Totp, "the session that confirmed it has proved it");
    assert_eq!([world.count(home.scope, "mfa.set_up"), world.count(home.scope, "mfa.enabled")], [2, 1]);

    let asked = asked(&world).await;
    assert!(asked.mfa_required && asked.mfa_token.starts_with("sm_") && asked.expires_in == 300);
    assert_eq!(asked.methods, [MfaMethod::Totp, MfaMethod::RecoveryCode]);
}

#[tokio::test]
async fn a_sign_in_takes_a_code_and_the_session_keeps_its_level() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let sessions = world.identity.list_sessions(&ada.ctx).await.unwrap().len();
    let asked = asked(&world).await;
    assert_eq!(world.identity.list_sessions(&ada.ctx).await.unwrap().len(), sessions, "a password alone opens none");
    assert_eq!(world.ask(&asked.mfa_token).await.unwrap_err().code(), Code::InvalidCredentials);

    let command = LoginMfa { mfa_token: asked.mfa_token.clone(), code: ada.code(&world) };
    let logged_in = world.identity.login_mfa(&client(), &command).await.unwrap();
    let ctx = world.ask(&logged_in.access_token).await.unwrap();
    let level = async |ctx: &OpContext| world.identity.find_mfa(ctx).await.unwrap().session;
    assert_eq!(level(&ctx).await, MfaLevel::Totp);
    let refresh = Refresh { refresh_token: logged_in.refresh_token };
    let refreshed = world.identity.refresh(&client(), &refresh).await.unwrap();
    assert_eq!(level(&world.ask(&refreshed.access_token).await.unwrap()).await, MfaLevel::Totp, "over a refresh");
    let listed = world.identity.list_sessions(&ctx).await.unwrap();
    assert!(listed.iter().any(|session| session.current && session.mfa == MfaLevel::Totp));
    let audit = world.audit(ada.home.scope);
    assert_eq!(payload(&audit, "auth.login")["method"], "totp");
    assert_eq!(world.count(ada.home.scope, "mfa.challenged"), 1);
}

#[tokio::test]
async fn a_code_counts_once_and_those_before_it_no_more() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let code = ada.code(&world);
    let (first, second) = (asked(&world).await, asked(&world).await);
    assert!(answer(&world, &first, &code).await.is_ok());
    assert_eq!(answer(&world, &second, &code).await, Err(Code::InvalidCode), "used already");
    let before = totp::code(&ada.secret, world.time.now_at() - TimeDelta::seconds(30));
    assert_eq!(answer(&world, &second, &before).await, Err(Code::InvalidCode), "older than one that was used");
    assert_eq!(step_up(&world, &ada.ctx, &code).await, Err(Code::InvalidCode), "nor for another purpose");
    world.time.pass(30);
    assert!(answer(&world, &second, &ada.code(&world)).await.is_ok());
}

#[tokio::test]
async fn a_clock_may_be_off_by_one_step_and_not_by_two() {
    for (steps, expected) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
        let world = World::new();
        let ada = Ada::of(&world).await;
        // Far from the code of the confirmation.
        world.time.pass(300);
        let asked = asked(&world).await;
        let code = totp::code(&ada.secret, world.time.now_at() + TimeDelta::seconds(30 * steps));
        assert_eq!(answer(&world, &asked, &code).await.is_ok(), expected, "{steps}");
    }
}

#[tokio::test]
async fn of_two_processes_with_one_code_at_once_one_wins() {
    let world = World::new();
    let other = world.another();
    let ada = Ada::of(&world).await;
    let (first, second) = (asked(&world).await, asked(&world).await);
    for code in [ada.code(&world), ada.codes[0].clone()] {
        let (first, second) = match code.len() {
            6 => (first.clone(), second.clone()),
            _ => (asked(&world).await, asked(&world).await),
        };
        let answers = futures::join!(answer(&world, &first, &code), answer(&other, &second, &code));
        let answers = [answers.0, answers.1];
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{code}");
        assert!(answers.contains(&Err(Code::InvalidCode)), "{answers:?}");
    }
    let one = asked(&world).await;
    world.time.pass(30);
    let code = ada.code(&world);
    let answers = futures::join!(answer(&world, &one, &code), answer(&other, &one, &code));
    let answers = [answers.0, answers.1];
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "one question, one session");
    assert!(answers.contains(&Err(Code::ChallengeExpired)), "{answers:?}");
}

#[tokio::test]
async fn a_question_is_answered_once_in_five_minutes_and_by_five_tries() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let spent = asked(&world).await;
    assert!(answer(&world, &spent, &ada.code(&world)).await.is_ok());
    world.time.pass(30);
    assert_eq!(answer(&world, &spent, &ada.code(&world)).await, Err(Code::ChallengeExpired), "answered before");

    let guessed = asked(&world).await;
    for _ in 0..5 {
        assert_eq!(answer(&world, &guessed, "000000").await, Err(Code::InvalidCode));
    }
    assert_eq!(answer(&world, &guessed, &ada.code(&world)).await, Err(Code::ChallengeExpired), "ended by wrong codes");

    let old = asked(&world).await;
    world.time.pass(300);
    assert_eq!(answer(&world, &old, &ada.code(&world)).await, Err(Code::ChallengeExpired), "too old");
    let made_up = MfaRequired { mfa_token: "sm_made_up".to_owned(), ..old.clone() };
    assert_eq!(answer(&world, &made_up, &ada.code(&world)).await, Err(Code::ChallengeExpired));
    let never = MfaRequired { mfa_token: old.mfa_token.replace("sm_", "sr_"), ..old };
    assert_eq!(answer(&world, &never, &ada.code(&world)).await, Err(Code::ChallengeExpired));
}

#[tokio::test]
async fn ten_wrong_codes_in_a_quarter_of_an_hour_close_all_questions_of_a_person() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    for _ in 0..2 {
        let asked = asked(&world).await;
        for _ in 0..4 {
            assert_eq!(answer(&world, &asked, "000000").await, Err(Code::InvalidCode));
        }
    }
    for _ in 0..2 {
        assert_eq!(
            step_up(&world, &ada.ctx, "000000").await,
            Err(Code::InvalidCode),
            "counted wherever they are tried"
        );
    }
    let fresh = asked(&world).await;
    let command = LoginMfa { mfa_token: fresh.mfa_token.clone(), code: ada.code(&world) };
    let refused = world.identity.login_mfa(&client(), &command).await.unwrap_err();
    assert_eq!((refused.code(), refused.retry_after()), (Code::LoginThrottled, Some(900)));
    assert_eq!(step_up(&world, &ada.ctx, &ada.codes[0]).await, Err(Code::LoginThrottled), "recovery codes too");
    let scope = ada.home.scope;
    assert_eq!([world.count(scope, "mfa.failed"), world.count(scope, "mfa.throttled")], [10, 1]);

    world.time.pass(900);
    let asked = asked(&world).await;
    assert!(answer(&world, &asked, &ada.code(&world)).await.is_ok());
}

#[tokio::test]
async fn many_guesses_at_once_are_counted_one_by_one() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let asked = asked(&world).await;
    let guesses = (0..40).map(|_| answer(&world, &asked, "000000"));
    let answers = futures::future::join_all(guesses).await;
    let judged = answers.iter().filter(|answer| **answer == Err(Code::InvalidCode)).count();
    assert_eq!(judged, 5, "{answers:?}");
    assert!(
        answers.iter().all(|answer| matches!(answer, Err(Code::InvalidCode | Code::ChallengeExpired | Code::Busy)))
    );
    assert_eq!(answer(&world, &asked, &ada.code(&world)).await, Err(Code::ChallengeExpired));
}

#[tokio::test]
async fn a_recovery_code_works_once_and_a_new_set_voids_the_old() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let typed = ada.codes[0].to_lowercase().replace('-', " ");
    let first = asked(&world).await;
    let token = answer(&world, &first, &typed).await.unwrap();
    let ctx = world.ask(&token).await.unwrap();
    assert_eq!(world.identity.find_mfa(&ctx).await.unwrap().recovery_codes_left, 9);
    assert_eq!(payload(&world.audit(ada.home.scope), "auth.login")["method"], "recovery_code");
    let second = asked(&world).await;
    assert_eq!(answer(&world, &second, &ada.codes[0]).await, Err(Code::InvalidCode), "used");

    let renewed = world.identity.renew_recovery_codes(&ctx).await.unwrap().recovery_codes;
    assert_eq!(answer(&world, &second, &ada.codes[1]).await, Err(Code::InvalidCode), "of the old set");
    assert!(answer(&world, &second, &renewed[1]).await.is_ok());
    assert_eq!(world.count(ada.home.scope, "mfa.recovery_codes_renewed"), 1);
}

#[tokio::test]
async fn codes_and_seeds_are_no_one_elses() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let other = world.home("other");
    let ben = world.user("ben@example.com");
    world.join(other, ben.id, Role::Owner);
    let token = world.login("ben@example.com", PASSWORD).await.unwrap().access_token;
    let ctx = world.ask(&token).await.unwrap();
    let (_, codes) = set_up(&world, &ctx).await;
    let asked = asked(&world).await;
    assert_eq!(answer(&world, &asked, &codes[0]).await, Err(Code::InvalidCode));
    assert_eq!(step_up(&world, &ctx, &ada.codes[0]).await, Err(Code::InvalidCode));
    assert!(answer(&world, &asked, &ada.code(&world)).await.is_ok());
}

#[tokio::test]
async fn the_console_asks_for_a_code_too_and_its_question_is_its_own() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let command = Login { email: ADA.to_owned(), password: PASSWORD.to_owned() };
    let (before, after) = (digest(b"before"), digest(b"after"));
    let FirstStep::CodeAsked(question) = world.identity.sign_in(&client(), &command, before).await.unwrap() else {
        panic!("a second factor is asked for");
    };
    let token = question.token.expose().to_owned();
    let at_api = MfaRequired { mfa_token: token.clone(), ..asked(&world).await };
    assert_eq!(answer(&world, &at_api, &ada.code(&world)).await, Err(Code::ChallengeExpired), "asked by the console");
    let signed_in = world.identity.sign_in_mfa(&client(), &token, &ada.code(&world), after).await.unwrap();
    assert!(signed_in.device.is_some());
    let visit = async |cookie| {
        let place = Place::Slug("acme".parse().unwrap());
        world.identity.authenticate(&client(), Some(&Presented::Cookie(cookie)), &place).await
    };
    let ctx = visit(after).await.unwrap();
    assert!(matches!(ctx.credential, Credential::Session(id) if id == signed_in.session_id));
    assert!(visit(before).await.is_err(), "the cookie of the first step opens nothing");
    let sessions = world.identity.list_sessions(&ctx).await.unwrap();
    let present = sessions.iter().find(|session| session.current).unwrap();
    assert_eq!(present.mfa, MfaLevel::Totp);
}

#[tokio::test]
async fn a_fresh_proof_takes_the_password_or_a_code() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    assert!(!ada.ctx.is_elevated());
    step_up(&world, &ada.ctx, &ada.code(&world)).await.unwrap();
    assert!(again(&world, &ada.ctx).await.is_elevated());
    assert_eq!(payload(&world.audit(ada.home.scope), "step_up")["method"], "totp");
    world.time.pass(600);
    assert!(!again(&world, &ada.ctx).await.is_elevated());
    step_up(&world, &ada.ctx, &ada.codes[0]).await.unwrap();
    assert!(again(&world, &ada.ctx).await.is_elevated());

    for (password, code, field) in [(None, None, "password"), (Some("x"), Some("1"), "code")] {
        let proof = StepUp { password: password.map(str::to_owned), code: code.map(str::to_owned) };
        let refused = world.identity.step_up(&ada.ctx, &client(), &proof, None).await.unwrap_err();
        assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some(field)));
    }
    let ben = world.signed_in(ada.home, Role::Dev).await;
    assert_eq!(step_up(&world, &ben, "123456").await, Err(Code::Invalid), "who has no second factor");
}

#[tokio::test]
async fn changing_the_second_factor_takes_a_fresh_proof() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user(ADA);
    world.join(home, user.id, Role::Dev);
    let stolen = world.login(ADA, PASSWORD).await.unwrap().access_token;
    let stolen = world.ask(&stolen).await.unwrap();
    world.time.pass(600);
    let stolen = again(&world, &stolen).await;
    assert_eq!(world.identity.setup_mfa(&stolen).await.unwrap_err().code(), Code::StepUpRequired, "signed in long ago");

    let fresh = world.login(ADA, PASSWORD).await.unwrap().access_token;
    let fresh = world.ask(&fresh).await.unwrap();
    let (secret, _) = set_up(&world, &fresh).await;
    world.time.pass(30);
    for late in [again(&world, &stolen).await, OpContext { now: fresh.now + TimeDelta::minutes(10), ..fresh.clone() }] {
        let code = |refused: kernel::Error| refused.code();
        assert_eq!(world.identity.setup_mfa(&late).await.map_err(code).err(), Some(Code::StepUpRequired));
        assert_eq!(world.identity.renew_recovery_codes(&late).await.map_err(code).err(), Some(Code::StepUpRequired));
        assert_eq!(world.identity.disable_mfa(&late).await.map_err(code), Err(Code::StepUpRequired));
    }
    step_up(&world, &stolen, &totp::code(&secret, world.time.now_at())).await.unwrap();
    let proven = again(&world, &stolen).await;
    assert!(world.identity.renew_recovery_codes(&proven).await.is_ok());
}

#[tokio::test]
async fn another_app_takes_the_place_of_the_first_once_it_is_confirmed() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let elevated = world.elevated(&ada.ctx).await;
    let fresh = world.identity.setup_mfa(&elevated).await.unwrap().secret;
    let asked_before = asked(&world).await;
    assert!(answer(&world, &asked_before, &ada.code(&world)).await.is_ok(), "the first still counts");
    world.time.pass(30);
    let command = ConfirmMfa { code: totp::code(&fresh, world.time.now_at()) };
    world.identity.confirm_mfa(&elevated, &command, None).await.unwrap();
    assert_eq!(payload(&world.audit(ada.home.scope), "mfa.enabled")["replaced"], true);
    world.time.pass(30);
    let asked = asked(&world).await;
    assert_eq!(answer(&world, &asked, &ada.code(&world)).await, Err(Code::InvalidCode));
    assert_eq!(answer(&world, &asked, &ada.codes[0]).await, Err(Code::InvalidCode), "with its recovery codes");
    assert!(answer(&world, &asked, &totp::code(&fresh, world.time.now_at())).await.is_ok());
}

#[tokio::test]
async fn without_it_the_password_alone_will_do_again() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let waiting = asked(&world).await;
    let elevated = world.elevated(&ada.ctx).await;
    world.identity.disable_mfa(&elevated).await.unwrap();
    assert!(world.login(ADA, PASSWORD).await.is_ok());
    assert_eq!(answer(&world, &waiting, &ada.code(&world)).await, Err(Code::ChallengeExpired), "nobody asks any more");
    assert_eq!(step_up(&world, &elevated, &ada.codes[0]).await, Err(Code::Invalid));
    let state = world.identity.find_mfa(&elevated).await.unwrap();
    assert_eq!((state.enabled, state.recovery_codes_left, state.session), (false, 0, MfaLevel::None));
    world.identity.disable_mfa(&elevated).await.expect("twice is once");
    assert_eq!(world.count(ada.home.scope, "mfa.disabled"), 1);
}

async fn ask_from(world: &World, ctx: &OpContext, from: Option<DateTime<Utc>>) -> Result<(), Code> {
    let command = UpdateWorkspace { require_mfa_from: Some(from), ..UpdateWorkspace::default() };
    let version = world.identity.find_workspace(ctx).await.unwrap().version;
    let updated = world.identity.update_workspace(ctx, Some(version), &command).await;
    updated.map(drop).map_err(|refused| refused.code())
}

#[tokio::test]
async fn a_workspace_lets_in_only_who_has_one_from_its_day_on() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let ben = world.signed_in(ada.home, Role::Admin).await;
    let ben_key = world.identity.create_key(&ben, &wanted(&[Reach::Read])).await.unwrap();
    let ada_key = world.identity.create_key(&ada.ctx, &wanted(&[Reach::Read])).await.unwrap();
    let ask =
        async |ctx: &OpContext| world.identity.reauthenticate(ctx).await.map(drop).map_err(|refused| refused.code());
    let with = async |issued: &kernel::identity::Issued| {
        let token = issued.secret.as_ref().expect("shown once").expose().to_owned();
        world.ask(&token).await.map(drop).map_err(|refused| refused.code())
    };
    let tomorrow = world.time.now_at() + TimeDelta::days(1);
    assert_eq!(ask_from(&world, &ben, Some(tomorrow)).await, Err(Code::Invalid), "who sets it has one");
    ask_from(&world, &ada.ctx, Some(tomorrow)).await.unwrap();
    assert_eq!(ask(&ben).await, Ok(()), "not today");
    ask_from(&world, &again(&world, &ada.ctx).await, Some(world.time.now_at())).await.unwrap();
    assert_eq!((ask(&ben).await, ask(&ada.ctx).await), (Err(Code::MfaRequired), Ok(())));
    assert_eq!((with(&ben_key).await, with(&ada_key).await), (Err(Code::MfaRequired), Ok(())), "a key is its issuer's");
    assert!(world.count(ada.home.scope, "access.denied") > 0);

    // What concerns the person alone stays open, without any power in the workspace.
    let token =
        world.login(&world.identity.find_me(&ben).await.unwrap().user.email, PASSWORD).await.unwrap().access_token;
    let person = world.ask_at(&token, Place::Person { header: None }).await.unwrap();
    assert_eq!((person.role, person.tenant_role), (None, None));
    let me = world.identity.find_me(&person).await.unwrap();
    assert_eq!((me.workspace_id, me.role), (Some(ada.home.scope.workspace_id), None));
    set_up(&world, &person).await;
    assert!(world.ask(&token).await.is_ok(), "the session that set it up has proved it");
    assert_eq!(with(&ben_key).await, Ok(()));
    assert_eq!(ask(&ben).await, Err(Code::MfaRequired), "one from before has not");
}

#[tokio::test]
async fn a_session_from_before_proves_it_by_a_code() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user(ADA);
    world.join(home, user.id, Role::Owner);
    let (old, new) = (world.login(ADA, PASSWORD).await.unwrap(), world.login(ADA, PASSWORD).await.unwrap());
    let new = world.ask(&new.access_token).await.unwrap();
    let (secret, _) = set_up(&world, &new).await;
    ask_from(&world, &again(&world, &new).await, Some(world.time.now_at())).await.unwrap();
    assert_eq!(world.ask(&old.access_token).await.unwrap_err().code(), Code::MfaRequired);
    world.time.pass(30);
    let person = world.ask_at(&old.access_token, Place::Person { header: None }).await.unwrap();
    step_up(&world, &person, &totp::code(&secret, world.time.now_at())).await.unwrap();
    assert!(world.ask(&old.access_token).await.is_ok());
}

#[tokio::test]
async fn it_cannot_be_turned_off_while_a_workspace_asks_for_it() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    ask_from(&world, &ada.ctx, Some(world.time.now_at() + TimeDelta::days(30))).await.unwrap();
    let elevated = world.elevated(&again(&world, &ada.ctx).await).await;
    assert!(world.identity.find_mfa(&elevated).await.unwrap().enforced);
    assert_eq!(world.identity.disable_mfa(&elevated).await.unwrap_err().code(), Code::MfaEnforced);
    ask_from(&world, &elevated, None).await.unwrap();
    let elevated = world.elevated(&again(&world, &ada.ctx).await).await;
    assert!(world.identity.disable_mfa(&elevated).await.is_ok());
}

#[tokio::test]
async fn whoever_runs_the_instance_takes_it_from_who_lost_it() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    ask_from(&world, &ada.ctx, Some(world.time.now_at())).await.unwrap();
    assert!(world.identity.remove_second_factor("Ada@Example.com").await.unwrap());
    assert!(!world.identity.remove_second_factor(ADA).await.unwrap(), "twice is once");
    let audit = world.audit(ada.home.scope);
    let row = audit.iter().rfind(|row| row.event_type == "mfa.disabled").unwrap();
    assert_eq!((row.operation.as_str(), row.actor.id.as_str()), ("admin.disable_mfa", "cli"));
    assert_eq!(world.identity.remove_second_factor("nobody@example.com").await.unwrap_err().code(), Code::NotFound);
    assert_eq!(world.identity.remove_second_factor("nobody").await.unwrap_err().field(), Some("email"));
    let token = world.login(ADA, PASSWORD).await.unwrap().access_token;
    assert_eq!(world.ask(&token).await.unwrap_err().code(), Code::MfaRequired, "and asks for it all the same");
    assert_eq!(
        world.identity.reauthenticate(&ada.ctx).await.unwrap_err().code(),
        Code::MfaRequired,
        "a session that proved the one that is gone has proved nothing"
    );
}

#[tokio::test]
async fn nothing_of_a_seed_or_code_is_in_the_audit() {
    let world = World::new();
    let ada = Ada::of(&world).await;
    let asked = asked(&world).await;
    answer(&world, &asked, "000000").await.unwrap_err();
    answer(&world, &asked, &ada.codes[0]).await.unwrap();
    let audit = format!("{:?} {:?}", world.audit(ada.home.scope), world.audit(Scope::INSTANCE));
    let code = ada.codes[0].replace('-', "");
    for secret in [ada.secret.as_str(), asked.mfa_token.as_str(), ada.codes[0].as_str(), code.as_str()] {
        assert!(!audit.contains(secret), "{secret}");
    }
    let stored = world.factors().find_second_factor(ada.ctx.user_id.unwrap()).await.unwrap().unwrap();
    assert!(!format!("{stored:?}").contains(&ada.codes[1]));
}
