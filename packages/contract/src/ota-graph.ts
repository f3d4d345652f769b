import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { id, optional } from './kernel/fields.ts'
import { OtaVersionInput } from './ota.ts'
import { SoftwareVersionInput } from './software.ts'

const range = { oldVerMin: z.int().nullable(), oldVerMax: z.int().nullable() }
/** A version in the field, an enabled one, or both. */
const Node = z.object({
  /** Null: devices that never reported a version. */
  verCode: z.int().nullable().meta({ title: '版本号' }),
  verName: z.string().meta({ title: '版本名称' }),
  devices: z.int().meta({ title: '设备数' }),
  /** Enabled, or the draft looked at. */
  isEnabled: z.boolean(),
  isDraft: z.boolean(),
  ...range,
  /** What most of its devices go through. */
  path: z.array(z.int()),
  /** How many of its devices do not reach the newest version. */
  stranded: z.int().meta({ title: '无法到达最新版的设备数' }),
  /** With the draft: what changes for them. Absent without one. */
  before: z.object({ path: z.array(z.int()), stranded: z.int() }).optional(),
})
const Interval = { from: z.int(), to: z.int() }

export const VersionGraph = z.object({
  modelName: z.string(),
  newest: z.int().nullable(),
  devices: z.int(),
  /** Devices that do not reach the newest version. */
  stranded: z.int(),
  nodes: z.array(Node),
  gaps: z.array(z.object({ ...Interval, devices: z.int() })),
  overlaps: z.array(z.object({ ...Interval, winner: z.int(), others: z.array(z.int()) })),
  /** Enabled versions that no device will be offered: higher ones take all they could. */
  useless: z.array(z.int()),
  /** What enabling the draft would do. */
  effect: z
    .object({
      verCode: z.int(),
      /** Devices whose next version it becomes. */
      offered: z.int(),
      /** Devices that reach the newest version only with it, and those that no longer do. */
      freed: z.int(),
      newlyStranded: z.int(),
    })
    .nullable(),
})

const { verCode, oldVerMin, oldVerMax } = OtaVersionInput.shape
const asked = {
  modelId: id.meta({ title: '设备型号' }),
  /** A version that is not enabled, as if it were. */
  otaId: optional(id),
  /** Or one not saved yet. */
  verCode: optional(verCode).meta({ title: '版本号' }),
  oldVerMin,
  oldVerMax,
}

/** Which way the versions in the field lead to the newest one. */
export const otaGraph = {
  get: {
    method: 'GET',
    path: '/api/v1/device/ota/graph',
    access: 'upgrade:ota:query',
    summary:
      '某型号的版本路径：在用版本、升级路径、无路可走的设备、空档与重叠；给出 otaId 或 verCode 时预演启用它的效果',
    input: z.object(asked),
    result: VersionGraph,
  },
} as const satisfies Contract

export const softwareGraph = {
  get: {
    ...otaGraph.get,
    path: '/api/v1/device/software/graph',
    access: 'upgrade:GeneralSoftware:query',
    input: z.object({ ...asked, packageName: SoftwareVersionInput.shape.packageName }),
  },
} as const satisfies Contract
