// The tools as OpenClaw sees them. Names and arguments are those of `memlens serve`; a test compares them.

const text = (description: string) => ({ type: "string", description });
const number = (description: string) => ({ type: "integer", minimum: 1, description });

function schema(properties: Record<string, unknown>, ...required: string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}

const query = text("The question, in words");

export interface Tool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
}

export const TOOLS: readonly Tool[] = [
  {
    name: "memory_search",
    label: "Memory Search",
    description:
      "Search the user's memory notes before answering questions about prior work, decisions, dates, people, preferences or todos. Results have path, startLine, endLine, score and snippet, best first. Session transcripts are not searched.",
    parameters: schema(
      {
        query,
        maxResults: number("Most results to return (default 10, at most 100)"),
        minScore: { type: "number", description: "Leave out results with a lower score" },
        in: text("Search only this folder or note"),
      },
      "query",
    ),
  },
  {
    name: "memory_get",
    label: "Memory Get",
    description: "Read lines of a memory note, as memory_search names it.",
    parameters: schema(
      {
        path: text("Path of the note, as in a result"),
        from: number("First line (default 1)"),
        lines: number("Number of lines (default: to the end)"),
      },
      "path",
    ),
  },
  {
    name: "memory_why",
    label: "Memory Why",
    description:
      "Explain why a note is not among the results of a question, or where it ranks, and which change of settings would return it.",
    parameters: schema(
      {
        query,
        path: text("Path of the note"),
        line: number("Line in the note"),
      },
      "query",
      "path",
    ),
  },
  {
    name: "memory_drift",
    label: "Memory Drift",
    description: "List memory notes that contradict each other, and facts that newer notes replace.",
    parameters: schema({}),
  },
  {
    name: "memory_status",
    label: "Memory Status",
    description: "Report which folders of notes are served, their size, and the ranking in use.",
    parameters: schema({}),
  },
];
