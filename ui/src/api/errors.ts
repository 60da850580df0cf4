import type { ErrorInfo } from "./bindings";

function isErrorInfo(error: unknown): error is ErrorInfo {
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}

/** Turns whatever a call was rejected with into an `ErrorInfo`; a refusal by Tauri itself is a plain string. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (isErrorInfo(error)) return error;
  return { code: "unexpected", message: error instanceof Error ? error.message : String(error) };
}
