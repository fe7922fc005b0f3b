// Words that stand on two lines, but for names and addresses, which may be longer than a line.
const broken = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const text = texts.currentNode, parent = text.parentElement;
  if (parent.closest("tbody th, .long, td:has(> a), script, option")) continue;
  const parts = parent.matches("time") ? [[text.data, 0]]
    : [...text.data.matchAll(/[\p{L}\d]+/gu)].map((one) => [one[0], one.index]);
  for (const [word, start] of parts) {
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, start + word.length);
    const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
    if (tops.size > 1) broken.push(word);
  }
}
return broken;
