//! The addresses of workspaces that have one short name: each is called by its id, and shown with its tenant.

use std::collections::BTreeMap;

use kernel::identity::address;
use types::identity::Membership;
use types::name::Slug;
use types::tenant::Tenant;

/// Gives each workspace the address that leads to it, and the ones that share a short name a name that tells them apart.
pub(super) fn tell_apart(workspaces: &mut [Membership], tenants: &[Tenant]) -> kernel::Result<()> {
    // What another one's own address is leads there.
    let mut times: BTreeMap<Slug, usize> = BTreeMap::new();
    for workspace in workspaces.iter() {
        for called in [workspace.slug.clone(), address(workspace.id)?] {
            *times.entry(called).or_default() += 1;
        }
    }
    for workspace in
        workspaces.iter_mut().filter(|workspace| times.get(&workspace.slug).is_some_and(|times| *times > 1))
    {
        let tenant = tenants.iter().find(|tenant| tenant.id == workspace.tenant_id);
        let whole = tenant.and_then(|tenant| format!("{} ({})", workspace.name, tenant.name).parse().ok());
        workspace.slug = address(workspace.id)?;
        workspace.name = whole.unwrap_or_else(|| workspace.name.clone());
    }
    Ok(())
}
