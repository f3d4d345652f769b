import * as z from 'zod'
import { choice, id, optional, search, wholeNumber } from '../core/fields.ts'
import { normalizeLine, splitCodes } from '../core/normalize-line.ts'
import { timeRange } from '../core/page.ts'

export const ONLINE = { 0: '离线', 1: '在线' } as const
/**
 * Labels of filters by the connection alone. These filters find devices that were never activated as offline devices.
 */
export const ONLINE_FILTER = { 0: '离线（含未激活）', 1: '在线' } as const
interface Connection {
  readonly online: number
  readonly activateTime: string | null
}
/** Returns the state of the connection. An offline device that was never activated is 未激活, not 离线. */
export const formatConnection = ({ online, activateTime }: Connection) =>
  online === 1 ? '在线' : activateTime === null ? '未激活' : '离线'
export const ACTIVATED = { 0: '未激活', 1: '已激活' } as const
export const APP_BOUND = { 0: '未绑定', 1: '已绑定' } as const
/** Allowed characters of a serial number: safe in labels, QR codes and URLs. */
export const SN_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/
const MAC = /^[0-9a-f]{12}$/
/** Normalises a required MAC address to twelve lower-case hex digits; blanks, colons, dashes and dots are accepted. */
export const mac = z
  .string('请输入MAC')
  .overwrite(normalizeLine)
  .min(1, '请输入MAC')
  .max(17, 'MAC格式不正确，应为12位十六进制')
  .transform((value) => value.toLowerCase().replaceAll(/[ :.-]/g, ''))
  .refine((value) => MAC.test(value), 'MAC格式不正确，应为12位十六进制')
/** Joins the digits of a stored MAC address in pairs: `aa:bb:cc:dd:ee:ff`. */
export const formatMac = (digits: string, separator = ':') => digits.match(/../g)?.join(separator) ?? ''
/** Maximum serial numbers per search, pasted one per line. */
export const MAX_SNS = 1000
/** Minimum length for substring search by index; shorter text is matched only as a prefix. */
export const MIN_SN_SEARCH_LENGTH = 3

/** Splits a pasted text into serial numbers. Other values are returned unchanged. */
const pasted = (value: unknown) => (value === '' ? undefined : typeof value === 'string' ? splitCodes(value) : value)
const snList = z
  .array(
    z.string('序列号不正确').overwrite(normalizeLine).min(1, '序列号不正确').max(64, '序列号不能超过64个字符'),
    '请输入序列号',
  )
  .max(MAX_SNS, `一次最多查找${MAX_SNS}个序列号`)
/** Pasted serial numbers, for calls that select devices only by their serial numbers. */
export const pastedSns = z.preprocess(pasted, snList.min(1, '请输入序列号')).meta({ title: '序列号列表' })

/** One end of a filter by version number. */
const versionBound = optional(
  z.preprocess(wholeNumber, z.int('版本号不正确').min(0, '版本号不正确').max(999_999_999, '版本号不正确')),
)

/** Device filters shared by the device list, allowlists, groups and exports. */
export const deviceFilters = {
  sn: search('序列号', 64),
  /** Many serial numbers: an array, or one text with one serial number per line. */
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
  online: optional(choice('在线状态', ONLINE_FILTER)),
  activated: optional(choice('激活状态', ACTIVATED)),
  /** 1: devices that an App account has bound. */
  appBound: optional(choice('App绑定', APP_BOUND)),
  verCodeMin: versionBound.meta({
    title: '最低版本号',
  }),
  verCodeMax: versionBound.meta({
    title: '最高版本号',
  }),
  ...timeRange,
}
export const DeviceFilter = z.object(deviceFilters)
export type DeviceFilterValues = z.output<typeof DeviceFilter>
