import * as z from 'zod'
import { choice, id, optional, search } from './kernel/fields.ts'
import { timeRange } from './kernel/page.ts'

export const ONLINE = { 0: '离线', 1: '在线' } as const
export const ACTIVATED = { 0: '未激活', 1: '已激活' } as const
/** Serial numbers: what labels, QR codes and URLs carry unharmed. */
export const SN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/
/** Serials one search takes, pasted a line each. */
export const MAX_SNS = 1000
/** Shortest part of a serial the index can find by itself; shorter ones are looked for at the beginning only. */
export const MIN_SN_PART = 3

/** An array, or one text with an item a line; commas and spaces part them too. */
const pasted = (value: unknown) =>
  value === ''
    ? undefined
    : typeof value === 'string'
      ? value.split(/[\s,;，；]+/).filter((part) => part !== '')
      : value
const snList = z
  .array(z.string('序列号不正确').trim().min(1, '序列号不正确').max(64, '序列号不能超过64个字符'), '请输入序列号')
  .max(MAX_SNS, `一次最多查找${MAX_SNS}个序列号`)
/** Many serials at once, where they are all there is to go by. */
export const pastedSns = z.preprocess(pasted, snList.min(1, '请输入序列号')).meta({ title: '序列号列表' })

/** What devices are chosen by, in the device list, in white lists, groups and exports alike. */
export const deviceFilters = {
  sn: search('序列号', 64),
  /** Many serials at once: an array, or one text with a serial a line. */
  sns: z.preprocess(pasted, snList.optional()).meta({ title: '序列号列表' }),
  devName: search('设备名称', 64),
  mac: search('MAC', 17),
  imei: search('IMEI', 15),
  uid: search('UID', 64),
  tenantId: optional(id).meta({ title: '所属客户' }),
  typeId: optional(id).meta({ title: '设备类型' }),
  modelId: optional(id).meta({ title: '设备型号' }),
  groupId: optional(id).meta({ title: '设备分组' }),
  tag: search('标签', 20),
  status: optional(choice('状态', { 0: '停用', 1: '启用' })),
  online: optional(choice('在线状态', ONLINE)),
  activated: optional(choice('激活状态', ACTIVATED)),
  verCodeMin: optional(z.coerce.number<number>('版本号不正确').int('版本号不正确').min(0).max(999_999_999)).meta({
    title: '最低版本号',
  }),
  verCodeMax: optional(z.coerce.number<number>('版本号不正确').int('版本号不正确').min(0).max(999_999_999)).meta({
    title: '最高版本号',
  }),
  ...timeRange,
}
export const DeviceFilter = z.object(deviceFilters)
export type DeviceFilterValues = z.output<typeof DeviceFilter>
