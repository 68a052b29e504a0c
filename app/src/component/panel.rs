//! A part of a page that loads by itself: where it fails, the rest of the page stands.

use leptos::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Failure;
use super::frame::Skeleton;
use crate::error::AppError;
use crate::resource::Resource;

/// What a part of a page is loaded from.
pub(crate) type Loading<Value> = Resource<Result<Value, AppError>>;

/// A part of a page once its data is there. Without it, the part names itself, says why, and loads anew where the reader
/// wants that.
pub(crate) fn panel<Value>(
    title: &'static str,
    data: Loading<Value>,
    view: impl Fn(Value) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    Value: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let again = Callback::new(move |()| data.refetch());
    view! {
        <Transition fallback=|| view! { <Skeleton /> }>
            {move || {
                let view = view.clone();
                Suspend::new(async move {
                    match data.await {
                        Ok(value) => view(value),
                        Err(error) => {
                            view! {
                                <section class="section">
                                    <div class="section-head">
                                        <h2>{title}</h2>
                                    </div>
                                    <Failure error=error again=Some(again) />
                                </section>
                            }
                                .into_any()
                        }
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}
