import type { Ctx } from '#core/http/context.ts'
import { dayAfter, localDayOf } from '#core/time/zone.ts'

/** Returns the first and the last day of a period that ends today, in the format of the date filters. */
export function lastDays({ now, services }: Pick<Ctx, 'now' | 'services'>, days: number) {
  const to = localDayOf(now, services.config.timeZone)
  return { from: dayAfter(to, 1 - days), to }
}
