//! The scripted models of a fork: one for its script, and one for each text that was set.

use std::sync::Arc;

use agentci::mock_llm::{ModelServer, ModelServerError, ModelServerOptions};
use agentci::plan::ModelScript;
use agentci::trace::{EventKind, ModelTrouble};
use agentci_recorder::{AfterFork, Fork, SpokenCall};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Model servers that run until this is dropped.
#[derive(Debug)]
pub(super) struct Models {
    script: Option<ModelServer>,
    spoken: Vec<(u64, ModelServer)>,
    seen: UnboundedReceiver<EventKind>,
}

impl Models {
    /// Starts the servers; requires a runtime.
    pub(super) async fn start(
        script: Option<Arc<ModelScript>>,
        spoken: &[SpokenCall],
    ) -> Result<Self, ModelServerError> {
        let (observer, seen) = unbounded_channel();
        let mut scripted = None;
        if let Some(script) = script {
            let options = ModelServerOptions { observer: Some(observer), ..ModelServerOptions::default() };
            scripted = Some(ModelServer::start(script, options).await?);
        }
        let mut texts = Vec::new();
        for SpokenCall { call, text } in spoken {
            let script = ModelScript { default: vec![text.clone()], ..ModelScript::default() };
            let options = ModelServerOptions { strict: Some(false), ..ModelServerOptions::default() };
            texts.push((*call, ModelServer::start(Arc::new(script), options).await?));
        }
        Ok(Self { script: scripted, spoken: texts, seen })
    }

    /// The fork that these models answer.
    pub(super) fn fork(&self, until: u64) -> Fork {
        let then = self.script.as_ref().map_or(AfterFork::Live, |server| AfterFork::Script(server.address()));
        let spoken = self.spoken.iter().map(|(call, server)| (*call, server.address())).collect();
        Fork { until, then, spoken }
    }

    /// The problems that the model of the script reported, each once: for example requests that no rule matches.
    pub(super) fn troubles(&mut self) -> Vec<ModelTrouble> {
        let mut troubles: Vec<ModelTrouble> = Vec::new();
        while let Ok(kind) = self.seen.try_recv() {
            if let EventKind::ModelTrouble(trouble) = kind
                && !troubles.iter().any(|known| known.message == trouble.message)
            {
                troubles.push(trouble);
            }
        }
        troubles
    }
}
