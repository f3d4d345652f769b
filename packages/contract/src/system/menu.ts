import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, note, optional, rev, search, textLine, whole, wholeWithin } from '../core/fields.ts'

export const MENU_TYPE = { M: '目录', C: '页面', F: '按钮' } as const
export type MenuType = keyof typeof MENU_TYPE
export const YES_NO = { 1: '是', 0: '否' } as const
/** 2 means enabled under a disabled parent: the menu is inactive until the parent is enabled. */
export const MENU_STATUS_LABELS = { 1: '启用', 0: '停用', 2: '上级停用' } as const
const OWN_STATUS = { 1: '启用', 0: '停用' } as const
export const MENU_VISIBLE = { 1: '显示', 0: '隐藏' } as const
export const MENU_FRAME = { 0: '控制台页面', 1: '内嵌外部页面', 2: '新窗口打开' } as const
export const MAX_MENU_DEPTH = 4
/** The menu screen itself. It can be neither disabled nor hidden, because nobody could reverse the change. */
export const MENU_SCREEN = '/system/systemPerm'
export const PERMS_PATTERN = /^[A-Za-z_]+(:[A-Za-z_]+){2}$/

const INSIDE = /^\/(?![/\\])[\w/:.-]*$/
const OUTSIDE = /^https?:\/\/[^\s/\\@?#]+([/?#]\S*)?$/

/** A console path, or an http(s) URL with `isFrame`. Other schemes are refused. */
export function isMenuUrl(url: string, isFrame: number) {
  return isFrame === 0 ? INSIDE.test(url) : OUTSIDE.test(url)
}

const perms = note('权限标识', 100)
  .refine((value) => value === '' || PERMS_PATTERN.test(value), '权限标识格式应为 模块:页面:操作，只含字母和下划线')
  .meta({ title: '权限标识', max: 100 })

export const MenuFields = z.object({
  parentId: wholeWithin(0, 2_147_483_647, '请选择上级菜单').meta({ title: '上级菜单' }),
  type: z.enum(['M', 'C', 'F'], '请选择菜单类型').meta({ title: '菜单类型' }),
  name: textLine('菜单名称', 50),
  url: note('访问地址', 200),
  perms,
  icon: note('图标', 100)
    .refine((icon) => /^[a-z0-9-]*$/.test(icon), '图标名称不正确')
    .meta({ title: '图标', max: 100 }),
  sort: whole('排序', 0, 99_999).default(0).meta({ title: '排序' }),
  visible: choice('显示状态', MENU_VISIBLE).default(1).meta({ title: '显示状态', labels: MENU_VISIBLE }),
  status: choice('状态', OWN_STATUS).default(1).meta({ title: '状态', labels: OWN_STATUS }),
  keepAlive: choice('页面缓存', YES_NO).default(1).meta({ title: '页面缓存', labels: YES_NO }),
  affix: choice('固定标签', YES_NO).default(0).meta({ title: '固定标签', labels: YES_NO }),
  isFrame: choice('打开方式', MENU_FRAME).default(0).meta({ title: '打开方式', labels: MENU_FRAME }),
  query: note('路由参数', 255),
  activeMenu: note('高亮菜单', 200),
  routeName: note('路由名称', 50),
  remark: note('备注', 200),
})

type Fields = z.output<typeof MenuFields>
const at = (path: keyof Fields, message: string) => ({ code: 'custom' as const, path: [path], message })

/** Checks the required fields of the three menu kinds; errors name the field. */
function assertKind(menu: Fields, { addIssue }: { addIssue(issue: ReturnType<typeof at>): void }) {
  const { type, url, perms: permission, isFrame, visible, activeMenu } = menu
  if (type === 'M' && permission) addIssue(at('perms', '目录不需要权限标识'))
  if (type === 'F') {
    if (url) addIssue(at('url', '按钮没有访问地址'))
    if (!permission) addIssue(at('perms', '请输入权限标识'))
    return
  }
  if (!url) addIssue(at('url', '请输入访问地址'))
  else if (!isMenuUrl(url, type === 'M' ? 0 : isFrame))
    addIssue(at('url', isFrame === 0 ? '访问地址应以 / 开头，例如 /system/manager' : '请输入 http 或 https 地址'))
  if (activeMenu && !INSIDE.test(activeMenu)) addIssue(at('activeMenu', '高亮菜单应以 / 开头'))
  if (type === 'C' && visible === 1 && isFrame === 0 && !permission) addIssue(at('perms', '请输入权限标识'))
}
export const MenuInput = MenuFields.superRefine(assertKind)

export interface MenuRow {
  id: number
  parentId: number
  type: MenuType
  name: string
  url: string
  perms: string
  icon: string
  sort: number
  visible: number
  status: number
  keepAlive: number
  affix: number
  isFrame: number
  query: string
  activeMenu: string
  routeName: string
  isBuiltin: number
  remark: string
  rev: number
  updateTime: string
}
export const MenuRow = z.object({
  id: z.int().meta({ title: '编号' }),
  parentId: z.int().meta({ title: '上级菜单' }),
  type: z.enum(['M', 'C', 'F']).meta({ title: '类型' }),
  name: z.string().meta({ title: '菜单名称' }),
  url: z.string().meta({ title: '访问地址' }),
  perms: z.string().meta({ title: '权限标识' }),
  icon: z.string().meta({ title: '图标' }),
  sort: z.int().meta({ title: '排序' }),
  visible: z.int().meta({ title: '显示', labels: MENU_VISIBLE }),
  status: z.int().meta({ title: '状态', labels: MENU_STATUS_LABELS }),
  keepAlive: z.int().meta({ title: '页面缓存' }),
  affix: z.int().meta({ title: '固定标签' }),
  isFrame: z.int().meta({ title: '打开方式', labels: MENU_FRAME }),
  query: z.string().meta({ title: '路由参数' }),
  activeMenu: z.string().meta({ title: '高亮菜单' }),
  routeName: z.string().meta({ title: '路由名称' }),
  isBuiltin: z.int().meta({ title: '内置' }),
  remark: z.string().meta({ title: '备注' }),
  rev: z.int(),
  updateTime: z.string().meta({ title: '更新时间' }),
})

export interface MenuTreeNode extends MenuRow {
  children: MenuTreeNode[]
}
export const MenuTreeNode: z.ZodType<MenuTreeNode> = MenuRow.extend({
  get children() {
    return z.array(MenuTreeNode)
  },
})

const byId = z.object({ id })
const done = z.null()

export const menu = {
  list: {
    method: 'GET',
    path: '/api/v1/sys/menu/list',
    access: 'system:systemPerm:list',
    input: z.object({
      name: search('菜单名称', 50),
      status: optional(choice('状态', OWN_STATUS)).meta({ title: '状态', labels: OWN_STATUS }),
    }),
    /** Returns matching menus with all their parents; returns the full tree without a filter. */
    result: z.object({ list: z.array(MenuTreeNode) }),
  },
  get: {
    method: 'GET',
    path: '/api/v1/sys/menu/:id',
    access: 'system:systemPerm:query',
    input: byId,
    result: MenuRow,
  },
  create: {
    method: 'POST',
    path: '/api/v1/sys/menu',
    access: 'system:systemPerm:add',
    allTenants: true,
    title: '新增菜单',
    input: MenuInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/menu',
    access: 'system:systemPerm:edit',
    allTenants: true,
    title: '修改菜单',
    input: MenuFields.extend({ id, rev }).superRefine(assertKind),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  /** Saves the sort numbers of many menus in one call. */
  sort: {
    method: 'PUT',
    path: '/api/v1/sys/menu/sort',
    access: 'system:systemPerm:sort',
    allTenants: true,
    title: '菜单排序',
    kind: 'edit',
    body: 'json',
    input: z.object({
      list: z
        .array(z.object({ id, sort: whole('排序', 0, 99_999) }), '请选择数据')
        .min(1, '请选择数据')
        .max(1000, '一次最多排序1000项'),
    }),
    result: z.object({ changed: z.int() }),
    done: '排序已保存',
  },
  /** Adds the missing buttons 详情 新增 编辑 删除 导入 导出 of a page, named after the page's permission. */
  buttons: {
    method: 'POST',
    path: '/api/v1/sys/menu/buttons/:id',
    access: 'system:systemPerm:add',
    allTenants: true,
    title: '生成标准按钮',
    kind: 'add',
    input: byId,
    result: z.object({ added: z.int() }),
    done: '按钮已生成',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/sys/menu/:id',
    access: 'system:systemPerm:remove',
    allTenants: true,
    title: '删除菜单',
    input: byId,
    result: done,
    done: '删除成功',
  },
} as const satisfies Contract
