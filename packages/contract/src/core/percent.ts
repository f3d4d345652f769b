/**
 * Rounds to two decimals by the decimal text, because 1.005 * 100 is 100.49999999999999. Tiny values have a text with an
 * exponent and are 0.
 */
export const roundToTwoDigits = (value: number) =>
  Math.abs(value) < 1e-6 ? 0 : Number(`${Math.round(Number(`${value.toPrecision(15)}e2`))}e-2`)

/** Returns a part of a whole as a percentage with two decimals, and null when the whole is 0. */
export const computePercentage = (part: number, whole: number) =>
  whole === 0 ? null : roundToTwoDigits((part / whole) * 100)
