import { ENABLED_LABELS } from './status-labels.ts'

/** Names of the standard actions in the permission tree. */
export const ACTION_NAMES = {
  list: '列表',
  query: '详情',
  add: '新增',
  edit: '编辑',
  remove: '删除',
  enable: `${ENABLED_LABELS.enable}${ENABLED_LABELS.disable}`,
  export: '导出',
  import: '导入',
} as const
type Regular = keyof typeof ACTION_NAMES

/** Actions of a list whose records are added, edited, deleted, enabled and exported. */
export const STANDARD_ACTIONS = ['query', 'add', 'edit', 'remove', 'enable', 'export'] as const

/**
 * A console page for the initial menu table. `prefix:list` is the permission to open the page; `actions` are its
 * buttons.
 */
export interface CataloguePage {
  readonly url: `/${string}`
  readonly name: string
  readonly icon: string
  /** `<parent route>:<child route>`, in the letter case of the routes. */
  readonly prefix: `${string}:${string}`
  /** Suffix of the permission that opens the page; default `list`. */
  readonly opens?: string
  /** Standard actions by key, special actions with their Chinese name. */
  readonly actions: readonly (Exclude<Regular, 'list'> | readonly [string, string])[]
  /**
   * Kinds of records that the page lists (`bizType` of an operation). The permission that opens the page also permits
   * reading the history of these records.
   */
  readonly records?: readonly string[]
  /** Hidden from the sidebar; opened from the page `under`. */
  readonly hidden?: readonly { readonly url: `/${string}`; readonly name: string }[]
}
export interface CatalogueDirectory {
  readonly url: `/${string}`
  readonly name: string
  readonly icon: string
  readonly pages: readonly CataloguePage[]
}

/** Returns all permission strings of the catalogue with their Chinese names; the page's own permission is first. */
export function listPagePermissions({
  prefix,
  name,
  actions,
  opens = 'list',
}: CataloguePage): readonly { perms: string; name: string }[] {
  const buttons = actions.map((action) =>
    typeof action === 'string'
      ? { perms: `${prefix}:${action}`, name: ACTION_NAMES[action] }
      : { perms: `${prefix}:${action[0]}`, name: action[1] },
  )
  return [{ perms: `${prefix}:${opens}`, name }, ...buttons]
}
