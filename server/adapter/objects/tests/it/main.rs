//! Both stores keep the contract of the port, and each what only it can break.
//!
//! The helpers are marked as tests too, so that they may do what tests may.

#[cfg(test)]
mod files;
#[cfg(test)]
mod s3;

#[cfg(test)]
mod fake {
    async fn open() -> (testkit::fake::FakeObjects, ()) {
        (testkit::fake::FakeObjects::default(), ())
    }

    testkit::objects_contract!(open);
}
