/** The permission that stands for every other. */
export const ANY_PERMISSION = '*:*:*'
/** The role code that stands for every other; reserved, and never what the server decides by. */
export const ADMIN_ROLE = 'admin'

/** Is this permission held, by name or by the wildcard? */
export const hasPermission = (held: Iterable<string>, permission: string) => {
  const set = held instanceof Set ? held : new Set(held)
  return set.has(ANY_PERMISSION) || set.has(permission)
}
export const hasAnyPermission = (held: Iterable<string>, wanted: readonly string[]) =>
  wanted.some((permission) => hasPermission(held, permission))
export const hasAllPermissions = (held: Iterable<string>, wanted: readonly string[]) =>
  wanted.every((permission) => hasPermission(held, permission))

/** Is this role held, by code or as `admin`? */
export const hasRole = (held: readonly string[], role: string) => held.includes(ADMIN_ROLE) || held.includes(role)
export const hasAnyRole = (held: readonly string[], wanted: readonly string[]) =>
  wanted.some((role) => hasRole(held, role))
export const hasAllRoles = (held: readonly string[], wanted: readonly string[]) =>
  wanted.every((role) => hasRole(held, role))

/** The separate button check of the specification: reads the stored list literally, without the wildcard. */
export const hasButton = (buttons: readonly string[], button: string) => buttons.includes(button)
