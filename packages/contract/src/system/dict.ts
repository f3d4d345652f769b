import { sharedData } from '../core/shared-data.ts'
import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, keptNote, note, optional, optionalRev, search, textLine, whole } from '../core/fields.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'

export const DICT_STATUS = { 0: '停用', 1: '启用' } as const
/** Allowed tag colours. */
export const TAG_COLOURS = ['default', 'primary', 'success', 'info', 'warning', 'danger'] as const
export type TagColour = (typeof TAG_COLOURS)[number]
export const TAG_COLOUR_LABELS: Readonly<Record<TagColour, string>> = {
  default: '默认',
  primary: '主要',
  success: '成功',
  info: '信息',
  warning: '警告',
  danger: '危险',
}
/** Maximum entries of a dictionary: the console loads a dictionary as a whole. */
export const MAX_DICT_ENTRIES = 1000
export const dictType = textLine('字典类型', 100).regex(
  /^[a-z][a-z0-9_]*$/,
  '字典类型须以小写字母开头，只能包含小写字母、数字和下划线',
)
export const dictStatus = choice('状态', DICT_STATUS)

const sort = whole('显示排序', 0, 9999)
const tagColor = z.enum(TAG_COLOURS, '请选择回显样式')
const standard = z.enum(['Y', 'N'], '请选择是否默认')
const CSS_CLASS = /^[A-Za-z0-9_ -]*$/
const CSS_CLASS_TEXT = '样式属性只能包含字母、数字、空格和 _ -'

export const DictDataInput = z.object({
  dictType,
  dictLabel: textLine('字典标签', 100),
  dictValue: textLine('字典键值', 100),
  dictSort: sort.default(0).meta({ title: '显示排序' }),
  listClass: tagColor.default('default').meta({ title: '回显样式' }),
  cssClass: note('样式属性', 100).refine((value) => CSS_CLASS.test(value), CSS_CLASS_TEXT),
  isDefault: standard.default('N').meta({ title: '默认' }),
  status: dictStatus.default(1).meta({ title: '状态', labels: DICT_STATUS }),
  remark: note('备注', 500),
})

/** Fields of an update: absent fields other than type, label and value keep their stored values. */
const DictDataUpdate = DictDataInput.extend({
  dictSort: sort.optional().meta({ title: '显示排序' }),
  listClass: tagColor.optional().meta({ title: '回显样式' }),
  cssClass: keptNote('样式属性', 100).refine((value) => value === undefined || CSS_CLASS.test(value), CSS_CLASS_TEXT),
  isDefault: standard.optional().meta({ title: '默认' }),
  status: dictStatus.optional().meta({ title: '状态', labels: DICT_STATUS }),
  remark: keptNote('备注', 500),
})

/** Columns that every stored row has besides its fields. */
export const keptFields = {
  isBuiltin: z.int().meta({ title: '内置' }),
  rev: z.int(),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
}

export const DictDataRow = z.object({
  dictCode: z.int().meta({ title: '字典编码' }),
  dictType: z.string().meta({ title: '字典类型' }),
  dictLabel: z.string().meta({ title: '字典标签' }),
  dictValue: z.string().meta({ title: '字典键值' }),
  dictSort: z.int().meta({ title: '显示排序' }),
  listClass: z.string().meta({ title: '回显样式' }),
  cssClass: z.string().meta({ title: '样式属性' }),
  isDefault: z.string().meta({ title: '默认' }),
  status: z.int().meta({ title: '状态' }),
  remark: z.string().meta({ title: '备注' }),
  ...keptFields,
})

/** Fields of an entry that tags and selects need. */
export const DictEntry = z.object({
  dictCode: z.int(),
  dictLabel: z.string(),
  dictValue: z.string(),
  dictSort: z.int(),
  listClass: z.string(),
  cssClass: z.string(),
  isDefault: z.string(),
  status: z.int(),
})
export type DictEntry = z.output<typeof DictEntry>

const done = z.null()
const dataFilter = {
  dictType: search('字典类型', 100),
  dictLabel: search('字典标签', 100),
  dictValue: search('字典键值', 100),
  status: optional(dictStatus),
}
const DataQuery = sortedPage(['dictSort', 'dictCode']).extend(dataFilter)
/** Data dictionary entries. */
export const dictData = sharedData({
  list: {
    method: 'GET',
    path: '/api/v1/sys/dict/data/list',
    access: 'system:systemDict:list',
    input: DataQuery,
    result: createPageSchema(DictDataRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/sys/dict/data/:id',
    access: 'system:systemDict:query',
    input: z.object({ id }),
    result: DictDataRow,
  },
  /**
   * Returns the enabled entries of one type in order. `all=1` adds disabled entries, whose labels old rows still
   * need. The response is an envelope (`data`: `DictEntry[]`) with an ETag, or 304 when the ETag matches.
   */
  byType: {
    method: 'GET',
    path: '/api/v1/sys/dict/data/type/:type',
    access: 'session',
    stream: 'download',
    summary: '按类型取字典数据（支持 ETag）',
    input: z.object({ type: dictType, all: choice('包含停用', { 0: '否', 1: '是' }).default(0) }),
    result: z.array(DictEntry),
  },
  create: {
    method: 'POST',
    path: '/api/v1/sys/dict/data',
    access: 'system:systemDict:add',
    title: '新增字典数据',
    input: DictDataInput,
    result: z.object({ dictCode: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/dict/data',
    access: 'system:systemDict:edit',
    title: '修改字典数据',
    input: DictDataUpdate.extend({ dictCode: id, rev: optionalRev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  ...declareSwitches('/api/v1/sys/dict/data', 'system:systemDict:edit', '字典数据'),
  remove: {
    method: 'DELETE',
    path: '/api/v1/sys/dict/data/:id',
    access: 'system:systemDict:remove',
    title: '删除字典数据',
    input: z.object({ id }),
    result: done,
    done: '删除成功',
  },
  export: {
    method: 'GET',
    path: '/api/v1/sys/dict/data/export',
    access: 'system:systemDict:export',
    stream: 'download',
    kind: 'export',
    title: '导出字典数据',
    input: DataQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: done,
  },
} as const satisfies Contract)
