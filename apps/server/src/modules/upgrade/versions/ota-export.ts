import { OtaVersion, ota } from '@oms/contract/upgrade/ota.ts'
import { formatVersionRange } from '@oms/contract/upgrade/version-range.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import * as z from 'zod'
import { otaVersions } from '../schema-ota.ts'
import type { ColumnSpec } from '#core/spreadsheet/columns.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from './ota-artifact-kind.ts'
import { buildVersionFilter, buildVersionSort } from './ota-list.ts'
import { selectVersions } from './ota-rows.ts'

/** Row of the export file. Both ends of the range form one text column, as in the list. */
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

/** Exports the filtered list in the order of the list. */
const exportOf = <E extends typeof ota.export | typeof software.export>(
  artifact: ArtifactKind,
  endpoint: E,
  first: readonly ColumnSpec[],
) =>
  defineExport({
    kind: artifact.bizType,
    endpoint,
    sheet: artifact.noun,
    schema: Line,
    columns: [...first, ...columns],
    key: otaVersions.otaId,
    where: (user, input) => buildVersionFilter(user, artifact, input),
    order: buildVersionSort,
    load: (db, _user, where) => selectVersions(db).where(where),
    keyOf: ({ otaId }) => otaId,
    line: (row) => ({ ...row, range: formatVersionRange(row) }),
  })

export const exportFirmware = exportOf(FIRMWARE_KIND, ota.export, ['modelName'])
export const exportSoftware = exportOf(SOFTWARE_KIND, software.export, ['modelName', ['packageName', { width: 24 }]])
