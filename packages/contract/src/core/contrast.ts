/** Minimum contrast of text that WCAG 2 level AA requires. */
export const MIN_CONTRAST = 4.5

/** Returns the channels of a colour `#rrggbb`, 0 to 255. */
export const channelsOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

function luminanceOf(colour: string) {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const part = channel / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast ratio of two colours, 1 to 21, as WCAG 2 defines it. */
export function computeContrast(one: string, other: string) {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}
