import { sharedData } from '../core/shared-data.ts'
import * as z from 'zod'
import { dictStatus, dictType, keptFields } from './dict.ts'
import type { Contract } from '../core/endpoint.ts'
import { id, note, optional, optionalRev, search, textLine } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'

export const DictTypeInput = z.object({
  dictName: textLine('字典名称', 100),
  dictType,
  status: dictStatus,
  remark: note('备注', 500),
})

export const DictTypeRow = z.object({
  dictId: z.int().meta({ title: '字典编号' }),
  dictName: z.string().meta({ title: '字典名称' }),
  dictType: z.string().meta({ title: '字典类型' }),
  status: z.int().meta({ title: '状态' }),
  dataCount: z.int().meta({ title: '数据条数' }),
  remark: z.string().meta({ title: '备注' }),
  ...keptFields,
})

const done = z.null()
const typeFilter = {
  dictName: search('字典名称', 100),
  dictType: search('字典类型', 100),
  status: optional(dictStatus),
  ...timeRange,
}
const TypeQuery = sortedPage(['dictId', 'dictType']).extend(typeFilter)

/** Data dictionary types. */
export const dictTypes = sharedData({
  list: {
    method: 'GET',
    path: '/api/v1/sys/dict/type/list',
    access: 'system:systemDict:list',
    input: TypeQuery,
    result: createPageSchema(DictTypeRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/sys/dict/type/:id',
    access: 'system:systemDict:query',
    input: z.object({ id }),
    result: DictTypeRow,
  },
  optionselect: {
    method: 'GET',
    path: '/api/v1/sys/dict/type/optionselect',
    access: 'system:systemDict:list',
    input: z.object({}),
    result: z.object({
      list: z.array(z.object({ dictId: z.int(), dictName: z.string(), dictType: z.string() })),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/sys/dict/type',
    access: 'system:systemDict:add',
    title: '新增字典类型',
    input: DictTypeInput,
    result: z.object({ dictId: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/dict/type',
    access: 'system:systemDict:edit',
    title: '修改字典类型',
    input: DictTypeInput.extend({ dictId: id, rev: optionalRev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  ...declareSwitches('/api/v1/sys/dict/type', 'system:systemDict:edit', '字典类型'),
  remove: {
    method: 'DELETE',
    path: '/api/v1/sys/dict/type/:id',
    access: 'system:systemDict:remove',
    title: '删除字典类型',
    input: z.object({ id }),
    result: done,
    done: '删除成功',
  },
  /** Clears the cached dictionaries of all open consoles. */
  refreshCache: {
    method: 'DELETE',
    path: '/api/v1/sys/dict/type/refreshCache',
    access: 'system:systemDict:refresh',
    title: '刷新字典缓存',
    kind: 'clean',
    input: z.object({}),
    result: z.object({ types: z.int() }),
    done: '刷新成功',
  },
  export: {
    method: 'GET',
    path: '/api/v1/sys/dict/type/export',
    access: 'system:systemDict:export',
    stream: 'download',
    kind: 'export',
    title: '导出字典类型',
    input: TypeQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: done,
  },
} as const satisfies Contract)
