/** The time between two looks at how far something is. */
const LOOK_MS = 300;

/** Looks how far something is until the returned function is called. Without an answer the work goes on all the same. */
export function looks<Found>(look: () => Promise<Found>, take: (found: Found) => void): () => void {
  let isOver = false;
  const timer = setInterval(() => {
    look().then(
      (found) => {
        if (!isOver) take(found);
      },
      () => undefined,
    );
  }, LOOK_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
