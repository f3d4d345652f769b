/** What regular actions are called in the permission tree. */
export const ACTION_NAMES = {
  list: '列表',
  query: '详情',
  add: '新增',
  edit: '编辑',
  remove: '删除',
  enable: '启用停用',
  export: '导出',
  import: '导入',
} as const
type Regular = keyof typeof ACTION_NAMES

/** A page of the console as the menu table is seeded with it. `prefix:list` opens it; `actions` are its buttons. */
export interface CataloguePage {
  readonly url: `/${string}`
  readonly name: string
  readonly icon: string
  /** `<parent route>:<child route>`, in the routes' own letter case. */
  readonly prefix: `${string}:${string}`
  /** What the permission that opens it is called after the prefix, where it is no `list`. */
  readonly opens?: string
  /** Regular actions by key, special ones with their Chinese name. */
  readonly actions: readonly (Exclude<Regular, 'list'> | readonly [string, string])[]
  /** Not in the sidebar; reached from `under`. */
  readonly hidden?: readonly { readonly url: `/${string}`; readonly name: string }[]
}
export interface CatalogueDirectory {
  readonly url: `/${string}`
  readonly name: string
  readonly icon: string
  readonly pages: readonly CataloguePage[]
}

/** Every permission string of the catalogue with its Chinese name, the one that opens the page first. */
export function permissionsOf({
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
