//! Generates arbitrary comparisons with a baseline.

use agentci_verdict::{
    CaseChanges, CaseTrend, Comparison, Gate, GateCheck, GateReport, GateStatus, GrowthThreshold, MetricChanges,
    NoiseReport, PromptChange, RateChange, SimilarityChange, SlowerCase, StatusChange, StepChange, Thresholds, Trend,
    Undecided, WallChange, WallChanges,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::{finite, json, place, status, step, text};

pub(crate) fn gate_report() -> impl Strategy<Value = GateReport> {
    let places = btree_map(text(), place(), 0..3);
    (option::of(text()), option::of(text()), thresholds(), json(), places, any::<bool>(), comparison()).prop_map(
        |(baseline_path, problem, thresholds, written, places, forgiven, comparison)| GateReport {
            forgiven,
            pending: !forgiven,
            places,
            baseline_path,
            problem,
            thresholds,
            written,
            comparison,
        },
    )
}

fn number() -> impl Strategy<Value = Option<f64>> {
    option::of(finite())
}

fn thresholds() -> impl Strategy<Value = Thresholds> {
    (number(), number(), number(), number(), any::<[bool; 5]>()).prop_map(
        |(mean, p95, least, rate, [missing, failures, steps, prompts, decide])| Thresholds {
            max_avg_wall_ms_delta_pct: mean,
            max_p95_wall_ms_delta_pct: p95,
            min_wall_ms_delta: least,
            min_pass_rate: rate,
            decide,
            no_changed_prompts: prompts,
            no_changed_steps: steps,
            no_missing_cases: missing,
            no_new_failures: failures,
            no_regression: rate,
            no_slower: mean.map(|alpha| GrowthThreshold { alpha, min_effect: alpha }),
            no_costlier: p95.map(|alpha| GrowthThreshold { alpha, min_effect: 0.0 }),
            undecided: mean.map(|_| Undecided::of(missing)),
        },
    )
}

fn comparison() -> impl Strategy<Value = Comparison> {
    let rate =
        (number(), finite(), number()).prop_map(|(baseline, current, delta)| RateChange { baseline, current, delta });
    let wall = || {
        (number(), number(), number()).prop_map(|(baseline, current, delta_pct)| WallChange {
            baseline,
            current,
            delta_pct,
        })
    };
    let metrics = (rate, wall(), wall())
        .prop_map(|(pass_rate, mean, p95)| MetricChanges { pass_rate, wall_ms: WallChanges { mean, p95 } });
    (any::<bool>(), vec(check(), 0..3), metrics, case_diffs(), vec(text(), 0..2)).prop_map(
        |(passed, checks, metrics, case_diffs, warnings)| Comparison { passed, checks, metrics, case_diffs, warnings },
    )
}

fn check() -> impl Strategy<Value = GateCheck> {
    let id = select(vec![
        Gate::MinPassRate,
        Gate::MaxAvgWallMsDeltaPct,
        Gate::MaxP95WallMsDeltaPct,
        Gate::NoNewFailures,
        Gate::NoMissingCases,
        Gate::NoChangedSteps,
        Gate::NoChangedPrompts,
        Gate::NoRegression,
        Gate::NoSlower,
        Gate::NoCostlier,
    ]);
    let status = select(vec![GateStatus::Pass, GateStatus::Fail, GateStatus::Undecided, GateStatus::Skipped]);
    let numbers = (number(), number(), number(), number(), number(), number());
    (id, status, numbers, vec(text(), 0..2), option::of(text())).prop_map(|(id, status, numbers, cases, note)| {
        let (threshold, baseline, current, delta, delta_pct, min_wall_ms_delta) = numbers;
        let slower =
            cases.iter().map(|id: &String| SlowerCase { id: id.clone(), baseline: threshold, current: 1.5 }).collect();
        let trend = |id: &String| CaseTrend {
            id: id.clone(),
            trend: Trend::Undecided,
            p: delta,
            e_value: current,
            ..CaseTrend::default()
        };
        let noise = baseline.map(|alpha| NoiseReport {
            alpha,
            suite_p: current,
            detectable_rate: delta_pct,
            cases: cases.iter().map(trend).collect(),
            ..NoiseReport::default()
        });
        GateCheck {
            id,
            status,
            threshold,
            baseline,
            current,
            delta,
            delta_pct,
            min_wall_ms_delta,
            cases,
            slower,
            change: note.clone(),
            noise: noise.map(Box::new),
            note,
        }
    })
}

fn case_diffs() -> impl Strategy<Value = CaseChanges> {
    let ended = (text(), status(), status()).prop_map(|(id, baseline, current)| StatusChange { id, baseline, current });
    let departed = (text(), any::<usize>(), option::of(step()), vec(step(), 0..2), option::of(step())).prop_map(
        |(id, first_difference, baseline, baseline_after, current)| StepChange {
            id,
            first_difference,
            baseline,
            baseline_after,
            current,
        },
    );
    (vec(text(), 0..2), vec(text(), 0..2), vec(ended, 0..2), vec(departed, 0..2)).prop_map(
        |(missing_in_current, new_in_current, status_changed, steps_changed)| CaseChanges {
            similarity_dropped: missing_in_current
                .iter()
                .map(|id: &String| SimilarityChange {
                    id: id.clone(),
                    baseline: 0.1 + 0.2,
                    current: -0.1,
                    embedder: id.clone(),
                })
                .collect(),
            prompts_changed: new_in_current
                .iter()
                .map(|id: &String| PromptChange {
                    agent: Some(id.clone()),
                    change: id.clone(),
                    cases: vec![id.clone()],
                })
                .collect(),
            missing_in_current,
            new_in_current,
            status_changed,
            steps_changed,
        },
    )
}
