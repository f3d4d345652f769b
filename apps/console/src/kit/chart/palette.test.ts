import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Color = readonly number[]
const css = readFileSync(join(import.meta.dirname, 'palette.css'), 'utf8')
const THEMES = { light: { ground: '#ffffff', block: 0 }, dark: { ground: '#151b23', block: 1 } }
const colorsOf = (block: number) => [...css.split('}')[block]!.matchAll(/#[0-9a-f]{6}/g)].map(([hex]) => hex)

const linear = (hex: string): Color =>
  [1, 3, 5].map((from) => {
    const part = Number.parseInt(hex.slice(from, from + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
const times = (matrix: readonly Color[], color: Color) =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * color[at]!, 0))
const luminance = (hex: string) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0]!

const LMS = [
  [0.4122, 0.5363, 0.0514],
  [0.2119, 0.6807, 0.1074],
  [0.0883, 0.2817, 0.63],
]
const LAB = [
  [0.2105, 0.7936, -0.0041],
  [1.978, -2.4286, 0.4506],
  [0.0259, 0.7828, -0.8087],
]
const oklab = (color: Color) => times(LAB, times(LMS, color).map(Math.cbrt))

/** Simulations of Machado et al. (2009) for complete colour blindness. */
const SIGHT: Readonly<Record<string, readonly Color[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.1523, 1.0526, -0.2049],
    [0.1145, 0.7863, 0.0992],
    [-0.0039, -0.0481, 1.052],
  ],
  deuteranopia: [
    [0.3673, 0.8606, -0.228],
    [0.2801, 0.6725, 0.0474],
    [-0.0118, 0.0429, 0.9689],
  ],
}
const seen = (sight: string, hex: string) =>
  oklab(times(SIGHT[sight]!, linear(hex)).map((part) => Math.min(1, Math.max(0, part))))

test.each(Object.entries(THEMES))('the %s chart colours have a contrast of 3 and differ for all people', (_, theme) => {
  const colors = colorsOf(theme.block)
  expect(colors).toHaveLength(8)
  for (const color of colors) {
    const [low = 0, high = 0] = [luminance(color), luminance(theme.ground)].sort((a, b) => a - b)
    expect((high + 0.05) / (low + 0.05), color).toBeGreaterThanOrEqual(3)
  }
  for (const sight of Object.keys(SIGHT))
    for (const [at, a] of colors.entries())
      for (const b of colors.slice(at + 1)) {
        const [x, y] = [seen(sight, a), seen(sight, b)]
        expect(Math.hypot(...x.map((part, axis) => part - y[axis]!)), `${sight} ${a} ${b}`).toBeGreaterThan(0.075)
      }
})
