// Copies text, also in a webview without an asynchronous clipboard.

/** Copies `text` to the clipboard; false if the system refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The same for a text that is still being produced. Rejects if that fails. */
export async function copyTextToCome(text: Promise<string>): Promise<boolean> {
  // WebKit allows the clipboard to the click alone: what comes later has to be promised to it at once.
  if (typeof ClipboardItem !== "undefined") {
    try {
      const blob = text.then((made) => new Blob([made], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return true;
    } catch {
      // Below is tried what older webviews have; a text that could not be made rejects there.
    }
  }
  return copyText(await text);
}

function copyBySelection(text: string): boolean {
  const copy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", copy);
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    document.removeEventListener("copy", copy);
  }
}
