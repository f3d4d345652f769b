import { MAX_SCREENS_WITHOUT_SECOND_PERSON } from '@oms/contract/advertise/program-words.ts'
import type { Config } from '#core/config/config.ts'

/** Returns true when another account must approve: takeovers, many screens, or always by setting. */
export function needsSecondPerson(
  { adTwoPerson }: Pick<Config, 'adTwoPerson'>,
  { insertMode }: { readonly insertMode: number },
  screens: number,
): boolean {
  if (adTwoPerson !== 'auto') return adTwoPerson === 'on'
  return insertMode > 0 || screens > MAX_SCREENS_WITHOUT_SECOND_PERSON
}
