/** Colours of each advertiser: background from, background to, accent. */
const PALETTES: readonly (readonly [string, string, string])[] = [
  ['#ff8a3d', '#e8384f', '#fff3d6'],
  ['#1f7a8c', '#0b3954', '#bfd7ea'],
  ['#5b2a86', '#9a4c95', '#f6d8ae'],
  ['#2d6a4f', '#95d5b2', '#fefae0'],
  ['#1d3557', '#457b9d', '#f1faee'],
  ['#b5179e', '#3a0ca3', '#ffd6ff'],
  ['#7f4f24', '#dda15e', '#fefae0'],
  ['#0f4c5c', '#e36414', '#fff1e6'],
]

const spread = (seed: number, n: number, most: number) => (seed * 7919 + n * 104_729) % most

/** Returns the picture of a demo ad as SVG: shapes in the colours of the advertiser, without text. */
export function createAdPicture(advertiser: number, seed: number, width: number, height: number): string {
  const [from, to, accent] = PALETTES[advertiser % PALETTES.length]!
  const circles = Array.from({ length: 6 }, (_, n) => {
    const radius = 40 + spread(seed, n + 3, Math.round(height / 4))
    return `<circle cx="${spread(seed, n, width)}" cy="${spread(seed, n + 1, height)}" r="${radius}" fill="${accent}" fill-opacity="0.${10 + n * 4}"/>`
  }).join('')
  const bar = Math.round(height / 9)
  const x = Math.round(width * 0.12)
  const y = Math.round(height * 0.62)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${from}"/>
    <stop offset="1" stop-color="${to}"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/>${circles}
    <rect x="${x}" y="${y}" width="${Math.round(width * 0.5)}" height="${bar}" rx="${bar / 2}" fill="${accent}"/>
    <rect x="${x}" y="${y + bar * 1.4}" width="${Math.round(width * 0.3)}" height="${bar / 2}" rx="${bar / 4}" fill="${accent}" fill-opacity="0.6"/>
  </svg>`
}
