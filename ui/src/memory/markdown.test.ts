// What a hostile note becomes: words. Nothing in the fragment runs, loads, styles, sends or leads anywhere by itself.
import MarkdownIt, { type Token } from "markdown-it";
import { describe, expect, test } from "vitest";
import { fragmentOf, sanitised } from "./markdown";
import { parseBlocks } from "./markdown-blocks";

function rendered(source: string): HTMLElement {
  const env = {};
  const blocks = [...parseBlocks(source, env)];
  const holder = document.createElement("div");
  for (const { tokens } of blocks) holder.append(fragmentOf(tokens ?? [], env, 0));
  return holder;
}

/** Elements and attributes that can act without the user. */
const LIVE = [
  "script, iframe, frame, object, embed, applet, form, input, button, textarea, select, base, meta, link, style, svg, math",
  "img, picture, video, audio, source, track, a, area, map, template, noscript, dialog, portal, html, body, head, slot",
].join(", ");

function dangers(holder: HTMLElement): string[] {
  const attributes = [...holder.querySelectorAll("*")].flatMap((element) =>
    element
      .getAttributeNames()
      .filter((name) =>
        /^on|^(href|src|srcset|srcdoc|style|action|formaction|ping|xlink:href|id|name|background)$/i.test(
          name,
        ),
      )
      .map((name) => `${element.tagName} ${name}`),
  );
  return [...[...holder.querySelectorAll(LIVE)].map(({ tagName }) => tagName), ...attributes];
}

const HOSTILE: Record<string, string> = {
  "a script": "<script>window.ran = true</script>",
  "a script in a line": "words <script src=//evil.example/x.js></script> words",
  "a frame": '<iframe src="https://evil.example" srcdoc="<script>parent.ran=1</script>"></iframe>',
  "an event handler": '<img src=x onerror="window.ran = true"><details ontoggle=alert(1) open>',
  "a javascript link": "[a](javascript:window.ran=true) <javascript:alert(1)>",
  "a disguised javascript link":
    "[a](java\tscript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](&#106;avascript:alert(1)) [d](\\x01javascript:x)",
  "a data link": "[a](data:text/html,<script>alert(1)</script>) [b](data:text/html;base64,PHNjcmlwdD4=)",
  "a file link": "[a](file:///etc/passwd) <file:///etc/passwd>",
  "a vbscript link by reference": "[a][b]\n\n[b]: vbscript:msgbox(1)",
  "a remote picture":
    "![a](https://evil.example/pixel.gif) ![b](//evil.example/p.gif) [![c](http://evil.example/c)](http://evil.example)",
  "a local picture":
    "![a](file:///etc/passwd) ![b](../secret.png) ![c](data:image/svg+xml,<svg/onload=alert(1)>)",
  "a style attribute": '<p style="position:fixed;inset:0">over all</p><style>*{display:none}</style>',
  "a form":
    '<form action="https://evil.example"><input name=q autofocus onfocus=alert(1)><button>go</button></form>',
  "a base": '<base href="https://evil.example/">',
  "a refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  "an svg":
    '<svg onload=alert(1)><use href="https://evil.example#x"/><foreignObject><script>1</script></foreignObject></svg>',
  "a mutation":
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "a quote in a language": '```x"><img src=x onerror=alert(1)>\ncode</code><script>1</script>\n```',
  "a quote in an address": `[a](https://x.example/"onmouseover="alert(1)) <https://x.example/"onclick=alert(1)>`,
  "a quote in a picture's words": `!["><script>1</script>](https://x.example "onload=\\"x")`,
  "a table":
    "| <img src=x onerror=1> | [a](javascript:1) |\n|--|--|\n| <script>1</script> | ![x](https://evil.example) |",
};

describe("a hostile note", () => {
  test.each(Object.entries(HOSTILE))("of %s is words only", (_, source) => {
    const holder = rendered(source);
    expect(dangers(holder)).toEqual([]);
    expect(holder.textContent).not.toBe("");
    // An address that can be pressed is one that the user is asked about, or a path in the memory.
    for (const link of holder.querySelectorAll<HTMLElement>("[data-address]"))
      expect(link.dataset["address"]).toMatch(/^(https?:|mailto:|(?![a-z][a-z0-9+.-]*:))/i);
  });

  test("shows the address of what it does not follow or load", () => {
    expect(rendered(HOSTILE["a javascript link"] ?? "").textContent).toContain("javascript:window.ran=true");
    const picture = rendered("![A cat](https://evil.example/pixel.gif)").querySelector(".picture");
    expect(picture).toHaveTextContent("A cat");
    expect(picture).toHaveTextContent("https://evil.example/pixel.gif");
  });

  test("that got past the parser is stopped by the sanitiser", () => {
    for (const source of Object.values(HOSTILE)) {
      const holder = document.createElement("div");
      holder.append(sanitised(source));
      expect(dangers(holder)).toEqual([]);
    }
  });

  test("of ten thousand brackets in one another is drawn at once and not deep", () => {
    for (const source of [
      "[".repeat(10_000),
      "**_".repeat(5_000) + "x",
      "![".repeat(10_000),
      "x`".repeat(10_000),
    ]) {
      const holder = rendered(source);
      let depth = 0;
      for (let at: Element | null = holder.querySelector("p"); at !== null; at = at.firstElementChild)
        depth += 1;
      expect(depth).toBeLessThan(150);
      expect(holder.textContent?.length).toBeGreaterThan(0);
    }
  });
});

test("blocks are those that markdown-it reads, each with its lines", () => {
  const notes = [
    ...Object.values(HOSTILE),
    "# a\n\n- b\n  - c\n\n  d\n3. e\n\n> f\n> - g\nlazy\n\n    code\n\n\n***\nh\n===\n",
    "|a|b|\n|-|-|\n|c|d|\n\n[e]: /f 'g'\n[h]: i\n\n```sh\nj\n\nk\n```\r\n\rl\0m\n\n~~~\nn",
  ];
  const whole = new MarkdownIt({ html: false });
  for (const note of notes) {
    const expected = whole.parse(note.replace(/\r(?!\n)/g, " "), {});
    const found = [...parseBlocks(note, {})].flatMap(({ tokens }) => tokens ?? []);
    const fieldsOf = ({ type, map, level, content, hidden }: Token) => ({
      type,
      map,
      level,
      content,
      hidden,
    });
    expect(found.map(fieldsOf)).toEqual(expected.map(fieldsOf));
  }
});

describe("Markdown", () => {
  test("is drawn as headings, lists, tables, quotes, code and tasks", () => {
    const holder = rendered(
      "# One\n\n- a\n- [x] b\n\n7. c\n\n> d\n\n| e | f |\n|---|--:|\n| g | h |\n\n```sh\ni\n```\n\n**j** *k* ~~l~~ `m`\n",
    );
    expect(holder.querySelector("h3.h1")).toHaveTextContent("One");
    expect(holder.querySelector("ol")).toHaveAttribute("start", "7");
    expect(holder.querySelector("li.task-item [role=img]")).toHaveAccessibleName("done");
    expect(holder.querySelector("blockquote")).toHaveTextContent("d");
    expect(holder.querySelector("td.right")).toHaveTextContent("h");
    expect(holder.querySelector("pre")).toHaveTextContent("shi");
    for (const [tag, text] of Object.entries({ strong: "j", em: "k", s: "l", "p > code": "m" }))
      expect(holder.querySelector(tag)).toHaveTextContent(text);
  });

  test("names the line of the file where each line begins", () => {
    const lines = (source: string) =>
      [...rendered(source).querySelectorAll<HTMLElement>("[data-line]")].map(({ dataset }) =>
        Number(dataset["line"]),
      );
    expect(lines("a\nb\nc")).toEqual([1, 2, 3]);
    expect(lines("a `code\nover two` lines\nc\\\nd")).toEqual([1, 3, 4]);
    expect(lines("# a\n\n- b\n  c\n- d\n\n> e\n> f")).toEqual([1, 3, 4, 5, 7, 8]);
    expect(lines("```\na\n\nb\n```\n\nc")).toEqual([2, 3, 4, 7]);
    expect(lines("a\r\nb\r\n\r\nc")).toEqual([1, 2, 4]);
  });

  test("links by words that can be pressed and have no address of their own", () => {
    const [outside, inside] = rendered("[a](https://example.org/x) [b](c.md#d)").querySelectorAll(
      "[role=link]",
    );
    expect(outside).toHaveAttribute("data-address", "https://example.org/x");
    expect(outside).toHaveAttribute("tabindex", "0");
    expect(inside).toHaveAttribute("data-address", "c.md#d");
  });

  test("links by the names of notes in double brackets, but not in code", () => {
    const holder = rendered(
      "[[a]] [[b c#d|e *f*]] ![[g]] `[[h]]` \\[[i]] [[]] [[j\nk]]\n\n| l |\n|---|\n| [[m\\|n]] |\n",
    );
    const links = [...holder.querySelectorAll<HTMLElement>("[role=link]")];
    expect(links.map((link) => [link.textContent, link.dataset["address"]])).toEqual([
      ["a", "[[a]]"],
      ["e *f*", "[[b c#d]]"],
      ["g", "[[g]]"],
      ["n", "[[m]]"],
    ]);
  });
});
