import { randomInt } from 'node:crypto'

const WIDTH = 120
const HEIGHT = 40
const LENGTH = 4
/** Excludes characters that look alike. */
const CHARACTERS = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789'

type Point = readonly [x: number, y: number]
type Outline = readonly Point[]
/** Type of `svg-captcha`, whose own types do not declare that the module is callable. */
export type CaptchaDrawer = (
  text: string,
  options: { noise: number; color: boolean; width: number; height: number },
) => string

/** Returns a function that draws a text as a captcha. `draw` returns one SVG path for each character in order. */
export function createCaptchaPainter(draw: CaptchaDrawer) {
  const text = Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('')
  const plain = draw(text, { noise: 0, color: false, width: WIDTH, height: HEIGHT })
  return { text, svg: disguise(plain) }
}

/**
 * Redraws the characters so that path commands reveal nothing. A random number of short lines replaces each curve, and
 * each character is distorted individually. All outlines form one path in random order with added strokes and specks.
 */
function disguise(svg: string): string {
  const glyphs = [...svg.matchAll(/<path[^>]*\sd="([^"]+)"/g)].map(([, d = '']) => outlinesOf(d).map(subdivide))
  const characters = glyphs.flatMap((outlines) => outlines.map(warp()))
  const noise = [...Array.from({ length: between(2, 3) }, stroke), ...Array.from({ length: between(10, 30) }, speck)]
  const data = shuffled([...characters, ...noise])
    .map((outline) => `M${outline.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`)
    .join('')
  const colour = `hsl(${between(0, 360)} ${between(50, 75)}% ${between(30, 45)}%)`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    // The colour inverts where a stroke crosses a character, so that outlines cannot be filtered.
    `<path fill="${colour}" fill-rule="evenodd" d="${data}"/></svg>`,
  ].join('')
}

/** Parses path data of M, L, Q and Z with absolute coordinates into closed outlines. Curves become points. */
function outlinesOf(data: string): Outline[] {
  const outlines: Point[][] = []
  for (const [, command = '', given = ''] of data.matchAll(/([MLQZ])([^MLQZ]*)/g)) {
    const numbers = (given.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
    if (command === 'M') outlines.push([])
    const outline = outlines.at(-1) ?? []
    if (command === 'Q') outline.push(...curve(outline.at(-1) ?? [0, 0], numbers))
    else if (command !== 'Z') outline.push([numbers[0] ?? 0, numbers[1] ?? 0])
  }
  return outlines.filter((outline) => outline.length > 2)
}

function curve([x0, y0]: Point, [x1 = 0, y1 = 0, x2 = 0, y2 = 0]: number[]): Point[] {
  const steps = between(2, 6)
  return Array.from({ length: steps }, (_, at) => {
    const t = (at + 1) / steps
    const s = 1 - t
    return [s * s * x0 + 2 * s * t * x1 + t * t * x2, s * s * y0 + 2 * s * t * y1 + t * t * y2]
  })
}

/** Adds a random number of slightly displaced points to each side. */
function subdivide(outline: Outline): Outline {
  return outline.flatMap((from, at) => {
    const to = outline[(at + 1) % outline.length] ?? from
    const pieces = between(1, 4)
    return Array.from({ length: pieces }, (_, piece): Point => {
      const t = piece / pieces
      return [from[0] + (to[0] - from[0]) * t + offset(0.25), from[1] + (to[1] - from[1]) * t + offset(0.25)]
    })
  })
}

/** Returns a random distortion for the outlines of one character: a slant and a wave in each direction. */
function warp(): (outline: Outline) => Outline {
  const [phase, height, lean] = [offset(Math.PI), 1 + offset(0.8), offset(0.12)]
  return (outline) =>
    outline.map(([x, y]) => [
      x + lean * (y - HEIGHT / 2) + Math.sin(y / 6 + phase) * 0.7,
      y + Math.sin(x / 9 + phase) * height,
    ])
}

/** Returns the outline of a stroke across the picture. */
function stroke(): Outline {
  const [left, right, bow, phase, width] = [between(4, 36), between(4, 36), offset(8), offset(3), 1 + offset(0.4)]
  const points = between(8, 16)
  const middle = Array.from({ length: points }, (_, at): Point => {
    const t = at / (points - 1)
    return [t * WIDTH, left + (right - left) * t + Math.sin(t * 5 + phase) * bow]
  })
  return [...middle, ...middle.toReversed().map(([x, y]): Point => [x + offset(0.2), y + width])]
}

/** Returns the outline of a small shape at a random position. */
function speck(): Outline {
  const [x, y] = [Math.random() * WIDTH, Math.random() * HEIGHT]
  return Array.from({ length: between(3, 12) }, (): Point => [x + offset(1.2), y + offset(1.2)])
}

const between = (least: number, most: number) => randomInt(least, most + 1)
const offset = (most: number) => (Math.random() * 2 - 1) * most

function shuffled<T>(list: readonly T[]): T[] {
  const mixed = [...list]
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1)
    ;[mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T]
  }
  return mixed
}
