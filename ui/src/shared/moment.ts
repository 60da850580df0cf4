/** Lets the window draw and answer between two pieces of long work. */
export function aMoment(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}
