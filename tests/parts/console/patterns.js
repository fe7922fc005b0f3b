// Prints the patterns of each language, whether the editor knows all of their blocks, and the colors.
const load = (name) => import(`${process.argv[2]}/${name}.js`);
const [{ all, parse }, { COLORS, formMarker, isKnown, patterns }, { wordsOf }] = await Promise.all(["grammar", "blocks", "words"].map(load));
const codes = "en de-CH fr es it nl pt pl sv".split(" ");
const made = codes.map((code) => patterns(wordsOf(code), formMarker()));
const isWhole = (markup) => !/undefined/.test(markup) && all(parse(markup).tree).every(({ block, parent }) => !parent || isKnown(block));
console.log(JSON.stringify({ made, known: made.flat().every(([, markup]) => isWhole(markup)), colors: COLORS }));
