// What is said more than once: the list, an opened statement, and the limits that are tried.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { chooseOption } from "../../tests/choose-option";
import { violations } from "../../tests/axe";
import { CLUSTERS } from "../../tests/fake/repeats";
import { LibraryBackend } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { exactLimit, joinedAt, limitText, stepAt } from "./limits";

layOut();

async function open(
  prepare: (backend: LibraryBackend) => void = (backend) => void backend.aggregate({} as never, null),
) {
  const backend = new LibraryBackend();
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await screen.findByRole("treeitem", { name: /^people/ });
  await user.click(screen.getByRole("button", { name: "Said more than once…" }));
  const dialog = await screen.findByRole("dialog", { name: "Said more than once" });
  return { backend, workspace, user, dialog, list: within(dialog) };
}

const PORT = { name: /^×3 The push relay listens on 8093\./ };

describe("the list", () => {
  test("has a line for each statement, with how often, when and by whom it is said", async () => {
    const { backend, user, dialog, list } = await open(() => {});
    expect(await list.findByText(/412 observations not compared yet/)).toBeInTheDocument();
    await user.click(list.getByRole("button", { name: "Compare now" }));
    expect(await list.findByText(/2 statements in 5 of 412 observations, found in 31/)).toBeInTheDocument();
    expect(list.getByText(/38 lines are left out as boilerplate/)).toBeInTheDocument();
    expect(list.getByRole("button", { name: "Compare now" })).toBeDisabled();
    const [first, second] = list.getAllByRole("listitem");
    expect(first).toHaveTextContent(/^×3.*2026-01-05 to 2026-03-09, 1 without a date.*helper, iris, otto$/);
    expect(second).toHaveTextContent(/^×2.*no date.*helper$/);
    expect(dialog).not.toHaveTextContent(/SimHash bits apart/);
    expect(backend.calls.findLast(({ name }) => name === "aggregate")).toBeDefined();
    expect(await violations(dialog)).toEqual([]);
  });

  test("of one folder is asked for", async () => {
    const { backend, user, list } = await open();
    const [, folder] = (await backend.state()).folders;
    await chooseOption(user, await list.findByRole("combobox", { name: "Folder" }), folder?.name ?? "");
    await waitFor(() =>
      expect(backend.calls.findLast(({ name }) => name === "clusters")?.args[1]).toBe(folder?.id),
    );
  });

  test("follows the limit that is tried, which ranks only if the user says so", async () => {
    const { backend, workspace, user, list } = await open();
    const slider = await list.findByRole("slider", { name: "Limit by word fingerprints" });
    expect(slider).toHaveAttribute(
      "aria-valuetext",
      "their word fingerprints are at least 95 % alike: 5 observations",
    );
    const tried = () => backend.calls.findLast(({ name }) => name === "clusters")?.args[0];
    await fireEvent.input(slider, { target: { value: "7" } });
    await waitFor(() => expect(tried()).toMatchObject({ simhash_distance: 7 }));
    expect(workspace.parameters.committed.simhash_distance).toBe(3);
    expect(
      await list.findByText("9 observations if their word fingerprints are at least 89 % alike"),
    ).toHaveAttribute("data-exact", "at most 7 bits of 64 apart");
    await user.click(list.getByRole("button", { name: "Back to your limit" }));
    await waitFor(() => expect(tried()).toMatchObject({ simhash_distance: 3 }));
    expect(list.queryByRole("button", { name: "Use in ranking" })).toBeNull();

    await chooseOption(user, list.getByRole("combobox", { name: "Compare by" }), "shared words");
    await fireEvent.input(list.getByRole("slider", { name: "Limit by shared words" }), {
      target: { value: "25" },
    });
    await waitFor(() => expect(tried()).toMatchObject({ agreement_measure: "words", word_overlap: 0.75 }));
    await user.click(list.getByRole("button", { name: "Use in ranking" }));
    expect(workspace.parameters.committed).toMatchObject({ agreement_measure: "words", word_overlap: 0.75 });
    expect(list.queryByRole("button", { name: "Use in ranking" })).toBeNull();
  });

  test("says that nothing is said twice, and why a pass failed", async () => {
    const { backend, user, list } = await open((backend) => {
      backend.found = { ...CLUSTERS, clusters: [], n_clusters: 0, corroborated_count: 0 };
    });
    const compare = list.getByRole("button", { name: "Compare now" });
    backend.failing.aggregate = { code: "error", message: "cannot read the observations: disk gone" };
    await user.click(compare);
    expect(await list.findByText(/Cannot read the observations: disk gone/)).toBeInTheDocument();
    backend.failing = {};
    await user.click(compare);
    expect(
      await list.findByText(/^No two of 412 observations say the same, found in 31/),
    ).toBeInTheDocument();
  });
});

describe("an opened statement", () => {
  test("has its members with differing words, days and both distances", async () => {
    const { user, dialog, list } = await open();
    await user.click(await list.findByRole("button", PORT));
    await waitFor(() => expect(list.getByRole("button", { name: "All statements" })).toHaveFocus());
    const [first, , farthest] = await list.findAllByRole("listitem");
    expect(first).toHaveTextContent(/^The push relay listens on 8093\..*2026-03-09$/);
    expect(farthest?.querySelector("mark")).toHaveTextContent(/^still$/);
    expect(farthest).toHaveTextContent(
      /without port.*group-rooms\.md.*:4.*otto.*85 % of words shared, fingerprints 95 % alike/,
    );
    expect(list.getAllByRole("slider")).toHaveLength(2);
    expect(list.getByText(/^3 times, by 3 sources\./)).toBeInTheDocument();
    expect(await violations(dialog)).toEqual([]);
  });

  test("follows either slider, and is kept where it is said once", async () => {
    const { backend, user, list } = await open();
    await user.click(await list.findByRole("button", PORT));
    await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(3));
    const bits = list.getByRole("slider", { name: "Limit by word fingerprints" });
    await fireEvent.input(bits, { target: { value: "2" } });
    await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(2));
    await fireEvent.input(list.getByRole("slider", { name: "Limit by shared words" }), {
      target: { value: "50" },
    });
    await waitFor(() =>
      expect(backend.calls.findLast(({ name }) => name === "openedCluster")?.args[0]).toMatchObject({
        agreement_measure: "words",
        word_overlap: 0.5,
      }),
    );
  });

  test("leads back to its line in the list, and to the note", async () => {
    const { user, list } = await open();
    await user.click(await list.findByRole("button", PORT));
    await user.click(await list.findByRole("button", { name: "All statements" }));
    await waitFor(() => expect(list.getByRole("button", PORT)).toHaveFocus());
    await user.click(list.getByRole("button", PORT));
    await user.click(await list.findByRole("button", { name: /^The push relay listens on 8093\./ }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(
      await screen.findByRole("region", { name: "Text of reference/home-server.md" }),
    ).toBeInTheDocument();
  });

  test("says so if its text is in no note any more, and why it cannot be read", async () => {
    const { backend, user, list } = await open();
    const line = await list.findByRole("button", PORT);
    backend.found = { ...CLUSTERS, clusters: [] };
    await user.click(line);
    expect(await list.findByText("No note holds this statement any more.")).toBeInTheDocument();
    await user.click(list.getByRole("button", { name: "All statements" }));
    backend.found = CLUSTERS;
    backend.changeState({ clustering: 7 });
    backend.failing.openedCluster = { code: "error", message: "cannot read the observations: disk gone" };
    await user.click(await list.findByRole("button", PORT));
    expect(await list.findByText(/Cannot read the observations: disk gone/)).toBeInTheDocument();
  });
});

describe("a limit", () => {
  test("is the last step that asks no less", () => {
    const words = [1, 0.9, 0.8].map((limit, n) => ({ limit, n }));
    expect([1, 0.95, 0.9, 0.8, 0.5].map((limit) => stepAt(words, "words", limit))).toEqual([0, 0, 1, 2, 2]);
    const bits = [0, 1, 2].map((limit, n) => ({ limit, n }));
    expect([0, 1, 7].map((limit) => stepAt(bits, "simhash", limit))).toEqual([0, 1, 2]);
  });

  test("joins what the step before did not have", () => {
    const steps = [2, 2, 5].map((n, limit) => ({ limit, n }));
    expect(joinedAt(steps, 1)).toEqual([1, 0, 3]);
    expect(joinedAt([], 1)).toEqual([]);
  });

  test("is worded without a claim beyond it", () => {
    expect(limitText("words", 1)).toBe("they have the same words");
    expect(limitText("words", 0.6)).toBe("at least 60 % of their words are in both");
    expect(limitText("simhash", 0)).toBe("their word fingerprints are equal");
    expect(limitText("simhash", 3)).toBe("their word fingerprints are at least 95 % alike");
    // Each limit is another share.
    const said = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => limitText("simhash", bits));
    expect(new Set(said).size).toBe(said.length);
    expect(exactLimit("simhash", 1)).toBe("at most 1 bit of 64 apart");
    expect(exactLimit("words", 0.6)).toBe("at least 0.6 of the words in both");
  });
});
