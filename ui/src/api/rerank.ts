// Stands for what the generated bindings do not have yet of the rerank stage; goes when they do.
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Columns, Params } from "./bindings";

export type RerankText = { slot: number; text: string; cut: boolean; sent: boolean };
export type HeatWord = { start: number; end: number; weight: number; word: string };
export type RerankHeat = { words: HeatWord[] };
export type RerankCall = {
  at_ms: number;
  provider: string;
  model: string;
  n_docs: number;
  max_chars: number;
  ms: number;
  n_tokens: number | null;
  ok: boolean;
};
export type KeyPlace = "keyring" | "environment" | "none" | "unavailable" | "not_asked" | "unusable";
export type RerankHttp = {
  kind: string;
  url: string;
  model: string | null;
  key_env: string | null;
  is_on: boolean;
  shape: string | null;
  timeout_ms: number | null;
  host: string;
  is_remote: boolean;
  key: KeyPlace;
};
export type RerankHttpChoice = Omit<RerankHttp, "host" | "is_remote" | "key">;
export type RerankModel = { name: string | null; folder: string | null };
export type RerankKind = {
  kind: string;
  label: string;
  url: string;
  model: string | null;
  needs_key: boolean;
  price_per_thousand: number | null;
  price_per_million_tokens: number | null;
};
export type RerankModelOffer = {
  name: string;
  label: string;
  megabytes: number;
  licence: string;
  is_there: boolean;
};
export type RerankSettings = {
  http: RerankHttp | null;
  model: RerankModel | null;
  hook: string[] | null;
  kinds: RerankKind[];
  models: RerankModelOffer[];
};
export type RerankTest = {
  ms: number;
  scores: number[];
  model: string;
  scale: "unit" | "logit";
  host: string;
};
export type Download = {
  name: string;
  done_bytes: number;
  total_bytes: number;
  error: string | null;
  finished: boolean;
};

export const rerankCommands = {
  rerank: (search: number, params: Params) => invoke<Columns>("rerank", { search, params }),
  cancelRerank: () => invoke<null>("cancel_rerank"),
  rerankPreview: (search: number, params: Params, slots: number[]) =>
    invoke<RerankText[]>("rerank_preview", { search, params, slots }),
  rerankHeat: (search: number, params: Params, slot: number) =>
    invoke<RerankHeat>("rerank_heat", { search, params, slot }),
  rerankCalls: () => invoke<RerankCall[]>("rerank_calls"),
  rerankSettings: () => invoke<RerankSettings>("rerank_settings"),
  setRerankHttp: (http: RerankHttpChoice, key: string | null) =>
    invoke<RerankSettings>("set_rerank_http", { http, key }),
  rerankHttpOff: () => invoke<RerankSettings>("rerank_http_off"),
  testRerankHttp: () => invoke<RerankTest>("test_rerank_http"),
  setRerankModel: (model: RerankModel | null) => invoke<RerankSettings>("set_rerank_model", { model }),
  downloadRerankModel: (name: string) => invoke<null>("download_rerank_model", { name }),
  cancelDownload: () => invoke<null>("cancel_download"),
  setHook: (command: string[] | null) => invoke<RerankSettings>("set_hook", { command }),
};

export const rerankEvents = {
  download: {
    listen: (listener: (event: { payload: Download }) => void) => listen<Download>("download", listener),
  },
};
