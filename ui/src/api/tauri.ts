import { toErrorInfo } from "./errors";
import type { Backend } from "./backend";
import { commands, events } from "./bindings";

/** Whatever a command rejects with becomes an `ErrorInfo`. */
async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toErrorInfo(error);
  }
}

/** Makes stopping possible also before the listener stands. */
function stopper(stop: Promise<() => void>): () => void {
  return () => void stop.then((unlisten) => unlisten());
}

/** The engine behind the window, reached by Tauri's commands and events. */
export const tauriBackend: Backend = {
  state: () => told(commands.state()),
  search: (query, ranking, scope) => told(commands.search(query, ranking, scope)),
  emulationProgress: () => told(commands.emulationProgress()),
  stopEmulation: async () => void (await told(commands.stopEmulation())),
  rank: (search, ranking) => told(commands.rank(search, ranking)),
  rerank: (search, params) => told(commands.rerank(search, params)),
  cancelRerank: async () => void (await told(commands.cancelRerank())),
  rerankPreview: (search, params, slots) => told(commands.rerankPreview(search, params, slots)),
  rerankHeat: (search, params, slot) => told(commands.rerankHeat(search, params, slot)),
  rerankCalls: () => told(commands.rerankCalls()),
  rerankSettings: () => told(commands.rerankSettings()),
  setRerankHttp: (http, key) => told(commands.setRerankHttp(http, key)),
  rerankHttpOff: () => told(commands.rerankHttpOff()),
  testRerankHttp: () => told(commands.testRerankHttp()),
  setRerankModel: (model) => told(commands.setRerankModel(model)),
  downloadRerankModel: async (name) => void (await told(commands.downloadRerankModel(name))),
  cancelDownload: async () => void (await told(commands.cancelDownload())),
  setHook: (command) => told(commands.setHook(command)),
  pipelines: () => told(commands.pipelines()),
  compare: (query, a, b, scope) => told(commands.compare(query, a, b, scope)),
  chooseQueries: () => told(commands.chooseQueries()),
  compareQueries: (a, b) => told(commands.compareQueries(a, b)),
  compareProgress: () => told(commands.compareProgress()),
  stopCompare: async () => void (await told(commands.stopCompare())),
  agents: () => told(commands.agents()),
  agentsLoaded: () => told(commands.agentsLoaded()),
  addAgent: (id) => told(commands.addAgent(id)),
  journey: (search, ranking, slot) => told(commands.journey(search, ranking, slot)),
  snippets: (search, slots) => told(commands.snippets(search, slots)),
  whyNot: (search, ranking, folder, path, line, chunk) =>
    told(commands.whyNot(search, ranking, folder, path, line, chunk)),
  thumbs: (search) => told(commands.thumbs(search)),
  vote: (search, slot, up) => told(commands.vote(search, slot, up)),
  feedback: () => told(commands.feedback()),
  feedbackUndo: (id) => told(commands.feedbackUndo(id)),
  feedbackSave: () => told(commands.feedbackSave()),
  feedbackOpen: () => told(commands.feedbackOpen()),
  clusters: (params) => told(commands.clusters(params)),
  aggregate: (params) => told(commands.aggregate(params)),
  tree: () => told(commands.tree()),
  setEvergreen: (folder, path, isEvergreen) => told(commands.setEvergreen(folder, path, isEvergreen)),
  document: (folder, path) => told(commands.document(folder, path)),
  pickFolder: () => told(commands.pickFolder()),
  addFolder: (path) => told(commands.addFolder(path)),
  removeFolder: (folder) => told(commands.removeFolder(folder)),
  pauseFolder: (folder, paused) => told(commands.pauseFolder(folder, paused)),
  pauseIndexing: (paused) => told(commands.pauseIndexing(paused)),
  problems: () => told(commands.problems()),
  activity: () => told(commands.activity()),
  // The system's opener cannot be told a line.
  openInEditor: async (folder, path) => void (await told(commands.openInEditor(folder, path))),
  dataSize: () => told(commands.dataSize()),
  showLibrary: async () => void (await told(commands.showLibrary())),
  eraseAll: () => told(commands.eraseAll()),
  openLink: (address) => told(commands.openLink(address)),
  exportText: (params) => told(commands.exportText(params)),
  exportSave: (params) => told(commands.exportSave(params)),
  exportTargets: () => told(commands.exportTargets()),
  exportFor: (ranking, target, agent) => told(commands.exportFor(ranking, target, agent)),
  exportFragment: (id) => told(commands.exportFragment(id)),
  exportWrite: (id) => told(commands.exportWrite(id)),
  nearestSetting: (ranking, target) => told(commands.nearestSetting(ranking, target)),
  pickConfig: (target) => told(commands.pickConfig(target)),
  agentConfig: (target, agent) => told(commands.agentConfig(target, agent)),
  presetOpen: () => told(commands.presetOpen()),
  presetRead: (path) => told(commands.presetRead(path)),
  presets: () => told(commands.presets()),
  presetSave: (name, params) => told(commands.presetSave(name, params)),
  presetDelete: (name) => told(commands.presetDelete(name)),
  recallLogs: () => told(commands.recallLogs()),
  importRecall: () => told(commands.importRecall()),
  recallProgress: () => told(commands.recallProgress()),
  stopRecall: async () => void (await told(commands.stopRecall())),
  forgetRecall: async () => void (await told(commands.forgetRecall())),
  setRecall: (change) => told(commands.setRecall(change)),
  pastQuestions: (filter, page) => told(commands.pastQuestions(filter, page)),
  completePast: (text) => told(commands.completePast(text)),
  thenNow: (id, by) => told(commands.thenNow(id, by)),
  replayPast: (by) => told(commands.replayPast(by)),
  replayProgress: () => told(commands.replayProgress()),
  stopReplay: async () => void (await told(commands.stopReplay())),
  autopsy: (question) => told(commands.autopsy(question)),
  autopsyChoices: (agent) => told(commands.autopsyChoices(agent)),
  traceMarkdown: (search, ranking, preset, withText) =>
    told(commands.traceMarkdown(search, ranking, preset, withText)),
  pastMarkdown: (id, by, withText) => told(commands.pastMarkdown(id, by, withText)),
  autopsyMarkdown: (question, withText) => told(commands.autopsyMarkdown(question, withText)),
  savePastQueries: () => told(commands.savePastQueries()),
  startQuery: () => told(commands.startQuery()),
  onState: (listener) => stopper(events.stateChanged.listen(({ payload }) => listener(payload))),
  onDownload: (listener) => stopper(events.download.listen(({ payload }) => listener(payload))),
  onLost: (listener) => stopper(events.answersLost.listen(({ payload }) => listener(payload))),
  onActivity: (listener) => stopper(events.activityHappened.listen(({ payload }) => listener(payload))),
};
