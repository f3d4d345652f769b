export interface Point {
  readonly at: string
  readonly value: number | null
}

/** The next 1, 2 or 5 with zeros behind it: what an axis ends with. */
export function roundTop(value: number) {
  if (value <= 5) return 5
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= value) ?? value
}

/** A line within 100 × 100, in pieces where nothing was measured, and the area below each piece. */
export function lineOf(points: readonly Point[], top: number) {
  const x = (i: number) => (points.length > 1 ? (i / (points.length - 1)) * 100 : 50)
  const y = (value: number) => 100 - (value / top) * 100
  const pieces: [number, number][][] = []
  let open = false
  for (const [i, { value }] of points.entries()) {
    if (value === null) open = false
    else if (open) pieces.at(-1)?.push([x(i), y(value)])
    else {
      pieces.push([[x(i), y(value)]])
      open = true
    }
  }
  const path = (piece: [number, number][]) => piece.map(([px, py]) => `${px.toFixed(2)} ${py.toFixed(2)}`).join('L')
  return pieces.map((piece) => ({
    // A single point is drawn as a short stroke, or nobody would see it.
    line: piece.length === 1 ? `M${path(piece)}h0.01` : `M${path(piece)}`,
    isDot: piece.length === 1,
    area: `M${path(piece)}L${piece.at(-1)?.[0].toFixed(2)} 100L${piece[0]?.[0].toFixed(2)} 100Z`,
  }))
}
