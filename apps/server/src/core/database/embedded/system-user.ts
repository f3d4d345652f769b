import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Account that PostgreSQL runs as when it differs from the server's account. */
export type SystemAccount = { readonly uid: number; readonly gid: number }

/** An unused id. Under `nobody`, other daemons could read the cluster. */
const UNUSED: SystemAccount = { uid: 55_432, gid: 55_432 }

const isRoot = () => process.geteuid?.() === 0

/**
 * Returns the account for PostgreSQL, which refuses to run as root. Root gives this account only the cluster folder.
 */
export function findPostgresAccount(cluster: string): SystemAccount | undefined {
  if (!isRoot()) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNUSED
}

/** Returns an account with a name, which `initdb` needs and `postgres` does not. */
export function findSystemUserForInitdb(): SystemAccount | undefined {
  if (!isRoot()) return undefined
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  return { uid: Number(line?.[1] ?? 65_534), gid: Number(line?.[2] ?? 65_534) }
}

/** Returns true when `account` can reach this folder. A parent folder with mode 0700 prevents access. */
export function isFolderAccessible(folder: string, account: SystemAccount | undefined): boolean {
  if (!account) return true
  const { uid, gid, mode } = statSync(folder)
  const bits = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode
  const parent = dirname(folder)
  return (bits & 1) === 1 && (parent === folder || isFolderAccessible(parent, account))
}
