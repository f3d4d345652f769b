const DAY = 86_400_000

interface Clocks {
  readonly activateDays: number
  readonly validDays: number
}

/**
 * Returns the time until which a copy of a package (`packNo`, from 1) must begin. Copies of one target run one after
 * the other. Each later copy may therefore wait for the length of the copies before it.
 */
export const computeActivateUntil = ({ activateDays, validDays }: Clocks, paidAt: number, packNo: number) =>
  paidAt + (activateDays + (packNo - 1) * validDays) * DAY

/** Returns the end of a copy that begins at a time. */
export const computeValidUntil = ({ validDays }: Pick<Clocks, 'validDays'>, beginsAt: number) =>
  beginsAt + validDays * DAY

export interface PackPreview {
  readonly packNo: number
  readonly activateUntil: number
  readonly beginTime: number
  readonly validUntil: number
}

/**
 * Returns the copies of a target with begin and end. Assumes that the first use comes after a number of days and that
 * the use then never pauses. Empty when the first use comes after the window of the first copy.
 */
export function previewPacks(clocks: Clocks, paidAt: number, copies: number, firstUseDays: number): PackPreview[] {
  const first = paidAt + firstUseDays * DAY
  if (first >= computeActivateUntil(clocks, paidAt, 1)) return []
  return Array.from({ length: copies }, (_, at) => {
    const beginTime = computeValidUntil({ validDays: clocks.validDays * at }, first)
    return {
      packNo: at + 1,
      activateUntil: computeActivateUntil(clocks, paidAt, at + 1),
      beginTime,
      validUntil: computeValidUntil(clocks, beginTime),
    }
  })
}
