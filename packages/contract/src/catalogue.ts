import { ADVERTISE_CATALOGUE } from './advertise/permissions.ts'
import { AFTER_SERVICE_CATALOGUE } from './ticket/permissions.ts'
import { AGENT_CATALOGUE } from './agent/permissions.ts'
import { APP_ACCOUNT_CATALOGUE } from './storage/app-account-permissions.ts'
import { type CatalogueDirectory, listPagePermissions } from './core/permissions.ts'
import { DEVICE_CATALOGUE } from './device/permissions.ts'
import { LICENSE_CATALOGUE } from './license/permissions.ts'
import { BIG_SCREEN_CATALOGUE } from './home/permissions.ts'
import { STORAGE_CATALOGUE } from './storage/permissions.ts'
import { SYSTEM_CATALOGUE } from './system/permissions.ts'
import { TENANT_CATALOGUE } from './tenant/permissions.ts'
import { UPGRADE_CATALOGUE } from './upgrade/permissions.ts'

/** The shipped menu tree in sidebar order. It contains only implemented screens. */
export const CATALOGUE: readonly CatalogueDirectory[] = [
  BIG_SCREEN_CATALOGUE,
  TENANT_CATALOGUE,
  DEVICE_CATALOGUE,
  UPGRADE_CATALOGUE,
  LICENSE_CATALOGUE,
  AFTER_SERVICE_CATALOGUE,
  APP_ACCOUNT_CATALOGUE,
  STORAGE_CATALOGUE,
  ADVERTISE_CATALOGUE,
  AGENT_CATALOGUE,
  SYSTEM_CATALOGUE,
].filter(({ pages }) => pages.length > 0)

/** Permissions without a page: tabs inside another page, and views that all accounts of a tenant see. */
export const EXTRA_PERMISSIONS: readonly { under: `/${string}`; perms: string; name: string }[] = [
  { under: '/system/loginLog', perms: 'system:online:list', name: '在线用户' },
  { under: '/system/loginLog', perms: 'system:online:forceLogout', name: '强制下线' },
  { under: '/system/manager', perms: 'system:view:share', name: '共享列表视图' },
]

/** All permission strings that calls may require. */
export const ALL_PERMISSIONS: ReadonlySet<string> = new Set([
  ...CATALOGUE.flatMap(({ pages }) => pages.flatMap((page) => listPagePermissions(page).map(({ perms }) => perms))),
  ...EXTRA_PERMISSIONS.map(({ perms }) => perms),
])
