//! Training runs: what any of them can be asked, and the one that trains parsers of every kind.

use std::ops::ControlFlow;
use std::path::Path;

use rayon::ThreadPool;
use serde::{Serialize, de::DeserializeOwned};

use super::progress::{Best, Progress};
use super::{IterationReport, Keep, Stopping};
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::model::{Averaged, Provenance, Size};
use crate::parallel;
use crate::process::Clock;

/// A training run that goes on iteration by iteration.
pub trait Run {
    /// Sentences in one pass, of all replicas.
    fn n_sentences(&self) -> usize;
    /// Condition on which the run stops.
    fn stopping(&self) -> Stopping;
    /// Reports of the iterations so far.
    fn reports(&self) -> &[IterationReport];
    /// True if there is nothing left to do.
    fn is_done(&self) -> bool {
        self.stopping().is_done(self.reports())
    }
    /// Runs one more iteration. `tick` is called from time to time with the number of sentences done.
    ///
    /// # Errors
    /// If training diverges: the run can then only [load](Run::load) a checkpoint.
    fn iterate(&mut self, tick: &mut (dyn FnMut(usize) + Send)) -> Result<()> {
        let finished = self.try_iterate(&mut |done| {
            tick(done);
            ControlFlow::Continue(())
        })?;
        debug_assert!(finished.is_continue(), "nothing breaks off the iteration");
        Ok(())
    }
    /// Runs one more iteration, which `tick` can break off after any sentence or mini-batch; it is called with the number of
    /// sentences done. A run that was broken off stands between two sentences: all that can be done with it is to
    /// [load](Run::load) a checkpoint.
    ///
    /// # Errors
    /// If training diverges, which breaks the iteration off, too: weights have grown beyond what can be summed or written.
    fn try_iterate(&mut self, tick: &mut Tick) -> Result<ControlFlow<()>>;
    /// A message if the run ended before its time: units had died, and the model that is kept is of an earlier iteration.
    fn stands_still(&self) -> Option<String> {
        None
    }
    /// Checks the model that is kept at the end: a message if it has learned next to nothing, though it may be too early to know.
    ///
    /// # Errors
    /// If it has learned next to nothing in many steps.
    fn check_learned(&self) -> Result<Option<String>> {
        Ok(None)
    }
    /// Writes a checkpoint.
    ///
    /// # Errors
    /// If it cannot be written.
    fn save(&self, path: &Path) -> Result<()>;
    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is of another run.
    fn load(&mut self, path: &Path) -> Result<()>;
    /// Writes the model that is kept.
    ///
    /// # Errors
    /// If there was no iteration or the model cannot be written.
    fn write(&self, path: &Path) -> Result<Written>;
}

/// A training run that makes models of type `M`.
pub trait ModelRun<M>: Run {
    /// The model that is kept.
    ///
    /// # Errors
    /// If there was no iteration.
    fn model(&self) -> Result<M>;
}

/// Callback during an iteration, with the number of sentences done; it says whether to go on.
pub type Tick<'t> = dyn FnMut(usize) -> ControlFlow<()> + Send + 't;

/// A model that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The iteration that it is of, from 1.
    pub iteration: u32,
    /// Size of the model.
    pub size: Size,
}

/// Schedule of a run: when averages begin, which iteration is kept, when the run stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Condition on which the run stops.
    pub stopping: Stopping,
    /// Selection of the iteration whose parameters are kept.
    pub keep: Keep,
    /// The last iteration before averages start anew; 0 if they never do.
    pub average_from: u32,
    /// The last iteration whose parameters are not those of a model; 0 if there is none.
    pub pretrain: u32,
}

/// Options and data of a run.
pub trait Setup: Sync {
    /// Header of models.
    type Header: Clone + PartialEq + Serialize + DeserializeOwned + AsMut<Provenance>;

    /// Schedule of the run.
    fn schedule(&self) -> Schedule;
    /// The header of models, but for the iteration; the options are in it, and the checksums of the data.
    fn header(&self) -> &Self::Header;
    /// The number of training sentences.
    fn n_sentences(&self) -> usize;
    /// True if there are development data.
    fn has_dev(&self) -> bool;
}

/// A setup that trains parameters of type `P`.
pub trait Trains<P: Averaged>: Setup {
    /// A parser with finished parameters.
    type Model: Send;

    /// Trains all replicas for one pass, after so many iterations; the updates of all of them, unless `tick` breaks it off or
    /// parameters diverge.
    fn pass(&self, iteration: u32, replicas: &mut [P], tick: &mut Tick) -> ControlFlow<(), u64>;
    /// Correct heads and labels on the development data, over all words and full labels; `None` without such data.
    fn score_dev(&self, finished: &P::Finished) -> Option<Counts>;
    /// Words of some training sentences with the right head and label: as predicted, and by the best way to hang all words on a
    /// neighbour or the root by one label; `None` if that is not looked at.
    fn score_train(&self, _finished: &P::Finished) -> Option<[u64; 2]> {
        None
    }
    /// The model of finished parameters.
    ///
    /// # Errors
    /// If these and the header do not fit together.
    fn model(&self, header: Self::Header, finished: &P::Finished) -> Result<Self::Model>;
    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write(&self, model: Self::Model, path: &Path) -> Result<Size>;
}

/// A training run of parameters of type `P`, in several replicas or in one.
#[derive(Debug)]
pub struct Trainer<S, P: Averaged> {
    setup: S,
    pool: ThreadPool,
    progress: Progress<P>,
    /// The iteration in which units had died, if the model that is kept is of an earlier one.
    stands_still: Option<u32>,
}

/// Steps of a network after which it should have learned something: three times as many as its rate rises for.
const MANY_STEPS: u64 = 600;

impl<P: Averaged, S: Trains<P>> Trainer<S, P> {
    /// A run on the threads of `pool`, on whose number the result does not depend.
    ///
    /// # Errors
    /// If the plateau is to be found without development data.
    pub fn new(setup: S, pool: ThreadPool, replicas: Vec<P>) -> Result<Trainer<S, P>> {
        setup.schedule().stopping.check_dev(setup.has_dev())?;
        Ok(Trainer { setup, pool, progress: Progress::new(replicas), stands_still: None })
    }

    /// Checks that parameters are numbers, and that units are alive unless an earlier iteration can be kept.
    fn check_converges(&mut self) -> Result<()> {
        let Trainer { setup, progress, stands_still, .. } = self;
        let iteration = progress.iteration + 1;
        let rate = progress.replicas[0].rate();
        if progress.replicas.iter().any(P::has_diverged) {
            return Err(Error::Usage(format!(
                "training has diverged in iteration {iteration}: weights have grown beyond what scores can hold; expected a lower --rate{}, or \
                 smaller numbers in --vectors",
                than(rate)
            )));
        }
        if progress.replicas.iter().any(P::is_dead) {
            if setup.schedule().keep != Keep::Best || progress.best.as_ref().is_none_or(|best| best.score == 0) {
                return Err(Error::Usage(standstill(iteration, rate)));
            }
            *stands_still = Some(iteration);
        }
        Ok(())
    }

    /// Ends an iteration: averages the parameters, scores them on the development data, keeps them if they are to be kept, and
    /// reports.
    fn end_iteration(&mut self, updates: u64, (seconds, cpu_seconds): (f64, Option<f64>)) {
        let Trainer { setup, pool, progress, .. } = self;
        let Schedule { stopping, keep, .. } = setup.schedule();
        progress.iteration += 1;
        let wanted = keep == Keep::Best || progress.iteration == stopping.most;
        let mut dev = None;
        if wanted || setup.has_dev() {
            let finished = P::finish(&progress.replicas.iter().collect::<Vec<&P>>());
            dev = parallel::within(pool, || setup.score_dev(&finished));
            let score = dev.map_or(0, |counts| counts.labelled);
            let better = progress.best.as_ref().is_none_or(|best| score > best.score);
            if keep == Keep::Last || dev.is_none() || better {
                progress.best = Some(Best { iteration: progress.iteration, score, finished });
            }
        }
        progress.reports.push(IterationReport {
            iteration: progress.iteration,
            updates,
            features: progress.replicas[0].n_features(),
            dev,
            seconds,
            cpu_seconds,
        });
    }
}

/// Message on units that have died.
fn standstill(iteration: u32, rate: Option<(f64, u64)>) -> String {
    format!(
        "training has come to a standstill in iteration {iteration}: hidden units are dead or saturated, and no gradient reaches the \
         words any more; expected a lower --rate{}",
        than(rate)
    )
}

/// End of the advice to take a lower rate.
fn than(rate: Option<(f64, u64)>) -> String {
    rate.map(|(rate, _)| format!(" than {rate}")).unwrap_or_default()
}

impl<P: Averaged, S: Trains<P>> ModelRun<S::Model> for Trainer<S, P> {
    fn model(&self) -> Result<S::Model> {
        let Best { iteration, finished, .. } = self.progress.kept()?;
        let mut header = self.setup.header().clone();
        let provenance = header.as_mut();
        provenance.iteration = *iteration;
        let report = self.progress.reports.iter().find(|report| report.iteration == *iteration);
        provenance.dev_scores = report.and_then(|report| report.dev);
        self.setup.model(header, finished)
    }
}

impl<P: Averaged, S: Trains<P>> Run for Trainer<S, P> {
    fn n_sentences(&self) -> usize {
        self.setup.n_sentences() * self.progress.replicas.len()
    }

    fn stopping(&self) -> Stopping {
        self.setup.schedule().stopping
    }

    fn is_done(&self) -> bool {
        self.stands_still.is_some() || self.stopping().is_done(self.reports())
    }

    fn stands_still(&self) -> Option<String> {
        let message = standstill(self.stands_still?, self.progress.replicas[0].rate());
        let kept = self.progress.best.as_ref()?.iteration;
        Some(format!("{message}; iteration {kept} is kept"))
    }

    fn check_learned(&self) -> Result<Option<String>> {
        let Trainer { setup, pool, progress, .. } = self;
        let Some((rate, n_steps)) = progress.replicas[0].rate() else { return Ok(None) };
        let kept = progress.kept()?;
        let Some([found, constant]) = parallel::within(pool, || setup.score_train(&kept.finished)) else {
            return Ok(None);
        };
        if found >= constant {
            return Ok(None);
        }
        let message = format!(
            "the network has learned next to nothing in {n_steps} steps: of its own first training sentences {found} words have the right \
             head and label, and {constant} would if all words hung on a neighbour or the root by one label"
        );
        let message = format!("{message}; expected another --rate than {rate}, or more --iterations");
        if n_steps < MANY_STEPS { Ok(Some(message)) } else { Err(Error::Usage(message)) }
    }

    fn reports(&self) -> &[IterationReport] {
        &self.progress.reports
    }

    fn try_iterate(&mut self, tick: &mut Tick) -> Result<ControlFlow<()>> {
        let Trainer { setup, pool, progress, .. } = self;
        let Schedule { average_from, pretrain, .. } = setup.schedule();
        let iteration = progress.iteration;
        if iteration > 0 && iteration == average_from {
            progress.replicas.iter_mut().for_each(P::restart_average);
        }
        if iteration == pretrain {
            // The greedily trained model is not one to keep.
            progress.best = None;
        }
        let clock = Clock::start(pool);
        let updates = parallel::within(pool, || {
            let updates = setup.pass(iteration, &mut progress.replicas, tick);
            if updates.is_continue() {
                parallel::map_mut(&mut progress.replicas, |_, replica| replica.end_pass());
            }
            updates
        });
        let times = (clock.seconds(), clock.cpu_seconds());
        self.check_converges()?;
        Ok(updates.map_continue(|updates| self.end_iteration(updates, times)))
    }

    fn save(&self, path: &Path) -> Result<()> {
        self.progress.save(self.setup.header(), path)
    }

    fn load(&mut self, path: &Path) -> Result<()> {
        self.progress.load(self.setup.header(), path)
    }

    fn write(&self, path: &Path) -> Result<Written> {
        let model = self.model()?;
        let size = parallel::within(&self.pool, || self.setup.write(model, path))?;
        Ok(Written { iteration: self.progress.kept()?.iteration, size })
    }
}
