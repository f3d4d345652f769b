import { channelsOf, computeContrast, MIN_CONTRAST } from '@oms/contract/core/contrast.ts'
import type { ColorScheme } from './color-scheme.ts'

const WHITE = '#ffffff'
const BLACK = '#000000'
const DARK_PAGE = '#151b23'
const STEP = 0.04

/** Mixes a part of another colour into a colour. */
function mix(colour: string, other: string, part: number) {
  const others = channelsOf(other)
  const mixed = channelsOf(colour).map((channel, at) => Math.round(channel * (1 - part) + (others[at] ?? 0) * part))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Lightens a colour while the next lighter colour `isWanted`. */
function lighten(colour: string, isWanted: (lighter: string) => boolean) {
  let part = 0
  while (part + STEP <= 1 && isWanted(mix(colour, WHITE, part + STEP))) part += STEP
  return mix(colour, WHITE, part)
}

/** Returns the CSS variables of an accent. Text on the accent, and links, keep a contrast of at least 4.5. */
export function computeAccentVariables(accent: string, scheme: ColorScheme): Readonly<Record<string, string>> {
  if (scheme === 'light')
    return {
      '--brand': accent,
      '--brand-hover': mix(accent, BLACK, 0.16),
      '--side-chosen': accent,
      '--ant-color-primary': accent,
      '--ant-color-primary-hover': mix(accent, BLACK, 0.16),
      '--ant-color-primary-active': mix(accent, BLACK, 0.32),
      '--ant-color-primary-bg': mix(accent, WHITE, 0.9),
      '--ant-color-primary-bg-hover': mix(accent, WHITE, 0.72),
      '--ant-color-primary-border': mix(accent, WHITE, 0.55),
      '--ant-control-outline': `${accent}1a`,
    }
  // The lightest tone that still carries white text is visible on the dark page.
  const primary = lighten(accent, (lighter) => computeContrast(lighter, WHITE) >= MIN_CONTRAST)
  const link = lighten(accent, (lighter) => computeContrast(lighter, DARK_PAGE) < 7.5)
  return {
    '--brand': primary,
    '--brand-hover': mix(primary, BLACK, 0.14),
    '--side-chosen': mix(link, WHITE, 0.3),
    '--ant-color-primary': primary,
    '--ant-color-primary-hover': mix(primary, BLACK, 0.14),
    '--ant-color-primary-active': mix(primary, BLACK, 0.24),
    '--ant-color-primary-bg': mix(primary, DARK_PAGE, 0.7),
    '--ant-color-primary-bg-hover': mix(primary, DARK_PAGE, 0.55),
    '--ant-color-primary-border': mix(primary, DARK_PAGE, 0.5),
    '--ant-color-link': link,
    '--ant-color-link-hover': mix(link, WHITE, 0.3),
    '--ant-color-link-active': link,
    '--ant-control-outline': `${primary}40`,
  }
}

let shown: readonly string[] = []

/** Sets the accent of the document; '' restores the default. */
export function applyAccent(accent: string, scheme: ColorScheme) {
  const { style } = document.documentElement
  const variables = accent ? computeAccentVariables(accent, scheme) : {}
  for (const name of shown) style.removeProperty(name)
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value)
  shown = Object.keys(variables)
}
