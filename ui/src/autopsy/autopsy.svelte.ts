import type { Backend } from "../api/backend";
import type { AskingSession, Autopsy, AutopsyQuestion, ErrorInfo, PastAgent, PastRow } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { type FactChoice, WorthAsking } from "./worth-asking.svelte";

/** What is known when the dialog opens. */
export type About = {
  /** Words, or a line of a note as `path:line`; if given, it is asked about at once. */
  fact?: string;
  /** The agent's id. */
  agent?: string | null;
  /** When it should have known: what it asked then. */
  row?: PastRow | null;
};

/** When the agent should have known: now, in a session, or at a moment that belongs to none. */
export type When = { kind: "now" } | { kind: "session"; session: string } | { kind: "moment"; atMs: number };

const NOW: When = { kind: "now" };

type Calls = Pick<Backend, "autopsy" | "autopsyChoices" | "pastQuestions" | "thenNow">;

/** "Why did my agent forget…?": the fact, its agent and time, and where it was lost. One dialog per window. */
export class AutopsyController {
  /** What is worth asking before a fact is known. */
  readonly worth: WorthAsking;
  readonly #backend: Calls;
  readonly #asking: Call<[question: AutopsyQuestion], { question: AutopsyQuestion; autopsy: Autopsy }>;
  #isOpen = $state(false);
  #fact = $state("");
  #agent = $state<string | null>(null);
  #when = $state.raw<When>(NOW);
  /** The moment that the dialog was opened for, to choose it again. */
  #moment = $state<number | null>(null);
  #agents = $state.raw<readonly PastAgent[]>([]);
  #sessions = $state.raw<readonly AskingSession[]>([]);

  constructor(backend: Calls) {
    this.#backend = backend;
    this.worth = new WorthAsking(backend);
    // What is no longer asked is not shown beside the error.
    this.#asking = new Call(
      async (question) => ({ question, autopsy: await backend.autopsy(question) }),
      "drop",
    );
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get fact(): string {
    return this.#fact;
  }

  set fact(fact: string) {
    this.#fact = fact;
  }

  /** The agent's id; null for whichever asked. */
  get agent(): string | null {
    return this.#agent;
  }

  get when(): When {
    return this.#when;
  }

  /** A time outside any session that can be chosen; null if there is none. */
  get moment(): number | null {
    return this.#moment;
  }

  /** The agents that asked something. */
  get agents(): readonly PastAgent[] {
    return this.#agents;
  }

  /** The sessions of the chosen agent, the newest first. */
  get sessions(): readonly AskingSession[] {
    return this.#sessions;
  }

  /** Result of the autopsy, and its exact question; null before an answer. */
  get answer(): { question: AutopsyQuestion; autopsy: Autopsy } | null {
    return this.#asking.data;
  }

  get error(): ErrorInfo | null {
    return this.#asking.error;
  }

  get isAsking(): boolean {
    return this.#asking.isRunning;
  }

  open({ fact = "", agent = null, row = null }: About = {}): void {
    this.#fact = fact;
    this.#agent = agent;
    this.#limitTo(row);
    this.#asking.reset();
    if (fact === "") this.worth.start(row);
    else this.worth.drop();
    this.#isOpen = true;
    void this.#readChoices();
    void this.ask();
  }

  close(): void {
    this.#isOpen = false;
    this.#asking.drop();
    this.worth.drop();
  }

  /** Limits the autopsy to the agent and the time of a question, and looks for notes that it should have found. */
  chooseQuestion(row: PastRow): void {
    this.#limitTo(row);
    void this.#readChoices();
    this.worth.choose(row);
  }

  /** Asks about a note that is offered for the chosen question. */
  async chooseFact({ fact }: FactChoice): Promise<void> {
    this.#fact = fact;
    await this.ask();
  }

  /** Back to the questions, of all agents and times. */
  chooseAnother(): void {
    this.#agent = null;
    this.#limitTo(null);
    void this.#readChoices();
    this.worth.back();
  }

  chooseAgent(agent: string | null): void {
    this.#agent = agent;
    // A session is one agent's, and so is a question.
    this.#when = NOW;
    if (this.worth.chosen !== null) this.worth.back();
    void this.#readChoices();
    void this.ask();
  }

  chooseWhen(when: When): void {
    this.#when = when;
    void this.ask();
  }

  /** Starts the autopsy; the newest answer wins. */
  async ask(): Promise<void> {
    const fact = this.#fact.trim();
    if (fact === "") return;
    const when = this.#when;
    const question: AutopsyQuestion = {
      fact,
      agent: this.#agent,
      session: when.kind === "session" ? when.session : null,
      at_ms: when.kind === "moment" ? when.atMs : null,
    };
    this.#asking.dismissError();
    await this.#asking.run(question);
  }

  /** Takes agent and time of a question; without one the time is now, and the agent stays. */
  #limitTo(row: PastRow | null): void {
    this.#agent = row?.agent ?? this.#agent;
    this.#moment = row === null || row.session !== "" ? null : row.at_ms;
    this.#when = NOW;
    if (row !== null && row.session !== "") this.#when = { kind: "session", session: row.session };
    else if (this.#moment !== null) this.#when = { kind: "moment", atMs: this.#moment };
  }

  async #readChoices(): Promise<void> {
    const agent = this.#agent;
    try {
      const { agents, sessions } = await this.#backend.autopsyChoices(agent);
      if (agent !== this.#agent) return;
      this.#agents = agents;
      this.#sessions = sessions;
    } catch {
      // Without them the dialog asks about whichever agent asked, and now.
    }
  }
}
