import { toErrorInfo } from "./errors";
import type { Backend } from "./backend";
import { commands, events } from "./bindings";
import { KnownTrees } from "./trees";

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

/** Shared by all that show notes. */
const trees = new KnownTrees((known) => told(commands.tree(known)));

/** The engine behind the window, reached by Tauri's commands and events. */
export const tauriBackend: Backend = {
  state: () => told(commands.state()),
  search: (query, ranking, scope) => told(commands.search(query, ranking, scope)),
  emulationProgress: () => told(commands.emulationProgress()),
  autopsyProgress: () => told(commands.autopsyProgress()),
  stopAutopsy: async () => void (await told(commands.stopAutopsy())),
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
  testRerankHttp: (nTexts) => told(commands.testRerankHttp(nTexts)),
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
  alwaysLoaded: (agent) => told(commands.alwaysLoaded(agent)),
  alwaysText: (agent, path) => told(commands.alwaysText(agent, path)),
  addAgent: (id) => told(commands.addAgent(id)),
  journey: (search, ranking, slot) => told(commands.journey(search, ranking, slot)),
  snippets: (search, slots) => told(commands.snippets(search, slots)),
  whyNot: (search, ranking, folder, path, line, chunk) =>
    told(commands.whyNot(search, ranking, folder, path, line, chunk)),
  thumbs: (search) => told(commands.thumbs(search)),
  vote: (search, slot, up) => told(commands.vote(search, slot, up)),
  judgePlace: (query, place, up) => told(commands.judgePlace(query, place, up)),
  feedback: () => told(commands.feedback()),
  feedbackUndo: (id) => told(commands.feedbackUndo(id)),
  feedbackSave: () => told(commands.feedbackSave()),
  feedbackOpen: () => told(commands.feedbackOpen()),
  clusters: (params, folder) => told(commands.clusters(params, folder)),
  aggregate: (params, folder) => told(commands.aggregate(params, folder)),
  tree: () => trees.read(),
  unread: (folder, paths) => told(commands.unread(folder, paths)),
  exampleQuestions: () => told(commands.exampleQuestions()),
  savedQuestions: () => told(commands.savedQuestions()),
  saveQuestion: (question, saved) => told(commands.saveQuestion(question, saved)),
  setEvergreen: async (folder, path, isEvergreen) => {
    await told(commands.setEvergreen(folder, path, isEvergreen));
    return trees.read();
  },
  document: (folder, path) => told(commands.document(folder, path)),
  pickFolder: () => told(commands.pickFolder()),
  addFolder: (path) => told(commands.addFolder(path)),
  removeFolder: (folder) => told(commands.removeFolder(folder)),
  pauseFolder: (folder, paused) => told(commands.pauseFolder(folder, paused)),
  moveFolder: (folder, path) => told(commands.moveFolder(folder, path)),
  openAgain: () => told(commands.openAgain()),
  pauseIndexing: (paused) => told(commands.pauseIndexing(paused)),
  problems: () => told(commands.problems()),
  activity: () => told(commands.activity()),
  // The system's opener cannot be told a line.
  openInEditor: async (folder, path, line, editor) =>
    void (await told(commands.openInEditor(folder, path, line, editor))),
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
  openConfig: async (target, forExport, editor) =>
    void (await told(commands.openConfig(target, forExport, editor))),
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
  traceText: (search, ranking, preset, form, withText) =>
    told(commands.traceText(search, ranking, preset, form, withText)),
  saveTrace: (search, ranking, preset, form, withText) =>
    told(commands.saveTrace(search, ranking, preset, form, withText)),
  rowsCopied: (search, ranking, slots, asJson) => told(commands.rowsCopied(search, ranking, slots, asJson)),
  pastMarkdown: (id, by, withText) => told(commands.pastMarkdown(id, by, withText)),
  autopsyMarkdown: (question, withText) => told(commands.autopsyMarkdown(question, withText)),
  savePastQueries: () => told(commands.savePastQueries()),
  querySets: () => told(commands.querySets()),
  querySet: (set) => told(commands.querySet(set)),
  newQuerySet: (name, from) => told(commands.newQuerySet(name, from)),
  renameQuerySet: (set, name) => told(commands.renameQuerySet(set, name)),
  deleteQuerySet: async (set) => void (await told(commands.deleteQuerySet(set))),
  saveQuery: (set, query) => told(commands.saveQuery(set, query)),
  removeQueries: (set, ids) => told(commands.removeQueries(set, ids)),
  importQuerySet: () => told(commands.importQuerySet()),
  exportQuerySet: (set, format) => told(commands.exportQuerySet(set, format)),
  measureSet: (wish, pinned, metric) => told(commands.measureSet(wish, pinned, metric)),
  sensitivity: (wish, pinned, metric) => told(commands.sensitivity(wish, pinned, metric)),
  calibrate: (wish) => told(commands.calibrate(wish)),
  autoTune: (wish, request) => told(commands.autoTune(wish, request)),
  tuneProgress: () => told(commands.tuneProgress()),
  stopTuning: async () => void (await told(commands.stopTuning())),
  runs: () => told(commands.runs()),
  saveRun: (wish, name) => told(commands.saveRun(wish, name)),
  run: (id) => told(commands.run(id)),
  compareRuns: (a, b) => told(commands.compareRuns(a, b)),
  renameRun: (id, name) => told(commands.renameRun(id, name)),
  deleteRun: async (id) => void (await told(commands.deleteRun(id))),
  exportRun: (id) => told(commands.exportRun(id)),
  startQuery: () => told(commands.startQuery()),
  zoom: async (factor) => {
    await told(commands.zoom(factor));
  },
  onState: (listener) => stopper(events.stateChanged.listen(({ payload }) => listener(payload))),
  onDownload: (listener) => stopper(events.download.listen(({ payload }) => listener(payload))),
  onLost: (listener) => stopper(events.answersLost.listen(({ payload }) => listener(payload))),
  onActivity: (listener) => stopper(events.activityHappened.listen(({ payload }) => listener(payload))),
};
