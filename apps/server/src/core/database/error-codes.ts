/** SQLSTATEs of a deadlock, a serialization failure and a lock timeout. */
const LOCK_CONFLICTS = new Set(['40P01', '40001', '55P03'])

/** True for the SQLSTATE of an error that a simultaneous change caused. */
export const isLockConflictCode = (code: string) => LOCK_CONFLICTS.has(code)

interface ErrorCause {
  /** SQLSTATE, or code of the network or a library. Empty for an error without a code. */
  readonly code: string
  readonly message: string
  readonly error: Error
}

/** Returns an error and its causes, outermost first. Drizzle wraps the error of the driver as the cause. */
export function readErrorCauses(error: unknown): ErrorCause[] {
  const causes: ErrorCause[] = []
  for (let cause = error; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause)
    causes.push({ code: 'code' in cause ? String(cause.code) : '', message: cause.message, error: cause })
  return causes
}

/** Ends a cycle of causes. */
const MAX_CAUSES = 20
