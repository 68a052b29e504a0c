//! Stories of the kernel, told over fakes. The helpers are marked as tests too, so that they may do what tests may.

#[cfg(test)]
mod artifact;
#[cfg(test)]
mod chain;
#[cfg(test)]
mod feedback;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod management;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod view;
