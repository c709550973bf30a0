//! What stands where: folders of the library import only from those that its front page lists above them, and files in no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module of the library: its name from the crate's root on, one part a folder or file.
type Module = Vec<String>;

/// The code of every module but tests, without comments and without what stands behind `#[cfg(test)]`.
fn modules() -> BTreeMap<Module, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut found = BTreeMap::new();
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&source).unwrap().with_extension("");
            let mut module: Module = name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let is_code = path.extension().is_some_and(|extension| extension == "rs");
            if !is_code || module.iter().any(|part| part.ends_with("tests")) {
                continue;
            }
            if module.last().is_some_and(|last| last == "mod" || last == "lib") {
                module.pop();
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
            let lines = text.lines().map(|line| line.split("//").next().unwrap());
            found.insert(module, lines.collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

/// The paths of names that a tree of `use` stands for: `a::{b, c::d}` for `a::b` and `a::c::d`.
fn expanded(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap().trim().to_owned()];
    };
    let (mut branches, mut depth) = (vec![String::new()], 0);
    for c in rest[..rest.rfind('}').unwrap()].chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => branches.push(String::new()),
            c => branches.last_mut().unwrap().push(c),
        }
    }
    let branches = branches.iter().filter(|branch| !branch.trim().is_empty());
    branches.flat_map(|branch| expanded(&format!("{}{}", prefix.trim(), branch.trim()))).collect()
}

/// The path from the crate's root on that `path` in `module` is, if it is one of this crate.
fn absolute(module: &[String], path: &str, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut parts = path.split("::").map(|part| part.trim().to_owned()).peekable();
    let mut base = module.to_vec();
    let first = parts.peek()?.clone();
    let child = [module, std::slice::from_ref(&first)].concat();
    match first.as_str() {
        "crate" | "$crate" => base.clear(),
        "super" => {}
        "self" => {}
        _ if modules.contains_key(&child) => {}
        _ => return None,
    }
    while let Some(part) = parts.next_if(|part| ["crate", "$crate", "super", "self"].contains(&part.as_str())) {
        if part == "super" {
            base.pop();
        }
    }
    base.extend(parts.filter(|part| part != "self"));
    Some(base)
}

/// The paths that a module names, and, by name, those that it imports.
fn paths(
    module: &[String],
    text: &str,
    modules: &BTreeMap<Module, String>,
) -> (BTreeSet<Module>, BTreeMap<String, Module>) {
    let (mut named, mut imported) = (BTreeSet::new(), BTreeMap::new());
    let mut rest = String::new();
    let is_start = |line: &str| line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ");
    let mut lines = text.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        if !is_start(line) {
            rest.extend([line, "\n"]);
            continue;
        }
        let (visibility, first) = line.split_once("use ").unwrap();
        let mut tree = first.to_owned();
        while !tree.contains(';') {
            tree.push_str(lines.next().unwrap());
        }
        for path in expanded(tree.trim_end_matches(';')) {
            if let Some(path) = absolute(module, &path, modules) {
                imported.insert(path.last().unwrap().clone(), path.clone());
                if visibility.is_empty() {
                    named.insert(path);
                }
            }
        }
    }
    let is_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$';
    for path in rest.split(|c| !is_of_path(c)).filter(|path| path.contains("::")) {
        let path = path.trim_matches(':');
        let (first, others) = path.split_once("::").unwrap_or((path, ""));
        match imported.get(first) {
            Some(start) => {
                let others = others.split("::").map(str::to_owned);
                named.insert(start.iter().cloned().chain(others).collect());
            }
            None => named.extend(absolute(module, path, modules)),
        }
    }
    (named, imported)
}

/// The file in which what `path` names is defined: imports of modules are followed.
fn defined_in(path: &[String], imports: &BTreeMap<Module, BTreeMap<String, Module>>, depth: usize) -> Option<Module> {
    let (module, rest) =
        (0..=path.len()).rev().map(|n| path.split_at(n)).find(|(head, _)| imports.contains_key(*head))?;
    match imports[module].get(rest.first()?) {
        Some(elsewhere) if depth < 9 && elsewhere != path => {
            defined_in(&[&elsewhere[..], &rest[1..]].concat(), imports, depth + 1)
        }
        _ => Some(module.to_vec()),
    }
}

/// For every file, the files that define what it names.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let modules = modules();
    let paths: BTreeMap<&Module, _> =
        modules.iter().map(|(module, text)| (module, paths(module, text, &modules))).collect();
    let imported: BTreeMap<Module, _> =
        paths.iter().map(|(module, (_, imported))| ((*module).clone(), imported.clone())).collect();
    let of = |(module, (named, _)): (&&Module, &(BTreeSet<Module>, _))| {
        let files = named.iter().filter_map(|path| defined_in(path, &imported, 0));
        ((*module).clone(), files.filter(|file| file != *module).collect())
    };
    paths.iter().map(of).collect()
}

#[test]
fn folders_import_only_from_those_above_them() {
    let front = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/lib.rs")).unwrap();
    let name =
        |line: &str| Some(line.strip_prefix("//! | [`")?.split('`').next()?.trim_start_matches("mod@").to_owned());
    let folders: Vec<String> = front.lines().filter_map(name).collect();
    assert!(folders.len() > 15, "{folders:?}");
    let place = |module: &Module| folders.iter().position(|known| Some(known) == module.first());
    let mut wrong = Vec::new();
    for (module, files) in imports() {
        let Some(own) = place(&module) else { continue };
        let below = files.iter().filter(|file| place(file).is_some_and(|other| other > own));
        wrong.extend(below.map(|file| format!("{} imports from {}", module.join("::"), file.join("::"))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_import_in_no_circle() {
    let mut left = imports();
    // Files that import from none of those left, or that none of these imports from, are in no circle.
    let is_apart = |left: &BTreeMap<Module, BTreeSet<Module>>, module: &Module| {
        !left[module].iter().any(|file| left.contains_key(file)) || !left.values().any(|files| files.contains(module))
    };
    while let Some(module) = left.keys().find(|module| is_apart(&left, module)).cloned() {
        left.remove(&module);
    }
    let imports = left.iter().flat_map(|(module, files)| files.iter().map(move |file| (module, file)));
    let circles = imports.filter(|(_, file)| left.contains_key(*file));
    let circles: Vec<String> = circles.map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::"))).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}
