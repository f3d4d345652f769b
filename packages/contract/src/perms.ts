import * as z from 'zod'

/** A node of the menu tree: M directory, C page. `visible` 0: reachable, but not in the sidebar. */
export interface MenuNode {
  id: number
  name: string
  parentId: number
  type: 'M' | 'C'
  url: string
  visible: number
  icon: string
  sort: number
  keepAlive: number
  isFrame: number
  query: string
  activeMenu: string
  children: MenuNode[]
}
export const MenuNode: z.ZodType<MenuNode> = z.object({
  id: z.int(),
  name: z.string(),
  parentId: z.int(),
  type: z.enum(['M', 'C']),
  url: z.string(),
  visible: z.int(),
  icon: z.string(),
  sort: z.int(),
  keepAlive: z.int(),
  isFrame: z.int(),
  query: z.string(),
  activeMenu: z.string(),
  get children() {
    return z.array(MenuNode)
  },
})

export const Perms = z.object({
  /** Permission strings held: `*:*:*` first for a super administrator, then every string by name. */
  buttons: z.array(z.string()),
  menus: z.array(MenuNode),
  roles: z.array(z.string()),
  /** Changes whenever rights change; every answer carries it in the header `x-perm-version`. */
  version: z.string(),
  homeUrl: z.string(),
  /** The tenant this session works in, where it is not the account's own; null: at home. */
  visiting: z.object({ id: z.int(), name: z.string(), home: z.string() }).nullable(),
})
