import { expect, test } from "vitest";
import { readRecord } from "./note-record";

test.each([
  [
    '{"text":"a","agent":"runner","date":"2026-10-03","id":"o1","weight":2}',
    "a",
    ["runner", "date 2026-10-03", "o1", "weight 2"],
  ],
  ['{"content":"b"}', "b", []],
  ['{"text":"a","content":"b"}', "a", []],
  ['{"text":"a","agent":"","weight":null}', "a", []],
  ['{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_use"},"b"]}', "a\nb", ["user"]],
  ['{"type":"user","message":{"role":"user","content":"a"}}', "a", []],
  ['{"content":[{"type":"text","text":{"value":"a"}}]}', "a", []],
  ['{"parts":[{"text":"a"}]}', "a", []],
  ['{"id":"m1","memory":"a"}', "a", ["m1"]],
  ['{"name":"Otto","entityType":"person","observations":["a","b"]}', "Otto (person)\na\nb", []],
  ['{"from":"Otto","to":"Van","relationType":"drives"}', "Otto drives Van", []],
])("%s is read", (line, text, facts) => expect(readRecord(line)).toEqual({ text, facts }));

test.each([
  "",
  "{",
  "[]",
  "null",
  "7",
  '"text"',
  '{"note":"x"}',
  '{"text":7}',
  '{"content":[{"type":"tool_use"}]}',
])("%j is shown as it stands", (line) => expect(readRecord(line)).toBeNull());
