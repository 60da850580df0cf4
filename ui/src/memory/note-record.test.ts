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
])("%s is read", (line, text, facts) => expect(readRecord(line)).toEqual({ text, facts }));

test.each(["", "{", "[]", "null", "7", '"text"', '{"note":"x"}', '{"text":7}'])(
  "%j is shown as it stands",
  (line) => expect(readRecord(line)).toBeNull(),
);
