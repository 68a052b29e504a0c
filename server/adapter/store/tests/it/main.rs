//! The store on both databases, and the fake that stands in for it.
//!
//! The helpers are marked as tests too, so that they may do what tests may.

#[cfg(test)]
mod chain;
#[cfg(test)]
mod commit;
#[cfg(test)]
mod group;
#[cfg(test)]
mod guard;
#[cfg(test)]
mod interleaving;
#[cfg(test)]
mod open;
#[cfg(test)]
mod outage;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod search;
#[cfg(test)]
mod several;

#[cfg(test)]
mod fake {
    testkit::store_contract!(crate::open::fake);
}
#[cfg(test)]
mod sqlite {
    testkit::store_contract!(crate::open::sqlite);
}
#[cfg(test)]
mod postgres {
    testkit::store_contract!(crate::open::postgres);
}
