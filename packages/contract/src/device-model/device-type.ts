import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, note, optional, rev, search, text, whole } from '../core/fields.ts'
import { pageOf, sortedPage, timeRange } from '../core/page.ts'
import { switches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'

export const TYPE_STATUS = { 1: '启用', 0: '停用' } as const
export const DEVICE_CODE = /^[A-Za-z0-9_.-]+$/
/** A code that is also used in labels, file names and firmware. */
export const deviceCode = (title: string) =>
  text(title, 32).regex(DEVICE_CODE, `${title}只能包含字母、数字和 _ . -`).meta({ title, max: 32 })

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
  typeName: text('类型名称', 32),
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

const filters = {
  typeName: search('类型名称', 32),
  typeCode: search('类型编码', 32),
  status: optional(choice('状态', TYPE_STATUS)),
  ...timeRange,
}
const query = sortedPage(['sort', 'typeName', 'createTime', 'updateTime']).extend(filters)
const byId = z.object({ id })

/** Device types (`/device/_manage`). */
export const deviceTypes = {
  list: {
    method: 'GET',
    path: '/api/v1/device/type/page',
    access: 'device:_manage:list',
    input: query,
    result: pageOf(DeviceTypeRow),
  },
  export: {
    method: 'GET',
    path: '/api/v1/device/type/export',
    access: 'device:_manage:export',
    stream: 'download',
    title: '导出设备类型',
    kind: 'export',
    input: query.extend(exportQuery.shape),
    result: z.null(),
  },
  get: {
    method: 'GET',
    path: '/api/v1/device/type/:id',
    access: 'device:_manage:query',
    input: byId,
    result: DeviceTypeRow,
  },
  create: {
    method: 'POST',
    path: '/api/v1/device/type',
    access: 'device:_manage:add',
    title: '新增设备类型',
    input: DeviceTypeInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/device/type',
    access: 'device:_manage:edit',
    title: '修改设备类型',
    input: DeviceTypeInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device/type/:id',
    access: 'device:_manage:remove',
    title: '删除设备类型',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  ...switches('/api/v1/device/type', 'device:_manage:enable', '设备类型'),
} as const satisfies Contract
