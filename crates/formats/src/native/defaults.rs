//! The suite's defaults, which are folded into each case.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use agentci_plan::{
    Case, Cassette, Hook, Limits, LiveTools, RecordingSetting, Target, Text, ToolSource, World, path_of_case,
};
use agentci_source::{Diagnostic, Diagnostics, Node, Spanned, join};

use super::file_names::is_per_case;
use super::lower::DEFAULT_TIMEOUT;
use super::matrix::AxisValues;
use super::read::{self, WrittenCase};
use super::readers::SuiteFolder;
use super::repeats::{RunSetting, runs_of_case};
use super::settings::{SharedSettings, Timeout, WorldSettings};
use super::target::ReadTarget;

/// The suite's defaults for each combination of its matrix.
pub(super) struct CombinedDefaults<'s> {
    /// For the first combination, or for all if they do not depend on it.
    pub(super) base: Rc<Defaults<'s>>,
    others: BTreeMap<Vec<Box<str>>, Rc<Defaults<'s>>>,
    place: SuiteFolder<'s>,
}

impl<'s> CombinedDefaults<'s> {
    pub(super) fn new(base: Defaults<'s>, place: SuiteFolder<'s>) -> Self {
        Self { base: Rc::new(base), others: BTreeMap::new(), place }
    }

    /// The defaults of a case with these values; `settings` are the shared keys if they depend on the values.
    pub(super) fn of(
        &mut self,
        values: Option<&AxisValues>,
        settings: impl FnOnce(&AxisValues) -> Option<Node>,
        problems: &mut Diagnostics,
    ) -> Rc<Defaults<'s>> {
        let Some(values) = values else { return Rc::clone(&self.base) };
        let key = values.iter().flat_map(|(axis, value)| [axis.as_str().into(), value.scalar.text.clone()]).collect();
        if let Some(known) = self.others.get(&key) {
            return Rc::clone(known);
        }
        let Some(node) = settings(values) else { return Rc::clone(&self.base) };
        let mut own = Diagnostics::default();
        let settings = read::defaults(&node, self.place, &mut own);
        let is_new = |problem: &Diagnostic| !problems.iter().any(|known| known == problem);
        let own: Vec<Diagnostic> = own.into_iter().filter(is_new).collect();
        for problem in own {
            problems.push(problem);
        }
        let defaults = Rc::new(Defaults::new(settings, self.place.folder));
        self.others.insert(key, Rc::clone(&defaults));
        defaults
    }
}

/// The suite's defaults for all cases, in a form that the cases can share.
pub(super) struct Defaults<'s> {
    folder: &'s Path,
    pub(super) settings: SharedSettings,
    /// The world of a case that does not set its own, if it is the same for all cases.
    world: Option<Arc<World>>,
    variables: Arc<Vec<(String, Text)>>,
    hooks: Arc<Vec<Hook>>,
    limits: Arc<Limits>,
}

impl<'s> Defaults<'s> {
    pub(super) fn new(settings: SharedSettings, folder: &'s Path) -> Self {
        let nothing = WorldSettings::default();
        let per_case = settings.world.paths(&nothing).any(is_per_case);
        Self {
            folder,
            world: (!per_case).then(|| Arc::new(world(&nothing, &settings.world, "", folder))),
            variables: settings.variables.clone().into(),
            hooks: settings.hooks.clone().into(),
            limits: settings.limits.clone().shared(),
            settings,
        }
    }

    /// The target of a case: its own, or the suite's.
    pub(super) fn target(&self, own: Option<&ReadTarget>, index: usize) -> Option<Arc<Target>> {
        own.or(self.settings.target.as_ref()).map(|target| target.at(index))
    }

    /// Completes a case with the suite's defaults; `None` if it has no target.
    pub(super) fn complete(&self, written: WrittenCase, index: usize) -> Option<Case> {
        let WrittenCase { case, settings } = written;
        let target = self.target(settings.target.as_ref(), index)?;
        let common = &self.settings;
        let world = match &self.world {
            Some(shared) if !settings.world.is_written => shared.clone(),
            _ => Arc::new(world(&settings.world, &common.world, &case.id, self.folder)),
        };
        let checks = common.checks.iter().cloned().chain(settings.checks).collect();
        let RunSetting { most, repeats } = runs_of_case(settings.runs, common.runs.as_ref());
        Some(Case {
            target,
            world,
            variables: self.variables(settings.variables),
            hooks: self.hooks(settings.hooks),
            checks,
            limits: if settings.limits == Limits::default() {
                Arc::clone(&self.limits)
            } else {
                settings.limits.over(&common.limits).shared()
            },
            timeout: settings.timeout.or(common.timeout).map_or(Some(DEFAULT_TIMEOUT), |Timeout(time)| time),
            runs: most,
            repeats,
            stop: settings.stop.or(common.stop).unwrap_or_default(),
            played: settings.played.as_ref().or(common.played.as_ref()).is_some_and(|played| played.value),
            ..case
        })
    }

    fn variables(&self, own: Vec<(String, Text)>) -> Arc<Vec<(String, Text)>> {
        if own.is_empty() {
            return self.variables.clone();
        }
        let mut all = self.variables.to_vec();
        for (name, text) in own {
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = text,
                None => all.push((name, text)),
            }
        }
        all.into()
    }

    fn hooks(&self, own: Vec<Hook>) -> Arc<Vec<Hook>> {
        if own.is_empty() {
            return self.hooks.clone();
        }
        Arc::new(self.hooks.iter().cloned().chain(own).collect())
    }
}

fn world(own: &WorldSettings, common: &WorldSettings, id: &str, folder: &Path) -> World {
    let named = |path: &Spanned<String>| join(folder, &path_of_case(&path.value, id));
    let cassette = own.cassette.as_ref().or(common.cassette.as_ref());
    let cassette = cassette.filter(|_| own.cassette.is_some() || own.routes.span().is_none());
    let tools = match (cassette, own.routes.over(&common.routes)) {
        (Some(cassette), _) => ToolSource::Cassette(Cassette { path: named(cassette), span: cassette.span }),
        (None, Some(routes)) => ToolSource::Routes(Arc::new(routes)),
        (None, None) => ToolSource::None,
    };
    let mut live = common.live.clone();
    live.retain(|(name, _)| !own.live.iter().any(|(other, _)| other.value == name.value));
    live.extend(own.live.iter().cloned());
    let mut scripted = common.scripted.clone();
    scripted.retain(|tool| !own.scripted.iter().any(|other| other.name.value == tool.name.value));
    scripted.extend(own.scripted.iter().cloned());
    let recording = own.recording.as_ref().or(common.recording.as_ref());
    let recorded = |path: &Spanned<String>| RecordingSetting { path: named(path), span: path.span };
    let recorded_model = own.model.recording(&common.model).map(recorded);
    let recording = recording.map(recorded);
    let module = own.module.as_ref().or(common.module.as_ref()).cloned();
    World {
        refusals: common.refusals.iter().chain(&own.refusals).cloned().collect(),
        model: own.model.over(&common.model, folder, id),
        mcp: own.mcp.of_case(&common.mcp, folder, id),
        tools,
        allowed: own.allow.as_ref().or(common.allow.as_ref()).cloned(),
        scripted: scripted.into(),
        live: Arc::new(LiveTools { tools: live, module, folder: folder.to_path_buf() }),
        normalization: Arc::new(common.normalization.extended(&own.normalization)),
        faults: common.faults.iter().chain(&own.faults).cloned().collect(),
        recording,
        recorded_model,
        model_optional: own.model.is_optional(&common.model),
        matching: Arc::new(own.matching.over(&common.matching)),
    }
}
