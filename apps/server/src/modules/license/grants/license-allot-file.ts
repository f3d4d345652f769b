import { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { textLine } from '@oms/contract/core/fields.ts'
import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { LICENSE_STATE } from '@oms/contract/license/license-state.ts'
import { listUidSpellings } from '@oms/contract/license/license-uid.ts'
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type ApiError, conflict } from '#core/http/api-error.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import type { ImportCtx } from '#core/spreadsheet/import/lines.ts'
import { publishLicensesChanged } from '../license-rows.ts'
import {
  allotCertificates,
  assertGrantsCover,
  type PickedCertificate,
  requireAllotmentTenant,
} from './license-allot.ts'

const Line = z.object({ uid: textLine('UID', 64) })

interface State {
  readonly tenantId: number
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  readonly seen: Map<number, number>
  readonly picks: PickedCertificate[]
}
interface Found extends Record<string, unknown> {
  id: number
  uid: string
  state: number
  typeCode: string
  modelId: number | null
}

/** Allots the UIDs of a spreadsheet to one tenant. The grants are charged once for all UIDs. */
export const importAllotments = defineImport({
  kind: 'license-allot',
  endpoint: calls.allotFile,
  name: '证书分配',
  schema: Line,
  columns: [['uid', { width: 30 }]],
  tables: ['licenses', 'license_events'],
  required: ['uid'],
  exportedRow: LicenseRow,
  example: { uid: 'VSTC-000123-ABCDE' },
  prepare: async (ctx, { tenantId, dryRun }): Promise<State> => ({
    tenantId: (await requireAllotmentTenant(ctx, tenantId)).id,
    isDryRun: Number(dryRun) === 1,
    seen: new Map(),
    picks: [],
  }),
  takeMany,
  finish: async (ctx, { tenantId, picks, isDryRun }) => {
    if (picks.length === 0) return
    if (isDryRun) return assertGrantsCover(ctx.db, tenantId, picks)
    await allotCertificates(ctx, {
      tenantId,
      picks,
      reason: `按文件「${ctx.file.name}」分配`.slice(0, 150),
      free: false,
    })
    await publishLicensesChanged(ctx, [null, tenantId])
  },
})

async function takeMany(ctx: ImportCtx, lines: readonly { row: number; input: z.output<typeof Line> }[], state: State) {
  const spelled = lines.map(({ input }) => listUidSpellings(input.uid))
  const { rows } = await ctx.db.execute<Found>(sql`
    select id, uid, state, type_code as "typeCode", model_id as "modelId" from licenses
    where uid = any(${sql.param(spelled.flat())}::text[]) order by id ${state.isDryRun ? sql`` : sql`for update`}`)
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return lines.map(({ row }, at): 'updated' | ApiError => {
    const found = spelled[at]!.map((uid) => byUid.get(uid)).find(Boolean)
    if (!found) return conflict('UID 不存在', 'uid')
    const earlier = state.seen.get(found.id)
    if (earlier !== undefined) return conflict(`与第${earlier}行的UID重复`, 'uid')
    state.seen.set(found.id, row)
    if (found.state !== 0)
      return conflict(`证书${LICENSE_STATE[found.state as keyof typeof LICENSE_STATE]}，不在库存中`, 'uid')
    state.picks.push({ id: found.id, typeCode: found.typeCode, modelId: found.modelId })
    return 'updated'
  })
}
