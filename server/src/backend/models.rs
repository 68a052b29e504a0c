//! Provider accounts, their models and prices.

use app::backend::models::{ModelHub, ModelView, ProviderView, TestModel};
use app::backend::{Answer, List, Models};
use async_trait::async_trait;
use futures::future::try_join_all;
use kernel::OpContext;
use kernel::port::BuiltinModel;
use types::id::{FormKey, ModelId, ProviderId};
use types::modelhub::{CreateModel, CreatePrice, CreateProvider, Model, Price, Provider, UpdateModel, UpdateProvider};
use types::name::Slug;
use types::page::Page;

use super::{Visitor, gone, newest_first};

#[async_trait]
impl Models for Visitor {
    async fn find_model_hub(&self, workspace: &Slug, after: Option<String>) -> Answer<ModelHub> {
        self.answer(self.model_hub(workspace, after).await)
    }

    async fn list_prices(&self, workspace: &Slug, after: Option<String>) -> Answer<List<Price>> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            newest_first(self.app.modelhub.list_prices(&ctx).await?, after)
        };
        self.answer(listed.await)
    }

    async fn find_provider(&self, workspace: &Slug, id: ProviderId) -> Answer<ProviderView> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let provider = self.app.modelhub.find_provider(&ctx, id).await?;
            self.provider_view(&ctx, provider).await
        };
        self.answer(found.await)
    }

    async fn create_provider(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateProvider,
    ) -> Answer<Provider> {
        self.answer(
            async { self.app.modelhub.create_provider(&self.enter_with(workspace, form_key).await?, command).await }
                .await,
        )
    }

    async fn update_provider(
        &self,
        workspace: &Slug,
        id: ProviderId,
        version: u64,
        command: UpdateProvider,
    ) -> Answer<Provider> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.modelhub.update_provider(&ctx, id, Some(version), command).await
        };
        self.answer(updated.await)
    }

    async fn delete_provider(&self, workspace: &Slug, id: ProviderId) -> Answer<()> {
        let deleted = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.modelhub.delete_provider(&ctx, id).await)
        };
        self.answer(deleted.await)
    }

    async fn create_model(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        provider: ProviderId,
        command: CreateModel,
    ) -> Answer<Model> {
        self.answer(
            async {
                self.app.modelhub.create_model(&self.enter_with(workspace, form_key).await?, provider, command).await
            }
            .await,
        )
    }

    async fn update_model(&self, workspace: &Slug, id: ModelId, version: u64, command: UpdateModel) -> Answer<Model> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.modelhub.update_model(&ctx, id, Some(version), command).await
        };
        self.answer(updated.await)
    }

    async fn create_price(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreatePrice) -> Answer<Price> {
        self.answer(
            async { self.app.modelhub.create_price(&self.enter_with(workspace, form_key).await?, command).await }.await,
        )
    }
}

impl Visitor {
    async fn model_hub(&self, workspace: &Slug, after: Option<String>) -> kernel::Result<ModelHub> {
        let (ctx, modelhub) = (self.enter(workspace).await?, &self.app.modelhub);
        let accounts = modelhub.list_providers(&ctx).await?;
        let mut model_count = 0;
        for account in &accounts {
            model_count += modelhub.list_models(&ctx, account.id).await?.len();
        }
        let List { page, total, cursor_refused } = newest_first(accounts, after)?;
        let views = page.items.into_iter().map(|provider| self.provider_view(&ctx, provider));
        let page = Page { items: try_join_all(views).await?, next_cursor: page.next_cursor };
        Ok(ModelHub {
            providers: List { page, total, cursor_refused },
            model_count,
            test_models: test_models(modelhub.list_builtin_models(&ctx)?),
        })
    }

    async fn provider_view(&self, ctx: &OpContext, provider: Provider) -> kernel::Result<ProviderView> {
        let modelhub = &self.app.modelhub;
        let mut models = Vec::new();
        for model in modelhub.list_models(ctx, provider.id).await? {
            let price = modelhub.resolve_price(ctx, &model.model_ref, None).await?.price;
            models.push(ModelView { model, price });
        }
        models.sort_by(|one, other| one.model.display_name.cmp(&other.model.display_name));
        let egress = modelhub.find_egress_offer(ctx, &provider).await?;
        Ok(ProviderView { provider, models, egress })
    }
}

/// The built-in models; several examples of one family are one row.
fn test_models(models: Vec<BuiltinModel>) -> Vec<TestModel> {
    let mut shown: Vec<TestModel> = Vec::new();
    for model in models.into_iter().map(test_model) {
        if shown.iter().all(|present| present.pattern != model.pattern) {
            shown.push(model);
        }
    }
    shown
}

/// A built-in model, or the family its example stands for.
fn test_model(model: BuiltinModel) -> TestModel {
    let family = model.name.rsplit_once('-').filter(|(family, number)| {
        // `error-in-200` is a name: there is no other number.
        *family != "error-in" && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    TestModel {
        pattern: match family {
            Some((family, _)) => format!("model:test:{family}-{{n}}"),
            None => format!("model:test:{}", model.name),
        },
        example: format!("model:test:{}", model.name),
        capabilities: model.capabilities.to_vec(),
    }
}
