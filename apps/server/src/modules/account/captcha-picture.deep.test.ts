import svgCaptcha from 'svg-captcha'
import { expect, test } from 'vitest'
import { createCaptchaPainter, type CaptchaDrawer } from './captcha-picture.ts'

/**
 * Returns the path commands and the horizontal centre of each outline from left to right, which a solver could
 * count.
 */
function outlinesOf(svg: string) {
  const data = [...svg.matchAll(/<path[^>]*\sd="([^"]+)"/g)].map(([, d = '']) => d)
  return data
    .flatMap((d) => d.split('M').filter(Boolean))
    .map((outline) => {
      const numbers = (outline.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
      const xs = numbers.filter((_, at) => at % 2 === 0)
      const commands = (outline.match(/[LQ]/g) ?? []).length
      return { commands, middle: xs.reduce((sum, x) => sum + x, 0) / xs.length }
    })
    .filter(({ commands }) => commands > 12)
    .sort((one, other) => one.middle - other.middle)
}

/** Counts path commands in each quarter of the picture. Each quarter contains one character. */
const countsOf = (svg: string) =>
  [0, 1, 2, 3].map((quarter) =>
    outlinesOf(svg)
      .filter(({ middle }) => Math.min(3, Math.max(0, Math.floor((middle - 12) / 24))) === quarter)
      .reduce((sum, { commands }) => sum + commands, 0),
  )

/**
 * Learns the usual command count of each character, then reads pictures by the nearest count. Returns the part of
 * correctly read characters.
 */
function solvedByCounting(make: () => { text: string; svg: string }) {
  const seen = new Map<string, number[]>()
  for (let n = 0; n < 250; n += 1) {
    const { text, svg } = make()
    const counts = countsOf(svg)
    for (const [at, sign] of [...text].entries()) seen.set(sign, [...(seen.get(sign) ?? []), counts[at] ?? 0])
  }
  const median = [...seen].map(([sign, counts]) => ({
    sign,
    count: counts.sort((a, b) => a - b)[counts.length >> 1] ?? 0,
  }))
  const read = (count: number) =>
    median.reduce((best, each) => (Math.abs(each.count - count) < Math.abs(best.count - count) ? each : best)).sign
  let right = 0
  for (let n = 0; n < 100; n += 1) {
    const { text, svg } = make()
    if (countsOf(svg).map(read).join('') === text) right += 1
  }
  return right / 100
}

test('the number of SVG path commands does not reveal the captcha text', () => {
  const plain = () => {
    const { text, data } = svgCaptcha.create({ size: 4, noise: 0, width: 120, height: 40, ignoreChars: '0oO1iIlL' })
    return { text, svg: data }
  }
  // The same solver reads the undisguised pictures of the library, which proves that the solver works.
  expect(solvedByCounting(plain)).toBeGreaterThan(0.2)
  expect(solvedByCounting(() => createCaptchaPainter(svgCaptcha as unknown as CaptchaDrawer))).toBeLessThan(0.02)
})

test('captcha texts have four unambiguous characters and rarely repeat', () => {
  const texts = Array.from({ length: 200 }, () => createCaptchaPainter(svgCaptcha as unknown as CaptchaDrawer).text)
  for (const text of texts) expect(text).toMatch(/^[A-HJ-KM-NP-Za-hj-km-np-z2-9]{4}$/)
  expect(new Set(texts).size).toBeGreaterThan(195)
})
