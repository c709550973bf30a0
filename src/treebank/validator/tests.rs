use super::*;

const GOOD: &str = "# sent_id = s1\n# text = vámonos al mar\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n\
    1\tvamos\tir\tVERB\t_\tMood=Imp|Number=Plur|Person=1,2\t0\troot\t0:root\t_\n\
    2\tnos\tnosotros\tPRON\t_\tNumber[psor]=Plur\t1\tobj\t1:obj|4:nsubj:a_el\t_\n\
    3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n\
    3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_\n\
    4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\t_\n\
    5\tmar\tmar\tNOUN\t_\t_\t1\tobl:arg\t1:obl:a|5.1:x\tSpaceAfter=No\n\
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
        ("\t0\troot\t", "\t0\tdep\t", "4 label"),
        ("\t1\tobj\t", "\t1\troot\t", "5 label"),
        ("\t1\tobj\t", "\t1\tOBJ\t", "5 label"),
        ("\t1\tobj\t", "\t0\troot\t", "5 root"),
        ("1:obj|4:", "4:obj|1:", "5 deps"),
        ("1:obj|4:nsubj:a_el", "1:obj|1:obj", "5 deps"),
        ("1:obj|", "2:obj|", "5 deps"),
        ("1:obj|", "9:obj|", "5 deps"),
        ("1:obj|", "0:obj|", "5 deps"),
        ("1:obj|", "1:Obj|", "5 deps"),
        ("5.1:x", "5.2:x", "9 deps"),
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

#[test]
fn ids_are_given_once_in_a_file() {
    let second = GOOD.replace("s1", "s2");
    assert_eq!(rules(2, &[GOOD, &second, GOOD]), ["1 sentence-id"]);
    assert_eq!(rules(1, &[GOOD, GOOD]), [] as [String; 0]);
}
