import { conflict } from '#core/http/api-error.ts'

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

/** Returns the API error for a violated unique index by name, or undefined for other errors. */
export function toUniqueViolation(
  error: unknown,
  clashes: Readonly<Record<string, readonly [msg: string, field: string]>>,
) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code, constraint } = (cause ?? {}) as { code?: string; constraint?: string }
  const clash = code === '23505' && constraint ? clashes[constraint] : undefined
  return clash && conflict(clash[0], clash[1])
}

/** API errors for unique violations of the accounts table. All forms that create or change accounts share them. */
export const ACCOUNT_VIOLATIONS = {
  accounts_account: ['账号已存在', 'account'],
  accounts_mobile: ['手机号已被使用', 'mobileNo'],
  accounts_email: ['邮箱已被使用', 'email'],
} as const
