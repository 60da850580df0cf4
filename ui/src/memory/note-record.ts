// One line of a JSONL file as the user reads it: the text first, what is known about it in a line above.

/** A record taken apart for reading. */
export type NoteRecord = { text: string; facts: string[] };

type Fields = Readonly<Record<string, unknown>>;

/** Fields shown in the line above the text, in this order; others stay in the file. */
const FACTS = ["role", "agent", "date", "id", "weight"] as const;

/** Types of blocks that hold text; others are calls of tools, pictures and the like. */
const TEXT_BLOCKS: readonly unknown[] = [undefined, "text", "input_text", "output_text"];

/** How many objects within each other are looked into. */
const DEPTH_MAX = 3;

/** Returns the text and facts of a record that the index reads; null when the line is none, so that it is shown as it is. */
export function readRecord(line: string): NoteRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const fields = asFields(value);
  if (fields === null) return null;
  const text = textOf(fields, DEPTH_MAX);
  if (text === null) return null;
  const facts = FACTS.flatMap((name) => {
    const fact = fields[name];
    if (typeof fact === "string" && fact !== "")
      return [name === "date" || name === "weight" ? `${name} ${fact}` : fact];
    return typeof fact === "number" ? [`${name} ${fact}`] : [];
  });
  return { text, facts };
}

function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The text of a message, a memory, an entity or a relation. */
function textOf(fields: Fields, depth: number): string | null {
  if (depth === 0) return null;
  const { text, content, parts, message, payload, memory } = fields;
  if (typeof text === "string") return text;
  const said = blocksText(content) ?? blocksText(parts);
  if (said !== null) return said === "" ? null : said;
  const inner = asFields(message) ?? asFields(payload);
  if (inner !== null) return textOf(inner, depth - 1);
  if (typeof memory === "string") return memory;
  return graphText(fields);
}

/** The text of a `content`: a string, or a list of strings and blocks. Null for anything else. */
function blocksText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  return content
    .flatMap((block: unknown) => {
      if (typeof block === "string") return [block];
      const fields = asFields(block);
      if (fields === null || !TEXT_BLOCKS.includes(fields["type"])) return [];
      const text = asFields(fields["text"])?.["value"] ?? fields["text"];
      return typeof text === "string" ? [text] : [];
    })
    .join("\n");
}

/** What an entity or a relation of a knowledge graph says. */
function graphText(fields: Fields): string | null {
  const { name, entityType, observations, from, relationType, to } = fields;
  const isText = (value: unknown): value is string => typeof value === "string";
  if (isText(name) && Array.isArray(observations)) {
    const head = isText(entityType) ? `${name} (${entityType})` : name;
    return [head, ...observations.filter(isText)].join("\n");
  }
  return isText(from) && isText(relationType) && isText(to) ? `${from} ${relationType} ${to}` : null;
}
