//! The answer in sentences.

use super::{Answer, FOR_SIGNS, Setting};
use crate::report::directions::LEVEL;
use crate::report::document::{Block, Cell, Content, Table};
use crate::report::paired::{Gain, Pairs, holm, told_p};

/// With a capital at its beginning.
pub(in crate::report) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `k` of `n`, where the reader knows `n`.
fn so_many_of(k: usize, n: usize) -> String {
    match k {
        1 if n == 1 => "it".to_owned(),
        2 if n == 2 => "both".to_owned(),
        k if k == n => "all of them".to_owned(),
        k => k.to_string(),
    }
}

/// `k` of `n`, where the reader does not.
pub(in crate::report) fn so_many_of_all(k: usize, n: usize) -> String {
    match k {
        k if k == n && n > 1 => format!("all {n}"),
        k => format!("{k} of {n}"),
    }
}

/// With more settings than these, treebanks are not counted for each of them.
const MOST_COUNTED: usize = 5;

impl Answer {
    /// In how many pairs of models the two schools are compared: one for each setting, treebank and seed.
    pub fn n_pairs(&self) -> usize {
        self.settings.len() * self.treebanks.len() * self.seeds
    }

    /// How much an answer stands on: treebanks first, as what holds for few languages may not hold for others; then pairs of models.
    pub fn weight(&self) -> (usize, usize) {
        (self.treebanks.len(), self.n_pairs())
    }

    fn settings_word(&self, n: usize) -> &'static str {
        match (self.are_systems, n) {
            (true, 1) => "system",
            (true, _) => "systems",
            (false, 1) => "setting",
            (false, _) => "settings",
        }
    }

    fn on_average(&self) -> String {
        // The only column of a specification that names none.
        let with = |name: &str, more: &str| if name == "all" { String::new() } else { format!("with {name}{more}") };
        let over = match (self.settings.len(), &self.treebanks[..]) {
            (1, [treebank]) => return format!("{}on {treebank}", with(&self.settings[0].name, " ")),
            (1, treebanks) => {
                let with = with(&self.settings[0].name, ", ");
                return format!("{with}averaged over {} treebanks", treebanks.len());
            }
            (n, [treebank]) => format!("{n} {} on {treebank}", self.settings_word(n)),
            (n, treebanks) => format!("{n} {} and {} treebanks", self.settings_word(n), treebanks.len()),
        };
        format!("averaged over {over}")
    }

    /// The answer in a sentence; the sides are the global one and the greedy one.
    pub(super) fn told(&self, [global, greedy]: [&str; 2]) -> String {
        let Gain { points, low, high, p } = self.overall;
        let sure = format!("95 % interval {low:+.2} to {high:+.2}, {}", told_p(p));
        let (metric, over) = (&self.metric, self.on_average());
        if p >= LEVEL {
            return format!(
                "**Neither is clearly better here:** {global} differs from {greedy} by {points:+.2} points of {metric}, {over}; that \
                 is not significant ({sure})."
            );
        }
        if points < 0.0 {
            let (greedy, sure) =
                (capitalised(greedy), format!("95 % interval {:+.2} to {:+.2}, {}", -high, -low, told_p(p)));
            return format!(
                "**{greedy} parses better** than {global}, by {:.2} points of {metric}, {over} ({sure}).",
                -points
            );
        }
        let by_the_beam_alone = self.in_same_beam.filter(|same| same.p >= LEVEL || same.points < 0.0).map(|same| {
            format!(
                "; it is not clearly better than greedy training with a beam of the same width in parsing ({:+.2}, {})",
                same.points,
                told_p(same.p)
            )
        });
        format!(
            "**{} parses better** than {greedy}, by {points:.2} points of {metric}, {over} ({sure}){}.",
            capitalised(global),
            by_the_beam_alone.unwrap_or_default()
        )
    }

    /// In how many columns it is so, and in how many of them significantly.
    pub(in crate::report) fn where_it_holds(&self) -> String {
        let n = self.settings.len();
        let p_values: Vec<f64> = self.settings.iter().map(|s| s.gain.p).collect();
        let corrected = holm(&p_values);
        let side = |sign: f64| {
            let of_side = || self.settings.iter().zip(&corrected).filter(move |(s, _)| s.gain.points * sign > 0.0);
            let surely: Vec<&str> =
                of_side().filter(|(s, _)| s.is_significant()).map(|(s, _)| s.name.as_str()).collect();
            (of_side().count(), surely, of_side().filter(|(_, p)| **p < LEVEL).count())
        };
        let word = self.settings_word(n);
        let ((ahead, surely_ahead, kept_ahead), (behind, surely_behind, kept_behind)) = (side(1.0), side(-1.0));
        if n == 1 {
            let setting = &self.settings[0];
            return format!(
                "The models are `{}` with {:.2} and `{}` with {:.2}.",
                setting.global.label, setting.global.test, setting.greedy.label, setting.greedy.test
            );
        }
        let some = |of_side: usize, names: &[&str], kept: usize| match (of_side, names.len()) {
            (0, _) => String::new(),
            (_, 0) => ", nowhere significantly".to_owned(),
            (_, so_many) => {
                let names =
                    if so_many <= 4 && so_many < n { format!(" ({})", names.join(", ")) } else { String::new() };
                let kept =
                    if kept == so_many { String::new() } else { format!(" (on {kept} when corrected for {n} tests)") };
                format!(", significantly on {}{names}{kept}", so_many_of(so_many, of_side))
            }
        };
        let is_ahead = |ahead: usize, surely: &[&str], kept: usize| {
            format!("on {} {word}{}", so_many_of_all(ahead, n), some(ahead, surely, kept))
        };
        let global = is_ahead(ahead, &surely_ahead, kept_ahead);
        let greedy = is_ahead(behind, &surely_behind, kept_behind);
        match (ahead, behind) {
            (_, 0) => format!("Global training is ahead {global}."),
            (0, _) => format!("Greedy training is ahead {greedy}."),
            _ => format!("Global training is ahead {global}; greedy training {greedy}."),
        }
    }

    /// What the sign test over treebanks says, where there are enough of them.
    pub(in crate::report) fn over_treebanks(&self) -> Option<String> {
        let n = self.treebanks.len();
        if n < FOR_SIGNS {
            return None;
        }
        if self.settings.len() > MOST_COUNTED {
            return Some(self.over_treebanks_in_short());
        }
        let told = |setting: &Setting| {
            let with = if self.settings.len() > 1 { format!("with {} ", setting.name) } else { String::new() };
            let (ahead, behind) = setting.n_ahead;
            format!("{with}on {ahead} of {n}, behind on {behind} ({})", told_p(setting.p_of_signs()))
        };
        let all: Vec<String> = self.settings.iter().map(told).collect();
        Some(format!("Counted by treebank (sign test), global training is ahead {}.", all.join("; ")))
    }

    /// The same of so many settings that only those are named where treebanks agree.
    fn over_treebanks_in_short(&self) -> String {
        let sure = |is_ahead: bool| {
            let of_side = self.settings.iter().filter(move |s| (s.n_ahead.0 > s.n_ahead.1) == is_ahead);
            let names: Vec<&str> = of_side.filter(|s| s.p_of_signs() < LEVEL).map(|s| s.name.as_str()).collect();
            let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            (names.len(), named)
        };
        let ((n_ahead, ahead), (n_behind, behind)) = (sure(true), sure(false));
        format!(
            "Counted by treebank (sign test over {} treebanks, p < .05), global training is significantly ahead with {} {}{ahead}, and \
             significantly behind with {n_behind}{behind}.",
            self.treebanks.len(),
            so_many_of_all(n_ahead, self.settings.len()),
            self.settings_word(self.settings.len())
        )
    }

    /// What global training gains over greedily trained models that parse in a beam of the same width.
    pub(super) fn in_beams_of_the_same_width(&self) -> Option<String> {
        if let [Setting { global, same_beam: Some((chosen, gain)), .. }] = &self.settings[..] {
            return Some(format!(
                "What was trained greedily and parses in a beam of the same width, `{}`, has {:.2}: `{}` differs from it by {:+.2} \
                 points ({}).",
                chosen.label,
                chosen.test,
                global.label,
                gain.points,
                told_p(gain.p)
            ));
        }
        let gain = self.in_same_beam?;
        let (points, p) = (gain.points, told_p(gain.p));
        Some(format!(
            "Over greedily trained models that parse in a beam of the same width, global training gains {points:+.2} points ({p})."
        ))
    }

    /// What global training costs in time.
    pub(in crate::report) fn cost(&self) -> Option<String> {
        let told = |values: Vec<f64>| {
            let mut values = values;
            values.sort_by(f64::total_cmp);
            let times = |value: f64| if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
            let (low, high) = (*values.first()?, *values.last()?);
            // Of an even number the mean of the two in the middle.
            let middle = (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0;
            let range = match times(low) == times(high) {
                true => String::new(),
                false => format!(" ({} to {})", times(low), times(high)),
            };
            Some((times(middle), range))
        };
        let parsing = told(self.settings.iter().filter_map(|s| s.parsing_time).collect());
        let training = told(self.settings.iter().filter_map(|s| s.training_time).collect());
        let median =
            if self.settings.len() > 1 { format!("; medians over {}", self.settings_word(2)) } else { String::new() };
        Some(match (parsing?, training) {
            ((parsing, p), Some((training, t))) => {
                format!(
                    "**What it costs:** parsing takes {parsing} times as long{p}, training {training} times as long{t}{median}."
                )
            }
            ((parsing, p), None) => format!("**What it costs:** parsing takes {parsing} times as long{p}{median}."),
        })
    }

    pub(super) fn how(&self) -> String {
        let each = match (self.settings.len(), self.are_systems) {
            (1, _) => "The best greedy and the best global model",
            (_, true) => "Of each system the best greedy and the best global model",
            (_, false) => "Of each setting the best greedy and the best global model",
        };
        format!(
            "{each} were chosen by {} on development data; they are compared on test data, sentence by sentence.",
            self.metric
        )
    }

    /// What treebanks and seeds have to say, and what difference could have been found.
    pub(super) fn how_far(&self, mean: &Pairs) -> String {
        let n_treebanks = self.treebanks.len();
        let (least, most) = mean.n_seeds();
        let drawn = match (n_treebanks > 1, most > 1) {
            (true, true) => Some(("treebanks and seeds", format!("{n_treebanks} treebanks, {least} seeds of each"))),
            (true, false) => Some(("treebanks", format!("{n_treebanks} treebanks, one seed"))),
            (false, true) => Some(("seeds", format!("{least} seeds, one treebank"))),
            (false, false) => None,
        };
        let of_all = drawn.map(|(drawn, of)| {
            // As the headline has it: the lead of the side that is ahead.
            let (low, high) = match (self.overall.p < LEVEL && self.overall.points < 0.0, mean.interval_of_all()) {
                (true, (low, high)) => (-high, -low),
                (false, interval) => interval,
            };
            let is_open = self.overall.p < LEVEL && low * high <= 0.0;
            let so = if is_open { ", so that others may not confirm it" } else { "" };
            format!("With {drawn} drawn anew as sentences are ({of}), the interval is {low:+.2} to {high:+.2}{so}. ")
        });
        format!(
            "{}As the sentences are, a difference of {:.2} points would be found in four of five cases (p < .05).",
            of_all.unwrap_or_default(),
            self.overall.detectable()
        )
    }

    /// The comparisons as a table.
    pub fn block(&self) -> Block {
        let name = if self.are_systems { "system" } else { "setting" };
        let scores = ["greedy", "global"].map(|which| format!("{which} {}", self.metric));
        let [greedy, global] = &scores;
        let heads = [
            name,
            "best greedy",
            "best global",
            greedy,
            global,
            "difference",
            "95 % interval",
            "p",
            "parsing time",
            "training time",
        ];
        let mut table = Table::new(3, heads);
        let times = |value: Option<f64>| Cell::shown(value, |value| format!("× {value:.1}"));
        for Setting { name, greedy, global, gain, parsing_time, training_time, .. } in &self.settings {
            table.lines.push(vec![
                Cell::text(name),
                Cell::text(&greedy.label),
                Cell::text(&global.label),
                Cell::number(Some(greedy.test), 2),
                Cell::number(Some(global.test), 2),
                Cell::signed(Some(gain.points)),
                Cell::text(format!("{:+.2} to {:+.2}", gain.low, gain.high)),
                Cell {
                    text: if gain.p < 0.001 { "< 0.001".to_owned() } else { format!("{:.3}", gain.p) },
                    value: Some(gain.p),
                    best: false,
                },
                times(*parsing_time),
                times(*training_time),
            ]);
        }
        let note = "Difference: global less greedy, in points, averaged over treebanks. Times are those of the global model over \
                    those of the greedy one: of the processor where records tell, for training of learning alone, otherwise by the \
                    clock. p: paired randomisation over the sentences of all treebanks, every comparison by itself; the interval is a \
                    bootstrap over the same sentences. Neither says what another seed or another language would change.";
        Block {
            title: "Greedy or global".to_owned(),
            reading: Vec::new(),
            note: note.to_owned(),
            content: Content::Table(table.trimmed()),
        }
    }
}
