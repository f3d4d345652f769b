import type { account } from '@oms/contract/account/account.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { accounts } from '#core/schema/account.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { conflict } from '#core/http/api-error.ts'
import { ACCOUNT_VIOLATIONS, toUniqueViolation } from '#core/database/error-codes.ts'
import { assertCaptcha } from './captcha.ts'
import { assertPasswordStrength } from './password.ts'

/**
 * Creates an account without tenant and role. The account sees only its profile until a tenant accepts an
 * application.
 */
export async function registerAccount(ctx: PublicCtx, input: ParsedOf<typeof account.register>) {
  const { pswdMd5, captcha, captchaId, mobileNo, email, ...rest } = input
  await assertCaptcha(ctx.db, { captcha, captchaId })
  assertPasswordStrength(pswdMd5, 'pswdMd5')
  const passwordHash = await ctx.services.passwords.hash(pswdMd5)
  const [created] = await ctx.db
    .insert(accounts)
    .values({ ...rest, mobileNo: mobileNo ?? null, email: email ?? null, passwordHash })
    .returning({ uid: accounts.uid })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, ACCOUNT_VIOLATIONS) ?? error
    })
  if (!created) throw conflict('注册失败，请重试')
  return created
}
