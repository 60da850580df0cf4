import { expect, test } from "vitest";
import { linkKind } from "./note-links";

test.each([
  ["https://example.org", "outside"],
  ["HTTP://example.org", "outside"],
  ["mailto:a@example.org", "outside"],
  ["a.md", "inside"],
  ["../a b.md#c", "inside"],
  ["#part", "inside"],
  ["[[a name]]", "inside"],
  ["Meeting notes: Oslo.md", "inside"],
  [" javascript:alert(1)", "refused"],
  ["java\tscript:alert(1)", "refused"],
  ["javascript:alert(1)", "refused"],
  ["java\nscript:alert(1)", "refused"],
  ["\u0001javascript:alert(1)", "refused"],
  ["data:text/html,x", "refused"],
  ["file:///etc/passwd", "refused"],
  ["tauri://localhost/", "refused"],
  ["//example.org/x", "refused"],
  [`https://example.org/${"x".repeat(2_000)}`, "outside"],
  [`https://example.org/${"x".repeat(2_100)}`, "refused"],
  ["\\\\example.org\\x", "refused"],
  ["", "refused"],
])("%j is %s", (address, kind) => expect(linkKind(address)).toBe(kind));
