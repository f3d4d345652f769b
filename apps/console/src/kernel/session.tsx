import type { Perms } from '@oms/contract/perms.ts'
import {
  hasAllPermissions,
  hasAnyPermission,
  hasAnyRole,
  hasButton,
  hasPermission,
} from '@oms/contract/kernel/rights.ts'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import { type Credentials, clearCredentials, readCredentials } from './credentials.ts'
import { storeOf, useStore } from './store.ts'

export type Permissions = z.output<typeof Perms>
/** Where the specification's separate button check reads its list. */
const BUTTON_KEY = 'button'

const NOBODY: Permissions = { buttons: [], menus: [], roles: [], version: '', homeUrl: '', visiting: null }
const credentials = storeOf<Credentials | undefined>(undefined)
const permissions = storeOf<Permissions>(NOBODY)
/** The set behind `permissions`, so that a check in a table cell costs one look-up. */
let held: ReadonlySet<string> = new Set()

/** Takes the login over from the cookies: at start, and when another browser tab logged in. */
export function loadCredentials() {
  credentials.set(readCredentials())
  return credentials.get()
}

export const currentSession = () => credentials.get()
export const currentPermissions = () => permissions.get()

/** Forgets the login in this browser. The page that follows is the login page. */
export function forgetSession() {
  clearCredentials()
  sessionStorage.removeItem(BUTTON_KEY)
  credentials.set(undefined)
  setPermissions(NOBODY)
}

export function setPermissions(next: Permissions) {
  held = new Set(next.buttons)
  if (next !== NOBODY) sessionStorage.setItem(BUTTON_KEY, JSON.stringify(next.buttons))
  permissions.set(next)
}

/** May the account do this? `public` and `session` are answered by being here. */
export const can = (access: string) => access === 'public' || access === 'session' || hasPermission(held, access)
export const canAny = (wanted: readonly string[]) => hasAnyPermission(held, wanted)
export const canAll = (wanted: readonly string[]) => hasAllPermissions(held, wanted)
/** @public */
export const isAnyRole = (wanted: readonly string[]) => hasAnyRole(permissions.get().roles, wanted)

/** The separate button check: by the stored list alone, without the wildcard. */
export function mayPress(button: string) {
  const stored: unknown = JSON.parse(sessionStorage.getItem(BUTTON_KEY) ?? '[]')
  return Array.isArray(stored) && hasButton(stored, button)
}

export const useSession = () => useStore(credentials)
export const usePermissions = () => useStore(permissions)

/** `can`, in a component that shows another picture once the rights change. */
export function useCan() {
  useStore(permissions)
  return can
}

/** Renders its children for those who may call the endpoint, nothing for the rest. */
export function Allowed({ to, children }: { to: { readonly access: string }; children: ReactNode }) {
  return useCan()(to.access) ? children : null
}
