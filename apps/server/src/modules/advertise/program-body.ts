import { FALLBACK } from '@oms/contract/advertise/engine/manifest.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { adPrograms, ProgramBody } from './schema.ts'

/** Columns of a program that decide what its screens play. */
export type ProgramContent = Pick<
  typeof adPrograms.$inferSelect,
  | 'id'
  | 'tenantId'
  | 'programName'
  | 'items'
  | 'playMode'
  | 'priority'
  | 'insertMode'
  | 'shareOfVoice'
  | 'dateFrom'
  | 'dateTo'
  | 'weekdays'
  | 'dayParts'
  | 'isDefault'
>

/** Returns the content of a version. `published` names the version and the instant of publishing. */
export const toProgramBody = (
  program: ProgramContent,
  published: { readonly verNo: number; readonly publishedAt: number },
): ProgramBody => ({
  id: program.id,
  verNo: published.verNo,
  name: program.programName,
  publishedAt: published.publishedAt,
  playMode: program.playMode as ProgramBody['playMode'],
  priority: program.priority,
  insertMode: program.insertMode as ProgramBody['insertMode'],
  share: program.shareOfVoice,
  dateFrom: program.dateFrom,
  dateTo: program.dateTo,
  weekdays: program.weekdays,
  dayParts: program.dayParts,
  fallback: fallbackOf(program),
  items: program.items,
})

/** Returns name and rules of a version with the names of the columns of a program. */
export const toRuleColumns = (body: ProgramBody) => ({
  programName: body.name,
  playMode: body.playMode,
  priority: body.priority,
  insertMode: body.insertMode,
  shareOfVoice: body.share,
  dateFrom: body.dateFrom,
  dateTo: body.dateTo,
  weekdays: body.weekdays,
  dayParts: body.dayParts,
})

function fallbackOf({ isDefault, tenantId }: ProgramContent) {
  if (isDefault === 0) return FALLBACK.none
  return tenantId === PLATFORM_TENANT_ID ? FALLBACK.platform : FALLBACK.tenant
}

/** Returns true when a program plays the same as a published version. Ignores number and time of publishing. */
export const isSamePlayback = (program: ProgramContent, body: ProgramBody): boolean =>
  canonical(toProgramBody(program, body)) === canonical(body)

/** Compares as canonical JSON, because `jsonb` does not keep the order of keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
