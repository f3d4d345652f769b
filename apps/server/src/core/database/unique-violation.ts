import { conflict } from '#core/http/api-error.ts'

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
