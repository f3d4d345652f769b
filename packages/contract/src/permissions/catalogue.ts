import { ADVERTISE } from './advertise.ts'
import { AFTER_SERVICE } from './after-service.ts'
import { AGENT } from './agent.ts'
import { APP_ACCOUNTS } from './app-account.ts'
import { type CatalogueDirectory, permissionsOf } from './declare.ts'
import { DEVICES } from './device.ts'
import { LICENSES } from './license.ts'
import { BIG_SCREEN } from './screen.ts'
import { STORAGE } from './storage.ts'
import { SYSTEM } from './system.ts'
import { TENANTS } from './tenant.ts'
import { UPGRADE } from './upgrade.ts'

/** The shipped menu tree in sidebar order. It contains only implemented screens. */
export const CATALOGUE: readonly CatalogueDirectory[] = [
  BIG_SCREEN,
  TENANTS,
  DEVICES,
  UPGRADE,
  LICENSES,
  AFTER_SERVICE,
  APP_ACCOUNTS,
  STORAGE,
  ADVERTISE,
  AGENT,
  SYSTEM,
].filter(({ pages }) => pages.length > 0)

/** Permissions without a page: tabs inside another page. */
export const EXTRA_PERMISSIONS: readonly { under: `/${string}`; perms: string; name: string }[] = [
  { under: '/system/loginLog', perms: 'system:online:list', name: '在线用户' },
  { under: '/system/loginLog', perms: 'system:online:forceLogout', name: '强制下线' },
]

/** All permission strings that calls may require. */
export const ALL_PERMISSIONS: ReadonlySet<string> = new Set([
  ...CATALOGUE.flatMap(({ pages }) => pages.flatMap((page) => permissionsOf(page).map(({ perms }) => perms))),
  ...EXTRA_PERMISSIONS.map(({ perms }) => perms),
])
