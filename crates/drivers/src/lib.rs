//! How to reach an agent: a turn goes in, trace events come out.
