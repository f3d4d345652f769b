import { and, type SQL } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { type LiveProgram, loadProgramsInForce } from '../manifests/manifest-of.ts'
import { type ProgramContent, toProgramBody } from '../program-body.ts'
import { visibleDevices } from '#modules/device/fleet/device-filter.ts'
import type { ProgramBody } from '../schema.ts'
import type { StoredProgram } from './program-rows.ts'
import { type ScreenSet, readScreenSets } from '../screens/screen-sets.ts'
import { buildTargetCondition } from './targets.ts'

/** Content of a program that a check reads. */
export type CheckedProgram = ProgramContent & Pick<StoredProgram, 'verNo' | 'targetType' | 'targetIds' | 'resolution'>

/** A program to check, with the screens that it reaches and the other programs of these screens. */
export interface CheckSubject {
  /** Body that publishing the program would store now. */
  readonly body: ProgramBody
  /** Condition on `devices`. */
  readonly where: SQL
  /** The other programs in force, by id. */
  readonly others: ReadonlyMap<number, LiveProgram>
  /** Version of the program that is in force now. */
  readonly current: LiveProgram | undefined
  readonly sets: readonly ScreenSet[]
}

/**
 * Returns what a check of a program needs. Reads without row-level security, because programs of the platform play on
 * screens of tenants too; the screens are limited to those that the caller may see.
 */
export const readCheckSubject = (
  ctx: Pick<Ctx, 'db' | 'user' | 'now' | 'services'>,
  content: CheckedProgram,
): Promise<CheckSubject> => withoutRowSecurity(ctx, (db) => readSubject({ ...ctx, db }, content))

async function readSubject(
  { db, user, now, services }: Pick<Ctx, 'db' | 'user' | 'now' | 'services'>,
  content: CheckedProgram,
): Promise<CheckSubject> {
  const { config } = services
  const body = toProgramBody(content, { verNo: content.verNo + 1, publishedAt: now.getTime() })
  const live = await loadProgramsInForce(db, now)
  const where = and(visibleDevices(user), await buildTargetCondition(db, content)) as SQL
  const sets = await readScreenSets(db, where, { programs: live, standardZone: config.timeZone })
  return {
    body,
    where,
    others: new Map(live.flatMap((each) => (each.id === content.id ? [] : [[each.id, each]]))),
    current: live.find(({ id }) => id === content.id),
    sets,
  }
}

/** Returns the bodies of the other programs of a set. */
export const listOtherBodies = ({ others }: Pick<CheckSubject, 'others'>, { programIds }: ScreenSet): ProgramBody[] =>
  programIds.flatMap((id) => others.get(id)?.body ?? [])
