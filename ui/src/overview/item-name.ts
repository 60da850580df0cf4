import type { CardItem } from "../api/bindings";

/** Names that say nothing of what a note is about, in lower case and without their ending. */
const GENERIC: ReadonlySet<string> = new Set([
  ...["readme", "index", "memory", "changelog", "skill", "agents", "claude", "license", "notes", "todo"],
]);

/** The title of a card's item, behind its nearest folder if the title is generic or not unique among `items`. */
export function itemName({ title, path }: CardItem, items: readonly CardItem[]): string {
  const [folder] = path.split("/").slice(-2, -1);
  if (folder === undefined) return title;
  const bare = title.toLowerCase().replace(/\.(md|markdown|txt|mdx)$/, "");
  const isUnique = items.filter((item) => item.title === title).length <= 1;
  return isUnique && !GENERIC.has(bare) ? title : `${folder}/${title}`;
}
