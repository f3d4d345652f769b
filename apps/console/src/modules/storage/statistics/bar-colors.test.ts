import { expect, test } from 'vitest'
import { BAR_COLORS } from './queue-bars.tsx'

/** Relative luminance of WCAG 2.2. */
function luminanceOf(color: string) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('the white name of a package has a contrast of at least 4.5:1 on every bar', () => {
  for (const color of BAR_COLORS) expect(1.05 / (luminanceOf(color) + 0.05), color).toBeGreaterThanOrEqual(4.5)
})
