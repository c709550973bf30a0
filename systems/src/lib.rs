//! The transition systems, one file each: preconditions, effects, static oracle, dynamic-oracle costs.
//!
//! To add a system, write its file and add its line to the list below. The command line, specifications, model files,
//! `treebeam oracle`, the tests over all systems and the benchmarks then include it. What a system is, is defined by
//! [`treebeam::system`].

mod completion;
mod eager;
mod one_root;
mod reachable;
#[cfg(test)]
mod tests;

use treebeam::system::{self, AnySystem, Entry, SystemKind};

/// Makes the modules of the listed systems, their exports, a constant for each, and the list of all.
macro_rules! systems {
    ($(mod $module:ident: $([$system:ident over $family:ident as $constant:ident $(, $with_oracle:ident)?])+;)+) => {
        $(mod $module;)+
        $($(
            pub use $module::$system;
            #[doc = concat!("[`", stringify!($system), "`]")]
            pub const $constant: SystemKind = {
                static ENTRY: Entry = Entry::new($system::INFO, |roots, _oracle| {
                    AnySystem::$family(Box::leak(Box::new($system::new(roots)$(.$with_oracle(_oracle))?)))
                });
                SystemKind::of(&ENTRY)
            };
        )+)+

        /// Every system, as the command line lists them.
        pub const ALL: &[SystemKind] = &[$($($constant,)+)+];
    };
}

systems! {
    mod arc_standard: [ArcStandard over Stacks as ARC_STANDARD];
    mod arc_eager: [ArcEager over Stacks as ARC_EAGER, with_oracle];
    mod arc_eager_nonmonotonic: [ArcEagerNonmonotonic over Stacks as ARC_EAGER_NONMONOTONIC, with_oracle];
    mod arc_eager_repair: [ArcEagerRepair over Stacks as ARC_EAGER_REPAIR, with_oracle];
    mod arc_eager_start: [ArcEagerStart over Stacks as ARC_EAGER_START, with_oracle];
    mod arc_eager_unshift: [ArcEagerUnshift over Stacks as ARC_EAGER_UNSHIFT, with_oracle];
    mod arc_eager_zpar: [ArcEagerZpar over Stacks as ARC_EAGER_ZPAR, with_oracle];
    mod arc_hybrid: [ArcHybrid over Stacks as ARC_HYBRID];
    mod arc_hybrid_rootless: [ArcHybridRootless over Stacks as ARC_HYBRID_ROOTLESS];
    mod arc_hybrid_swap: [ArcHybridSwap over Stacks as ARC_HYBRID_SWAP];
    mod attardi: [Attardi over Stacks as ATTARDI];
    mod covington:
        [Covington over Lists as COVINGTON]
        [CovingtonNonlocal over Lists as COVINGTON_NONLOCAL]
        [CovingtonNonmonotonic over Lists as COVINGTON_NONMONOTONIC, with_oracle];
    mod easy_first: [EasyFirst over Pending as EASY_FIRST];
    mod swap: [Swap over Stacks as SWAP, with_oracle];
    mod tagger: [Tagger over Stacks as TAGGER];
    mod two_planar: [TwoPlanar over TwoStacks as TWO_PLANAR];
}

/// Makes the systems known by name, arc-eager being the default one. To be called before names are read; further calls do nothing.
pub fn register() {
    system::register(ALL, ARC_EAGER);
}
