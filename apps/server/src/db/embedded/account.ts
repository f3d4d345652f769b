import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Who PostgreSQL runs as when it is not simply us. */
export type Account = { readonly uid: number; readonly gid: number }

/** An id nobody has: sharing `nobody` with other daemons would let them read the cluster. */
const UNUSED: Account = { uid: 55_432, gid: 55_432 }

const isRoot = () => process.geteuid?.() === 0

/** PostgreSQL refuses to run as root, so root hands the cluster folder, and only that, to another account. */
export function accountFor(cluster: string): Account | undefined {
  if (!isRoot()) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNUSED
}

/** `initdb` wants an account with a name, which `postgres` itself does not. */
export function namedAccount(): Account | undefined {
  if (!isRoot()) return undefined
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  return { uid: Number(line?.[1] ?? 65_534), gid: Number(line?.[2] ?? 65_534) }
}

/** Whether `account` may walk to this folder: a home with mode 0700 on the way stops it. */
export function isReachable(folder: string, account: Account | undefined): boolean {
  if (!account) return true
  const { uid, gid, mode } = statSync(folder)
  const bits = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode
  const parent = dirname(folder)
  return (bits & 1) === 1 && (parent === folder || isReachable(parent, account))
}
