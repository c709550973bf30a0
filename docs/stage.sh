#!/bin/sh
# Copies the book and the results that its chapters link to into one folder, so that a site built from it needs nothing else:
#
#     sh docs/stage.sh FOLDER && mdbook build FOLDER
#
# In the repository the results lie outside docs/, where `treebeam report` and readers of files find them.
set -eu
folder=${1:?expected a folder to write}
root=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$folder/src"
mkdir -p "$folder/src"
cp "$root/docs/book.toml" "$folder/"
cp -R "$root/docs/src/." "$folder/src/"
(cd "$root" && find results -name '*.md' -o -name '*.svg') | while read -r file; do
    mkdir -p "$folder/src/$(dirname "$file")"
    cp "$root/$file" "$folder/src/$file"
done
# The results are one level nearer; a site's page of a folder is its index.
mv "$folder/src/results/README.md" "$folder/src/results/index.md"
find "$folder/src" -name '*.md' | while read -r page; do
    sed -e 's#](\(\(\.\./\)*\)\.\./\.\./results/#](\1results/#g' -e 's#results/README\.md#results/index.md#g' \
        -e 's#](\.\./\([a-z0-9-]*\))#](../\1/quick.md)#g' "$page" > "$page.new"
    mv "$page.new" "$page"
done
{
    printf '\n# Every result\n\n- [Results](results/index.md)\n'
    find "$folder/src/results" -name '*.md' ! -path "$folder/src/results/index.md" | sort | while read -r page; do
        title=$(sed -n 's/^# //p' "$page" | head -n 1)
        printf '  - [%s](%s)\n' "${title:?$page has no title}" "${page#"$folder/src/"}"
    done
} >> "$folder/src/SUMMARY.md"
