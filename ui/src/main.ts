import "./shared/language";
import { mount } from "svelte";
import { tauriBackend } from "./api/backend";
import App from "./App.svelte";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/inter/wght-italic.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "@fontsource-variable/jetbrains-mono/wght-italic.css";
import "./styles/tokens.css";
import "./styles/app.css";
import { Workspace, workspaceContext } from "./workspace.svelte";

const target = document.getElementById("app");
if (target === null) throw new Error("index.html has no element #app");
mount(App, { target, context: workspaceContext(new Workspace(tauriBackend())) });
