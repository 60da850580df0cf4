/** Says which model embedded the notes of two rankings, both if they differ; null if neither is known. */
export function modelsSaid(a: string | null, b: string | null): string | null {
  if (a !== null && b !== null && a !== b)
    return `notes embedded by different models: for A by ${a}, for B by ${b}`;
  const model = a ?? b;
  return model === null ? null : `notes embedded by ${model}`;
}
