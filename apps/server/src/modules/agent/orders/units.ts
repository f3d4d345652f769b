/**
 * Base units of a minute. Allowances are counted in whole base units: minutes in tenths of a second, all others in
 * their own unit.
 */
const BASE_OF_MINUTE = 600
export const MINUTES = 3

/** Returns the base units of one unit of an allowance. */
export const convertToBaseUnits = (unit: number) => (unit === MINUTES ? BASE_OF_MINUTE : 1)

/** Returns an amount of base units in the unit of the allowance, with two decimals. */
export const toAllowanceUnits = (unit: number, amount: number) =>
  unit === MINUTES ? Math.round((amount / BASE_OF_MINUTE) * 100) / 100 : amount
