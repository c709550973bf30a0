//! The page as a whole, on the results in tests/results and on arbitrary texts.

use std::path::Path;

use super::{Base, Report};
use crate::report::document::{Block, Content, Document, Table, TableCell};
use crate::report::figure::{Axis, Curve, Figure, HeatMap, Point, Style};
use crate::style::tests::pieces;
use treebeam::random::{Xoshiro256PlusPlus, below, stream};

fn shipped() -> Report {
    Report::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/results")).unwrap()
}

fn document(blocks: Vec<Block>) -> Document {
    Document {
        name: "name".to_owned(),
        profile: "quick".to_owned(),
        title: "title".to_owned(),
        blocks,
        files: vec!["quick.tsv".to_owned(), "a\"b.svg".to_owned()],
        ..Document::default()
    }
}

fn block(content: Content) -> Block {
    Block { title: "block".to_owned(), reading: vec!["Seen.".to_owned()], note: String::new(), content }
}

fn page(document: Document) -> String {
    Report::new(vec![document]).unwrap().page(&Base::same_folder()).unwrap()
}

/// The first block of a page.
fn first_block(page: &str) -> &str {
    let start = page.find("<section class=\"block\"").unwrap();
    &page[start..start + page[start..].find("</section>").unwrap()]
}

/// The texts of all cells of tables, in the page's order; those of pictures are not among them.
fn cells(page: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    let (mut is_inside, mut is_picture) = (false, false);
    for (tag, text) in pieces(page) {
        is_picture = (is_picture || tag == "table class=\"forest\"") && tag != "/table";
        if is_picture {
            continue;
        }
        let name = tag.split(' ').next().unwrap_or_default();
        if ["td", "th"].contains(&name) {
            is_inside = true;
            cells.push(String::new());
        }
        is_inside &= !["/td", "/th"].contains(&name);
        if is_inside {
            cells.last_mut().expect("a cell").push_str(&text);
        }
    }
    cells
}

#[test]
fn every_cell_of_every_table_is_on_the_page_and_averages_are_last() {
    let report = shipped();
    let page = report.page(&Base::same_folder()).unwrap();
    let mut expected = Vec::new();
    for document in report.experiments.iter().flat_map(|e| &e.profiles) {
        // The picture comes first.
        let picture = document.blocks.iter().position(|block| !matches!(block.content, Content::Table(_)));
        let others = (0..document.blocks.len()).filter(|&i| Some(i) != picture);
        for block in picture.into_iter().chain(others).map(|i| &document.blocks[i]) {
            match &block.content {
                Content::Table(table) => {
                    let (table, _) = table.clone().without_common();
                    expected.extend(table.heads.iter().cloned());
                    expected.extend(table.lines.iter().flatten().map(|cell| cell.text.clone()));
                }
                Content::HeatMap(map) => {
                    expected.push(format!("{} by {}", map.y_title, map.x_title));
                    expected.extend(map.x.iter().cloned());
                    for (name, values) in map.y.iter().zip(&map.values) {
                        expected.push(name.clone());
                        expected.extend(values.iter().map(|v| v.map_or("–".to_owned(), |v| format!("{v:.2}"))));
                    }
                }
                Content::Figure(_) => {}
            }
        }
    }
    assert_eq!(cells(&page), expected);
    assert!(page.contains("<tfoot>"), "there is an average");
}

#[test]
fn nothing_is_fetched_and_links_are_relative() {
    let page = shipped().page(&Base::same_folder()).unwrap();
    let mut links = Vec::new();
    for (tag, _) in pieces(&page) {
        assert!(!["link", "img", "iframe", "object"].contains(&tag.split(' ').next().unwrap_or_default()), "{tag}");
        assert!(!tag.contains(" src="), "{tag}");
        if let Some(href) = tag.split(" href=\"").nth(1) {
            links.push(href.split('"').next().unwrap_or_default().to_owned());
        }
    }
    assert!(links.iter().all(|link| !link.contains(':') && !link.starts_with('/')), "{links:?}");
    for expected in ["gn13-table1/full.tsv", "gn13-table1/records.jsonl", "beam-ablation/quick-las.svg"] {
        assert!(links.iter().any(|link| link == expected), "{expected}: {links:?}");
    }
    let style = &page[page.find("<style>").unwrap()..page.find("</style>").unwrap()];
    assert!(!style.contains("url(") && !style.contains("@import"));
    let script = &page[page.find("<script>").unwrap()..page.find("</script>").unwrap()];
    assert!(!script.contains("fetch(") && !script.contains("import"));
}

#[test]
fn the_picture_of_an_experiment_stands_before_its_tables() {
    let line = |method: &str, score: &str, gain: f64, p: f64, paper: Option<f64>| {
        let texts = ["eager", method, "static", score].map(TableCell::text);
        texts
            .into_iter()
            .chain([TableCell::signed(Some(gain)), TableCell::number(Some(p), 3), TableCell::signed(paper)])
            .collect()
    };
    let heads = ["column", "method", "against", "score", "mean gain", "p of signs", "paper's gain"];
    let lines = vec![
        line("<explored>", "UAS", 1.0, 0.002, Some(2.0)),
        line("worse", "UAS", -0.5, 0.5, None),
        line("worse", "LAS", -9.0, 0.01, None),
    ];
    let wins = || block(Content::Table(Table { lines: lines.clone(), ..Table::new(4, heads) }));
    let before_fold = |blocks: Vec<Block>| {
        let page = page(document(blocks));
        let start = page.find("<div class=\"findings\">").unwrap();
        page[start..start + page[start..].find("<details class=\"fold\"").unwrap()].to_owned()
    };
    let forest = before_fold(vec![wins()]);
    assert_eq!(forest.matches("class=\"dot\"").count(), 2, "of the first score");
    assert_eq!(forest.matches("class=\"diamond\"").count(), 1, "the paper's");
    assert!(
        forest.contains("UAS, in points: each method less static") && forest.contains("&lt;explored&gt;"),
        "{forest}"
    );
    assert!(forest.contains("<tr class=\"ahead sure\"") && forest.contains("<tr class=\"behind\""));
    let shown = before_fold(vec![wins(), block(figure(vec![curve(Style::Line, &[(1.0, 80.0), (2.0, 81.0)])]))]);
    assert!(shown.contains("<svg class=\"plot\"") && !shown.contains("<table"), "a figure comes first: {shown}");
}

#[test]
fn experiments_stand_in_their_order_and_full_profiles_first() {
    let names = |report: &Report| -> Vec<String> { report.experiments.iter().map(|e| e.name.clone()).collect() };
    let named = |name: &str, profile: &str| Document {
        name: name.to_owned(),
        profile: profile.to_owned(),
        ..document(Vec::new())
    };
    let documents =
        [("z", "a"), ("study", "quick"), ("a", "x"), ("study", "full"), ("l2s-table3", "q"), ("study", "b")];
    let report = Report::new(documents.map(|(name, profile)| named(name, profile)).into()).unwrap();
    assert_eq!(names(&report), ["l2s-table3", "study", "a", "z"]);
    let profiles: Vec<&str> = report.experiments[1].profiles.iter().map(|d| d.profile.as_str()).collect();
    assert_eq!(profiles, ["full", "b", "quick"]);
    assert_eq!(report.counts(), (4, 6));
    let index = report.index(&[]);
    assert!(index.contains("](study/full.md) | full, [b](study/b.md) |"), "{index}");
}

fn curve(style: Style, points: &[(f64, f64)]) -> Curve {
    let points = points.iter().map(|&(x, y)| Point { label: "p".to_owned(), ..Point::at(x, y) }).collect();
    Curve { name: "c".to_owned(), style, points }
}

fn figure(curves: Vec<Curve>) -> Content {
    let (x, y) = (Axis::doubling("width"), Axis::linear("LAS"));
    Content::Figure(Figure { name: "f".to_owned(), title: "LAS by width".to_owned(), x, y, curves })
}

#[test]
fn what_cannot_be_drawn_is_reported() {
    let table = |n_texts, widths: &[usize]| {
        let lines = widths.iter().map(|&n| vec![TableCell::text("x"); n]).collect();
        Content::Table(Table { lines, ..Table::new(n_texts, ["a", "b"]) })
    };
    let map = |values: Vec<Vec<Option<f64>>>| {
        let names = || vec!["a".to_owned(), "b".to_owned()];
        let text = || "m".to_owned();
        let (name, title, x_title, y_title, unit) = (text(), text(), text(), text(), text());
        Content::HeatMap(HeatMap { name, title, x_title, y_title, x: names(), y: names(), unit, values })
    };
    for (content, expected) in [
        (table(3, &[]), "3 columns of text; expected at most 2, as there are heads"),
        (table(1, &[2, 1]), "line 2 of the table has 1 cells; expected 2, as there are heads"),
        (figure(vec![]), "a figure without curves; expected at least one"),
        (figure(vec![curve(Style::Line, &[])]), "curve `c` without points; expected at least one"),
        (
            figure(vec![curve(Style::Line, &[(0.0, 1.0)])]),
            "curve `c` has 0 on the axis `width`; expected more than 0, as the axis is logarithmic",
        ),
        (
            figure(vec![curve(Style::Line, &[(1.0, f64::NAN)])]),
            "curve `c` has NaN on the axis `LAS`; expected a number that an axis can bear",
        ),
        (
            figure(vec![curve(Style::Line, &[(1e20, 1.0)])]),
            "curve `c` has 100000000000000000000 on the axis `width`; expected a number that an axis can bear",
        ),
        (map(vec![vec![None; 2]]), "a heat map of 1 lines; expected 2, as there are names"),
        (map(vec![vec![None; 2], vec![None]]), "line `b` of the heat map has 1 figures; expected 2"),
    ] {
        let error = Report::new(vec![document(vec![block(content)])]).unwrap_err().to_string();
        assert_eq!(error, format!("name/quick.json: block `block`: {expected}"));
    }
    let outside = Document { files: vec!["../x".to_owned()], ..document(Vec::new()) };
    let error = Report::new(vec![outside]).unwrap_err().to_string();
    assert_eq!(error, "name/quick.json: file `../x`; expected the name of a file beside the document");
}

#[test]
fn a_table_is_shown_with_its_asides_and_values() {
    let mut table = Table::new(1, ["treebank", "LAS dynamic"]);
    let best = TableCell { text: "81.25 (+0.50*)".to_owned(), value: Some(81.2512), best: true };
    table.lines = vec![
        vec![TableCell::text("average"), TableCell::number(Some(80.5), 2)],
        vec![TableCell::text("en & <x>"), best],
    ];
    insta::assert_snapshot!(first_block(&page(document(vec![block(Content::Table(table))]))));
}

#[test]
fn a_chart_is_drawn() {
    let mut line = curve(Style::Line, &[(1.0, 80.0), (4.0, 82.0)]);
    line.points[1].sd = Some(0.5);
    let curves = vec![
        line,
        curve(Style::Points, &[(2.0, 81.0)]),
        curve(Style::Frontier, &[(1.0, 82.0), (4.0, 82.5)]),
        curve(Style::Level, &[(1.0, 80.5), (4.0, 80.5)]),
    ];
    insta::assert_snapshot!(first_block(&page(document(vec![block(figure(curves))]))));
}

#[test]
fn links_are_left_out_where_they_would_tell_of_the_machine() {
    let base = Base::between(Path::new("/a/report.html"), Path::new("/b/results"), Path::new("/c"));
    let page = Report::new(vec![document(Vec::new())]).unwrap().page(&base).unwrap();
    assert!(page.contains("Files: quick.tsv · a&quot;b.svg"), "{page}");
}

/// A text of up to 12 characters: of those that mean something in HTML or Markdown, or any that are printed.
fn random_text(rng: &mut Xoshiro256PlusPlus) -> String {
    let is_markup = below(2, rng) == 0;
    let n = below(13, rng);
    let character = |_| match is_markup {
        true => {
            let markup = b"a<>&\"'/{}%#*_`!\\[]()\n =-";
            char::from(markup[below(markup.len() as u64, rng) as usize])
        }
        false => {
            let code = below([0x80, 0x800, 0x1_0000, 0x11_0000][below(4, rng) as usize], rng);
            char::from_u32(code as u32).filter(|c| !c.is_control()).unwrap_or('\u{e9}')
        }
    };
    (0..n).map(character).collect()
}

#[test]
fn whatever_the_texts_the_page_is_well_formed() {
    for seed in 0..64 {
        let mut rng = stream(seed, "texts", &[]);
        let mut text = || random_text(&mut rng);
        let expected = [format!("x{}", text()), format!("y{}", text())];
        let mut table = Table::new(1, [text(), text()]);
        table.lines = vec![expected.iter().map(TableCell::text).collect()];
        let mut named = curve(Style::Points, &[(1.0, 2.0), (3.0, 4.0)]);
        named.name = text();
        named.points[0].label = text();
        let mut blocks = vec![block(Content::Table(table)), block(figure(vec![named]))];
        blocks[0].title = text();
        blocks[0].reading = vec![text()];
        blocks[0].note = text();
        let texts = document(blocks);
        let texts =
            Document { title: text(), about: vec![text()], analysis: text(), provenance: vec![text()], ..texts };
        let page = page(texts);
        let table = &page[page.find("<table").unwrap()..page.find("</table>").unwrap() + "</table>".len()];
        let shown = cells(table);
        assert_eq!(&shown[2..], &expected[..], "seed {seed}");
        pieces(&page);
    }
}
