import { describe, expect, test } from "vitest";
import { clock, day, lately, moment, shortly } from "./when";

describe("days", () => {
  const NOON = new Date(2026, 2, 30, 12, 0).getTime();
  test.each([
    [new Date(2026, 2, 30, 0, 0), "Today"],
    [new Date(2026, 2, 29, 23, 59), "Yesterday"],
    [new Date(2026, 2, 29, 0, 0), "Yesterday"],
    [new Date(2026, 2, 28, 23, 59), "Sat, 28 Mar 2026"],
    [new Date(2025, 2, 30, 12, 0), "Sun, 30 Mar 2025"],
  ])("%s is %s", (date, expected) => expect(day(date.getTime(), NOON)).toBe(expected));

  test("yesterday is a calendar day, also just after midnight when clocks have changed", () => {
    expect(day(new Date(2026, 2, 29, 0, 10).getTime(), new Date(2026, 2, 30, 0, 20).getTime())).toBe(
      "Yesterday",
    );
  });

  test("have 24 hours", () => {
    const late = new Date(2026, 2, 30, 0, 5).getTime();
    expect(clock(late)).toBe("00:05");
    expect(moment(late)).toBe("Mon, 30 Mar 2026, 00:05");
  });
});

test("within a sentence today and yesterday are small words", () => {
  const now = new Date(2026, 10, 22, 10, 0).getTime();
  expect(lately(new Date(2026, 10, 22, 9, 41).getTime(), now)).toBe("today 09:41");
  expect(lately(new Date(2026, 10, 21, 22, 14).getTime(), now)).toBe("yesterday 22:14");
  expect(lately(new Date(2026, 10, 20, 20, 40).getTime(), now)).toMatch(/^Fri.* 20:40$/);
});

test("in a narrow column the year stands where it is another, and the date where it is not today", () => {
  const now = new Date(2026, 10, 22, 10, 0).getTime();
  expect(shortly(new Date(2026, 10, 22, 9, 41).getTime(), now)).toBe("09:41");
  expect(shortly(new Date(2026, 10, 21, 22, 14).getTime(), now)).toBe("21 Nov, 22:14");
  expect(shortly(new Date(2025, 10, 22, 9, 41).getTime(), now)).toBe("22 Nov 2025");
});
