import { expect, test } from "vitest";
import { fateWords, isChanged, openedWords, placeWords, usedWords } from "./fates";

test("what became of results is reported in words, moved ones together", () => {
  expect(
    fateWords({ has_failed: false, n_returned: 6, fates: ["kept", "rose", "fell", "gone", "new"] }),
  ).toBe("1 kept, 2 moved, 1 gone, 1 new");
  expect(fateWords({ has_failed: false, n_returned: 2, fates: ["kept", "kept"] })).toBe("2 kept");
  expect(fateWords({ has_failed: false, n_returned: 0, fates: ["new"] })).toBe("1 new");
});

test("before a replay the results are counted; without a logged answer there is nothing to count", () => {
  expect(fateWords({ has_failed: false, n_returned: 6, fates: null })).toBe("6 results");
  expect(fateWords({ has_failed: false, n_returned: 1, fates: null })).toBe("1 result");
  expect(fateWords({ has_failed: false, n_returned: 0, fates: null })).toBe("");
  expect(fateWords({ has_failed: false, n_returned: 0, fates: [] })).toBe("still nothing");
  expect(fateWords({ has_failed: false, n_returned: null, fates: [] })).toBe("no answer logged");
  expect(fateWords({ has_failed: true, n_returned: null, fates: [] })).toBe("search failed");
});

test("an answer is another one where any result is not kept", () => {
  expect(isChanged(["kept", "kept"])).toBe(false);
  expect(isChanged(["kept", "new"])).toBe(true);
  expect(isChanged([])).toBe(false);
});

test("what the agent opened and cited is named with its folder, the first place and how many more", () => {
  const place = (path: string, start: number | null, end: number | null) => ({
    ...{ path, start_line: start, end_line: end, is_part: false, after_ms: null },
  });
  const server = place("memory/home-server.md", 17, 21);
  expect(usedWords({ opened: [server], cited: [] })).toBe("opened memory/home-server.md:17–21");
  expect(usedWords({ opened: [server, server], cited: [place("MEMORY.md", null, null)] })).toBe(
    "opened memory/home-server.md:17–21 and 1 more; cited MEMORY.md",
  );
  expect(usedWords({ opened: [], cited: [] })).toBe("no opening logged");
  expect(placeWords(place("C:\\notes\\a.md", 4, null))).toBe("notes/a.md:4");
  expect(placeWords(place("a.md", 9, 4_294_967_295))).toBe("a.md:9–end");
  expect(placeWords({ ...place("a.md", null, null), is_part: true })).toBe("a.md (a part)");
  expect(openedWords({ opened: [server, server] })).toBe("Opened memory/home-server.md:17–21 and 1 more");
});
