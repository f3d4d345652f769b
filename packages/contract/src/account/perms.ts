import * as z from 'zod'
import { ShownBrand } from '../core/shown-brand.ts'

/**
 * A node of the menu tree: M is a directory, C a page. `visible` 0 hides the page from the sidebar; its URL still
 * works.
 */
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
  /** Permission strings of the account in alphabetical order. A super administrator's list starts with `*:*:*`. */
  buttons: z.array(z.string()),
  menus: z.array(MenuNode),
  roles: z.array(z.string()),
  /** Changes whenever permissions change. Every response carries the version in the header `x-perm-version`. */
  version: z.string(),
  homeUrl: z.string(),
  /** False when the data scope is limited to chosen tenants, or while the session works inside a tenant. */
  seesAllTenants: z.boolean(),
  /** The tenant that the session has switched to; null while the session works in the account's own tenant. */
  switchedTenant: z.object({ id: z.int(), name: z.string(), home: z.string() }).nullable(),
  /** Time zone of all displayed times (`OMS_TIME_ZONE`). */
  zone: z.string(),
  /** Colour scheme that the account chose; '' without a choice. */
  theme: z.enum(['', 'light', 'dark']),
  /** Name, logo and accent of the account's tenant, or of the installation. */
  brand: ShownBrand,
})
