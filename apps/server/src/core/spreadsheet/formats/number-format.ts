/**
 * How a format shows a number. `plain`: with its own digits. `date`, `time`, `dateTime`: as a time. `changed`: with
 * characters other than its digits.
 */
export type FormatKind = 'plain' | 'date' | 'time' | 'dateTime' | 'changed'

export interface NumberFormat {
  readonly kind: FormatKind
  /** Minimum number of digits before the decimal point: `0000` shows 7 as 0007. */
  readonly digits: number
}

export const PLAIN_FORMAT: NumberFormat = { kind: 'plain', digits: 1 }
const kindOnly = (kind: FormatKind): NumberFormat => ({ kind, digits: 1 })
const inRanges = (id: number, ranges: readonly (readonly [number, number])[]) =>
  ranges.some(([from, to]) => id >= from && id <= to)

/** Returns a built-in format by id (ECMA-376 part 1, 18.8.30; 27 to 58 are formats of Chinese Excel). */
export function findBuiltInFormat(id: number): NumberFormat {
  if (id === 22) return kindOnly('dateTime')
  if (
    inRanges(id, [
      [18, 21],
      [32, 35],
      [45, 47],
      [55, 56],
    ])
  )
    return kindOnly('time') // prettier-ignore
  if (
    inRanges(id, [
      [14, 17],
      [27, 31],
      [36, 36],
      [50, 54],
      [57, 58],
    ])
  )
    return kindOnly('date') // prettier-ignore
  // Percentages, scientific notation and fractions.
  return inRanges(id, [
    [9, 13],
    [48, 48],
  ])
    ? kindOnly('changed')
    : PLAIN_FORMAT // prettier-ignore
}

/** Literal characters that do not change the number: currency, brackets of negative amounts, units of money. */
const HARMLESS = /^[\s¥￥$€£元(),.+]*$/

/**
 * Parses a format code such as `yyyy-mm-dd`, `"SN"0000` or `#,##0.00`. Only the section for positive numbers counts.
 */
export function parseNumberFormat(code: string): NumberFormat {
  const { tokens, literals } = splitFormat(code)
  if (tokens === '@' || tokens.toLowerCase().startsWith('general'))
    return HARMLESS.test(literals) ? PLAIN_FORMAT : kindOnly('changed')
  const moment = momentOf(tokens.toLowerCase())
  if (moment) return kindOnly(moment)
  if (/[%/eE]/.test(tokens) || !HARMLESS.test(literals)) return kindOnly('changed')
  const whole = tokens.split('.', 1)[0] as string
  return { kind: 'plain', digits: Math.max(1, whole.replaceAll(/[^0]/g, '').length) }
}

function momentOf(tokens: string): FormatKind | undefined {
  if (!/[ymdhs]/.test(tokens)) return undefined
  const hasTime = /[hs]/.test(tokens)
  // `m` means month next to days or years, and minutes next to hours or seconds.
  const hasDay = /[yd]/.test(tokens) || !hasTime
  return hasDay && hasTime ? 'dateTime' : hasTime ? 'time' : 'date'
}

/** Splits the first section of a format into placeholders and literal characters, in one pass. */
function splitFormat(code: string) {
  let tokens = ''
  let literals = ''
  for (let at = 0; at < code.length; at++) {
    const character = code[at] as string
    if (character === ';') break
    if (character === '"' || character === '[') {
      const end = code.indexOf(character === '"' ? '"' : ']', at + 1)
      if (end < 0) break
      const inside = code.slice(at + 1, end)
      if (character === '"') literals += inside
      // `[h]` is elapsed time. `[Red]`, `[>5]` and `[$-804]` show nothing. `[$¥-804]` shows a currency.
      else if (/^(?:h+|m+|s+)$/i.test(inside)) tokens += inside
      at = end
    } else if (character === '\\') literals += code[++at] ?? ''
    else if (character === '_' || character === '*') at++
    else if (/[#0?.,%/@a-z]/i.test(character)) tokens += character
    else literals += character
  }
  return { tokens, literals }
}
