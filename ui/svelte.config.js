import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** Read by Vite, svelte-check and ESLint alike. */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: ({ filename }) => (filename.includes("node_modules") ? undefined : true) },
};
