// Messages of the engine as sentences: "cannot open x: no such file" becomes "Cannot open x: no such file."

/**
 * Returns a message with a capital at its head and a full stop at its end.
 *
 * A command between backticks is put in quotation marks: the window shows no Markdown.
 *
 * A head that is no plain word (a path, a parameter's id, qmd) stays as it is, and so does an end that is "!", "?", "…", or the ":" before a list.
 */
export function sentence(message: string): string {
  const text = message.trim().replace(/`((?:memlens|cargo) [^`]+)`/g, "“$1”");
  if (text === "") return "";
  const head = /^(?!qmd )[a-z]+[\s,:]/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
  return /[.!?…:]$/.test(head) ? head : `${head}.`;
}
