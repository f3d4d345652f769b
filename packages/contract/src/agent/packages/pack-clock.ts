const DAY = 86_400_000

interface Clocks {
  readonly activateDays: number
  readonly validDays: number
}

/**
 * Returns the time until which a copy of a package (`packNo`, from 1) must begin. Copies of one target run one after
 * the other, so each later copy may wait for the length of the copies before it.
 */
export const activateUntil = ({ activateDays, validDays }: Clocks, paidAt: number, packNo: number) =>
  paidAt + (activateDays + (packNo - 1) * validDays) * DAY

/** Returns the end of a copy that begins at a time. */
export const validUntil = ({ validDays }: Pick<Clocks, 'validDays'>, beginsAt: number) => beginsAt + validDays * DAY

export interface PackPreview {
  readonly packNo: number
  readonly activateUntil: number
  readonly beginTime: number
  readonly validUntil: number
}

/**
 * Returns the copies that a target gets when it is first used after a number of days and then used without a pause.
 * Empty when the first use comes after the window of the first copy.
 */
export function previewPacks(clocks: Clocks, paidAt: number, copies: number, firstUseDays: number): PackPreview[] {
  const first = paidAt + firstUseDays * DAY
  if (first >= activateUntil(clocks, paidAt, 1)) return []
  return Array.from({ length: copies }, (_, at) => {
    const beginTime = validUntil({ validDays: clocks.validDays * at }, first)
    return {
      packNo: at + 1,
      activateUntil: activateUntil(clocks, paidAt, at + 1),
      beginTime,
      validUntil: validUntil(clocks, beginTime),
    }
  })
}
