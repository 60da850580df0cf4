import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

/** The folders of `src/`, each over those before it: what a folder needs stands to its left, so that no two need each other. */
const FOLDERS = [
  ...[
    "api",
    "shared",
    "parts",
    "library",
    "agents",
    "feedback",
    "rerank",
    "parameters",
    "presets",
    "why-not",
  ],
  ...[
    ...[
      "sets",
      "search",
      "tune",
      "drift",
      "repeats",
      "overview",
      "map",
      "note",
      "memory",
      "export",
      "compare",
      "autopsy",
    ],
    ...["past", "first-run", "serve", "settings", "palette"],
  ],
];

export default ts.config(
  // Generated files are as their generator writes them.
  { ignores: ["dist/", "node_modules/", "src/api/bindings.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: globals.browser } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig } },
  },
  {
    rules: {
      // TypeScript knows every name; this rule does not know its types.
      "no-undef": "off",
      eqeqeq: "error",
      "no-console": "error",
      // State is $state.raw and replaced whole; a plain Map or Set is what is meant.
      "svelte/prefer-svelte-reactivity": "off",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  // Tests may open the whole window.
  ...FOLDERS.map((folder, at) => ({
    files: [`src/${folder}/**`],
    ignores: ["**/*.test.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: FOLDERS.slice(at + 1).map((later) => `../${later}/*`),
              message: `What ${folder}/ needs must not need ${folder}/: see FOLDERS in eslint.config.js.`,
            },
          ].filter(({ group }) => group.length > 0),
        },
      ],
    },
  })),
  {
    files: ["**/*.svelte"],
    rules: {
      // The window's content security policy refuses style attributes; style: directives set properties and are fine.
      "no-restricted-syntax": [
        "error",
        { selector: "SvelteAttribute[key.name='style']", message: "Use a class or a style: directive." },
      ],
      "svelte/no-at-html-tags": "error",
      "svelte/require-each-key": "error",
      "svelte/button-has-type": "error",
    },
  },
);
