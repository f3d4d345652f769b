/**
 * Characters that have no glyph and take no space: the zero-width space, marks of the writing direction, the soft hyphen,
 * variation selectors, annotations. U+200D is kept here, because emoji use it.
 */
const ZERO_WIDTH = /(?!\u200D)[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu
/** U+200D outside of an emoji such as 👨‍👩‍👧, which it joins. */
const JOINER_OUTSIDE_EMOJI =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}])\u200D|\u200D(?!\p{Extended_Pictographic})/gu
const BLANKS = /[\s\p{Z}\u2800]+/gu
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/

/**
 * Returns a text in the form in which it is unique: without invisible characters, with single blanks, and with composed
 * accents. Otherwise two names could look alike and differ.
 */
export function normalizeLine(value: string): string {
  if (PLAIN_LINE.test(value)) return value
  return removeInvisible(value).replaceAll(BLANKS, ' ').trim().normalize('NFC')
}

/** Removes invisible characters and the blanks at both ends. Keeps blanks and line breaks inside the text. */
export const trimInvisible = (value: string) => (PLAIN_LINE.test(value) ? value : removeInvisible(value).trim())

const removeInvisible = (value: string) => value.replaceAll(ZERO_WIDTH, '').replaceAll(JOINER_OUTSIDE_EMOJI, '')

/** Removes invisible characters and all blanks of a code that contains none, such as a pairing code. */
export const normalizeCode = (value: string) => normalizeLine(value).replaceAll(' ', '')

const CODE_SEPARATORS = /[ \p{Cc},;，；]+/u

/**
 * Splits a pasted list of serial numbers, MAC addresses or other codes at blanks, line breaks, commas and semicolons.
 * Invisible characters are removed, so that a code copied from a mail or a table equals the stored code.
 */
export const splitCodes = (text: string) => normalizeLine(text).split(CODE_SEPARATORS).filter(Boolean)
