import { AFTER_SERVICE } from './catalogue/after-service.ts'
import { APP_ACCOUNTS } from './catalogue/app-account.ts'
import { DEVICES } from './catalogue/device.ts'
import { LICENSES } from './catalogue/license.ts'
import { BIG_SCREEN } from './catalogue/screen.ts'
import { SYSTEM } from './catalogue/system.ts'
import { TENANTS } from './catalogue/tenant.ts'
import { UPGRADE } from './catalogue/upgrade.ts'
import { type CatalogueDirectory, permissionsOf } from './kernel/catalogue.ts'

/** The menu tree the product ships with, in sidebar order. Only screens that work are in it. */
export const CATALOGUE: readonly CatalogueDirectory[] = [
  BIG_SCREEN,
  TENANTS,
  DEVICES,
  UPGRADE,
  LICENSES,
  AFTER_SERVICE,
  APP_ACCOUNTS,
  SYSTEM,
].filter(({ pages }) => pages.length > 0)

/** Permissions without a page of their own: a tab inside another page. */
export const EXTRA_PERMISSIONS: readonly { under: `/${string}`; perms: string; name: string }[] = [
  { under: '/system/loginLog', perms: 'system:online:list', name: '在线用户' },
  { under: '/system/loginLog', perms: 'system:online:forceLogout', name: '强制下线' },
]

/** Every permission string a call may ask for. */
export const ALL_PERMISSIONS: ReadonlySet<string> = new Set([
  ...CATALOGUE.flatMap(({ pages }) => pages.flatMap((page) => permissionsOf(page).map(({ perms }) => perms))),
  ...EXTRA_PERMISSIONS.map(({ perms }) => perms),
])
