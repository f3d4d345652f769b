import { MAX_PROGRAM_DAYS } from '@oms/contract/advertise/program-words.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'

/** Refuses a last date too far in the future. */
export function assertLastDate({ now, services }: Pick<Ctx, 'now' | 'services'>, dateTo: string): void {
  const latest = addDays(formatLocalDay(now, services.config.timeZone), MAX_PROGRAM_DAYS)
  if (dateTo > latest) throw invalid(`结束日期最晚为10年后的${latest}`, 'dateTo')
}
