use super::*;

const GOOD: &str = "# sent_id = s1\n# text = vámonos al mar\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n\
    1\tvamos\tir\tVERB\t_\tMood=Imp|Number=Plur|Person=1,2\t0\troot\t0:root\t_\n\
    2\tnos\tnosotros\tPRON\t_\tNumber[psor]=Plur\t1\tobj\t1:obj|4:nsubj:a_el\t_\n\
    3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n\
    3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_\n\
    4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\t_\n\
    5\tmar\tmar\tNOUN\t_\t_\t1\tobl:arg\t1:obl:a|5.1:dep\tSpaceAfter=No\n\
    5.1\t_\t_\tVERB\t_\t_\t_\t_\t1:conj\t_\n";

fn rules(level: u8, texts: &[&str]) -> Vec<String> {
    let mut validator = Validator::new(level);
    let mut problems = Problems::new(100);
    for text in texts {
        let sentence = Sentence::new("x", Format::Conllu, text).unwrap();
        validator.check(&sentence, Some(Roots::Single), &mut problems);
    }
    problems.kept().iter().map(|(rule, problem)| format!("{} {rule}", problem.location.line)).collect()
}

#[test]
fn a_sound_sentence_passes() {
    assert_eq!(rules(2, &[GOOD]), [] as [String; 0]);
}

#[test]
fn each_slip_is_reported_on_its_line() {
    for (from, to, expected) in [
        ("# sent_id = s1\n", "", "1 sentence-id"),
        ("= s1", "= s 1", "1 sentence-id"),
        ("# text = vámonos al mar\n", "", "1 text"),
        ("al mar\n", "a mar\n", "2 text"),
        ("al mar\n", "al mar \n", "2 text"),
        ("\tVERB\t_\tMood", "\tV\t_\tMood", "4 upos"),
        ("Mood=Imp|Number=Plur", "Number=Plur|Mood=Imp", "4 feats"),
        ("Mood=Imp|", "Mood=Imp|Mood=Ind|", "4 feats"),
        ("Mood=Imp|", "Mood|", "4 feats"),
        ("Mood=Imp|", "mood=Imp|", "4 feats"),
        ("Mood=Imp|", "Mood=imp|", "4 feats"),
        ("Person=1,2", "Person=2,1", "4 feats"),
        ("Number[psor]", "Number[Psor]", "5 feats"),
        ("= s1", "= s1 ", "1 sentence-id"),
        ("= s1", "= a/b/c", "1 sentence-id"),
        ("# sent_id", "# sent_ids", "1 sentence-id"),
        ("# text", "# sent_id = s2\n# text", "2 sentence-id"),
        ("# text", "# parallel_id = x\n# text", "2 sentence-id"),
        ("# text", "# parallel_id = x/1/alt2\n# text", "2 sentence-id"),
        ("# text", "# parallel_id = x/1/part01\n# text", "2 sentence-id"),
        ("# text", "# parallel_id = x/1\n# parallel_id = x/2\n# text", "3 sentence-id"),
        ("# text", "# newpar\n# newdoc\n#newpar\n# text", "4 document"),
        ("# text = vámonos al mar\n", "# text =\n", "2 text"),
        ("# text = v", "# text = x\n# text = v", "3 text"),
        ("\tmar\tNOUN", "\tma\u{301}r\tNOUN", "9 normalisation"),
        ("# text", "# cafe\u{301}\n# text", "2 normalisation"),
        ("\tmar\tNOUN", "\t\u{fffd}\tNOUN", "9 encoding"),
        ("\tir\tVERB", "\tir\u{1f}\tVERB", "4 white-space"),
        ("\tvámonos\t_", "\tvámonos\tir nos", "3 white-space"),
        ("\t1\tobj\t", "\t1\tfoo\t", "5 label"),
        ("Mood=Imp", "Mood=Ab,AC,Ad,AB", "4 feats"),
        ("1:obj|4", "1:foo|4", "5 deps"),
        ("nsubj:a_el", "nsubj:_el", "5 deps"),
        ("nsubj:a_el", "nsubj:a_el:in:gen", "5 deps"),
        ("5:det\t_", "_\t_", "8 deps"),
        ("\t1:conj", "\t_", "10 deps"),
        ("\tSpaceAfter=No", "\tSpaceAfter=Yes", "9 misc"),
        ("\tSpaceAfter=No", "\tNoSpaceAfter=Yes", "9 misc"),
        ("\tSpaceAfter=No", "\tGloss=a|Gloss=b", "9 misc"),
        ("1:conj\t_", "1:conj\tSpaceAfter=No", "10 misc"),
        ("5:case\t_", "5:case\tSpaceAfter=No", "7 misc"),
        ("\t1\tobj\t", "\t1\tOBJ\t", "5 label"),
        ("\t1\tobj\t", "\t0\troot\t", "5 root"),
        ("1:obj|4:", "4:obj|1:", "5 deps"),
        ("1:obj|4:nsubj:a_el", "1:obj|1:obj", "5 deps"),
        ("1:obj|", "2:obj|", "5 deps"),
        ("1:obj|", "9:obj|", "5 deps"),
        ("1:obj|", "1:Obj|", "5 deps"),
        ("5.1:dep", "5.2:dep", "9 deps"),
        ("3-4\tal\t_\t_", "3-4\tal\t_\tADP", "6 label"),
        ("\t_\t_\t1:conj", "\t1\tconj\t1:conj", "10 label"),
        ("\tmar\tNOUN", "\tmar \tNOUN", "9 white-space"),
        ("\tNOUN\t_\t_\t1", "\tNOUN\t_\tA b\t1", "9 white-space"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let found = rules(2, &[&GOOD.replacen(from, to, 1)]);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{from} -> {to}: {found:?}");
    }
}

/// Lines that the official validator refuses at level 3 only, or not at all, pass.
#[test]
fn what_is_no_slip_at_level_2_passes() {
    for (from, to) in [
        ("\t0\troot\t", "\t0\tdep\t"),
        ("\t1\tobj\t", "\t1\troot\t"),
        ("1:obj|", "0:obj|"),
        ("# text", "# newdoc id = a\n# newpar\n# text"),
        ("# text", "# parallel_id = x/a-1/alt1part1\n# text"),
        ("= s1", "= a/1"),
        ("# sent_id = s1", "#sent_id=s1"),
        ("Mood=Imp|", "A1=1|A=1|Mood=Imp|"),
        ("Mood=Imp|", "Mood=Ab,AC|"),
        ("4:nsubj:a_el", "4:nsubj:pass:à:gen"),
        ("\tSpaceAfter=No", "\tSpacesAfter=\\n|Gloss=sea"),
        ("\tnosotros\t", "\tnos otros\t"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        assert_eq!(rules(2, &[&GOOD.replacen(from, to, 1)]), [] as [String; 0], "{from} -> {to}");
    }
}

#[test]
fn empty_nodes_stand_before_the_range_that_begins_behind_them() {
    let before = GOOD.replace("3-4\tal", "2.1\t_\t_\tX\t_\t_\t_\t_\t1:dep\t_\n3-4\tal");
    assert_eq!(rules(2, &[&before]), [] as [String; 0]);
    let behind = GOOD.replace("3\ta\ta", "2.1\t_\t_\tX\t_\t_\t_\t_\t1:dep\t_\n3\ta\ta");
    assert_eq!(rules(1, &[&behind]), ["7 id"]);
    assert_eq!(rules(2, &[&behind]), ["7 id"]);
}

#[test]
fn the_enhanced_graph_is_in_all_sentences_or_in_none() {
    let graph = "1\tx\tx\tX\t_\t_\t0\troot\t0:root\tSpaceAfter=No\n";
    let [with, without] = [graph.to_owned(), graph.replace("0:root", "_")]
        .map(|words| move |id: &str| format!("# sent_id = {id}\n# text = x\n{words}"));
    assert_eq!(rules(2, &[&with("a"), &with("b")]), [] as [String; 0]);
    assert_eq!(rules(2, &[&without("a"), &without("b")]), [] as [String; 0]);
    assert_eq!(rules(2, &[&with("a"), &without("b"), &without("c")]), ["1 deps"]);
    assert_eq!(rules(2, &[&without("a"), &with("b")]), ["1 deps"]);
    // No paragraph begins where no space follows the text before.
    assert_eq!(rules(2, &[&with("a"), &format!("# newpar\n{}", with("b"))]), ["1 document"]);
}

#[test]
fn alternatives_and_parts_of_parallel_sentences_are_counted() {
    let with = |number: usize, id: &str| {
        GOOD.replace("s1\n", &format!("s{number}\n# parallel_id = {id}\n")).replace("SpaceAfter=No", "_")
    };
    let found = |ids: &[&str]| {
        let texts: Vec<String> = ids.iter().enumerate().map(|(number, id)| with(number, id)).collect();
        rules(2, &texts.iter().map(String::as_str).collect::<Vec<_>>()).len()
    };
    assert_eq!(found(&["x/1", "x/2", "y/1"]), 0);
    assert_eq!(found(&["x/1/alt1", "x/1/alt2", "x/2/part1", "x/2/part2"]), 0);
    assert_eq!(found(&["x/1", "x/1"]), 1);
    assert_eq!(found(&["x/1", "x/1/alt1"]), 1);
    assert_eq!(found(&["x/1/alt1", "x/1/alt3"]), 1);
    assert_eq!(found(&["x/1/part1", "x/1"]), 1);
}

#[test]
fn ids_are_given_once_in_a_treebank() {
    let second = GOOD.replace("s1", "s2");
    assert_eq!(rules(2, &[GOOD, &second, GOOD]), ["1 sentence-id"]);
    assert_eq!(rules(1, &[GOOD, GOOD]), [] as [String; 0]);
}
