//! Front ends that lower a suite format to a plan.
