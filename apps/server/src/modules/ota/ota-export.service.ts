import { OtaVersion, ota, rangeInWords } from '@oms/contract/ota.ts'
import { software } from '@oms/contract/software.ts'
import { and } from 'drizzle-orm'
import * as z from 'zod'
import { otaVersions } from '#db/schema/ota.ts'
import { among } from '#kernel/query.ts'
import type { ColumnSpec } from '#kernel/table/columns.ts'
import { defineExport } from '#kernel/table/export.ts'
import { type Family, FIRMWARE, SOFTWARE } from './ota-family.ts'
import { matching, sortOf } from './ota-list.service.ts'
import { shownVersions, visible } from './ota-rows.ts'

/** A line of the file: both ends of the range are one column in words, as in the list. */
const Line = OtaVersion.extend({ range: z.string().meta({ title: '适用旧版本' }) })
const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

const columns: readonly ColumnSpec[] = [
  ['verCode', number],
  ['verName', { width: 24 }],
  ['status', { width: 10 }],
  ['components', number],
  ['range', { width: 22 }],
  ['buildDate', time],
  ['releaseDate', time],
  ['description', { width: 40 }],
  'tenantName',
  'createByName',
  ['createTime', time],
  ['updateTime', time],
  ['enableTime', time],
]

/** The filtered list as a file, in the list's order. */
const exportOf = <E extends typeof ota.export | typeof software.export>(
  family: Family,
  endpoint: E,
  first: readonly ColumnSpec[],
) =>
  defineExport({
    kind: family.bizType,
    endpoint,
    sheet: family.noun,
    schema: Line,
    columns: [...first, ...columns],
    keys: (db, user, input) =>
      db
        .select({ id: otaVersions.otaId })
        .from(otaVersions)
        .where(matching(user, family, input))
        .$dynamic(),
    order: sortOf,
    load: (db, user, keys) => shownVersions(db).where(and(visible(user, family), among(otaVersions.otaId, keys))),
    keyOf: ({ otaId }) => otaId,
    line: (row) => ({ ...row, range: rangeInWords(row) }),
  })

export const exportFirmware = exportOf(FIRMWARE, ota.export, ['modelName'])
export const exportSoftware = exportOf(SOFTWARE, software.export, ['modelName', ['packageName', { width: 24 }]])
