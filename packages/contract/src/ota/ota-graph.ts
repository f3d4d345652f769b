import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, optional, reference } from '../core/fields.ts'
import { OtaVersionInput } from './ota.ts'
import { SoftwareVersionInput } from './software.ts'

const range = { oldVerMin: z.int().nullable(), oldVerMax: z.int().nullable() }
/** A version that devices run, an enabled version, or both. */
const Node = z.object({
  /** Null: devices that never reported a version. */
  verCode: z.int().nullable().meta({ title: '版本号' }),
  verName: z.string().meta({ title: '版本名称' }),
  devices: z.int().meta({ title: '设备数' }),
  /** The version is enabled, or is the draft under preview. */
  isEnabled: z.boolean(),
  isDraft: z.boolean(),
  ...range,
  /** The upgrade path of most devices with this version. */
  path: z.array(z.int()),
  /** Number of devices with this version that cannot be updated to the newest version. */
  stranded: z.int().meta({ title: '无法升级到最新版本的设备数' }),
  /** `path` and `stranded` without the draft; absent when no draft is under preview. */
  before: z.object({ path: z.array(z.int()), stranded: z.int() }).optional(),
})
const Interval = { from: z.int(), to: z.int() }

export const VersionGraph = z.object({
  modelName: z.string(),
  newest: z.int().nullable(),
  devices: z.int(),
  /** Number of devices that do not reach the newest version. */
  stranded: z.int(),
  nodes: z.array(Node),
  gaps: z.array(z.object({ ...Interval, devices: z.int() })),
  overlaps: z.array(z.object({ ...Interval, winner: z.int(), others: z.array(z.int()) })),
  /** Enabled versions that no device is offered, because higher versions match all of their devices. */
  useless: z.array(z.int()),
  /** Effect of enabling the draft. */
  effect: z
    .object({
      verCode: z.int(),
      /** Number of devices whose next version is the draft. */
      offered: z.int(),
      /** Devices that reach the newest version only with the draft, and devices that no longer reach it. */
      freed: z.int(),
      newlyStranded: z.int(),
    })
    .nullable(),
})

const { verCode, oldVerMin, oldVerMax } = OtaVersionInput.shape
const asked = {
  modelId: reference('设备型号'),
  /** A version that is not enabled, previewed as enabled. */
  otaId: optional(id),
  /** Fields of a version that is not saved yet; an alternative to `otaId`. */
  verCode: optional(verCode).meta({ title: '版本号' }),
  oldVerMin,
  oldVerMax,
}

/** Returns the upgrade paths from the versions that devices run to the newest version. */
export const otaGraph = {
  get: {
    method: 'GET',
    path: '/api/v1/device/ota/graph',
    access: 'upgrade:ota:query',
    summary:
      '某型号的版本路径：在用版本、升级路径、无法升级的设备、没有版本可升级的区间与重叠；给出 otaId 或 verCode 时预演启用它的效果',
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
