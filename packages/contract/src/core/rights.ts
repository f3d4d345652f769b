/** Wildcard permission: includes all permissions. */
export const ANY_PERMISSION = '*:*:*'
/** Reserved role code that matches every role check in the console. The server never authorises by this code. */
export const ADMIN_ROLE = 'admin'

/** Returns whether the permission is held by name or by the wildcard. */
export const hasPermission = (held: Iterable<string>, permission: string) => {
  const set = held instanceof Set ? held : new Set(held)
  return set.has(ANY_PERMISSION) || set.has(permission)
}
export const hasAnyPermission = (held: Iterable<string>, wanted: readonly string[]) =>
  wanted.some((permission) => hasPermission(held, permission))
export const hasAllPermissions = (held: Iterable<string>, wanted: readonly string[]) =>
  wanted.every((permission) => hasPermission(held, permission))

/** Returns whether the role is held by its code or as `admin`. */
export const hasRole = (held: readonly string[], role: string) => held.includes(ADMIN_ROLE) || held.includes(role)
export const hasAnyRole = (held: readonly string[], wanted: readonly string[]) =>
  wanted.some((role) => hasRole(held, role))
export const hasAllRoles = (held: readonly string[], wanted: readonly string[]) =>
  wanted.every((role) => hasRole(held, role))

/** Checks a button permission as the specification defines: literally, without the wildcard. */
export const hasButton = (buttons: readonly string[], button: string) => buttons.includes(button)
