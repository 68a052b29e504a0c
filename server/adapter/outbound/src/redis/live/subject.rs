//! Names of channels.

use kernel::context::Scope;
use kernel::port::Subject;

/// The channel of what readers of a subject hear.
pub(super) fn channel(instance: &str, subject: Subject) -> String {
    format!("soit:{instance}:live:{}", name(subject))
}

/// The channel on which processes speak to each other.
pub(super) fn common(instance: &str) -> String {
    format!("soit:{instance}:live")
}

/// A subject as text.
pub(super) fn name(subject: Subject) -> String {
    match subject {
        Subject::Run(run_id) => run_id.to_string(),
        Subject::Workspace(scope) => format!("{}:{}", scope.tenant_id, scope.workspace_id),
    }
}

/// The subject of a text.
pub(super) fn of_name(text: &str) -> Option<Subject> {
    match text.split_once(':') {
        None => text.parse().ok().map(Subject::Run),
        Some((tenant_id, workspace_id)) => Some(Subject::Workspace(Scope {
            tenant_id: tenant_id.parse().ok()?,
            workspace_id: workspace_id.parse().ok()?,
        })),
    }
}

#[cfg(test)]
mod tests {
    use types::id::{RunId, TenantId, Uuid, WorkspaceId};

    use super::*;

    #[test]
    fn a_subject_is_read_from_its_name_and_nothing_else_is() {
        let scope = |number| Scope {
            tenant_id: TenantId::from_uuid(Uuid::from_u128(number)),
            workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(7)),
        };
        let run = Subject::Run(RunId::from_uuid(Uuid::from_u128(1)));
        for subject in [run, Subject::Workspace(scope(1)), Subject::Workspace(scope(2))] {
            assert_eq!(of_name(&name(subject)), Some(subject));
        }
        assert_ne!(channel("a", Subject::Workspace(scope(1))), channel("a", Subject::Workspace(scope(2))));
        assert_ne!(channel("a", run), channel("b", run));
        for text in ["", ":", "run_x", "ten_1:wsp_2", "a:b:c"] {
            assert_eq!(of_name(text), None, "{text}");
        }
    }
}
