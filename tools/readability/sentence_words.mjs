// A textlint rule: no sentence has more than `max` words, in paragraphs, tables and commands' help.

import { SentenceSplitterSyntax, split, splitAST } from "sentence-splitter";
import { StringSource } from "textlint-util-to-string";

/** Reports each sentence of more than `max` words with their number. Links count by their text. */
export function sentenceWords({ Syntax, RuleError, report }, { max }) {
  const judge = (node, sentence) => {
    const words = sentence.match(/[\p{L}\p{N}][^\s/]*/gu) ?? [];
    if (words.length > max) {
      const start = words.slice(0, 4).join(" ");
      const message = `a sentence of ${words.length} words ("${start} …"); up to ${max} are read in one go; split it`;
      report(node, new RuleError(message));
    }
  };
  const judgeText = (node) => {
    for (const part of splitAST(node).children) {
      if (part.type === SentenceSplitterSyntax.Sentence) {
        judge(part, new StringSource(part).toString());
      }
    }
  };
  return {
    [Syntax.Paragraph]: judgeText,
    [Syntax.TableCell]: judgeText,
    [Syntax.CodeBlock](node) {
      if (node.value.startsWith("Usage: ")) {
        for (const text of helpTexts(node.value)) {
          split(text).forEach((part) => judge(node, part.raw));
        }
      }
    },
  };
}

/** The paragraphs of a command's help, and what its options say; examples are no sentences. */
function helpTexts(help) {
  const texts = help.split(/\n\s*\n|\n(?= {2}-)/);
  const sentences = texts.filter((text) => /^ {2}-/.test(text) || !/\n {4}/.test(text));
  return sentences.map((text) => text.replace(/^ {2}-.*? {2,}/s, "").replace(/\s+/g, " "));
}
