import axe from "axe-core";

/** Returns what axe finds wrong, one line each. Contrast needs real layout, so the real window is asked for that. */
export async function violations(root: Element): Promise<string[]> {
  const results = await axe.run(root, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)}`),
  );
}
