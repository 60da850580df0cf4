// The sections of the settings, in their order; each is named by the id of its heading.
export const SECTIONS: readonly { name: string; sections: readonly { id: string; label: string }[] }[] = [
  {
    name: "Notes",
    sections: [
      { id: "settings-folders", label: "Folders" },
      { id: "settings-agents", label: "Agents" },
      { id: "settings-past", label: "Past questions" },
      { id: "settings-evergreen", label: "Evergreen" },
      { id: "settings-oppositions", label: "Opposite words" },
      { id: "settings-second-opinion", label: "Second opinion" },
    ],
  },
  {
    name: "Ranking",
    sections: [
      { id: "settings-embedding", label: "Embedding" },
      { id: "settings-rerank", label: "Rerank" },
      { id: "settings-hook", label: "Hook" },
      { id: "settings-serve", label: "Serve" },
    ],
  },
  {
    name: "Window",
    sections: [
      { id: "settings-theme", label: "Appearance" },
      { id: "settings-editor", label: "Editor" },
      { id: "settings-keys", label: "Keyboard shortcuts" },
    ],
  },
  {
    name: "Memlens",
    sections: [
      { id: "settings-data", label: "What Memlens stores" },
      { id: "settings-version", label: "Version" },
    ],
  },
];
