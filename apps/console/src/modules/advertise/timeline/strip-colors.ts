/** Colours of other programs in the strip. They are distinguishable in both themes. */
const COLORS = [
  '#5b8ff9',
  '#5ad8a6',
  '#f6bd16',
  '#e8684a',
  '#6dc8ec',
  '#9270ca',
  '#ff9d4d',
  '#269a99',
  '#ff99c3',
  '#7d8ca3',
]

/** Returns the colour of a program. Equal ids always have the same colour. */
export const getProgramColor = (programId: number): string => COLORS[programId % COLORS.length] ?? '#5b8ff9'
