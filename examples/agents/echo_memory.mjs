// A foldproof agent in Node: it keeps the history and answers with the lines that share a word with the question,
// of those first that were said in the conversation that it goes on with.
// Protocol foldproof-agent/1: each line on standard input is one JSON object, answered by one line.
import { createInterface } from "node:readline";

let lines = [];      // the memory: {id, text}
let talk = [];       // what was said before in this session: {id, text}
let limit = 5;       // memory_config.k

const words = (text) => new Set(text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);

function recall(question, lines) {
  const asked = words(question);
  const shared = ({ text }) => [...words(text)].filter((word) => asked.has(word)).length;
  return lines
    .map((line) => ({ ...line, score: shared(line) }))
    .filter((line) => line.score > 0)
    .sort((a, b) => b.score - a.score)   // a stable sort: equal lines stay in the order they were said
    .slice(0, limit);
}

const steps = {
  open: ({ memory_config }) => { limit = memory_config.k ?? limit; return {}; },
  ingest: ({ history }) => {
    lines = history.flatMap(({ session, turns }) =>
      turns.map(({ role, text }, n) => ({ id: `${session}.t${n + 1}`, text: `${role}: ${text}` })));
    return {};
  },
  start: () => { talk = []; return {}; },
  resume: ({ turns }) => {
    talk = turns.map(({ role, text }, n) => ({ id: `t${n + 1}`, text: `${role}: ${text}` }));
    return { resumed: turns.length };
  },
  reply: ({ text }) => {
    const memory_reads = recall(text, lines);
    const known = [...recall(text, talk), ...memory_reads].map((line) => line.text);
    return { text: known.join("\n") || "I don't know.", memory_reads, tool_calls: [] };
  },
  memories: () => ({ items: lines }),
  snapshot: () => ({ snapshot: lines }),
  restore: ({ snapshot }) => { lines = snapshot; return {}; },
  close: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  let answer;
  try { answer = steps[step.do]?.(step) ?? { unsupported: true }; } catch (error) { answer = { error: String(error) }; }
  console.log(JSON.stringify(answer));
  if (step.do === "close") process.exit(0);
}
