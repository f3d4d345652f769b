import { eq } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import type { Ctx } from '#kernel/context.ts'
import { recordFailure, standingOf } from '#kernel/lockout.ts'
import { expired, invalid } from '#kernel/problem.ts'

/** The caller's own row. */
export async function ownAccount({ db, user }: Pick<Ctx, 'db' | 'user'>) {
  const [own] = await db.select().from(accounts).where(eq(accounts.uid, user.uid))
  if (!own) throw expired()
  return own
}

/**
 * Asks for the password again before something grave. Wrong ones count like failed logins; they are counted outside the
 * call's transaction, which the refusal rolls back.
 */
export async function demandPassword(
  { kernel, request }: Ctx,
  own: { account: string; passwordHash: string },
  md5: string,
  field: string,
  msg = '密码错误',
) {
  const guess = { account: own.account, ip: request.ip }
  const { waitSeconds } = await standingOf(kernel.database.db, guess)
  if (waitSeconds > 0) throw invalid(`尝试次数过多，请${waitSeconds}秒后再试`, field)
  if (await kernel.passwords.verify(own.passwordHash, md5)) return
  await recordFailure(kernel.database.db, guess, kernel.config.login)
  throw invalid(msg, field)
}
