import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound } from '#core/http/api-error.ts'
import { toRuleColumns } from '../program-body.ts'
import { adProgramVersions } from '../schema.ts'
import type { StoredProgram } from './program-rows.ts'

/** Returns a program with the content of one of its versions. */
export async function readProgramContent(db: Db, program: StoredProgram, verNo: number): Promise<StoredProgram> {
  const [version] = await db
    .select()
    .from(adProgramVersions)
    .where(and(eq(adProgramVersions.programId, program.id), eq(adProgramVersions.verNo, verNo)))
  if (!version) throw notFound('版本')
  const { body, targetType, targetIds, resolution } = version
  return {
    ...program,
    ...toRuleColumns(body),
    items: body.items,
    isDefault: body.fallback > 0 ? 1 : 0,
    targetType,
    targetIds,
    resolution,
  }
}
