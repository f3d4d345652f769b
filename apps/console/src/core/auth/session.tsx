import type { Perms } from '@oms/contract/account/perms.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { hasAllPermissions, hasAnyPermission, hasAnyRole, hasButton, hasPermission } from '@oms/contract/core/rights.ts'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import { type Credentials, clearCredentials, readCredentials } from './credentials.ts'
import { createStore, useStore } from '#core/events/store.ts'
import { setTimeZone } from '#core/text/format.ts'

export type Permissions = z.output<typeof Perms>
/** Storage key that the specification's separate button check reads. */
const BUTTON_KEY = 'button'

/** The brand of an installation without settings of its own. */
export const NO_BRAND: Permissions['brand'] = {
  name: '',
  logo: '',
  logoDark: '',
  accent: '',
  watermark: false,
}
const NO_PERMISSIONS: Permissions = {
  buttons: [],
  menus: [],
  roles: [],
  version: '',
  homeUrl: '',
  seesAllTenants: false,
  switchedTenant: null,
  zone: '',
  theme: '',
  brand: NO_BRAND,
}
const credentials = createStore<Credentials | undefined>(undefined)
const permissions = createStore<Permissions>(NO_PERMISSIONS)
/** Set of `permissions`, so that a check in a table cell is one lookup. */
let held: ReadonlySet<string> = new Set()

/** Restores the login from the cookies at start and after a login in another browser tab. */
export function loadCredentials() {
  credentials.set(readCredentials())
  return credentials.get()
}

export const getSession = () => credentials.get()
export const getPermissions = () => permissions.get()

/** Clears the login in this browser. The caller then opens the login page. */
export function clearSession() {
  clearCredentials()
  sessionStorage.removeItem(BUTTON_KEY)
  credentials.set(undefined)
  setPermissions(NO_PERMISSIONS)
}

export function setPermissions(next: Permissions) {
  held = new Set(next.buttons)
  setTimeZone(next.zone)
  if (next !== NO_PERMISSIONS) sessionStorage.setItem(BUTTON_KEY, JSON.stringify(next.buttons))
  permissions.set(next)
}

/** Returns whether the account has the permission. `public` and `session` are always true after login. */
export const can = (access: string) => access === 'public' || access === 'session' || hasPermission(held, access)
export const canAny = (wanted: readonly string[]) => hasAnyPermission(held, wanted)
export const canAll = (wanted: readonly string[]) => hasAllPermissions(held, wanted)
/** @public */
export const isAnyRole = (wanted: readonly string[]) => hasAnyRole(permissions.get().roles, wanted)

/** Returns true when the stored permissions of buttons name this button. Ignores the wildcard. */
export function hasExplicitPermission(button: string) {
  const stored: unknown = JSON.parse(sessionStorage.getItem(BUTTON_KEY) ?? '[]')
  return Array.isArray(stored) && hasButton(stored, button)
}

export const useSession = () => useStore(credentials)
export const usePermissions = () => useStore(permissions)

/** Returns `can` for components; re-renders when the permissions change. */
export function useCan() {
  useStore(permissions)
  return can
}

/** The declared conditions of an endpoint that depend on the account. */
export type CallAccess = Pick<Endpoint, 'allTenants' | 'createsSharedRows'> & { readonly access: string }

/** Id of the platform tenant, whose rows all tenants use. */
export const PLATFORM_TENANT_ID = 1
const worksInPlatform = () => Number(credentials.get()?.ownerId) === PLATFORM_TENANT_ID

/** Returns whether the account may call the endpoint: by its permissions and by its data scope. */
export const mayCall = ({ access, allTenants, createsSharedRows }: CallAccess) =>
  can(access) && (permissions.get().seesAllTenants || !(allTenants || (createsSharedRows && worksInPlatform())))

/** Returns the conditions of a call on one row. A row that all tenants share requires a data scope with all tenants. */
export const accessToRow = ({ access }: CallAccess, isShared: boolean): CallAccess =>
  isShared ? { access, allTenants: true } : { access }

/** True when the account must name a tenant for a new row, because it may not create rows of the platform. */
export function useMustChooseTenant() {
  useStore(credentials)
  return !useStore(permissions).seesAllTenants && worksInPlatform()
}

/** Returns `mayCall` for components; re-renders when the permissions change. */
export function useMayCall() {
  useStore(permissions)
  return mayCall
}

/** Renders its children only when the account may call the endpoint. */
export function Allowed({ to, children }: { to: CallAccess; children: ReactNode }) {
  return useMayCall()(to) ? children : null
}
