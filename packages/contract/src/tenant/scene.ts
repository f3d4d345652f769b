import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, ids, note, optional, rev, search, textLine, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { PermNode } from '../permission-tree.ts'
import { UPLOAD } from '../core/upload.ts'

export const SCENE_STATUS = { 1: '启用', 0: '停用' } as const
export const SCENE_DEFAULT = { 1: '是', 0: '否' } as const

/** Menu ids of a scene (pages and buttons); a query or form may send a single id. */
const menuIds = z
  .preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(id).max(2000, '一次最多选择2000项权限').default([]),
  )
  .meta({ title: '菜单权限' })

/** One picture of a scene. */
export const SCENE_COVER = { ...UPLOAD.image, maxCount: 1 } as const

export const SceneInput = z.object({
  sceneName: textLine('场景名称', 30),
  sceneCode: textLine('场景编码', 30)
    .regex(/^[a-z][a-z0-9_]*$/, '场景编码以小写字母开头，只能包含小写字母、数字和下划线')
    .meta({ title: '场景编码', max: 30 }),
  icon: note('图标', 64)
    .refine((icon) => /^[a-z0-9-]*$/.test(icon), '图标名称不正确')
    .meta({ title: '图标', max: 64 }),
  cover: note('封面', 255)
    .refine((url) => /^(\/api\/v1\/file\/[0-9a-f]{32})?$/.test(url), '封面不正确，请重新上传')
    .meta({ title: '封面', max: 255 }),
  description: note('场景描述', 200),
  isDefault: choice('默认场景', SCENE_DEFAULT).default(0).meta({ title: '默认场景', labels: SCENE_DEFAULT }),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  menuIds,
  remark: note('备注', 200),
})

export const SceneRow = z.object({
  id: z.int().meta({ title: '场景编号' }),
  sceneName: z.string().meta({ title: '场景名称' }),
  sceneCode: z.string().meta({ title: '场景编码' }),
  icon: z.string().meta({ title: '图标' }),
  cover: z.string().meta({ title: '封面' }),
  description: z.string().meta({ title: '场景描述' }),
  isDefault: z.int().meta({ title: '默认场景', labels: SCENE_DEFAULT }),
  sort: z.int().meta({ title: '排序' }),
  status: z.int().meta({ title: '状态', labels: SCENE_STATUS }),
  tenantCount: z.int().meta({ title: '使用客户' }),
  menuCount: z.int().meta({ title: '权限数' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
export const SceneDetail = SceneRow.extend({ menuIds: z.array(z.int()) })

export const SceneTenant = z.object({
  id: z.int().meta({ title: '客户 ID' }),
  tenantNo: z.string().meta({ title: '客户编号' }),
  name: z.string().meta({ title: '客户名称' }),
  status: z.int().meta({ title: '状态', labels: SCENE_STATUS }),
  accountCount: z.int().meta({ title: '账号数' }),
  inScene: z.boolean().meta({ title: '使用此场景' }),
})

const byId = z.object({ id })
const done = z.null()

export const scene = {
  list: {
    method: 'GET',
    path: '/api/v1/sys/scene/page',
    access: 'system:sceneManagement:list',
    input: sortedPage(['sort', 'createTime']).extend({
      sceneName: search('场景名称', 30),
      sceneCode: search('场景编码', 30),
      status: optional(choice('状态', SCENE_STATUS)),
      ...timeRange,
    }),
    result: createPageSchema(SceneRow),
  },
  /** All permissions that a scene can contain; permissions that the caller lacks are not `grantable`. */
  permTree: {
    method: 'GET',
    path: '/api/v1/sys/scene/permTree',
    access: 'system:sceneManagement:query',
    input: z.object({}),
    result: z.object({ menus: z.array(PermNode) }),
  },
  /** Tenants with or without this scene. */
  tenants: {
    method: 'GET',
    path: '/api/v1/sys/scene/tenants/:id',
    access: 'system:sceneManagement:query',
    input: pageQuery.extend({
      id,
      name: search('客户名称', 50),
      inScene: optional(choice('使用此场景', SCENE_DEFAULT)),
    }),
    result: createPageSchema(SceneTenant),
  },
  get: {
    method: 'GET',
    path: '/api/v1/sys/scene/:id',
    access: 'system:sceneManagement:query',
    input: byId,
    result: SceneDetail,
  },
  create: {
    method: 'POST',
    path: '/api/v1/sys/scene',
    access: 'system:sceneManagement:add',
    allTenants: true,
    title: '新增业务场景',
    body: 'json',
    input: SceneInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/scene',
    access: 'system:sceneManagement:edit',
    allTenants: true,
    title: '修改业务场景',
    body: 'json',
    input: SceneInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/sys/scene/:id',
    access: 'system:sceneManagement:remove',
    allTenants: true,
    title: '删除业务场景',
    input: byId,
    result: done,
    done: '删除成功',
  },
  ...declareSwitches('/api/v1/sys/scene', 'system:sceneManagement:enable', '业务场景', { allTenants: true }),
  /**
   * Assigns the scene to tenants and removes the scene from others. All sessions reload their permissions, also when
   * both lists are absent.
   */
  sync: {
    method: 'POST',
    path: '/api/v1/sys/scene/sync/:id',
    access: 'system:sceneManagement:sync',
    title: '同步业务场景',
    kind: 'grant',
    body: 'json',
    input: z.object({
      id,
      tenantIds: ids(500).optional().meta({ title: '使用客户' }),
      removeIds: ids(500).optional().meta({ title: '移除客户' }),
    }),
    result: z.object({ given: z.int(), taken: z.int() }),
    done: '同步成功',
  },
} as const satisfies Contract
