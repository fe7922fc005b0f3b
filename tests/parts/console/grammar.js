// Reads contents as JSON, and prints what is wrong: a round trip, or a change of more than one block.
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const { all, childrenOf, find, insert, move, parse, remove, replace, slotsOf, tagOf, withAttribute, withTag, withText, write } = await import(`${folder}/grammar.js`);
const { isKnown, withColor, withColumns, withLevel, withPicture, split } = await import(`${folder}/blocks.js`);
const wrong = [];
const counts = { problems: [], blocks: 0, edits: 0, splits: [] };
const EDITS = {
  heading: (one) => withLevel(one, 5), columns: (one) => withColumns(one, 3),
  group: (one) => withColor(one, "black"), cover: (one) => withColor(one, "black"),
};

/** Return the place of a block in the text of a tree. */
function placeOf(tree, id) {
  if (tree.id === id) return 0;
  let at = tree.open.length;
  for (const part of tree.parts) {
    if (typeof part !== "string" && find(part, id)) return at + placeOf(part, id);
    at += typeof part === "string" ? part.length : write(part).length;
  }
  return at;
}

for (const content of JSON.parse(readFileSync(0, "utf8"))) {
  const { tree, problem } = parse(content);
  if (problem) {
    counts.problems.push(problem.message);
    continue;
  }
  const check = (what, made, expected) => made === expected || wrong.push([what, content, made, expected]);
  check("round trip", write(tree), content);
  for (const { block, parent } of all(tree).slice(1)) {
    counts.blocks += 1;
    const at = placeOf(tree, block.id);
    const [before, own, after] = [content.slice(0, at), write(block), content.slice(at + write(block).length)];
    check("place", content, before + own + after);
    if (!isKnown(block)) continue;
    const edits = slotsOf(block).map((slot) => (one) => (slot.tag === "img" ? withPicture(one, slot, { address: '/b"&.png' }) : withText(one, slot, "Another <b>text</b>")));
    const links = slotsOf(block).filter(({ tag }) => tag === "a").map((slot) => (one) => withTag(one, slot, withAttribute(tagOf(one, slot), "href", "/there/")));
    for (const edit of [...edits, ...links, ...[EDITS[block.name]].filter(Boolean)]) {
      counts.edits += 1;
      const changed = edit(block);
      const made = write(replace(tree, block.id, edit));
      check("one edit", made, before + write(changed) + after);
      // WordPress ends a comment at the first of these.
      check("attributes", changed.json === block.json || !/--|[<>&]/.test(changed.json), true);
      // What was written is read again, as the same blocks.
      const names = (one) => String(all(one).map((each) => each.block.name));
      check("read again", parse(made).tree && names(parse(made).tree), names(replace(tree, block.id, () => changed)));
    }
    // The blocks beside it stay, and so does what stands between them.
    const count = childrenOf(parent).length;
    const place = childrenOf(parent).indexOf(block);
    const below = find(move(tree, block.id, parent.id, Math.min(count, place + 2)), block.id);
    check("a place below", childrenOf(below.parent).indexOf(block), Math.min(count - 1, place + 1));
    const bare = (text) => text.replace(/\s/g, "");
    check("a removal", bare(write(remove(tree, block.id))), bare(before + after));
    const moved = move(tree, block.id, parent.id, count);
    check("a move and back", write(move(moved, block.id, parent.id, place)), content);
    check("a copy and its removal", write(remove(insert(tree, parent.id, count, [{ ...block, id: -1 }]), -1)), content);
  }
  const made = split(content);
  if (made !== null && !content.includes("<!-- wp:")) counts.splits.push([content, made]);
}
console.log(JSON.stringify({ wrong, ...counts }));
