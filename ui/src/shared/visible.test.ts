import { expect, it } from "vitest";
import { visible } from "./visible";

it.each([
  ["gpj.\u202edm", "gpj.⟨U+202E⟩dm"],
  ["pass\u200bword", "pass⟨U+200B⟩word"],
  ["a\u200db", "a⟨U+200D⟩b"],
  ["\ufeffnotes.md", "⟨U+FEFF⟩notes.md"],
  ["a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"],
  ["so\u00adft", "so⟨U+00AD⟩ft"],
  ["a\nb\u001b[2J", "a⟨U+000A⟩b⟨U+001B⟩[2J"],
  ["flag\u{e0067}", "flag⟨U+E0067⟩"],
  ["\u200f", "⟨U+200F⟩"],
])("writes out what is not seen: %j", (text, expected) => {
  expect(visible(text)).toBe(expected);
});

it.each(["", "Grüße, 東京都, القاهرة", "می\u200cخواهم", "नमस्\u200dते", "👩\u200d👧 🇩🇰 e\u0301 ❤\ufe0f"])(
  "leaves everything else as it is: %j",
  (text) => {
    expect(visible(text)).toBe(text);
  },
);
