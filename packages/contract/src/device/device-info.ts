import * as z from 'zod'
import { MAX_SNS, pastedSns } from './device-fields.ts'
import {
  DEVICE_STATUS,
  DeviceDetail,
  DeviceInput,
  DeviceQuery,
  DeviceRow,
  MAX_BATCH,
  tags,
  VERSION_SOURCE,
  DEVICE_IMPORT_ROWS,
} from './device-row.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, ids, optional, reference, rev } from '../core/fields.ts'
import { declareOptions } from '../core/options.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { exportQuery, importReport } from '../core/transfer.ts'
import { BatchReport } from '../core/transfer.ts'
import { limitTable } from '../core/upload.ts'

const one = z.object({ id })
const many = ids(MAX_BATCH).meta({ title: '设备' })
const flag = z.enum(['0', '1']).default('0')

/** Devices (`/device/apkManage`). */
export const devices = {
  list: {
    method: 'GET',
    path: '/api/v1/device/info/page',
    access: 'device:apkManage:list',
    summary: `设备列表；序列号、名称按片段查找（少于3个字符按开头查找），beginTime、endTime 为创建时间范围`,
    input: DeviceQuery,
    result: createPageSchema(DeviceRow),
  },
  /** Serial numbers to search for, combined with the other filters. Sent in the body because a URL is too short. */
  find: {
    method: 'POST',
    path: '/api/v1/device/info/find',
    access: 'device:apkManage:list',
    log: false,
    body: 'json',
    input: DeviceQuery.extend({ sns: pastedSns }),
    /** `missing`: serial numbers without a visible device. `ids`: all devices found, for batch calls. */
    result: createPageSchema(DeviceRow).extend({
      missing: z.array(z.string()).max(MAX_SNS),
      ids: z.array(z.int()).max(MAX_SNS),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/v1/device/info/detail/:id',
    access: 'device:apkManage:query',
    input: one,
    result: DeviceDetail,
  },
  create: {
    method: 'POST',
    path: '/api/v1/device/info',
    access: 'device:apkManage:add',
    title: '新增设备',
    body: 'json',
    input: DeviceInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/device/info',
    access: 'device:apkManage:edit',
    title: '修改设备',
    body: 'json',
    input: DeviceInput.omit({ sn: true, tenantId: true }).extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device/info',
    access: 'device:apkManage:remove',
    title: '删除设备',
    input: z.object({ ids: ids(200) }),
    result: BatchReport,
    done: '删除成功',
  },
  setStatus: {
    method: 'POST',
    path: '/api/v1/device/info/status',
    access: 'device:apkManage:enable',
    title: '启用停用设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ ids: many, status: choice('状态', DEVICE_STATUS) }),
    result: BatchReport,
    done: '操作完成',
  },
  tag: {
    method: 'POST',
    path: '/api/v1/device/info/tags',
    access: 'device:apkManage:tag',
    title: '批量修改设备标签',
    kind: 'edit',
    body: 'json',
    input: z
      .object({ ids: many, add: tags.meta({ title: '添加标签' }), remove: tags.meta({ title: '移除标签' }) })
      .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], message: '请输入标签' })
      .refine(({ add, remove }) => !add.some((each) => remove.includes(each)), {
        path: ['remove'],
        message: '同一标签不能既添加又移除',
      }),
    result: BatchReport,
    done: '操作完成',
  },
  /** Adds devices to static groups, or removes devices from them. */
  move: {
    method: 'POST',
    path: '/api/v1/device/info/groups',
    access: 'device:apkManage:move',
    title: '批量移动设备分组',
    kind: 'edit',
    body: 'json',
    input: z
      .object({
        ids: many,
        join: optional(id).meta({ title: '移入分组' }),
        leave: optional(id).meta({ title: '移出分组' }),
      })
      .refine(({ join, leave }) => join !== undefined || leave !== undefined, { path: ['join'], message: '请选择分组' })
      .refine(({ join, leave }) => join !== leave, { path: ['leave'], message: '移入与移出的分组不能相同' }),
    result: BatchReport,
    done: '操作完成',
  },
  /** Moves devices to another tenant. The devices leave their groups. */
  transfer: {
    method: 'POST',
    path: '/api/v1/device/info/transfer',
    access: 'device:apkManage:transfer',
    title: '转移设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ ids: many, tenantId: reference('所属客户') }),
    result: BatchReport,
    done: '操作完成',
  },
  /** Creates or replaces the target token. The token is returned only in this response. */
  token: {
    method: 'POST',
    path: '/api/v1/device/info/token/:id',
    access: 'device:apkManage:token',
    title: '生成设备令牌',
    kind: 'edit',
    input: one,
    result: z.object({ sn: z.string(), token: z.string() }),
  },
  clearToken: {
    method: 'DELETE',
    path: '/api/v1/device/info/token/:id',
    access: 'device:apkManage:token',
    title: '清除设备令牌',
    kind: 'edit',
    input: one,
    result: z.null(),
    done: '令牌已清除',
  },
  /** Creates tokens for many devices as one file. With `replace` 0, devices that have a token are skipped. */
  tokens: {
    method: 'POST',
    path: '/api/v1/device/info/tokens',
    access: 'device:apkManage:token',
    title: '批量生成设备令牌',
    kind: 'edit',
    body: 'json',
    perMinute: 20,
    input: z.object({ ids: many, replace: choice('已有令牌的设备', { 0: '跳过', 1: '重新生成' }) }),
    result: z.object({ tokens: z.array(z.object({ sn: z.string(), token: z.string() })), skipped: z.int() }),
  },
  /** Requests the attributes of these devices at their next poll. */
  command: {
    method: 'POST',
    path: '/api/v1/device/info/readAttributes',
    access: 'device:apkManage:command',
    title: '重新读取设备属性',
    kind: 'edit',
    body: 'json',
    input: z.object({ ids: many }),
    result: BatchReport,
    done: '设备下次连接时将重新上报属性',
  },
  attributes: {
    method: 'GET',
    path: '/api/v1/device/info/attributes/:id',
    access: 'device:apkManage:query',
    input: one,
    result: z.object({
      updateTime: z.string().nullable(),
      wanted: z.boolean(),
      list: z.array(z.object({ name: z.string(), value: z.string() })),
    }),
  },
  versions: {
    method: 'GET',
    path: '/api/v1/device/info/versions/:id',
    access: 'device:apkManage:query',
    input: pageQuery.extend({ id }),
    result: createPageSchema(
      z.object({
        id: z.int(),
        verCode: z.int().meta({ title: '固件版本号' }),
        verName: z.string().meta({ title: '固件版本' }),
        source: z.int().meta({ title: '来源', labels: VERSION_SOURCE }),
        taskId: z.int().nullable(),
        createTime: z.string().meta({ title: '时间' }),
      }),
    ),
  },
  packages: {
    method: 'GET',
    path: '/api/v1/device/info/packages/:id',
    access: 'device:apkManage:query',
    input: one,
    result: z.object({
      list: z.array(z.object({ packageName: z.string(), verCode: z.int(), updateTime: z.string() })),
    }),
  },
  groupsOf: {
    method: 'GET',
    path: '/api/v1/device/info/groups/:id',
    access: 'device:apkManage:query',
    input: one,
    result: z.object({
      list: z.array(z.object({ id: z.int(), groupName: z.string(), kind: z.int(), status: z.int() })),
    }),
  },
  /** Device groups of the filters and forms: at most 100, filtered by a keyword. */
  groupOptions: declareOptions('/api/v1/device/info/options/group', 'device:apkManage:list', {
    row: { kind: z.int(), tenantName: z.string() },
    asked: { kind: optional(choice('分组类型', { 1: '静态', 2: '动态' })) },
  }),
  /** Uses POST because the filter may contain 1,000 serial numbers. */
  export: {
    method: 'POST',
    path: '/api/v1/device/info/export',
    access: 'device:apkManage:export',
    stream: 'download',
    kind: 'export',
    title: '导出设备',
    body: 'json',
    log: ['format', 'columns', 'sn', 'devName', 'tenantId', 'typeId', 'modelId', 'groupId', 'tag', 'status', 'online'],
    input: DeviceQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  template: {
    method: 'GET',
    path: '/api/v1/device/info/template',
    access: 'device:apkManage:import',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  /**
   * `dryRun` 1 only returns the report. `update` 1 updates existing devices; otherwise existing devices are reported
   * as problems.
   */
  import: {
    method: 'POST',
    path: '/api/v1/device/info/import',
    access: 'device:apkManage:import',
    title: '导入设备',
    body: 'multipart',
    file: limitTable(DEVICE_IMPORT_ROWS),
    input: z.object({ dryRun: flag, update: flag }),
    result: z.union([importReport, z.object({ jobId: z.int() })]),
  },
} as const satisfies Contract
