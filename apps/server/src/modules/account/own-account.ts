import { eq } from 'drizzle-orm'
import { accounts } from '#core/schema/account.ts'
import type { Ctx } from '#core/http/context.ts'
import { recordFailure, readLockState } from '#core/auth/lockout.ts'
import { expired, invalid } from '#core/http/api-error.ts'

/** Returns the caller's own account row. */
export async function requireOwnAccount({ db, user }: Pick<Ctx, 'db' | 'user'>) {
  const [own] = await db.select().from(accounts).where(eq(accounts.uid, user.uid))
  if (!own) throw expired()
  return own
}

/**
 * Verifies the password again before a critical action. Failures count like failed logins, outside the request's
 * transaction, which the error rolls back.
 */
export async function assertPassword(
  { services, request }: Ctx,
  own: { account: string; passwordHash: string },
  md5: string,
  field: string,
  msg = '密码错误',
) {
  const guess = { account: own.account, ip: request.ip }
  await services.attempts.run(own.account, async () => {
    const { waitSeconds } = await readLockState(services.database.db, guess)
    if (waitSeconds > 0) throw invalid(`尝试次数过多，请${waitSeconds}秒后再试`, field)
    if (await services.passwords.verify(own.passwordHash, md5)) return
    await recordFailure(services.database.db, guess, services.config.login)
    throw invalid(msg, field)
  })
}
