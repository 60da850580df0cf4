// One line of a JSONL file as a person reads it: the text first, what is known about it in a line above.

/** A record taken apart for reading. */
export type NoteRecord = { text: string; facts: string[] };

/** Fields shown in the line above the text, in this order; others stay in the file. */
const FACTS = ["agent", "date", "id", "weight"] as const;

/** Returns the text (`text`, else `content`) and facts of a record; null when the line is not one, so that it is shown as it stands. */
export function readRecord(line: string): NoteRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields = value as Record<string, unknown>;
  const text = [fields["text"], fields["content"]].find((candidate) => typeof candidate === "string");
  if (text === undefined) return null;
  const facts = FACTS.flatMap((name) => {
    const fact = fields[name];
    if (typeof fact === "string" && fact !== "")
      return [name === "id" || name === "agent" ? fact : `${name} ${fact}`];
    return typeof fact === "number" ? [`${name} ${fact}`] : [];
  });
  return { text, facts };
}
