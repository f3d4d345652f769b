/** Returns the options of a closed set: numbers with their Chinese names, as the contract declares them. */
export const buildLabelOptions = (labels: Readonly<Record<number, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value: Number(value), label }))
