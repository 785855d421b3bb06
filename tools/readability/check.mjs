// Checks that the documents are easy to read: `make lint`, or with pages as arguments.
//
// textlint parses the pages and carries the rules. Its kernel is used without its command, which
// would bring 43 MB more. Ends with 1 when a page has a problem.

import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import stopWords from "textlint-rule-stop-words";
import { sentenceWords } from "./sentence_words.mjs";

const MAX_WORDS = 30;

/** Words that are not to be used, alone or with what to write instead. */
const WORDS = [
  ["a whole way", "end to end"],
  ["the whole way", "end to end"],
  ["the world's", "AWS's, the model's or this machine's"],
  ["at the doors"],
  ["stranger", "someone else"],
  ["strangers", "others"],
  ["stranger's", "someone else's"],
  ["nine tenths", "p90 or 90 %"],
  ["99 in a hundred", "p99"],
  ["99 of 100", "p99"],
  ["anew", "again"],
  ["of old", "older"],
  ["outside of", "outside"],
  ["inside of", "inside"],
  ["in order to", "to"],
  ["due to the fact that", "because"],
  ["utilize", "use"],
  ["leverage", "use"],
  ["obviously"],
  ["of course"],
  ["seamless"],
  ["seamlessly"],
];

const RULES = [
  { ruleId: "sentence-words", rule: sentenceWords, options: { max: MAX_WORDS } },
  {
    ruleId: "stop-words",
    rule: stopWords,
    options: { defaultWords: false, words: WORDS },
  },
];

const named = process.argv.slice(2);
const pages = named.length
  ? named
  : globSync(["*.md", "docs/*.md"]).sort();
const kernel = new TextlintKernel();
const found = [];
for (const page of pages) {
  const { messages } = await kernel.lintText(await readFile(page, "utf-8"), {
    filePath: page,
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown.default }],
    rules: RULES,
  });
  found.push(...messages.map(({ line, message }) => `${page}:${line}: ${message}`));
}
if (found.length) {
  console.error(found.join("\n"));
  process.exit(1);
}
