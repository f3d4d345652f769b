import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { deviceFilters, ONLINE, pastedSns } from './device-fields.ts'
import { choice, id, ids, note, optional, rev, search, textLine, whole } from '../core/fields.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'

export const GROUP_KIND = { 1: '静态', 2: '动态' } as const
export const GROUP_STATUS = { 1: '启用', 0: '停用' } as const

/** Maximum depth of nested groups. */
export const MAX_GROUP_DEPTH = 3
export const MAX_GROUPS = 1000
/** Maximum dynamic groups per tenant: counting a dynamic group scans all devices. */
export const MAX_DYNAMIC_GROUPS = 50
/** Maximum static groups per device. */
export const MAX_GROUPS_OF_DEVICE = 10
/** Maximum devices in one static group: of a tenant, and of the vendor. */
export const MAX_GROUP_DEVICES = 20_000
export const MAX_PLATFORM_GROUP_DEVICES = 1_000_000

const several = <T extends z.ZodType>(title: string, item: T, max: number) =>
  z
    .preprocess(
      (value) => (Array.isArray(value) && value.length === 0 ? undefined : value),
      z.array(item, `${title}不正确`).max(max, `${title}最多${max}个`).optional(),
    )
    .meta({ title })
const version = (title: string) => optional(whole(title, 0, 999_999_999)).meta({ title })

/** Rule of a dynamic group: all given conditions must match; a list matches any of its values. */
export const GroupRuleInput = z.object({
  typeIds: several('设备类型', id, 50),
  modelIds: several('设备型号', id, 50),
  verCodeMin: version('最低版本号'),
  verCodeMax: version('最高版本号'),
  tags: several('标签', textLine('标签', 20), 20),
  snPrefix: optional(textLine('序列号前缀', 64)).meta({ title: '序列号前缀' }),
  region: optional(textLine('地区', 64)).meta({ title: '地区' }),
})
export type GroupRuleValues = z.output<typeof GroupRuleInput>

const rule = GroupRuleInput.superRefine((value, issues) => {
  const say = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
  if (Object.values(value).every((part) => part === undefined)) say('typeIds', '请至少设置一个条件')
  const { verCodeMin, verCodeMax } = value
  if (verCodeMin !== undefined && verCodeMax !== undefined && verCodeMin > verCodeMax)
    say('verCodeMax', '最高版本号不能小于最低版本号')
}).meta({ title: '规则' })

export const GroupInput = z.object({
  /** Defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '所属客户' }),
  parentId: z
    .preprocess(
      (value) => (value === '' || value === null ? undefined : value),
      whole('上级分组', 0, 2_147_483_647).default(0),
    )
    .meta({ title: '上级分组' }),
  groupName: textLine('分组名称', 30),
  kind: choice('分组类型', GROUP_KIND).default(1).meta({ title: '分组类型', labels: GROUP_KIND }),
  rule: rule.optional().meta({ title: '规则' }),
  status: choice('状态', GROUP_STATUS).default(1).meta({ title: '状态', labels: GROUP_STATUS }),
  description: note('描述', 200),
})
const withRule = <T extends z.ZodType<{ kind: number; rule?: object | undefined }>>(schema: T) =>
  schema.refine(({ kind, rule: given }) => kind === 1 || given !== undefined, {
    path: ['rule'],
    message: '动态分组请设置规则',
  })

export const GroupRow = z.object({
  id: z.int().meta({ title: '分组编号' }),
  tenantId: z.int().meta({ title: '所属客户' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  parentId: z.int().meta({ title: '上级分组' }),
  groupName: z.string().meta({ title: '分组名称' }),
  kind: z.int().meta({ title: '分组类型', labels: GROUP_KIND }),
  description: z.string().meta({ title: '描述' }),
  status: z.int().meta({ title: '状态', labels: GROUP_STATUS }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
const named = z.array(z.object({ id: z.int(), name: z.string() }))
export const GroupDetail = GroupRow.extend({
  rule: GroupRuleInput.nullable(),
  /** Display names of the ids in the rule. */
  types: named,
  models: named,
})
export const GroupCount = z.object({
  id: z.int(),
  deviceCount: z.int().meta({ title: '设备数' }),
  onlineCount: z.int().meta({ title: '在线' }),
})
export const GroupDevice = z.object({
  id: z.int().meta({ title: '设备编号' }),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  typeName: z.string().meta({ title: '设备类型' }),
  modelName: z.string().meta({ title: '设备型号' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  verCode: z.int().nullable().meta({ title: '版本号' }),
  region: z.string().meta({ title: '地区' }),
  tags: z.array(z.string()).meta({ title: '标签' }),
  online: z.int().meta({ title: '在线状态', labels: ONLINE }),
  activateTime: z.string().nullable().meta({ title: '激活时间' }),
  status: z.int().meta({ title: '状态', labels: GROUP_STATUS }),
  lastOnlineTime: z.string().nullable().meta({ title: '最近在线' }),
})

const { groupId: _, ...filters } = deviceFilters
const query = sortedPage(['sn', 'createTime']).extend(filters)
const byId = z.object({ id })
const picked = ids(1000).meta({ title: '设备' })
const byFilter = z.object({ id, ...filters })
const Added = z.object({
  added: z.int(),
  /** Devices that were already in the group. */
  already: z.int(),
  /** Devices that already have the maximum number of groups. */
  full: z.int(),
})

/** Device groups (`/device/deviceGroup`). */
export const deviceGroups = {
  /** All groups of a tenant as a flat list; the console builds the tree. */
  list: {
    method: 'GET',
    path: '/api/v1/device/group/tree',
    access: 'device:deviceGroup:list',
    input: z.object({
      tenantId: optional(id).meta({ title: '所属客户' }),
      groupName: search('分组名称', 30),
      kind: optional(choice('分组类型', GROUP_KIND)),
      status: optional(choice('状态', GROUP_STATUS)),
    }),
    result: z.object({ list: z.array(GroupRow) }),
  },
  /** Device count of each group of a tenant, computed with two statements. */
  counts: {
    method: 'GET',
    path: '/api/v1/device/group/counts',
    access: 'device:deviceGroup:list',
    input: z.object({ tenantId: optional(id).meta({ title: '所属客户' }) }),
    result: z.object({ list: z.array(GroupCount) }),
  },
  get: {
    method: 'GET',
    path: '/api/v1/device/group/:id',
    access: 'device:deviceGroup:query',
    input: byId,
    result: GroupDetail,
  },
  /** Number of devices that match a rule, before the rule is saved. */
  preview: {
    method: 'POST',
    path: '/api/v1/device/group/preview',
    access: 'device:deviceGroup:query',
    log: false,
    body: 'json',
    perMinute: 120,
    input: z.object({ tenantId: optional(id), rule }),
    result: z.object({ count: z.int() }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/device/group',
    access: 'device:deviceGroup:add',
    title: '新增设备分组',
    body: 'json',
    input: withRule(GroupInput),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/device/group',
    access: 'device:deviceGroup:edit',
    title: '修改设备分组',
    body: 'json',
    input: withRule(GroupInput.omit({ tenantId: true }).extend({ id, rev })),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device/group/:id',
    access: 'device:deviceGroup:remove',
    title: '删除设备分组',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  /** Devices in the group. With `outside`: devices that can be added to a static group. */
  devices: {
    method: 'GET',
    path: '/api/v1/device/group/devices/:id',
    access: 'device:deviceGroup:query',
    input: query.extend({ id, outside: z.enum(['0', '1']).default('0') }),
    result: createPageSchema(GroupDevice),
  },
  addDevices: {
    method: 'POST',
    path: '/api/v1/device/group/devices/add',
    access: 'device:deviceGroup:addDevice',
    title: '分组添加设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, deviceIds: picked }),
    result: Added,
    done: '添加成功',
  },
  /** Adds devices by pasted serial numbers. `unknown`: serial numbers without a device in the group's scope. */
  addSns: {
    method: 'POST',
    path: '/api/v1/device/group/devices/sns',
    access: 'device:deviceGroup:addDevice',
    title: '分组按序列号添加设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, sns: pastedSns }),
    result: Added.extend({ unknown: z.array(z.string()) }),
    done: '添加完成',
  },
  /** Adds all devices that match a filter, in one statement. */
  addAll: {
    method: 'POST',
    path: '/api/v1/device/group/devices/all',
    access: 'device:deviceGroup:addDevice',
    title: '分组按条件添加设备',
    kind: 'edit',
    body: 'json',
    input: byFilter,
    result: Added,
    done: '添加完成',
  },
  removeDevices: {
    method: 'POST',
    path: '/api/v1/device/group/devices/remove',
    access: 'device:deviceGroup:removeDevice',
    title: '分组移除设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, deviceIds: picked }),
    result: z.object({ removed: z.int() }),
    done: '移除成功',
  },
  /** Removes all devices that match a filter; without a filter, removes all devices of the group. */
  removeAll: {
    method: 'POST',
    path: '/api/v1/device/group/devices/removeAll',
    access: 'device:deviceGroup:removeDevice',
    title: '分组按条件移除设备',
    kind: 'edit',
    body: 'json',
    input: byFilter,
    result: z.object({ removed: z.int() }),
    done: '移除完成',
  },
} as const satisfies Contract
