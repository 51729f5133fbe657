//! Determines the shard of a run that this machine takes.

use std::str::FromStr;

/// The most shards of a run; each of them is a machine.
pub(super) const MOST_PARTS: u32 = 10_000;

/// The shard of a run that a machine takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The number of the shard, from 1.
    pub index: u32,
    /// The number of shards.
    pub count: u32,
}

/// An invalid shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// The text is not of the form `k/n`.
    #[error("expected `k/n`, such as `2/4`, with k from 1 to n; or `auto` to use CI variables")]
    Written,
    /// There are too many shards.
    #[error("a run has at most {MOST_PARTS} shards, not {0}; use `--shard k/n` with a smaller n")]
    TooMany(u32),
    /// No variable of a CI sets the shard.
    #[error(
        "no environment variable sets the shard; set AGENTCI_SHARD to `k/n` (on GitHub from `strategy.job-index` and \
         `strategy.job-total`), or use `--shard k/n`"
    )]
    NoVariables,
    /// The variables of a CI are invalid.
    #[error("{index}=`{k}` and {count}=`{n}` are not a valid shard")]
    Variables {
        /// The variable for the number of the shard.
        index: &'static str,
        /// Its value.
        k: String,
        /// The variable for the number of shards.
        count: &'static str,
        /// Its value.
        n: String,
    },
    /// A Kubernetes job does not set the number of shards.
    #[error(
        "JOB_COMPLETION_INDEX is set, but not JOB_COMPLETIONS; pass the job's `completions` to its container in a \
         variable of that name"
    )]
    Completions,
}

/// The variables for the number of the shard, those for the number of shards, and the number of the first shard.
const VARIABLES: [(&str, &str, u32); 5] = [
    // GitLab
    ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    // CircleCI
    ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
    // Buildkite
    ("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0),
    // Semaphore
    ("SEMAPHORE_JOB_INDEX", "SEMAPHORE_JOB_COUNT", 1),
    // Kubernetes, an Indexed Job
    ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", 0),
];

impl Shard {
    /// The shard of this machine, from the variables of the CI.
    pub fn auto(environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, ShardError> {
        let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        if let Some(written) = set("AGENTCI_SHARD") {
            return written.trim().parse();
        }
        for (index, count, first) in VARIABLES {
            let (Some(k), n) = (set(index), set(count)) else { continue };
            let Some(n) = n else {
                if index == "JOB_COMPLETION_INDEX" {
                    return Err(ShardError::Completions);
                }
                continue;
            };
            let counted = k.trim().parse::<u32>().ok().and_then(|k| k.checked_add(1)?.checked_sub(first));
            let shard = counted.zip(n.trim().parse().ok()).map(|(index, count)| Self::new(index, count));
            return match shard {
                None | Some(Err(ShardError::Written)) => Err(ShardError::Variables { index, k, count, n }),
                Some(shard) => shard,
            };
        }
        Err(ShardError::NoVariables)
    }

    fn new(index: u32, count: u32) -> Result<Self, ShardError> {
        match count {
            _ if !(1..=count).contains(&index) => Err(ShardError::Written),
            _ if count > MOST_PARTS => Err(ShardError::TooMany(count)),
            _ => Ok(Self { index, count }),
        }
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parts = text.split_once('/').and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
        let (index, count) = parts.ok_or(ShardError::Written)?;
        Self::new(index, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Result<Shard, ShardError> {
        Shard::auto(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn parses_k_of_n() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, count: 4 }));
        for wrong in ["0/4", "5/4", "2", "a/b", "2/", "-1/4", "1/0"] {
            assert_eq!(wrong.parse::<Shard>(), Err(ShardError::Written), "{wrong}");
        }
    }

    #[test]
    fn refuses_more_shards_than_the_limit() {
        assert_eq!("10000/10000".parse(), Ok(Shard { index: 10_000, count: 10_000 }));
        let many = "1/10001".parse::<Shard>().unwrap_err();
        assert_eq!(many.to_string(), "a run has at most 10000 shards, not 10001; use `--shard k/n` with a smaller n");
        assert_eq!(auto(&[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "10001")]), Err(many));
        let last = ("CI_NODE_INDEX", "4294967295");
        assert!(matches!(auto(&[last, ("CI_NODE_TOTAL", "5")]), Err(ShardError::Variables { .. })));
    }

    #[test]
    fn handles_zero_and_one_based_ci_shard_variables() {
        let third = Ok(Shard { index: 3, count: 5 });
        assert_eq!(auto(&[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "5")]), third);
        assert_eq!(auto(&[("CIRCLE_NODE_INDEX", "2"), ("CIRCLE_NODE_TOTAL", "5")]), third);
        assert_eq!(auto(&[("JOB_COMPLETION_INDEX", "2"), ("JOB_COMPLETIONS", "5")]), third);
        assert_eq!(auto(&[("AGENTCI_SHARD", "3/5"), ("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "2")]), third);
    }

    #[test]
    fn invalid_variables_are_reported() {
        assert_eq!(auto(&[]), Err(ShardError::NoVariables));
        assert_eq!(auto(&[("JOB_COMPLETION_INDEX", "2")]), Err(ShardError::Completions));
        let wrong = auto(&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "5")]).unwrap_err();
        assert_eq!(wrong.to_string(), "CI_NODE_INDEX=`0` and CI_NODE_TOTAL=`5` are not a valid shard");
    }
}
