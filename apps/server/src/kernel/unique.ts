import { conflict } from './problem.ts'

/** The refusal for a violated unique index, by its name; undefined when the error is another. */
export function uniqueClash(error: unknown, clashes: Readonly<Record<string, readonly [msg: string, field: string]>>) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code, constraint } = (cause ?? {}) as { code?: string; constraint?: string }
  const clash = code === '23505' && constraint ? clashes[constraint] : undefined
  return clash && conflict(clash[0], clash[1])
}

/** Clashes of the accounts table; every form that makes or changes accounts answers the same. */
export const ACCOUNT_CLASHES = {
  accounts_account: ['账号已存在', 'account'],
  accounts_mobile: ['手机号已被使用', 'mobileNo'],
  accounts_email: ['邮箱已被使用', 'email'],
} as const
