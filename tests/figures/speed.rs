//! What the texts say of speed, and of other parsers.

use super::*;

/// How fast it is: the full profile, in which every width has a model of its own, and beside it a newer processor, on which less was run.
pub(super) fn speed(texts: &mut Texts) {
    let folder = results().join("throughput");
    let lines = tsv(&folder.join("full.tsv"));
    let of = |line: &HashMap<String, String>, head: &str| -> f64 { line[head].parse().unwrap() };
    let text = fs::read_to_string(folder.join("full.md")).unwrap();
    let revision = text.lines().find_map(|line| line.strip_prefix("revision: ")).unwrap();
    let records = String::from_utf8(read_whole(&Folder::new(&folder).records()).unwrap()).unwrap();
    let trainings: HashMap<String, serde_json::Value> = records
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|record| record["figures"]["kind"] == "training" && record["provenance"]["revision"] == revision)
        .map(|record| {
            let step = record["step"].as_str().unwrap();
            (step.split(':').next().unwrap().to_owned(), record["figures"].clone())
        })
        .collect();
    let found = |lines: &[HashMap<String, String>], width: &str, threads: &str| {
        let is_meant =
            |l: &&HashMap<String, String>| l["input"] == "test" && l["width"] == width && l["threads"] == threads;
        lines.iter().find(is_meant).unwrap().clone()
    };
    assert!(text.contains("machine: AMD EPYC"));
    texts.says("on one core (AMD EPYC, Zen 4)");
    let (mut slower, mut speeds) = (HashMap::new(), HashMap::new());
    let widths = ["1", "2", "4", "8", "16", "32", "64", "128"];
    for width in widths {
        let line = found(&lines, width, "1");
        assert!(line["trained"] == "greedy" || line["trained"] == format!("beam {width}"), "a model of its own");
        let tokens_per_s = of(&line, "tokens_per_s");
        let sentences_per_s = tokens_per_s * of(&line, "sentences") / of(&line, "tokens");
        let times = of(&line, "times_greedy");
        let training = &trainings[&line["trained"]];
        slower.insert(width, times);
        speeds.insert(width, rounded(tokens_per_s, 3));
        texts.says(&format!(
            "| {width} | {:.2} | {} | {} | {:.1} | {} | {:.0} MB | {} iterations in {:.0} s |",
            of(&line, "las"),
            rounded(tokens_per_s, 3),
            rounded(sentences_per_s, 3),
            of(&line, "cpu_us_per_token"),
            if times == 1.0 { "1".to_owned() } else { format!("{times:.1}") },
            of(&line, "peak_rss_bytes") / 1e6,
            training["iterations"].as_array().unwrap().len(),
            training["used"]["wall_s"].as_f64().unwrap()
        ));
    }
    let faster = ["1", "8", "64"].map(|width| {
        let with = |threads: &str| of(&found(&lines, width, threads), "tokens_per_s");
        with("2") / with("1")
    });
    texts.says(&format!(
        "two threads are {:.1} times as fast as one greedily, {:.1} times at width 8 and {:.1} times at width 64",
        faster[0], faster[1], faster[2]
    ));
    texts.says(&format!(
        "parsing takes {:.1} times as long at width 8 as greedily, and {:.1} times at width 64 (English-EWT, `zn11`, one core: {}, {} \
         and {} words a second)",
        slower["8"], slower["64"], speeds["1"], speeds["8"], speeds["64"]
    ));
    let newer = tsv(&folder.join("quick.tsv"));
    let speeds_there = ["1", "8", "64"].map(|width| rounded(of(&found(&newer, width, "1"), "tokens_per_s"), 3));
    texts.says(&format!(
        "On a newer processor (Zen 5) it was {}, {} and {} tokens a second at widths 1, 8 and 64",
        speeds_there[0], speeds_there[1], speeds_there[2]
    ));
    let extremes = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (low, high) = extremes(&mut trainings.values().map(|t| t["model_bytes"].as_f64().unwrap() / 1e6));
    texts.says(&format!("files of {low:.0} to {high:.0} MB"));
    let (low, high) = extremes(&mut lines.iter().map(|line| of(line, "load_ms")));
    texts.says(&format!("models load in {low:.0} to {high:.0} ms"));
    let joined = |width: &str| -> Vec<(f64, f64)> {
        let of_width = lines.iter().filter(|l| l["input"] == "joined" && l["width"] == width);
        of_width.map(|line| (of(line, "words"), of(line, "cpu_us_per_token"))).collect()
    };
    let ends = |width: &str| {
        let points = joined(width);
        (points[0], points[points.len() - 1])
    };
    let longer = widths.map(|width| ends(width).1.1 / ends(width).0.1);
    let (least, most) = range(&longer);
    assert!(most < 1.1, "no longer in a long sentence than in a short one");
    let (((short, _), (long, _)), n_widths) = (ends("8"), widths.len());
    texts.says(&format!(
        "a token takes {least:.2} to {most:.2} times as long in a sentence of {long:.0} words as in one of {short:.0}, at any of {n_widths} \
         widths"
    ));
    texts.says(&format!("all widths to {}", widths[n_widths - 1]));
}

/// Other parsers on the same machine, and what was measured of some elsewhere.
pub(super) fn peers(texts: &mut Texts) {
    let lines = tsv(&results().join("peers/full.tsv"));
    let of = |name: &str, head: &str| -> f64 {
        lines.iter().find(|line| line["program"] == name).unwrap()[head].parse().unwrap()
    };
    let names = [
        "treebeam greedy, beam 1",
        "treebeam global, beam 8",
        "treebeam global, beam 64",
        "UDPipe, beam 1",
        "UDPipe, beam 5",
        "spaCy",
    ];
    assert_eq!(lines.len(), names.len());
    for name in names {
        texts.says(&format!(
            "| {name} | {:.2} | {} | {:.0} MB | {} | {:.1} MB |",
            of(name, "las"),
            rounded(of(name, "tokens_per_cpu_s"), 3),
            of(name, "peak_parsing_mb"),
            rounded(of(name, "training_cpu_s"), 3),
            of(name, "model_mb")
        ));
    }
    let speed = |name: &str| of(name, "tokens_per_cpu_s");
    texts.says(&format!(
        "A beam of 8 takes {:.2} times and one of 64 {:.1} times the processor time of UDPipe's greedy mode, the fastest of the others",
        speed("UDPipe, beam 1") / speed("treebeam global, beam 8"),
        speed("UDPipe, beam 1") / speed("treebeam global, beam 64")
    ));
    let text = fs::read_to_string(results().with_file_name("experiments").join("peers.toml")).unwrap();
    let spec: toml::Table = text.parse().unwrap();
    let parsers = spec["elsewhere"][1]["parser"].as_array().unwrap();
    let times = |width: i64| {
        let speed = |name: &str| {
            let is_meant = |p: &&toml::Value| {
                p["name"].as_str().unwrap().starts_with(name) && p["width"].as_integer() == Some(width)
            };
            parsers.iter().find(is_meant).unwrap()["tokens-per-cpu-second"].as_float().unwrap()
        };
        speed("treebeam, 4 replicas") / speed("redshift 2016")
    };
    texts.says(&format!(
        "an earlier release of treebeam was {:.1} times as fast as redshift at width 8 and {:.1} times at width 64",
        times(8),
        times(64)
    ));
}
