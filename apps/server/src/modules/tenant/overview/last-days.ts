import type { Ctx } from '#core/http/context.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'

/** Returns the first and the last day of a period that ends today, in the format of the date filters. */
export function findLastDays({ now, services }: Pick<Ctx, 'now' | 'services'>, days: number) {
  const to = formatLocalDay(now, services.config.timeZone)
  return { from: addDays(to, 1 - days), to }
}
