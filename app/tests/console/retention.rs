//! How long what is kept, and legal holds: what the fake answers, and their page.

use app::backend::retention::RetentionView;
use app::backend::{Answer, Retention};
use async_trait::async_trait;
use serde_json::json;
use types::id::{FormKey, LegalHoldId};
use types::name::Slug;
use types::retention::{CreateLegalHold, KeptFor, LegalHold, ReleaseLegalHold, Retention as Times};

use crate::fake::{Fake, World, ago, id, read};
use crate::site::{get_with, page};

const PATH: &str = "/w/main/settings/retention";

fn times() -> Times {
    let set = json!({ "content": 30, "runs": 365, "costs": "keep", "audit": "keep", "events": 90 });
    let mut times = set.clone();
    times["effective"] = set;
    times["effective"]["events"] = json!(60);
    times["bounds"] = json!({ "ceiling": { "events": 60 } });
    times["version"] = json!(3);
    read(times)
}

fn hold(number: u32, name: &str, is_released: bool) -> LegalHold {
    let by = json!({ "kind": "user", "id": id("usr", 1) });
    read(json!({
        "id": id("lgh", number), "name": name, "reason": "a court asks", "filter": { "run_ids": [id("run", 1)] },
        "created_by": by, "created_at": ago(86_400), "released_at": is_released.then(|| ago(60)),
        "released_by": is_released.then(|| by.clone()), "release_reason": is_released.then_some("it is over"),
    }))
}

#[async_trait]
impl Retention for Fake {
    async fn find_retention(&self, workspace: &Slug) -> Answer<RetentionView> {
        self.here(workspace)?;
        let report = read(json!({
            "id": id("rtr", 1), "started_at": ago(3_600), "finished_at": ago(3_500),
            "purged": { "content": 1_200, "bytes": 5 },
        }));
        let (reports, holds) = if self.is_empty() {
            (Vec::new(), Vec::new())
        } else {
            (vec![report], vec![hold(1, "Case 7", false), hold(2, "Case 6", true)])
        };
        Ok(RetentionView { times: times(), reports, holds: (!self.is_viewer()).then_some(holds) })
    }

    async fn update_retention(&self, workspace: &Slug, version: u64, command: KeptFor) -> Answer<Times> {
        self.change(workspace, format!("update_retention {version} {}", command.content))?;
        Ok(times())
    }

    async fn create_legal_hold(
        &self,
        workspace: &Slug,
        _: Option<FormKey>,
        command: CreateLegalHold,
    ) -> Answer<LegalHold> {
        self.change(workspace, format!("create_legal_hold {}", command.name))?;
        Ok(hold(3, command.name.as_str(), false))
    }

    async fn release_legal_hold(
        &self,
        workspace: &Slug,
        id: LegalHoldId,
        command: ReleaseLegalHold,
    ) -> Answer<LegalHold> {
        self.change(workspace, format!("release_legal_hold {id} {}", command.reason))?;
        Ok(hold(1, "Case 7", true))
    }
}

#[tokio::test]
async fn times_stand_in_fields_with_their_bounds_as_hints() {
    let shown = page(World::Full, PATH).await.is(200);
    shown.shows(&[
        "value=\"30\"",
        "value=\"365\"",
        "From 400 days",
        "What counts",
        "60 days",
        "1,200 contents, 5 bytes",
    ]);
    let chinese = get_with(&Fake::new(World::Full), PATH, "lang=zh-CN").await.is(200);
    chinese.shows(&["保留期限", "至少 400 天", "法律保留", "1,200 份内容"]).hides(&[
        ">Retention<",
        ">Purges<",
        "Legal holds",
    ]);
}

#[tokio::test]
async fn who_may_only_look_sees_neither_fields_nor_holds() {
    let shown = page(World::Viewer, PATH).await.is(200);
    shown.shows(&["30 days", "for good"]).hides(&["name=\"form[content]\"", "Legal holds", "Case 7"]);
}

#[tokio::test]
async fn a_hold_is_released_in_a_dialog_with_an_address_of_its_own() {
    let shown = page(World::Full, PATH).await.is(200);
    shown.shows(&["Case 7", "a court asks", "1 run", "it is over", "Released"]).hides(&["data-testid=\"confirm\""]);
    let asked = page(World::Full, &format!("{PATH}?release={}", id("lgh", 1))).await.is(200);
    asked.shows(&["data-testid=\"confirm\"", "Release “Case 7”?", "form[release_reason]"]);
    let over = page(World::Full, &format!("{PATH}?release={}", id("lgh", 2))).await.is(200);
    over.hides(&["data-testid=\"confirm\""]);
}
