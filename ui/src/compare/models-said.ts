/** Says which model embedded the notes of two rankings, both if they differ; null if neither is known. */
export function modelsSaid(a: string | null, b: string | null): string | null {
  if (a === null && b === null) return null;
  if (a === b) return `notes embedded by ${a}`;
  if (a === null) return `notes embedded for B by ${b}; the model for A is not known`;
  if (b === null) return `notes embedded for A by ${a}; the model for B is not known`;
  return `notes embedded by different models: for A by ${a}, for B by ${b}`;
}
