import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { changeRefusal } from './account-fields.ts'
import { choice, id, ids, note, optional, optionalRev, search, textLine, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'
import { PermNode } from '../permission-tree.ts'

export const ROLE_STATUS = { 1: '启用', 0: '停用' } as const
/**
 * Data scope: rows that holders of the role see. In a tenant's role the last three values are limited to the tenant.
 */
export const DATA_SCOPE = { 1: '全部客户', 2: '本客户', 3: '指定客户', 4: '仅本人' } as const
/** Role codes reserved for the product, because code refers to them. */
export const RESERVED_ROLE_CODES: readonly string[] = ['admin', 'root', 'system']

const roleCode = textLine('角色编码', 50)
  .regex(/^[a-z][a-z0-9_]*$/, '角色编码以小写字母开头，只能包含小写字母、数字和下划线')
  .refine((code) => !RESERVED_ROLE_CODES.includes(code), '该角色编码为系统保留，请换一个')
  .meta({ title: '角色编码', max: 50 })

/** Home page after login: a path of this console, never another host. */
const homeUrl = note('首页地址', 200)
  .refine((url) => url === '' || /^\/(?![/\\])[\w/:.-]*$/.test(url), '首页地址应以 / 开头，例如 /system/manager')
  .meta({ title: '首页地址', max: 200 })

export const RoleInput = z.object({
  roleName: textLine('角色名称', 30),
  roleCode,
  roleSort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  dataScope: optional(choice('数据范围', DATA_SCOPE)),
  scopeIds: ids(500).optional().meta({ title: '指定客户' }),
  homeUrl,
  remark: note('备注', 200),
})

export const RoleRow = z.object({
  id: z.int().meta({ title: '角色编号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '所属客户' }),
  roleName: z.string().meta({ title: '角色名称' }),
  roleCode: z.string().meta({ title: '角色编码' }),
  roleSort: z.int().meta({ title: '排序' }),
  dataScope: z.int().meta({ title: '数据范围', labels: DATA_SCOPE }),
  homeUrl: z.string().meta({ title: '首页地址' }),
  isBuiltin: z.int().meta({ title: '内置' }),
  status: z.int().meta({ title: '状态', labels: ROLE_STATUS }),
  userCount: z.int().meta({ title: '用户数' }),
  menuCount: z.int().meta({ title: '权限数' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
  changeRefusal,
})

export const RoleDetail = RoleRow.extend({
  /** Tenants of the data scope “chosen”, by id and name. */
  scopeTenants: z.array(z.object({ id: z.int(), name: z.string() })).meta({ title: '指定客户' }),
})

export const RoleAccount = z.object({
  uid: z.int().meta({ title: '账号编号' }),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
  nickname: z.string().meta({ title: '昵称' }),
  mobileNo: z.string().nullable().meta({ title: '手机号' }),
  status: z.int().meta({ title: '状态', labels: ROLE_STATUS }),
  createTime: z.string().meta({ title: '创建时间' }),
  changeRefusal,
})

const filters = {
  roleName: search('角色名称', 30),
  roleCode: search('角色编码', 50),
  status: optional(choice('状态', ROLE_STATUS)),
  /** The tenant whose roles are listed; defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '所属客户' }),
  ...timeRange,
}
const RoleQuery = sortedPage(['roleSort', 'createTime']).extend(filters)
const byId = z.object({ id })
const done = z.null()
const members = pageQuery.extend({
  id,
  account: search('账号', 30),
  realname: search('姓名', 15),
  mobileNo: search('手机号', 20),
})
const assignment = z.object({ roleId: id, uids: ids(500) })

export const role = {
  list: {
    method: 'GET',
    path: '/api/v1/tenant/role/list',
    access: 'system:rolemanagement:list',
    input: RoleQuery,
    result: createPageSchema(RoleRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/tenant/role/:id',
    access: 'system:rolemanagement:query',
    input: byId,
    result: RoleDetail,
  },
  create: {
    method: 'POST',
    path: '/api/v1/tenant/role',
    access: 'system:rolemanagement:add',
    title: '新增角色',
    input: RoleInput.extend({ tenantId: optional(id).meta({ title: '所属客户' }) }),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/tenant/role',
    access: 'system:rolemanagement:edit',
    title: '修改角色',
    input: RoleInput.extend({ id, rev: optionalRev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/tenant/role/:id',
    access: 'system:rolemanagement:remove',
    title: '删除角色',
    input: byId,
    result: done,
    done: '删除成功',
  },
  ...declareSwitches('/api/v1/tenant/role', 'system:rolemanagement:enable', '角色'),
  /** Returns the permission tree of a role: available, granted and grantable permissions. */
  allPerm: {
    method: 'GET',
    path: '/api/v1/tenant/role/allPerm/:id',
    access: 'system:rolemanagement:query',
    input: byId,
    result: z.object({
      menus: z.array(PermNode),
      /** Granted pages and buttons. */
      checkedIds: z.array(z.int()),
      /** Directories and pages of which only a part is granted. */
      halfCheckedIds: z.array(z.int()),
      rev: z.int(),
    }),
  },
  /** Replaces the permissions of a role by these pages and buttons; directories are ignored. */
  permission: {
    method: 'POST',
    path: '/api/v1/tenant/role/permission',
    access: 'system:rolemanagement:assignPerm',
    title: '分配角色权限',
    kind: 'grant',
    body: 'json',
    input: z.object({
      roleId: id,
      menuIds: z
        .preprocess(
          (value) => (value === undefined || Array.isArray(value) ? value : [value]),
          z.array(id).max(2000, '一次最多选择2000项权限').default([]),
        )
        .meta({ title: '权限' }),
      rev: optionalRev,
    }),
    result: z.object({ rev: z.int() }),
    done: '权限已保存',
  },
  addUserRole: {
    method: 'POST',
    path: '/api/v1/tenant/role/addUserRole',
    access: 'system:rolemanagement:assignUser',
    title: '添加角色用户',
    kind: 'grant',
    input: assignment,
    result: z.object({ changed: z.int() }),
    done: '已添加',
  },
  removeUserRole: {
    method: 'POST',
    path: '/api/v1/tenant/role/removeUserRole',
    access: 'system:rolemanagement:assignUser',
    title: '移除角色用户',
    kind: 'grant',
    input: assignment,
    result: z.object({ changed: z.int() }),
    done: '已移除',
  },
  accountInRole: {
    method: 'GET',
    path: '/api/v1/tenant/role/accountInRole/:id',
    access: 'system:rolemanagement:query',
    input: members,
    result: createPageSchema(RoleAccount),
  },
  accountNotInRole: {
    method: 'GET',
    path: '/api/v1/tenant/role/accountNotInRole/:id',
    access: 'system:rolemanagement:assignUser',
    input: members,
    result: createPageSchema(RoleAccount),
  },
  export: {
    method: 'GET',
    path: '/api/v1/tenant/role/export',
    access: 'system:rolemanagement:export',
    title: '导出角色',
    kind: 'export',
    stream: 'download',
    input: RoleQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: done,
  },
} as const satisfies Contract
