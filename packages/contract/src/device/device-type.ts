import { sharedData } from '../core/shared-data.ts'
import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, note, optional, search, textLine, whole } from '../core/fields.ts'
import { timeRange } from '../core/page.ts'
import { recordCalls } from '../core/record-calls.ts'

export const TYPE_STATUS = { 1: '启用', 0: '停用' } as const
export const DEVICE_CODE = /^[A-Za-z0-9_.-]+$/
/** A code that is also used in labels, file names and firmware. */
export const deviceCode = (title: string) =>
  textLine(title, 32).regex(DEVICE_CODE, `${title}只能包含字母、数字和 _ . -`).meta({ title, max: 32 })

/** Icons that a type may have; the console draws them. */
export const TYPE_ICONS = {
  'video-camera': '摄像机',
  bell: '门铃',
  sound: '音箱',
  mobile: '手机平板',
  desktop: '屏幕',
  wifi: '网关路由',
  bulb: '灯光',
  lock: '门锁',
  alert: '传感报警',
  car: '车载',
  robot: '机器人',
  api: '其他',
} as const
export type TypeIcon = keyof typeof TYPE_ICONS

export const DeviceTypeInput = z.object({
  typeName: textLine('类型名称', 32),
  typeCode: deviceCode('类型编码'),
  icon: z
    .enum(['', ...(Object.keys(TYPE_ICONS) as TypeIcon[])], '图标不正确')
    .default('')
    .meta({ title: '图标' }),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  status: choice('状态', TYPE_STATUS).default(1).meta({ title: '状态', labels: TYPE_STATUS }),
  remark: note('备注', 200),
})

export const DeviceTypeRow = z.object({
  id: z.int().meta({ title: '类型编号' }),
  typeName: z.string().meta({ title: '类型名称' }),
  typeCode: z.string().meta({ title: '类型编码' }),
  icon: z.string().meta({ title: '图标' }),
  sort: z.int().meta({ title: '排序' }),
  status: z.int().meta({ title: '状态', labels: TYPE_STATUS }),
  modelCount: z.int().meta({ title: '型号数' }),
  deviceCount: z.int().meta({ title: '设备数' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})

/** Device types (`/device/_manage`). */
export const deviceTypes = sharedData(
  recordCalls('/api/v1/device/type', 'device:_manage', '设备类型', {
    row: DeviceTypeRow,
    input: DeviceTypeInput,
    filters: {
      typeName: search('类型名称', 32),
      typeCode: search('类型编码', 32),
      status: optional(choice('状态', TYPE_STATUS)),
      ...timeRange,
    },
    sort: ['sort', 'typeName', 'createTime', 'updateTime'],
  }) satisfies Contract,
)
